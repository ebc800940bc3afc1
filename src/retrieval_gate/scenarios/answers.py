"""Where in an answer a chunk stands, and where two answers differ."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.record import Where
from retrieval_gate.base.retrieval import Response


def shown(response: Response) -> Iterator[tuple[str, tuple[ChunkId, ...]]]:
    """Every part of an answer that names chunks, nearest to the reader first."""
    yield Where.CITATIONS, response.citations or ()
    yield Where.CONTEXT, tuple(passage.chunk for passage in response.context or ())
    yield Where.HITS, tuple(hit.chunk for hit in response.hits)
    yield Where.STAGES, tuple(chunk for stage in response.stages for chunk in stage.chunks)


def everything(response: Response) -> frozenset[ChunkId]:
    """All chunks that an answer names anywhere."""
    return frozenset(chunk for _, chunks in shown(response) for chunk in chunks)


def returned(response: Response) -> frozenset[ChunkId]:
    """The chunks of its hits and its context. What only a stage or a citation names was not served."""
    context = () if response.context is None else response.context
    return frozenset((*(hit.chunk for hit in response.hits), *(passage.chunk for passage in context)))


def place(response: Response, chunks: frozenset[ChunkId]) -> tuple[str, tuple[ChunkId, ...]] | None:
    """The part nearest to the reader that names one of `chunks`, and those that it names; None where none does."""
    for part, named in shown(response):
        if not chunks.isdisjoint(named):
            return part, tuple(dict.fromkeys(chunk for chunk in named if chunk in chunks))
    return None


def difference(one: Response, other: Response) -> str | None:
    """The first part in which two answers differ in any way, scores included; None where they are the same."""
    if one.state is not other.state:
        return "abstention"
    if one.hits != other.hits:
        return Where.HITS
    if one.context != other.context:
        return Where.CONTEXT
    if one.citations != other.citations:
        return Where.CITATIONS
    if one.stages != other.stages:
        return Where.STAGES
    return None if one.evidence == other.evidence else "abstention"
