"""Labels that were accepted stay as they are until new ones are accepted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.baseline import candidate
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.comparison import Comparison, comparable
from retrieval_gate.verdict.gates.rule import HELD_OUT, GateRule
from retrieval_gate.verdict.label_parts import LabelPart, label_parts


def _judge(case: Case) -> Iterator[Verdict]:
    comparison = case.comparison
    if comparison is None or _other_fixture(case, comparison):
        return
    failures = tuple(_failures(case, comparison))
    yield from failures
    if not failures:
        yield Verdict(kind="labels", status=Status.PASSED, n=len(comparison.shared))
    yield from (Verdict(kind="query-added", status=Status.NOTE, query=query) for query in comparison.added)
    if comparison.held_out_changed and comparison.baseline.held_out.count == 0:
        yield Verdict(kind="query-added", status=Status.NOTE, slice=HELD_OUT, n=len(case.held_out))


def _failures(case: Case, comparison: Comparison) -> Iterator[Verdict]:
    yield from (Verdict(kind="query-removed", status=Status.FAILED, query=query) for query in comparison.removed)
    parts = _parts(case, comparison)
    for query in comparison.edited:
        yield Verdict(kind="label-edited", status=Status.FAILED, query=query, detail=parts[query].value)
    before = comparison.baseline.held_out.count
    if comparison.held_out_changed and before > 0:
        yield Verdict(
            kind="label-edited", status=Status.FAILED, slice=HELD_OUT, n=len(case.held_out), baseline_n=before
        )


def _parts(case: Case, comparison: Comparison) -> Mapping[QueryId, LabelPart]:
    """What was edited in each query; nothing is looked up where none was."""
    if not comparison.edited:
        return {}
    now = candidate(case.plan, case.evaluation, case.config, reason=None, environment=())
    return label_parts(comparison.baseline, now, case.plan.fixture.queries, comparison.edited)


def _other_fixture(case: Case, comparison: Comparison) -> bool:
    """A baseline of another fixture: nothing is comparable, and no query was removed or edited."""
    return comparison.baseline.fixture_id != case.plan.fixture.id and not comparable(comparison)


LABELS = GateRule(
    id="labels",
    explanation=(
        "No query of the baseline is removed, and none has other labels, until that is accepted. New queries are "
        "noted and held to absolute gates only. Held-out queries are "
        "compared as one: any change of a set that the baseline holds is an edit."
    ),
    kinds=("query-removed", "label-edited", "labels", "query-added"),
    judge=_judge,
)
