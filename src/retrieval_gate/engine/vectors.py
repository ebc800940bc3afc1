"""Exact cosine over integer vectors: sums of whole numbers, or float32 matrix products that are such sums.

As no sum can reach 2**24 (see `providers.LARGEST_COUNT`), the product is exact in any order, and no result hangs
on the linear-algebra library, its threads or the processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval_gate.engine.providers import DIMENSIONS
from retrieval_gate.engine.ragged import Ints, Positions, Ragged, bounds, gathered
from retrieval_gate.engine.ranking import Ranking, best, quantised

# Chunks that are made dense at a time (32 MiB), and dot products held at a time (16 MiB).
_BLOCK = 4096
_CELLS = 1 << 22
# Up to this many queries are multiplied one by one with what the chunks' vectors hold, and none is made dense.
_FEW = 8

Dense = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vectors:
    """One sparse vector per chunk: `counts` row i stands at the dimensions of `dimensions` row i."""

    dimensions: Ragged
    counts: Ragged

    @classmethod
    def of(cls, vectors: Sequence[dict[int, int]]) -> Vectors:
        """From dimension -> count maps."""
        offsets = bounds(np.fromiter((len(vector) for vector in vectors), dtype=np.int64, count=len(vectors)))
        dimensions = [dimension for vector in vectors for dimension in vector]
        counts = [count for vector in vectors for count in vector.values()]
        return cls(
            dimensions=Ragged(values=np.array(dimensions, dtype=np.uint16), offsets=offsets),
            counts=Ragged(values=np.array(counts, dtype=np.int8), offsets=offsets),
        )

    @property
    def count(self) -> int:
        return self.dimensions.count

    def take(self, positions: Positions) -> Vectors:
        """Those at `positions`, in that order."""
        offsets, places = gathered(self.dimensions.offsets, positions)
        return Vectors(
            dimensions=Ragged(values=self.dimensions.values[places], offsets=offsets),
            counts=Ragged(values=self.counts.values[places], offsets=offsets),
        )

    def dense(self, first: int, last: int) -> Dense:
        """Rows `[first, last)` as float32, shape (last - first, DIMENSIONS)."""
        start, end = self.dimensions.offsets[first], self.dimensions.offsets[last]
        rows = np.repeat(np.arange(last - first), self.dimensions.lengths[first:last])
        matrix = np.zeros((last - first, DIMENSIONS), dtype=np.float32)
        matrix[rows, self.dimensions.values[start:end]] = self.counts.values[start:end]
        return matrix

    def squares(self) -> Ints:
        """The squared length of each vector."""
        return self._summed(np.square(self.counts.values.astype(np.int64)))

    def products(self, dense: npt.NDArray[np.float32]) -> Ints:
        """The dot product of each vector with one that is given with all its dimensions."""
        return self._summed(dense.astype(np.int64)[self.dimensions.values] * self.counts.values)

    def _summed(self, values: Ints) -> Ints:
        """The sum of `values`, one for each count, over each vector."""
        running = bounds(values)
        offsets = self.counts.offsets
        summed: Ints = running[offsets[1:]] - running[offsets[:-1]]
        return summed


class Cosine:
    """Cosine of queries against all of `vectors`; chunks with a cosine of zero or less are no candidates."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._squares = vectors.squares().astype(np.float64)

    def rank(self, queries: Vectors, depth: int) -> Iterator[Ranking]:
        """One ranking per query, in order; queries are multiplied in batches that bound the memory."""
        squares = queries.squares().astype(np.float64)
        step = max(1, _CELLS // max(1, self._vectors.count))
        for first in range(0, queries.count, step):
            last = min(first + step, queries.count)
            dense = queries.dense(first, last)
            products = self._dots(dense) if len(dense) > _FEW else map(self._vectors.products, dense)
            for number, dots in enumerate(products, start=first):
                lengths = np.sqrt(self._squares * squares[number])
                cosines = np.divide(dots, lengths, out=np.zeros_like(lengths), where=lengths > 0)
                yield best(quantised(cosines), depth)

    def _dots(self, queries: Dense) -> Dense:
        products = np.empty((len(queries), self._vectors.count), dtype=np.float32)
        for first in range(0, self._vectors.count, _BLOCK):
            last = min(first + _BLOCK, self._vectors.count)
            np.matmul(queries, self._vectors.dense(first, last).T, out=products[:, first:last])
        return products
