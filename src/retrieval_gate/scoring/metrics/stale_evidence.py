"""Chunks of a superseded version that were served as evidence."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part


def stale_evidence(record: QueryRecord, _k: int) -> Part | None:
    return len(record.stale), record.checked_stale
