"""Hit: whether anything relevant was returned; binary, so that its mean is a rate."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part
from retrieval_gate.scoring.metrics.ranks import found_within


def hit(record: QueryRecord, k: int) -> Part | None:
    return (1 if found_within(record, k) else 0, 1) if record.judged else None
