"""Reciprocal rank of the first relevant unit."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part
from retrieval_gate.scoring.metrics.ranks import first_rank


def reciprocal_rank(record: QueryRecord, k: int) -> Part | None:
    if not record.judged:
        return None
    first = first_rank(record)
    return (1, first) if first is not None and first <= k else (0, 1)
