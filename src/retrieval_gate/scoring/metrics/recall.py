"""Recall: the share of the relevant units that was returned."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part
from retrieval_gate.scoring.metrics.ranks import found_within


def recall(record: QueryRecord, k: int) -> Part | None:
    return found_within(record, k), len(record.judged)
