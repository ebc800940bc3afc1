"""Answer states that differ from the expected one, in both directions."""

from __future__ import annotations

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part


def wrong_state(record: QueryRecord, _k: int) -> Part | None:
    if record.expected_state is None or record.state is None:
        return None
    return (1 if record.state is not record.expected_state else 0, 1)
