"""Observations made by hand: a ranking with its scores, and only what a test is about beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.record import Observation, QueryRecord
from tests.scoring.build import record

Scored = tuple[str, float | None]


def seen(*hits: Scored, of: QueryRecord | None = None, context: str | None = None) -> Observation:
    """One run's view of one query; the record's digest is that of the returned ids, as the observer makes it."""
    ids = [chunk for chunk, _ in hits]
    return Observation(
        record=replace(of or record(returned=len(ids)), ranking_digest=short_digest(ids)),
        hits=tuple((ChunkId(chunk), score) for chunk, score in hits),
        context_digest=context,
        latency_ns=1,
    )


def unscored(ids: Iterable[str]) -> Observation:
    """A ranking of a retriever that gives no scores."""
    return seen(*((chunk, None) for chunk in ids))
