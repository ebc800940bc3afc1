"""Precision, in both of its public meanings: by what was returned, and by the cut-off."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part
from retrieval_gate.scoring.metrics.ranks import found_within


def precision(record: QueryRecord, k: int) -> Part | None:
    return found_within(record, k), min(k, record.returned)


def precision_fixed(record: QueryRecord, k: int) -> Part | None:
    return found_within(record, k), k
