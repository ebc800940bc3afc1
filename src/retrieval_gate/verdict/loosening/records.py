"""Worse results of the same questions, held against the labels and the drops of the base branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from retrieval_gate.base.canonical import rounded, short_digest
from retrieval_gate.base.ids import ChunkId, MetricId, QueryId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.record import JudgedRank, QueryRecord
from retrieval_gate.scoring.evidence import CONTEXT_DEPTH
from retrieval_gate.scoring.metrics.table import Metric, parse_metric
from retrieval_gate.scoring.slices import ALL
from retrieval_gate.verdict.accepted import LabelledQuery, LabelledUnit, record_identity
from retrieval_gate.verdict.comparison import RecordPair
from retrieval_gate.verdict.drops import Drops
from retrieval_gate.verdict.loosening.finding import Loosening, Sides
from retrieval_gate.verdict.query_change import QueryChange, furthest, got_worse, query_change

# A count of zero tolerance, the labels that it comes from beside the policy, and how many chunks were checked.
_CHECKED: tuple[
    tuple[MetricId, Callable[[LabelledQuery], Sequence[ChunkId]], Callable[[QueryRecord], int]], ...
] = (
    (MetricId("permission-leaks"), lambda query: query.forbidden, lambda record: record.checked_forbidden),
    (MetricId("stale-evidence"), lambda query: query.stale, lambda record: record.checked_stale),
)
_Labels = dict[QueryId, tuple[LabelledQuery, LabelledQuery]]


def state_not_given(sides: Sides) -> Iterator[Loosening]:
    """Queries whose answer state was checked, and is not given any more."""
    for before, now in _pairs(sides):
        if before.expected_state is not None and before.state is not None and now.state is None:
            yield Loosening(
                rule="loosened-state-not-given", ablation=now.ablation, query=now.query, name=before.state.value
            )


def checks(sides: Sides) -> Iterator[Loosening]:
    """Fewer chunks that the policy keeps from the same questions; where labels are gone too, those are told."""
    for metric, labels, checked in _CHECKED:
        same = {now.id for before, now in sides.kept if labels(before) == labels(now)}
        counts = [
            (now.ablation, now.query, checked(before), checked(now))
            for before, now in _pairs(sides)
            if now.query in same and not now.missing and checked(now) < checked(before)
        ]
        if counts:
            were, are = 0, 0
            for _, _, before_count, now_count in counts:
                were, are = were + before_count, are + now_count
            yield Loosening(
                rule="loosened-checks",
                metric=metric,
                before=float(were),
                now=float(are),
                content=short_digest(counts),
            )


def query_worse(sides: Sides) -> Iterator[Loosening]:
    """Queries that lost a judged unit, a span or value, by what the base branch judges them by."""
    metrics = tuple(parse_metric(metric) for metric in sides.base.metrics)
    cut_off, slack = furthest(metrics, CONTEXT_DEPTH), sides.base.bounds.slack
    drops = Drops(sides.base.bounds)
    labels: _Labels = {before.id: (before, now) for before, now in sides.kept}
    for before, now in _pairs(sides):
        pair = _under_old_labels(before, now, *labels[now.query])
        if pair.before == pair.now:
            continue

        def allowed(metric: Metric, of: QueryRecord = now) -> float:
            return drops.at(metric.id, of.ablation, ALL)

        change = query_change(pair, metrics, cut_off, allowed, slack)
        if got_worse(change):
            yield _worse(change)


def _pairs(sides: Sides) -> Iterator[tuple[QueryRecord, QueryRecord]]:
    """The records of the same question on both sides, but for those that fail already."""
    same = {now.id for before, now in sides.kept if before.asked == now.asked}
    own = {record_identity(record): record for record in sides.now.records}
    for before in sides.base.records:
        now = own.get(record_identity(before))
        if now is not None and before.query in same and (now.ablation, now.query) not in sides.red:
            yield before, now


def _under_old_labels(before: QueryRecord, now: QueryRecord, old: LabelledQuery, new: LabelledQuery) -> RecordPair:
    """Both records under the judgments that `before` was made with, as far as they are still there.

    So a judgment that is added, or a grade that is raised, can not hide what was lost. Character counts belong to
    all labels of a query together: they are left out where the labels differ, and spans compared one by one.
    """
    if old.judgments == new.judgments:
        return RecordPair(before=before, now=now)
    units = {unit.unit: unit for unit in now.judged}
    was = {unit.unit: unit for unit in old.judgments}
    is_now = {unit.unit: unit for unit in new.judgments}
    kept = [unit for unit in before.judged if unit.unit in units]
    judged = (
        replace(
            units[unit.unit],
            grade=unit.grade,
            spans=_old_spans(unit, units[unit.unit], was[unit.unit], is_now[unit.unit]),
        )
        for unit in kept
    )
    return RecordPair(before=_relabelled(before, kept), now=_relabelled(now, tuple(judged)))


def _old_spans(before: JudgedRank, now: JudgedRank, old: LabelledUnit, new: LabelledUnit) -> tuple[int, ...]:
    """The ordinals under the old labels of what the context holds now; a span without a label now is not lost."""
    found = {span for ordinal, span in enumerate(new.spans) if ordinal in now.spans}
    return tuple(
        ordinal
        for ordinal, span in enumerate(old.spans)
        if span in found or (span not in new.spans and ordinal in before.spans)
    )


def _relabelled(record: QueryRecord, judged: Sequence[JudgedRank]) -> QueryRecord:
    return replace(
        record,
        judged=tuple(judged),
        matched_characters=None,
        returned_characters=None,
        annotated_characters=None,
    )


def _worse(change: QueryChange) -> Loosening:
    """Named by all units that were lost, and the metric that fell most; values rounded, as two machines differ."""
    now = change.pair.now
    moves = (*change.left, *change.spans, *(change.worsened if change.fell else ()))
    worst = change.fell[0] if change.fell else None
    return Loosening(
        rule="loosened-query-worse",
        ablation=now.ablation,
        query=now.query,
        metric=worst.metric.id if worst else None,
        units=first_occurrences(move.unit for move in moves),
        before=rounded(worst.before) if worst else None,
        now=rounded(worst.now) if worst and worst.now is not None else None,
        content=short_digest([(unit.unit, unit.rank, unit.spans) for unit in now.judged]),
    )
