"""What happened to one query under one ablation between the baseline and now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from retrieval_gate.base.config import ZERO_TOLERANCE
from retrieval_gate.base.ids import UnitId
from retrieval_gate.base.record import JudgedRank, QueryRecord
from retrieval_gate.base.scores import Direction
from retrieval_gate.scoring.metrics.table import Metric
from retrieval_gate.verdict.bounds import fell, limit, rose
from retrieval_gate.verdict.comparison import RecordPair

# The stage at which a span of a returned unit is lost.
CONTEXT = "context"
# How much a metric may fall.
Allowed = Callable[[Metric], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """A metric of the query that moved by more than is allowed; `bound` is the worst value allowed."""

    metric: Metric
    before: float
    now: float | None
    bound: float

    @property
    def size(self) -> float:
        """How far the value moved; all of it where it is not measured now: that follows from a larger loss."""
        return abs(self.before - (self.now or 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMove:
    """A judged unit that lost its place or a span, and the stage where that happened, None where unknown.

    That is the stage that lost it altogether, else the first at which it stands lower than before.
    """

    unit: UnitId
    old_rank: int | None
    new_rank: int | None
    stage: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryChange:
    """Units stand highest grade first, then by old rank; values by size, largest first.

    `left`: within the cut-off before; beyond it or not returned now. `spans`: a span that the context had is gone,
    for a unit that has not left. `worsened`: within the cut-off on both sides, at a lower place now.
    `unjudged_only`: nothing but the digest of the ranking differs.
    """

    pair: RecordPair
    fell: tuple[ValueChange, ...]
    rose: tuple[ValueChange, ...]
    left: tuple[UnitMove, ...]
    spans: tuple[UnitMove, ...]
    worsened: tuple[UnitMove, ...]
    false_positive: bool
    unjudged_only: bool


def query_change(
    pair: RecordPair, metrics: Sequence[Metric], cut_off: int, allowed: Allowed, slack: float
) -> QueryChange:
    """Compare both records of one shared query, units by id; pure. Zero-tolerance metrics are left out."""
    before, now = pair.before, pair.now
    joined = _joined(before.judged, now.judged)
    moves = _Moves(before, now)
    inside = [(was, unit) for was, unit in joined if _within(was, cut_off)]
    left = [(was, unit) for was, unit in inside if not _within(unit, cut_off)]
    kept = [(was, unit) for was, unit in inside if _within(unit, cut_off)]
    cut = [(was, unit) for was, unit in joined if set(was.spans) - set(unit.spans)]
    unjudged_only = replace(before, ranking_digest=now.ranking_digest) == now
    fallen, risen = ((), ()) if unjudged_only else _values(pair, metrics, allowed, slack)
    return QueryChange(
        pair=pair,
        fell=fallen,
        rose=risen,
        left=moves.of(left),
        spans=_cut(moves.of(both for both in cut if both not in left)),
        worsened=moves.of((was, unit) for was, unit in kept if (unit.rank or 0) > (was.rank or 0)),
        false_positive=now.no_answer and before.returned == 0 and now.returned > 0,
        unjudged_only=unjudged_only,
    )


def got_worse(change: QueryChange) -> bool:
    """Whether anything of the query was lost or fell; a lower rank alone is not worse."""
    return bool(change.left or change.spans or change.false_positive or change.fell)


def furthest(metrics: Sequence[Metric], otherwise: int) -> int:
    """The largest cut-off of the metrics, `otherwise` where none has one."""
    return max([metric.k for metric in metrics if metric.k is not None], default=otherwise)


def query_value(metric: Metric, record: QueryRecord) -> float | None:
    """The metric of one query, None where the metric's aggregate does not cover it."""
    return metric.value(record) if metric.family.applies.covers(record) else None


def _values(
    pair: RecordPair, metrics: Sequence[Metric], allowed: Allowed, slack: float
) -> tuple[tuple[ValueChange, ...], tuple[ValueChange, ...]]:
    """The metrics that fell by more than is allowed, and those that rose."""
    fallen: list[ValueChange] = []
    risen: list[ValueChange] = []
    for metric in metrics:
        before, now = query_value(metric, pair.before), query_value(metric, pair.now)
        if before is None or before == now or metric.family.id in ZERO_TOLERANCE:
            continue
        direction: Direction = metric.family.direction
        drop = allowed(metric)
        change = ValueChange(metric=metric, before=before, now=now, bound=limit(before, direction, drop))
        if fell(before, now, direction, drop, slack):
            fallen.append(change)
        elif rose(before, now, direction, slack):
            risen.append(change)
    return _by_size(fallen), _by_size(risen)


def _cut(moves: Iterable[UnitMove]) -> tuple[UnitMove, ...]:
    """The same moves: a unit that has not left the hits can lose a span in the context only."""
    return tuple(replace(move, stage=CONTEXT) for move in moves)


def _by_size(changes: Iterable[ValueChange]) -> tuple[ValueChange, ...]:
    return tuple(sorted(changes, key=lambda change: -change.size))


def _joined(before: Sequence[JudgedRank], now: Sequence[JudgedRank]) -> list[tuple[JudgedRank, JudgedRank]]:
    old = {unit.unit: unit for unit in before}
    return [(old[unit.unit], unit) for unit in now if unit.unit in old]


def _within(unit: JudgedRank, cut_off: int) -> bool:
    return unit.rank is not None and unit.rank <= cut_off


class _Moves:
    """Names the moves of one query's units, highest grade first, then by old rank."""

    def __init__(self, before: QueryRecord, now: QueryRecord) -> None:
        self._before = before.stages
        self._now = now.stages

    def of(self, pairs: Iterable[tuple[JudgedRank, JudgedRank]]) -> tuple[UnitMove, ...]:
        ordered = sorted(pairs, key=lambda pair: (-pair[1].grade, pair[0].rank or 0, pair[1].unit))
        return tuple(
            UnitMove(unit=unit.unit, old_rank=was.rank, new_rank=unit.rank, stage=self._stage(was, unit))
            for was, unit in ordered
        )

    def _stage(self, was: JudgedRank, unit: JudgedRank) -> str | None:
        if unit.lost_at is not None:
            return unit.lost_at
        old = dict(zip(self._before, was.trail, strict=False))
        now = zip(self._now, unit.trail, strict=False)
        return next((stage for stage, rank in now if _is_lower(old.get(stage), rank)), None)


def _is_lower(old: int | None, new: int | None) -> bool:
    return old is not None and (new is None or new > old)
