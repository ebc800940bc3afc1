"""Forbidden chunks that a principal was shown, at any depth."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part


def permission_leaks(record: QueryRecord, _k: int) -> Part | None:
    return len(record.leaks), record.checked_forbidden
