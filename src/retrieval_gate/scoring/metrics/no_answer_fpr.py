"""No-answer false positives: a query without an answer that still returned something."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part


def no_answer_false_positive(record: QueryRecord, _k: int) -> Part | None:
    return (1 if record.returned else 0, 1) if record.no_answer else None
