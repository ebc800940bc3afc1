"""Retriever v1: the one request and the one response, whatever the transport."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from retrieval_gate.base.fixture import Principal, State
from retrieval_gate.base.ids import ChunkId, DocumentId, QueryId


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question. `principal` None is the public; `as_of` None means that the fixture has no times."""

    id: QueryId
    query: str
    k: int
    principal: Principal | None
    as_of: datetime | None
    language: str
    trace: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result. List order is the ranking; `score` None where the retriever gives none.

    `ranks` holds this hit's rank (from 1) at each stage it passed, in stage order, e.g.
    `(("candidates:lexical", 3), ("fusion", 1))`; the channels that found it are its `candidates:` stages.
    """

    chunk: ChunkId
    score: float | None = None
    document: DocumentId | None = None
    ranks: tuple[tuple[str, int], ...] = ()

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels that found this hit, without their `candidates:` prefix."""
        return tuple(name.partition(":")[2] for name, _ in self.ranks if name.startswith("candidates:"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of what a model would read.

    With `start` and `end` it is `[start, end)` of the chunk, in code points. With `text` alone its provenance
    is unknown. With neither it is the whole chunk.
    """

    chunk: ChunkId
    start: int | None = None
    end: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The ordered ids that left one stage of the retriever."""

    name: str
    chunks: tuple[ChunkId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer. `context` None: the hits' own chunks are what a model would read.

    `state` and `citations` are None where the retriever does not give them; `stages` is empty then. `evidence` is
    what it decided to answer by, and `threshold` the least with which it answers; None where it has no such
    number, or where its threshold is not in force.
    """

    id: QueryId
    hits: tuple[Hit, ...]
    context: tuple[Passage, ...] | None = None
    state: State | None = None
    citations: tuple[ChunkId, ...] | None = None
    stages: tuple[Stage, ...] = ()
    evidence: float | None = None
    threshold: float | None = None
    # Time that the retriever spent on this answer, in nanoseconds; diagnostic only, never compared.
    elapsed_ns: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """What a retriever says of itself. `fingerprint` is private: only its hash is ever written."""

    name: str
    version: str
    fingerprint: str
    capabilities: frozenset[str]
