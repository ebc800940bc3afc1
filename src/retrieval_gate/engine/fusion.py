"""Weighted reciprocal-rank fusion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retrieval_gate.engine.ranking import Ranking, quantised, ranked

# A channel votes only for candidates with at least this share of its best score: deep ranks of a channel that
# found nothing good would otherwise outvote the first rank of the one that did.
FLOOR = 0.3


def fuse(rankings: Sequence[Ranking], weights: Sequence[float], constant: int) -> Ranking:
    """Score of a chunk: the sum over rankings of weight / (constant + rank), ranks from 1.

    Source: Cormack, Clarke and Buettcher 2009; `constant` is their k = 60. Sums run in channel order. Candidates
    below `FLOOR` of their channel's best score have no vote; one that no channel votes for is dropped.
    """
    scores: dict[int, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, position in enumerate(_voted(ranking), start=1):
            scores[position] = scores.get(position, 0.0) + weight / (constant + rank)
    positions = np.fromiter(scores, dtype=np.int64, count=len(scores))
    return ranked(positions, quantised(np.fromiter(scores.values(), dtype=np.float64, count=len(scores))))


def _voted(ranking: Ranking) -> list[int]:
    """The first candidates of a ranking, down to the floor."""
    strong = ranking.scores >= FLOOR * ranking.scores[:1]
    positions: list[int] = ranking.positions[strong].tolist()
    return positions
