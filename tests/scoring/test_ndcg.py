"""ndcg@k and ndcg-linear@k."""

from __future__ import annotations

import math

import pytest

from tests.scoring.build import graded, query, ranked, value


def test_both_gains_to_the_last_digit() -> None:
    """Case 32: grades a:1, b:3, ranking a, b."""
    scored = ranked(graded("q", a=1, b=3), "a", "b")
    assert value("ndcg@10", scored) == 0.7098097413968655
    assert value("ndcg-linear@10", scored) == 0.7967075809905066


def test_the_ideal_ordering_holds_what_was_not_found() -> None:
    """Case 12: a relevant unit that is not returned lowers the value."""
    assert value("ndcg@10", ranked(graded("q", a=1, b=1), "a")) == 0.6131471927654584


@pytest.mark.parametrize("metric", ["ndcg@10", "ndcg-linear@10"])
def test_the_ideal_ranking_is_exactly_one(metric: str) -> None:
    """Case 34: the same gain above and below the line."""
    assert value(metric, ranked(graded("q", a=3, b=2, c=1), "a", "b", "c", "x")) == 1


def test_fewer_relevant_units_than_the_cut_off_can_still_reach_one() -> None:
    """Case 35."""
    assert value("ndcg@10", ranked(graded("q", a=1), "a")) == 1


def test_more_relevant_units_than_the_cut_off_can_still_reach_one() -> None:
    scored = ranked(graded("q", a=3, b=2, c=1), "a", "b")
    assert value("ndcg@2", scored) == 1
    assert value("ndcg@3", scored) == pytest.approx(
        (7 + 3 / math.log2(3)) / (7 + 3 / math.log2(3) + 0.5), abs=1e-15
    )


def test_equal_grades_in_any_order_are_one() -> None:
    """Case 36: right by definition; the explanation of the metric says that it is blind there."""
    names = [f"c{index}" for index in range(10)]
    asked = graded("q", **dict.fromkeys(names, 1))
    assert value("ndcg@10", ranked(asked, *names)) == 1
    assert value("ndcg@10", ranked(asked, *reversed(names))) == 1


def test_grades_never_decide_the_order() -> None:
    """Case 7: the better grade at the end stays at the end, whatever ties there are."""
    assert value("ndcg@10", ranked(graded("q", a=3, d=1), "d", "b", "c", "a")) == pytest.approx(
        (1 + 7 / math.log2(5)) / (7 + 1 / math.log2(3)), abs=1e-15
    )


def test_a_repeated_hit_gains_once() -> None:
    """Case 24."""
    assert value("ndcg@10", ranked(graded("q", a=1), "a", "a", "a")) == 1


def test_nothing_returned_is_zero() -> None:
    """Case 18."""
    assert value("ndcg@10", ranked(graded("q", a=1))) == 0


def test_a_second_evaluation_at_another_cut_off_is_not_disturbed_by_the_first() -> None:
    """Case 50: nothing is kept between two calls but the ideal of the same grades and cut-off."""
    scored = ranked(graded("q", a=1, b=3), "x", "a", "b")
    first = [value("ndcg@2", scored), value("ndcg@10", scored)]
    assert [value("ndcg@2", scored), value("ndcg@10", scored)] == first
    assert first[0] != first[1]


def test_a_no_answer_query_has_none() -> None:
    assert value("ndcg@10", ranked(query("q", no_answer=True), "a")) is None
    assert value("ndcg-linear@10", ranked(query("q", no_answer=True), "a")) is None
