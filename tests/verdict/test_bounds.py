from __future__ import annotations

from math import inf, nan, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.scores import Direction
from retrieval_gate.verdict.bounds import at_least, at_most, fell, limit, rose, within

VALUES = st.floats(-1e6, 1e6)
SLACKS = st.sampled_from((0.0, 1e-9, 0.01))
ALLOWED = st.sampled_from((0.0, 0.05, 1.0))
DIRECTIONS = st.sampled_from(Direction)


@given(VALUES, SLACKS)
def test_equal_passes_and_one_step_below_fails(bound: float, slack: float) -> None:
    edge = bound - slack

    assert at_least(bound, bound, slack)
    assert at_least(edge, bound, slack)
    assert not at_least(nextafter(edge, -inf), bound, slack)


@given(VALUES, SLACKS)
def test_equal_passes_and_one_step_above_a_ceiling_fails(bound: float, slack: float) -> None:
    edge = bound + slack

    assert at_most(bound, bound, slack)
    assert at_most(edge, bound, slack)
    assert not at_most(nextafter(edge, inf), bound, slack)


@pytest.mark.parametrize("value", [None, nan, inf, -inf])
def test_a_value_that_was_not_measured_or_is_not_finite_satisfies_nothing(value: float | None) -> None:
    assert not at_least(value, -1e300)
    assert not at_most(value, 1e300)


@pytest.mark.parametrize("bound", [nan, inf, -inf])
def test_a_bound_that_is_not_finite_is_refused(bound: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        at_least(0.5, bound)
    with pytest.raises(ValueError, match="finite"):
        at_most(0.5, bound)


@given(VALUES, DIRECTIONS, ALLOWED, SLACKS)
def test_no_value_falls_against_itself(value: float, direction: Direction, allowed: float, slack: float) -> None:
    assert not fell(value, value, direction, allowed, slack)
    assert not rose(value, value, direction, slack)


@given(VALUES, VALUES, DIRECTIONS, SLACKS)
def test_a_fall_seen_from_the_other_side_is_a_rise(
    before: float, now: float, direction: Direction, slack: float
) -> None:
    assert fell(before, now, direction, 0.0, slack) == rose(now, before, direction, slack)


@given(VALUES, DIRECTIONS, ALLOWED)
def test_the_limit_itself_is_within(before: float, direction: Direction, allowed: float) -> None:
    assert within(limit(before, direction, allowed), limit(before, direction, allowed), direction, 0.0)
    assert not fell(before, limit(before, direction, allowed), direction, allowed, 0.0)


def test_measured_before_and_not_now_is_a_fall_and_the_reverse_is_none() -> None:
    assert fell(0.0, None, Direction.HIGHER, 1.0)
    assert fell(0.0, None, Direction.LOWER, 1.0)
    assert not fell(None, 0.0, Direction.HIGHER, 0.0)
    assert not fell(None, None, Direction.LOWER, 0.0)
    assert not rose(None, 1.0, Direction.HIGHER)
    assert not rose(0.0, None, Direction.HIGHER)


def test_lower_is_better_falls_by_rising() -> None:
    assert fell(0.1, 0.2, Direction.LOWER, 0.0)
    assert not fell(0.2, 0.1, Direction.LOWER, 0.0)
    assert not fell(0.1, 0.2, Direction.LOWER, 0.1)
