"""Half-open character intervals: their union, its length, and what lies inside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Interval = tuple[int, int]


def merged(intervals: Iterable[Interval]) -> tuple[Interval, ...]:
    """The union, ascending; touching intervals become one."""
    union: list[Interval] = []
    for start, end in sorted(intervals):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((start, end))
    return tuple(union)


def union_length(intervals: Iterable[Interval]) -> int:
    """Characters covered by at least one interval."""
    covered = 0
    for start, end in merged(intervals):
        covered += end - start
    return covered


def contains(union: Sequence[Interval], start: int, end: int) -> bool:
    """Whether `[start, end)` lies whole inside one interval of a merged union."""
    return any(left <= start and end <= right for left, right in union)
