"""Context precision and recall: shares of characters, over unioned spans; blind to rank."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part


def context_precision(record: QueryRecord, _k: int) -> Part | None:
    return _part(record.matched_characters, record.returned_characters)


def context_recall(record: QueryRecord, _k: int) -> Part | None:
    return _part(record.matched_characters, record.annotated_characters)


def _part(matched: int | None, whole: int | None) -> Part | None:
    return None if matched is None or whole is None else (matched, whole)
