"""The seeded chunks as arrays, and the part of them that one principal may see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.engine.lexical import Postings
from retrieval_gate.engine.ragged import Positions, Ragged
from retrieval_gate.engine.vectors import Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRow:
    """`ordinal` is the chunk's place in its document, `length` its code points.

    `twin` is equal for chunks that hold the same terms in the same order.
    """

    id: ChunkId
    document: DocumentId
    ordinal: int
    length: int
    twin: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """Chunks in (content hash, id) order; a chunk's number is its place here, so that numbers break ties.

    `streams` and `vectors` are keyed by provider; `vocabulary` maps every term that a chunk holds to its id, all
    ids are below `terms`. `postings` gives those of a provider's streams, made when they are first asked for.
    """

    chunks: tuple[ChunkRow, ...]
    streams: Mapping[str, Ragged]
    vectors: Mapping[str, Vectors]
    vocabulary: Mapping[str, int]
    terms: int
    postings: Callable[[str], Postings]

    def visible_to(self, documents: frozenset[DocumentId]) -> Corpus:
        """The chunks of `documents` alone, renumbered."""
        kept = [number for number, chunk in enumerate(self.chunks) if chunk.document in documents]
        if len(kept) == len(self.chunks):
            return self
        positions: Positions = np.array(kept, dtype=np.int64)
        return Corpus(
            chunks=tuple(self.chunks[number] for number in kept),
            streams={name: stream.take(positions) for name, stream in self.streams.items()},
            vectors={name: vectors.take(positions) for name, vectors in self.vectors.items()},
            vocabulary=self.vocabulary,
            terms=self.terms,
            postings=cache(lambda name: self.postings(name).part(positions, len(self.chunks))),
        )
