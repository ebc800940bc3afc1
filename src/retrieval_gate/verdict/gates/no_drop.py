"""No metric of any ablation and slice falls below the baseline."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.config import ZERO_TOLERANCE
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.bounds import fell, limit
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.comparison import RowPair
from retrieval_gate.verdict.drops import Drops
from retrieval_gate.verdict.gates.rule import GateRule


def _judge(case: Case) -> Iterator[Verdict]:
    comparison = case.compared
    # The values of a run that a retriever did not end are no measurements: that it is incomplete fails already.
    if comparison is None or case.evaluation.failures:
        return
    drops = Drops(case.config)
    for ablation in comparison.ablations:
        pairs = [pair for pair in comparison.rows if pair.now.ablation == ablation]
        failed = [verdict for pair in pairs if (verdict := _drop(case, drops, pair)) is not None]
        yield from failed
        if not failed:
            yield Verdict(kind="no-drop", status=Status.PASSED, ablation=ablation, n=len(comparison.shared))


def _drop(case: Case, drops: Drops, pair: RowPair) -> Verdict | None:
    """The failure of one value, None where it has not fallen by more than is allowed."""
    before, now, family = pair.before, pair.now, pair.metric.family
    if before.value is None or family.id in ZERO_TOLERANCE:
        return None
    allowed = drops.at(now.metric, now.ablation, now.slice)
    if not fell(before.value, now.value, family.direction, allowed, case.config.slack):
        return None
    return Verdict(
        kind="no-drop",
        status=Status.FAILED,
        ablation=now.ablation,
        slice=now.slice,
        metric=now.metric,
        value=now.value,
        bound=limit(before.value, family.direction, allowed),
        baseline=before.value,
        n=now.n,
        baseline_n=before.n,
    )


NO_DROP = GateRule(
    id="no-drop",
    explanation=(
        "Each metric x ablation x slice, recomputed on both sides over the shared queries, is no worse than in "
        "the baseline by more than max-drop (0). Counts of zero tolerance have their own gate."
    ),
    kinds=("no-drop",),
    judge=_judge,
)
