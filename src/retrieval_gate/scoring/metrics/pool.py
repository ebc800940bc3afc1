"""How the parts of single queries become one value: a macro average, a ratio of sums, or a count.

A part is `(numerator, denominator)` of one query, or None where the metric does not apply to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Part = tuple[float, int]
Pooled = tuple[float | None, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """`alone` is the value of one part; `together` the value of many and the n it was measured over.

    A value is None where the metric does not apply or its denominator is empty, never 0, 1 or NaN. The n of a
    ratio may then still be positive: queries were summed, and all of them had nothing below the line.
    """

    id: str
    explanation: str
    alone: Callable[[Part], float | None]
    together: Callable[[Sequence[Part | None]], Pooled]


def _quotient(part: Part) -> float | None:
    numerator, denominator = part
    return numerator / denominator if denominator else None


def _count(part: Part) -> float | None:
    numerator, denominator = part
    return float(numerator) if denominator else None


def _mean(parts: Sequence[Part | None]) -> Pooled:
    values = [part[0] / part[1] for part in parts if part is not None and part[1]]
    return (math.fsum(values) / len(values), len(values)) if values else (None, 0)


def _ratio(parts: Sequence[Part | None]) -> Pooled:
    numerator, denominator, n = _sums(parts)
    return (numerator / denominator if denominator else None, n)


def _total(parts: Sequence[Part | None]) -> Pooled:
    numerator, denominator, _ = _sums(parts)
    return (float(numerator) if denominator else None, denominator)


def _sums(parts: Sequence[Part | None]) -> tuple[float, int, int]:
    """Both sums and the number of queries in them. The parts of ratios and counts are whole numbers: exact."""
    numerator: float = 0
    denominator = n = 0
    for part in parts:
        if part is not None:
            numerator += part[0]
            denominator += part[1]
            n += 1
    return numerator, denominator, n


MEAN = Pool(
    id="macro",
    explanation="the mean of the queries' values; n counts the queries that have one",
    alone=_quotient,
    together=_mean,
)
RATIO = Pool(
    id="micro",
    explanation="the sum over queries above the line divided by the sum below; n counts the queries summed",
    alone=_quotient,
    together=_ratio,
)
TOTAL = Pool(
    id="count",
    explanation="the number found; n counts the labels that were checked",
    alone=_count,
    together=_total,
)
