"""What one query is scored against, prepared once: units and span places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from retrieval_gate.base.fixture import JudgedLevel, Query, State
from retrieval_gate.base.ids import ChunkId, DocumentId, QueryId, UnitId
from retrieval_gate.scoring.spans import union_length


class TargetSpan(NamedTuple):
    """A span in its chunk: its place, its text, and which span of which unit it is (both from 0)."""

    start: int
    end: int
    text: str
    unit: int
    ordinal: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetChunk:
    """The annotated spans of one chunk, in label order, and the characters that they cover together."""

    spans: tuple[TargetSpan, ...]
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetUnit:
    """A relevant unit and the chunks it consists of (a chunk is its own only one)."""

    id: UnitId
    grade: int
    chunks: frozenset[ChunkId]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """`chunks` maps each annotated chunk to its spans. `annotated` is None where nothing is relevant."""

    query: QueryId
    no_answer: bool
    level: JudgedLevel
    units: tuple[TargetUnit, ...]
    chunks: Mapping[ChunkId, TargetChunk]
    annotated: int | None
    expected_state: State | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The fixture's chunks by id: their text, the document that owns each, and each document's chunks."""

    texts: Mapping[ChunkId, str]
    owners: Mapping[ChunkId, DocumentId]
    members: Mapping[DocumentId, frozenset[ChunkId]]


def prepare(query: Query, corpus: Corpus) -> Target:
    """The query's labels as they are scored. A grade below 1 means judged and not relevant: no target."""
    relevant = [judgment for judgment in query.judgments if judgment.relevance > 0]
    spans: dict[ChunkId, list[TargetSpan]] = {}
    for unit, judgment in enumerate(relevant):
        for ordinal, span in enumerate(judgment.spans):
            text = corpus.texts[span.chunk][span.start : span.end]
            spans.setdefault(span.chunk, []).append(TargetSpan(span.start, span.end, text, unit, ordinal))
    chunks = {chunk: _target_chunk(own) for chunk, own in spans.items()}
    return Target(
        query=query.id,
        no_answer=query.no_answer,
        level=query.level,
        units=tuple(_unit(judgment.unit, judgment.relevance, query.level, corpus) for judgment in relevant),
        chunks=chunks,
        annotated=_characters(chunks) if relevant else None,
        expected_state=query.expected_state,
    )


def _target_chunk(spans: list[TargetSpan]) -> TargetChunk:
    return TargetChunk(spans=tuple(spans), characters=union_length([(span.start, span.end) for span in spans]))


def _unit(unit: UnitId, grade: int, level: JudgedLevel, corpus: Corpus) -> TargetUnit:
    return TargetUnit(id=unit, grade=grade, chunks=_chunks_of(unit, level, corpus))


def _chunks_of(unit: UnitId, level: JudgedLevel, corpus: Corpus) -> frozenset[ChunkId]:
    match level:
        case JudgedLevel.CHUNK:
            return frozenset((ChunkId(unit),))
        case JudgedLevel.DOCUMENT:
            return corpus.members.get(DocumentId(unit), frozenset())


def _characters(chunks: Mapping[ChunkId, TargetChunk]) -> int:
    characters = 0
    for chunk in chunks.values():
        characters += chunk.characters
    return characters
