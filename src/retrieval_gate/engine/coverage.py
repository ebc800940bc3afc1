"""How much of a question a chunk's terms cover: what evidence and reranking are measured by.

All weights are whole numbers (idf in millionths), so that every sum is exact in any order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval_gate.engine.lexical import Postings
from retrieval_gate.engine.ragged import Ints, Positions, Ragged, bounds, gathered
from retrieval_gate.engine.reading import Reading

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
    order: Ints

    def pairs(self) -> tuple[Ints, Ints]:
        """The distinct pairs of terms that stand within `REACH` in the query, sorted, and the weight of each.

        Term b after term a is a * (number of terms) + b.
        """
        size = len(self.terms)
        before, after = _within_reach(self.order)
        known = (before >= 0) & (after >= 0)
        distinct = np.unique(before[known] * size + after[known])
        before, after = np.divmod(distinct, max(size, 1))
        return distinct, np.minimum(self.weights[before], self.weights[after])


def _within_reach(items: Ints) -> tuple[Ints, Ints]:
    """Each item with each of the next `REACH`."""
    distances = range(1, REACH + 1)
    return (
        np.concatenate([items[:-distance] for distance in distances]),
        np.concatenate([items[distance:] for distance in distances]),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Covered:
    """Shares (0..1) per chunk: of the question's weight anywhere in the chunk, of its weight within the best
    window, and of the weight of its ordered pairs."""

    anywhere: Floats
    window: Floats
    ordered: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Matches:
    """The question's terms found in some chunks, whose rows of terms begin at `offsets`.

    For each match: where it stands, in which row, and which of the question's terms it is.
    """

    offsets: Ints
    places: Ints
    rows: Ints
    terms: Ints

    @property
    def count(self) -> int:
        """How many chunks were looked at."""
        return len(self.offsets) - 1


def question(asked: Reading, vocabulary: Mapping[str, int], index: Postings) -> Question:
    """The question that a text asks. A term that only other principals' chunks hold is unknown."""
    terms: list[int] = []
    weights: list[int] = []
    places: list[int] = []
    total = 0
    for feature, weight in zip(asked.features, asked.weights, strict=True):
        term = vocabulary.get(feature)
        known = term is not None and index.holds(term)
        idf = float(index.idf[term]) if known else index.idf_unknown
        value = round(idf * _IDF_UNIT) * weight
        total += value
        places.append(len(terms) if known else -1)
        if term is not None and known:
            terms.append(term)
            weights.append(value)
    return Question(
        terms=np.array(terms, dtype=np.int64),
        weights=np.array(weights, dtype=np.int64),
        total=total,
        order=np.array(places, dtype=np.int64)[asked.order],
    )


class Coverage:
    """Measures questions against chunks of one term stream; `vocabulary` bounds its term ids."""

    def __init__(self, stream: Ragged, vocabulary: int) -> None:
        self._stream = stream
        self._numbers = np.zeros(vocabulary, dtype=np.int64)

    def window(self, asked: Question, positions: Positions) -> Floats:
        """The share of the question's weight within the best window of each chunk."""
        matches = self._match(asked, positions)
        return _window(asked, *_blocks(asked, matches)) if len(asked.terms) else _nothing(matches)

    def measure(self, asked: Question, positions: Positions) -> Covered:
        """All three shares of each chunk."""
        matches = self._match(asked, positions)
        if not len(asked.terms):
            return Covered(anywhere=_nothing(matches), window=_nothing(matches), ordered=_nothing(matches))
        present, offsets = _blocks(asked, matches)
        anywhere = np.logical_or.reduceat(present, offsets[:-1], axis=0) @ asked.weights
        return Covered(
            anywhere=anywhere / asked.total,
            window=_window(asked, present, offsets),
            ordered=_ordered(asked, matches),
        )

    def _match(self, asked: Question, positions: Positions) -> _Matches:
        offsets, held = gathered(self._stream.offsets, positions)
        self._numbers[asked.terms] = np.arange(1, len(asked.terms) + 1, dtype=np.int64)
        mapped = self._numbers[self._stream.values[held]]
        self._numbers[asked.terms] = 0
        (places,) = mapped.nonzero()
        rows = offsets.searchsorted(places, side="right") - 1
        return _Matches(offsets=offsets, places=places, rows=rows, terms=mapped[places] - 1)


def _nothing(matches: _Matches) -> Floats:
    return np.zeros(matches.count, dtype=np.float64)


def _blocks(asked: Question, matches: _Matches) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Which of the question's terms, at least one, each block holds; and the first block of each row.

    Each row ends with an empty block, so that no window joins two rows.
    """
    offsets = bounds((matches.offsets[1:] - matches.offsets[:-1]) // BLOCK + 2)
    blocks = offsets[matches.rows] + (matches.places - matches.offsets[matches.rows]) // BLOCK
    present = np.zeros((int(offsets[-1]), len(asked.terms)), dtype=np.bool_)
    present[blocks, matches.terms] = True
    return present, offsets


def _window(asked: Question, present: npt.NDArray[np.bool_], offsets: Ints) -> Floats:
    windows = (present[:-1] | present[1:]) @ asked.weights
    windows[offsets[1:-1] - 1] = 0
    shares: Floats = np.maximum.reduceat(windows, offsets[:-1]) / asked.total
    return shares


def _ordered(asked: Question, matches: _Matches) -> Floats:
    """Each pair of a row counts once, however often it stands there."""
    pairs, weights = asked.pairs()
    if not weights.any():
        return _nothing(matches)
    # Matches stand in reading order: who is within reach of one is among the next few.
    before, after = _within_reach(np.arange(len(matches.places), dtype=np.int64))
    near = matches.places[after] - matches.places[before] <= REACH
    near &= matches.rows[before] == matches.rows[after]
    before, after = before[near], after[near]
    stand = matches.terms[before] * len(asked.terms) + matches.terms[after]
    which = np.minimum(pairs.searchsorted(stand), len(pairs) - 1)
    asked_for = pairs[which] == stand
    held = np.zeros((matches.count, len(pairs)), dtype=np.bool_)
    held[matches.rows[before[asked_for]], which[asked_for]] = True
    shares: Floats = (held @ weights) / weights.sum()
    return shares
