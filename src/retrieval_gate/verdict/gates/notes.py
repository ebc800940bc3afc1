"""What is worth reading and blocks nothing: improvements, harmless moves, and what has changed around them."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.baseline import bounds_of
from retrieval_gate.verdict.bounds import rose
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.comparison import Comparison, RowPair
from retrieval_gate.verdict.gates.per_query import query_failures
from retrieval_gate.verdict.gates.rule import GateRule
from retrieval_gate.verdict.query_change import QueryChange


def _judge(case: Case) -> Iterator[Verdict]:
    comparison = case.compared
    if comparison is None:
        return
    yield from _around(case, comparison)
    for ablation in comparison.ablations_added:
        yield Verdict(kind="ablation-added", status=Status.NOTE, ablation=ablation)
    yield from (_improved(pair) for pair in comparison.rows if _rose(case, pair))
    for change in case.changes:
        if not change.pair.now.missing and next(query_failures(change), None) is None:
            yield _harmless(change)


def _around(case: Case, comparison: Comparison) -> Iterator[Verdict]:
    """Changes of fixture, system and bounds."""
    baseline, fixture = comparison.baseline, case.plan.fixture
    same_version = (baseline.fixture_id, baseline.fixture_version) == (fixture.id, fixture.version)
    if not same_version:
        yield Verdict(
            kind="fixture-changed",
            status=Status.NOTE,
            value=float(fixture.version),
            baseline=float(baseline.fixture_version),
        )
    for part in comparison.changed_parts:
        if part == "corpus" and same_version:
            yield Verdict(kind="same-version", status=Status.NOTE, detail=part)
        else:
            yield Verdict(kind="system-changed", status=Status.NOTE, detail=part)
    if bounds_of(case.config) != baseline.bounds:
        yield Verdict(kind="bounds-changed", status=Status.NOTE)


def _rose(case: Case, pair: RowPair) -> bool:
    direction = pair.metric.family.direction
    return rose(pair.before.value, pair.now.value, direction, case.config.slack)


def _improved(pair: RowPair) -> Verdict:
    now, before = pair.now, pair.before
    return Verdict(
        kind="improved",
        status=Status.NOTE,
        ablation=now.ablation,
        slice=now.slice,
        metric=now.metric,
        value=now.value,
        baseline=before.value,
        n=now.n,
        baseline_n=before.n,
    )


def _harmless(change: QueryChange) -> Verdict:
    """A shared query that differs and has not got worse."""
    best = change.rose[0] if change.rose else None
    kind = "query-improved" if best else "unjudged-moved" if change.unjudged_only else "query-changed"
    return Verdict(
        kind=kind,
        status=Status.NOTE,
        ablation=change.pair.now.ablation,
        query=change.pair.now.query,
        metric=best.metric.id if best else None,
        value=best.now if best else None,
        baseline=best.before if best else None,
        metrics=tuple(rise.metric.id for rise in change.rose),
    )


NOTES = GateRule(
    id="notes",
    explanation=(
        "Improvements, queries that changed without getting worse, and changes of fixture, system and bounds "
        "since the baseline. Never blocks."
    ),
    kinds=(
        "fixture-changed",
        "same-version",
        "system-changed",
        "bounds-changed",
        "ablation-added",
        "improved",
        "query-improved",
        "query-changed",
        "unjudged-moved",
    ),
    judge=_judge,
)
