"""The local heuristic reranker: coverage, closeness and word order, on top of the fused rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from retrieval_gate.engine.corpus import ChunkRow
from retrieval_gate.engine.coverage import Coverage, Question
from retrieval_gate.engine.ranking import Ranking, quantised, ranked

# How much each part counts; found on the even-numbered queries of public sets, see bench/abstention_curve.py.
PRIOR = 0.25
ANYWHERE = 1.0
WINDOW = 2.0
ORDERED = 0.25
# What a chunk loses for each better one with the same terms.
DUPLICATE = 1.0


def rerank(
    fused: Ranking, *, depth: int, asked: Question, coverage: Coverage, chunks: Sequence[ChunkRow]
) -> Ranking:
    """The first `depth` of `fused` in new order; the rest is dropped.

    Score: PRIOR * fused score / best fused score + ANYWHERE * coverage of the chunk + WINDOW * coverage of its
    best window + ORDERED * share of the query's ordered pairs - DUPLICATE * better chunks with the same terms.
    """
    positions, scores = fused.positions[:depth], fused.scores[:depth]
    if not len(positions):
        return fused
    covered = coverage.measure(asked, positions)
    values = PRIOR * (scores / scores[0])
    for share, factor in ((covered.anywhere, ANYWHERE), (covered.window, WINDOW), (covered.ordered, ORDERED)):
        values = values + factor * share
    kept = ranked(positions, quantised(values))
    return ranked(kept.positions, kept.scores - quantised(DUPLICATE * _better_twins(kept, chunks)))


def _better_twins(ranking: Ranking, chunks: Sequence[ChunkRow]) -> npt.NDArray[np.float64]:
    """For each result, how many before it hold the same terms."""
    seen: dict[int, int] = {}
    counts: list[float] = []
    for position in ranking.positions.tolist():
        twin = chunks[position].twin
        counts.append(float(seen.get(twin, 0)))
        seen[twin] = seen.get(twin, 0) + 1
    return np.array(counts, dtype=np.float64)
