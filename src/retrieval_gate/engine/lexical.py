"""BM25 over array postings whose statistics are those of the given chunks alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval_gate.engine.ragged import Ints, Positions, Ragged, bounds, gathered
from retrieval_gate.engine.ranking import Ranking, best, quantised

# The defaults of Lucene and of Robertson and Zaragoza 2009.
K1 = 1.2
B = 0.75

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """For each term id, the chunks that hold it (ascending) and how often; `idf` has one entry per term id.

    idf = ln(1 + (N - df + 0.5) / (df + 0.5)): positive even for a term that every chunk holds. `idf_unknown` is
    that of a term that no chunk holds.
    """

    offsets: Ints
    chunks: Numbers
    counts: Numbers
    idf: Floats
    idf_unknown: float

    def holds(self, term: int) -> bool:
        """Whether any of the chunks holds the term."""
        return bool(self.offsets[term] < self.offsets[term + 1])

    def part(self, positions: Positions, chunks: int) -> Postings:
        """Those of the chunks at `positions` (ascending, of `chunks` in all) alone, renumbered.

        The same as if there were no other chunk, without sorting anything again.
        """
        numbers = np.full(chunks, -1, dtype=np.int32)
        numbers[positions] = np.arange(len(positions), dtype=np.int32)
        renumbered = numbers[self.chunks]
        kept = renumbered >= 0
        return _with_statistics(
            offsets=bounds(kept)[self.offsets],
            chunks=renumbered[kept],
            counts=self.counts[kept],
            size=len(positions),
        )


def postings(stream: Ragged, vocabulary: int) -> Postings:
    """The postings of term streams, one row per chunk, with term ids below `vocabulary`."""
    keys, counts = np.unique(stream.row_numbers() * vocabulary + stream.values, return_counts=True)
    terms = keys % vocabulary if vocabulary else keys
    order = np.argsort(terms, kind="stable")
    return _with_statistics(
        offsets=bounds(np.bincount(terms, minlength=vocabulary)),
        chunks=(keys[order] // max(vocabulary, 1)).astype(np.int32),
        counts=counts[order].astype(np.int32),
        size=stream.count,
    )


def _with_statistics(*, offsets: Ints, chunks: Numbers, counts: Numbers, size: int) -> Postings:
    """The postings of `size` chunks."""
    return Postings(
        offsets=offsets,
        chunks=chunks,
        counts=counts,
        idf=_idf(offsets[1:] - offsets[:-1], size),
        idf_unknown=inverse_frequency(0, size),
    )


def inverse_frequency(frequency: int, chunks: int) -> float:
    """idf of a term in `frequency` of `chunks`. `math.log`, as numpy's differs between processors."""
    return math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5))


def _idf(frequencies: Ints, chunks: int) -> Floats:
    (distinct,) = np.bincount(frequencies).nonzero()
    table = np.zeros(int(distinct[-1]) + 1 if len(distinct) else 0, dtype=np.float64)
    table[distinct] = [inverse_frequency(frequency, chunks) for frequency in distinct.tolist()]
    return table[frequencies]


class Lexical:
    """BM25: the sum over the query's distinct terms of idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / mean)).

    Lengths count terms. Terms are summed in query order.
    """

    def __init__(self, index: Postings, lengths: Ints) -> None:
        self._index = index
        self._size = len(lengths)
        total = int(lengths[-1:].size and lengths.sum())
        mean = total / self._size if total else 1.0
        norms = K1 * (1 - B + B * (lengths / mean))
        counts = index.counts.astype(np.float64)
        idf = index.idf.repeat(index.offsets[1:] - index.offsets[:-1])
        self._impacts = idf * (counts * (K1 + 1)) / (counts + norms[index.chunks])

    def rank(self, terms: Ints, depth: int) -> Ranking:
        """The best chunks for distinct known terms."""
        _, places = gathered(self._index.offsets, terms)
        # Adds up one by one, in the order given: that of the query.
        chunks, impacts = self._index.chunks[places], self._impacts[places]
        scores = np.bincount(chunks, weights=impacts, minlength=self._size)
        return best(quantised(scores.astype(np.float64)), depth)
