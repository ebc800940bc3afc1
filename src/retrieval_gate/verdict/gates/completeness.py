"""Every query is answered, and nothing is measured over less than before."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.config import ZERO_TOLERANCE
from retrieval_gate.base.ids import AblationId, SliceId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.scoring.slices import ALL
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.comparison import RowPair
from retrieval_gate.verdict.gates.rule import HELD_OUT, GateRule


def _judge(case: Case) -> Iterator[Verdict]:
    answered = {(record.ablation, record.query) for record in case.evaluation.scores.records if not record.missing}
    for spec in case.plan.ablations:
        missing = [query.id for query in case.plan.fixture.queries if (spec.id, query.id) not in answered]
        if missing and case.evaluation.failures:
            # One failure, not one for each query behind it.
            yield _together(spec.id, ALL, len(missing), len(case.plan.fixture.queries))
            continue
        hidden = [query for query in missing if query in case.unnamed]
        for query in missing:
            if query not in case.unnamed:
                yield Verdict(
                    kind="query-missing",
                    status=Status.FAILED,
                    ablation=spec.id,
                    query=query,
                    value=0.0,
                    bound=1.0,
                    n=0,
                )
        if hidden:
            yield _together(spec.id, HELD_OUT, len(hidden), len(case.held_out))
        if not missing:
            n = len(case.plan.fixture.queries)
            yield Verdict(kind="completeness", status=Status.PASSED, ablation=spec.id, n=n)
    if case.compared is not None and not case.evaluation.failures:
        yield from (_dropped(pair) for pair in case.compared.rows if _measured_over_less(pair))


def _together(ablation: AblationId, part: SliceId, missing: int, whole: int) -> Verdict:
    """How many of `whole` queries have an answer, where each is not named."""
    return Verdict(
        kind="query-missing",
        status=Status.FAILED,
        ablation=ablation,
        slice=part,
        value=float(whole - missing),
        bound=float(whole),
        n=whole - missing,
    )


def _measured_over_less(pair: RowPair) -> bool:
    """A value that is not measured at all any more is a drop, except where counts have no drop gate."""
    gone = pair.now.value is None and pair.metric.family.id not in ZERO_TOLERANCE
    return pair.now.n < pair.before.n and not gone


def _dropped(pair: RowPair) -> Verdict:
    now, before = pair.now, pair.before
    return Verdict(
        kind="n-dropped",
        status=Status.FAILED,
        ablation=now.ablation,
        slice=now.slice,
        metric=now.metric,
        value=now.value,
        bound=float(before.n),
        baseline=before.value,
        n=now.n,
        baseline_n=before.n,
    )


COMPLETENESS = GateRule(
    id="completeness",
    explanation=(
        "Every query of the fixture has an answer from every ablation, and no value is measured over fewer "
        "queries or labels than in the baseline, for the queries that both sides share."
    ),
    kinds=("query-missing", "n-dropped", "completeness"),
    judge=_judge,
)
