"""What a model would read: the hits' chunks with their neighbours, within a budget of characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Passage
from retrieval_gate.engine.corpus import ChunkRow


class ContextAssembly:
    """Assembles passages from visible chunks only.

    `neighbours` chunks on each side of a hit in its document follow the hit, nearest first, the earlier one
    before the later. No chunk comes twice. The passage that exceeds `budget` code points is cut there, and is
    the last.
    """

    def __init__(self, chunks: Sequence[ChunkRow], *, budget: int, neighbours: int) -> None:
        self._chunks = chunks
        self._budget = budget
        self._neighbours = neighbours
        self._places: dict[tuple[DocumentId, int], int] = (
            {(chunk.document, chunk.ordinal): number for number, chunk in enumerate(chunks)} if neighbours else {}
        )

    def assemble(self, hits: Sequence[int]) -> tuple[Passage, ...]:
        """The passages for chunk numbers in rank order."""
        passages: list[Passage] = []
        left = self._budget
        for number in dict.fromkeys(self._with_neighbours(hits)):
            if left <= 0:
                break
            chunk = self._chunks[number]
            end = min(chunk.length, left)
            passages.append(Passage(chunk=chunk.id, start=0, end=end))
            left -= end
        return tuple(passages)

    def _with_neighbours(self, hits: Sequence[int]) -> Iterator[int]:
        for number in hits:
            yield number
            chunk = self._chunks[number]
            for distance in range(1, self._neighbours + 1):
                for ordinal in (chunk.ordinal - distance, chunk.ordinal + distance):
                    place = self._places.get((chunk.document, ordinal))
                    if place is not None:
                        yield place
