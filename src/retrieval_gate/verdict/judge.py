"""Every gate over one case, in the order in which a reader needs the verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any

from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.table import GATES
from retrieval_gate.verdict.kinds import kind_of, severity

_STATUS = (Status.FAILED, Status.NOT_CHECKED, Status.NOTE, Status.PASSED)


def judge(case: Case) -> tuple[Verdict, ...]:
    """All failures, worst first, then what was not checked, notes and passes; a total order, pure.

    Within one kind the larger damage comes first, then the plan's order of ablations, slices, metrics and queries.
    """
    place = _Places(case)
    return tuple(sorted((verdict for rule in GATES for verdict in rule.judge(case)), key=place.of))


def unacceptable(verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The failures that no baseline may accept, such as leaks and stale evidence."""
    return tuple(
        verdict for verdict in verdicts if verdict.status is Status.FAILED and not kind_of(verdict.kind).acceptable
    )


class _Places:
    """The sort key of a verdict; names that only the baseline knows come after the plan's."""

    def __init__(self, case: Case) -> None:
        self._ablations = _order(spec.id for spec in case.plan.ablations)
        self._slices = _order(group.id for group in case.plan.slices)
        self._metrics = _order(metric.id for metric in case.plan.metrics)
        self._queries = _order(query.id for query in case.plan.fixture.queries)

    def of(self, verdict: Verdict) -> tuple[Any, ...]:
        return (
            _STATUS.index(verdict.status),
            severity(verdict.kind),
            -_damage(verdict),
            _place(self._ablations, verdict.ablation),
            _place(self._slices, verdict.slice),
            _place(self._metrics, verdict.metric),
            _place(self._queries, verdict.query),
            verdict.bound or 0.0,
            verdict.detail or "",
        )


def _order(names: Iterable[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _place(order: dict[str, int], name: str | None) -> tuple[int, str]:
    """None, which is the whole, comes first."""
    return (-1, "") if name is None else (order.get(name, len(order)), name)


def _damage(verdict: Verdict) -> float:
    """How far a value is from what it is held against; infinite where it is not measured."""
    reference = verdict.bound if verdict.baseline is None else verdict.baseline
    if reference is None:
        return 0.0
    return inf if verdict.value is None else abs(verdict.value - reference)
