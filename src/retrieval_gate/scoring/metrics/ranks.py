"""What every rank metric asks of a record."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord


def found_within(record: QueryRecord, k: int) -> int:
    """How many relevant units are among the first `k` distinct results."""
    found = 0
    for judged in record.judged:
        if judged.rank is not None and judged.rank <= k:
            found += 1
    return found


def first_rank(record: QueryRecord) -> int | None:
    """The best rank of a relevant unit, None where none was returned."""
    return min([judged.rank for judged in record.judged if judged.rank is not None], default=None)
