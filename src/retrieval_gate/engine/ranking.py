"""Scores as whole billionths, so that order, ties and reported values agree on every processor.

Chunks are numbered in (content hash, id) order, so that an equal score is broken by the lower number: together
with the rounding to `SCORE_DECIMALS` this is the only ranking order (design §3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retrieval_gate.base.canonical import SCORE_DECIMALS
from retrieval_gate.engine.ragged import Ints, Positions

_UNIT = 10.0**SCORE_DECIMALS


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """Chunk numbers, best first, with their scores in billionths."""

    positions: Positions
    scores: Ints


def quantised(scores: npt.NDArray[np.float64]) -> Ints:
    """Scores in whole billionths."""
    return np.rint(scores * _UNIT).astype(np.int64)


def score_of(billionths: int) -> float:
    """The score as it is reported: the same float that `base.canonical.rounded` gives."""
    return billionths / _UNIT


def best(scores: Ints, depth: int) -> Ranking:
    """The `depth` best of all chunks with a positive score; `scores` has one entry per chunk."""
    floor = 1
    if len(scores) > depth:
        floor = max(floor, int(np.partition(scores, len(scores) - depth)[len(scores) - depth]))
    (positions,) = (scores >= floor).nonzero()
    return ranked(positions, scores[positions], depth)


def ranked(positions: Positions, scores: Ints, depth: int | None = None) -> Ranking:
    """`positions` by their `scores` (same length), highest first, ties by position; at most `depth` of them."""
    order = np.lexsort((positions, -scores))[:depth]
    return Ranking(positions=positions[order], scores=scores[order])
