"""Unions of intervals."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_gate.scoring.spans import contains, merged, union_length

INTERVALS = st.lists(
    st.tuples(st.integers(0, 40), st.integers(0, 10)).map(lambda pair: (pair[0], pair[0] + pair[1])), max_size=8
)


def test_nested_overlapping_and_touching_intervals_are_one() -> None:
    assert merged([(5, 9), (0, 10)]) == ((0, 10),)
    assert merged([(4, 8), (0, 5)]) == ((0, 8),)
    assert merged([(0, 5), (5, 10)]) == ((0, 10),)


def test_separate_intervals_stay_apart() -> None:
    assert merged([(6, 10), (0, 5)]) == ((0, 5), (6, 10))
    assert union_length([(6, 10), (0, 5)]) == 9


def test_an_interval_that_reaches_over_a_gap_is_not_contained() -> None:
    union = merged([(0, 5), (6, 10)])
    assert contains(union, 1, 5)
    assert not contains(union, 4, 7)
    assert not contains(union, 8, 11)


@settings(deadline=None)
@given(INTERVALS)
def test_the_length_of_a_union_is_the_number_of_distinct_places(intervals: list[tuple[int, int]]) -> None:
    places = {place for start, end in intervals for place in range(start, end)}
    assert union_length(intervals) == len(places)


@settings(deadline=None)
@given(INTERVALS)
def test_the_order_of_intervals_does_not_matter(intervals: list[tuple[int, int]]) -> None:
    assert merged(intervals) == merged(reversed(intervals))
