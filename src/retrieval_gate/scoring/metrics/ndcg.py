"""nDCG with the two gains that are both called nDCG: 2^grade - 1, and the grade itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache

from retrieval_gate.base.record import QueryRecord
from retrieval_gate.scoring.metrics.pool import Part

Gain = Callable[[int], float]


def ndcg(record: QueryRecord, k: int) -> Part | None:
    return _ndcg(record, k, _exponential)


def ndcg_linear(record: QueryRecord, k: int) -> Part | None:
    return _ndcg(record, k, _linear)


def _exponential(grade: int) -> float:
    return 2.0**grade - 1.0


def _linear(grade: int) -> float:
    return float(grade)


def _ndcg(record: QueryRecord, k: int, gain: Gain) -> Part | None:
    """DCG of the ranking over DCG of the best ordering of *all* relevant units, found or not."""
    if not record.judged:
        return None
    found = sorted([(unit.rank, unit.grade) for unit in record.judged if unit.rank is not None and unit.rank <= k])
    if not found:
        return (0, 1)
    return _discounted(found, gain) / _ideal(tuple(sorted([unit.grade for unit in record.judged])), k, gain), 1


@lru_cache(maxsize=4096)
def _ideal(grades: tuple[int, ...], k: int, gain: Gain) -> float:
    """DCG of the best ordering of ascending `grades`."""
    return _discounted(enumerate(grades[::-1][:k], start=1), gain)


def _discounted(ranked: Iterable[tuple[int, int]], gain: Gain) -> float:
    """Discounted cumulative gain of `(rank, grade)` pairs in rank order, ranks from 1."""
    total = 0.0
    for rank, grade in ranked:
        total += gain(grade) / math.log2(rank + 1)
    return total
