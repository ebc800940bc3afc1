"""The labelled fixture, as the rest of the line sees it: frozen, validated, spans resolved to offsets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from retrieval_gate.base.ids import ChunkId, DocumentId, PrincipalId, QueryId, UnitId

# Attribute name -> allowed or held values, sorted by name; each value tuple sorted.
Attributes = tuple[tuple[str, tuple[str, ...]], ...]


class IndexState(StrEnum):
    READY = "ready"
    INDEXING = "indexing"
    FAILED = "failed"


class Split(StrEnum):
    DEV = "dev"
    HELDOUT = "heldout"


class State(StrEnum):
    """What a retriever decided to do with a question."""

    ANSWERED = "ANSWERED"
    ABSTAINED = "ABSTAINED"


class JudgedLevel(StrEnum):
    """Whether a query's judgments name chunks or whole documents."""

    CHUNK = "chunk"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Who may see a document. `allow` is None or empty: everyone in `tenant`; `tenant` None: any tenant."""

    tenant: str | None
    allow: Attributes


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    id: ChunkId
    content: str
    # Offset in code points within the document's text; None where the fixture does not say.
    start: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One version of a document. `access` None is public; `source` groups the versions of one text."""

    id: DocumentId
    title: str
    chunks: tuple[Chunk, ...]
    language: str | None
    source: str | None
    owner: str | None
    content_hash: str | None
    effective_from: datetime | None
    effective_to: datetime | None
    index_state: IndexState
    revoked_at: datetime | None
    version_label: str | None
    access: Access | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    id: PrincipalId
    tenant: str | None
    attributes: Attributes

    def __hash__(self) -> int:
        """Of the id alone: it nearly always tells two apart, and a principal is looked up for every question."""
        return hash(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A verbatim answer span: `[start, end)` in code points within `chunk`.

    `declared` says whether the fixture gave `start`; else the first occurrence was taken.
    """

    chunk: ChunkId
    start: int
    end: int
    declared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """`relevance` is 1 (supporting), 2 (substantial) or 3 (direct); `spans` holds at least one span."""

    unit: UnitId
    relevance: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One reviewer's independent grade of one unit; 0 means judged not relevant."""

    reviewer: str
    unit: UnitId
    relevance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """`principal` None sees public documents only; `expected_state` None is not checked."""

    id: QueryId
    language: str
    text: str
    no_answer: bool
    level: JudgedLevel
    judgments: tuple[Judgment, ...]
    split: Split
    principal: PrincipalId | None
    as_of: datetime | None
    expected_state: State | None
    forbidden: tuple[ChunkId, ...]
    stale: tuple[ChunkId, ...]
    tags: tuple[str, ...]
    reviews: tuple[Review, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    kind: str
    license: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """`version` is the fixture's own revision; the format is v1. Order of documents and queries is the file's.

    `conflicts` are the sources whose versions are declared to conflict, sorted.
    """

    id: str
    version: int
    provenance: Provenance
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    principals: tuple[Principal, ...]
    as_of: datetime | None
    exempt: tuple[str, ...]
    conflicts: tuple[str, ...] = ()
