"""How much of a question a chunk's terms cover: what evidence and reranking are measured by.

All weights are whole numbers (idf in millionths), so that every sum is exact in any order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval_gate.engine.lexical import Postings
from retrieval_gate.engine.providers import weight
from retrieval_gate.engine.ragged import Ints, Positions, Ragged, bounds

# Windows are two neighbouring blocks: 128 terms, about 70 words or 64 characters of an unspaced script.
BLOCK = 64
# Two terms are neighbours within this distance: a word's prefix and its bigrams stand between it and the next.
REACH = 2
_IDF_UNIT = 1_000_000

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Question:
    """A query against one term stream: its distinct known terms in query order and the weight of each.

    `total` counts the weight of unknown terms too. `order` is the query in reading order: for each of its terms
    the place in `terms`, -1 for an unknown one.
    """

    terms: Ints
    weights: Ints
    total: int
    order: tuple[int, ...]

    def pairs(self) -> Ints:
        """[a, b] is the weight of term b standing within `REACH` after term a; zero where it does not."""
        weights: list[int] = self.weights.tolist()
        pairs = np.zeros((len(weights), len(weights)), dtype=np.int64)
        for distance in range(1, REACH + 1):
            for before, after in zip(self.order, self.order[distance:], strict=False):
                if before >= 0 and after >= 0:
                    pairs[before, after] = min(weights[before], weights[after])
        return pairs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Covered:
    """Shares (0..1) per chunk: of the question's weight anywhere in the chunk, of its weight within the best
    window, and of the weight of its ordered pairs."""

    anywhere: Floats
    window: Floats
    ordered: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Matches:
    """The question's terms found in some chunks: `mapped` is 1 + the term's number, 0 where it is none."""

    part: Ragged
    mapped: npt.NDArray[np.int32]
    rows: Ints


def question(features: Sequence[str], vocabulary: Mapping[str, int], index: Postings) -> Question:
    """The question that a query's features ask. A term that only other principals' chunks hold is unknown."""
    terms: list[int] = []
    weights: list[int] = []
    places: dict[str, int] = {}
    total = 0
    for feature in dict.fromkeys(features):
        term = vocabulary.get(feature)
        known = term is not None and index.holds(term)
        idf = float(index.idf[term]) if known else index.idf_unknown
        value = round(idf * _IDF_UNIT) * weight(feature)
        total += value
        if term is not None and known:
            places[feature] = len(terms)
            terms.append(term)
            weights.append(value)
    return Question(
        terms=np.array(terms, dtype=np.int64),
        weights=np.array(weights, dtype=np.int64),
        total=total,
        order=tuple(places.get(feature, -1) for feature in features),
    )


class Coverage:
    """Measures questions against chunks of one term stream; `vocabulary` bounds its term ids."""

    def __init__(self, stream: Ragged, vocabulary: int) -> None:
        self._stream = stream
        self._numbers = np.zeros(vocabulary, dtype=np.int32)

    def window(self, asked: Question, positions: Positions) -> Floats:
        """The share of the question's weight within the best window of each chunk."""
        return self._shares(asked, self._match(asked, positions))[1]

    def measure(self, asked: Question, positions: Positions) -> Covered:
        matches = self._match(asked, positions)
        anywhere, window = self._shares(asked, matches)
        return Covered(anywhere=anywhere, window=window, ordered=_ordered(asked, matches))

    def _match(self, asked: Question, positions: Positions) -> _Matches:
        part = self._stream.take(positions)
        self._numbers[asked.terms] = np.arange(1, len(asked.terms) + 1, dtype=np.int32)
        mapped = self._numbers[part.values]
        self._numbers[asked.terms] = 0
        return _Matches(part=part, mapped=mapped, rows=part.row_numbers())

    def _shares(self, asked: Question, matches: _Matches) -> tuple[Floats, Floats]:
        """Anywhere and in the best window. Each row ends with an empty block, so that no window joins two rows."""
        if not len(asked.terms):
            nothing = np.zeros(matches.part.count, dtype=np.float64)
            return nothing, nothing
        offsets = bounds(matches.part.lengths // BLOCK + 2)
        places = np.flatnonzero(matches.mapped)
        rows = matches.rows[places]
        blocks = offsets[rows] + (places - matches.part.offsets[rows]) // BLOCK
        present = np.zeros((int(offsets[-1]), len(asked.terms)), dtype=np.bool_)
        present[blocks, matches.mapped[places] - 1] = True
        windows = (present[:-1] | present[1:]) @ asked.weights
        windows[offsets[1:-1] - 1] = 0
        anywhere = np.logical_or.reduceat(present, offsets[:-1], axis=0) @ asked.weights
        return anywhere / asked.total, np.maximum.reduceat(windows, offsets[:-1]) / asked.total


def _ordered(asked: Question, matches: _Matches) -> Floats:
    pairs = asked.pairs()
    found = np.zeros((matches.part.count, *pairs.shape), dtype=np.bool_)
    for distance in range(1, REACH + 1):
        before, after = matches.mapped[:-distance], matches.mapped[distance:]
        places = np.flatnonzero((before > 0) & (after > 0))
        places = places[matches.rows[places] == matches.rows[places + distance]]
        found[matches.rows[places], before[places] - 1, after[places] - 1] = True
    total = int(pairs.sum())
    weights = (found * pairs).sum(axis=(1, 2), dtype=np.int64)
    return weights / total if total else np.zeros(matches.part.count, dtype=np.float64)
