"""No shared query loses evidence, rank or value, also where an average hides it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule
from retrieval_gate.verdict.query_change import QueryChange, UnitMove


def _judge(case: Case) -> Iterator[Verdict]:
    if case.compared is None:
        return
    for change in case.changes:
        yield from query_failures(change)


def query_failures(change: QueryChange) -> Iterator[Verdict]:
    """One verdict per kind; none for a query that has no answer now, which is a failure of its own."""
    if change.pair.now.missing:
        return
    explained = False
    for kind, moves in _lost(change):
        explained = True
        yield _failure(kind, change, moves)
    if change.fell and not explained:
        yield _failure("query-value-fell", change, ())


def _lost(change: QueryChange) -> Iterator[tuple[str, Sequence[UnitMove]]]:
    if change.left:
        yield "relevant-left-cut-off", change.left
    if change.spans:
        yield "span-lost", change.spans
    if change.false_positive:
        yield "false-positive", ()
    if change.worsened and change.fell:
        yield "rank-worsened", change.worsened


def _failure(kind: str, change: QueryChange, moves: Sequence[UnitMove]) -> Verdict:
    """Names every unit; ranks and stage are those of the first, value and bound of the metric that fell most."""
    now = change.pair.now
    first = moves[0] if moves else None
    worst = change.fell[0] if change.fell else None
    return Verdict(
        kind=kind,
        status=Status.FAILED,
        ablation=now.ablation,
        query=now.query,
        units=tuple(move.unit for move in moves),
        metric=worst.metric.id if worst else None,
        value=worst.now if worst else None,
        bound=worst.bound if worst else None,
        baseline=worst.before if worst else None,
        n=1,
        baseline_n=1,
        old_rank=first.old_rank if first else None,
        new_rank=first.new_rank if first else None,
        stage=first.stage if first else None,
        metrics=tuple(fall.metric.id for fall in change.fell),
    )


PER_QUERY = GateRule(
    id="per-query",
    explanation=(
        "For every shared query and ablation: no judged unit leaves the largest cut-off, no answer span leaves "
        "the context, no judged rank worsens so that a metric of the query falls by more than max-drop, no "
        "no-answer query begins to return hits, and no value of the query falls for another reason."
    ),
    kinds=("relevant-left-cut-off", "span-lost", "false-positive", "rank-worsened", "query-value-fell"),
    judge=_judge,
)
