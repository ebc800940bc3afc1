"""One row of the metric table, and a row with its cut-off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.ids import MetricId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Direction
from retrieval_gate.scoring.metrics.pool import Part, Pool, Pooled

# The part of one record at cut-off k (from 1; 0 where the family takes no cut-off).
Measure = Callable[[QueryRecord, int], Part | None]


class Applies(StrEnum):
    """The queries that an aggregate is computed over."""

    ANSWERABLE = "answerable"
    NO_ANSWER = "no-answer"
    LABELLED = "labelled"

    def covers(self, record: QueryRecord) -> bool:
        """Whether the query belongs to this class; for LABELLED the measure itself finds the label."""
        match self:
            case Applies.ANSWERABLE:
                return bool(record.judged)
            case Applies.NO_ANSWER:
                return record.no_answer
            case Applies.LABELLED:
                return True


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFamily:
    """A metric without its cut-off. `formula` and `source` are its documentation; `unit` is of its value."""

    id: str
    direction: Direction
    takes_cutoff: bool
    unit: str
    applies: Applies
    formula: str
    source: str
    pool: Pool
    measure: Measure

    def value(self, record: QueryRecord, k: int) -> float | None:
        """The value of one query, None where it has none; also of a query that no aggregate covers.

        So precision of a no-answer query that returned something is 0, as a supplied trace needs it.
        """
        part = self.measure(record, k)
        return None if part is None else self.pool.alone(part)

    def parts(self, records: Sequence[QueryRecord], k: int) -> tuple[Part | None, ...]:
        """One part per record, in order; None for a query that the aggregate does not cover."""
        covers, measure = self.applies.covers, self.measure
        return tuple([measure(record, k) if covers(record) else None for record in records])

    def aggregate(self, records: Sequence[QueryRecord], k: int) -> Pooled:
        """The value over the records and the n it was measured over."""
        return self.pool.together(self.parts(records, k))


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A family at a cut-off, as users write it: `ndcg@10`. `k` is None where the family takes none."""

    id: MetricId
    family: MetricFamily
    k: int | None

    def value(self, record: QueryRecord) -> float | None:
        """See `MetricFamily.value`."""
        return self.family.value(record, self.k or 0)

    def parts(self, records: Sequence[QueryRecord]) -> tuple[Part | None, ...]:
        """See `MetricFamily.parts`."""
        return self.family.parts(records, self.k or 0)

    def pooled(self, parts: Sequence[Part | None]) -> Pooled:
        """The value of some of those parts and the n it was measured over."""
        return self.family.pool.together(parts)

    def aggregate(self, records: Sequence[QueryRecord]) -> Pooled:
        """See `MetricFamily.aggregate`."""
        return self.family.aggregate(records, self.k or 0)
