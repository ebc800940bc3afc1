"""precision@k by what was returned, precision-fixed@k by the cut-off."""

from __future__ import annotations

from tests.scoring.build import aggregate, graded, query, ranked, value


def test_a_short_list_is_divided_by_its_own_length_or_by_the_cut_off() -> None:
    """Case 24: one distinct result at k = 2 is 1/1 by what was returned and 1/2 by k."""
    scored = ranked(graded("q", a=1), "a", "a")
    assert value("precision@2", scored) == 1
    assert value("precision-fixed@2", scored) == 0.5


def test_a_long_list_is_divided_by_the_cut_off_in_both() -> None:
    scored = ranked(graded("q", a=1, b=1), "a", "x", "y", "b")
    assert value("precision@2", scored) == 0.5
    assert value("precision-fixed@2", scored) == 0.5
    assert value("precision@4", scored) == 0.5
    assert value("precision-fixed@4", scored) == 0.5


def test_an_unjudged_result_is_not_relevant() -> None:
    """Case 38: ignoring unjudged results would give 1, and nothing rated would divide by zero."""
    assert value("precision@2", ranked(graded("q", a=1), "a", "unjudged")) == 0.5
    assert value("precision@2", ranked(graded("q", a=1), "unjudged", "other")) == 0


def test_nothing_returned_has_no_precision_by_returned_and_zero_by_cut_off() -> None:
    """Case 18: the fixed denominator makes it 0; without a denominator it is not measured."""
    empty = ranked(graded("q1", a=1))
    assert value("precision@10", empty) is None
    assert value("precision-fixed@10", empty) == 0
    assert aggregate("precision@10", empty, ranked(graded("q2", a=1), "a", "x")) == (0.5, 1)
    assert aggregate("precision-fixed@10", empty, ranked(graded("q2", a=1), "a", "x")) == (0.05, 2)


def test_a_no_answer_query_that_returned_something_is_zero_alone_and_outside_the_mean() -> None:
    nothing = ranked(query("q2", no_answer=True), "a")
    assert value("precision@2", nothing) == 0
    assert aggregate("precision@2", ranked(graded("q1", a=1), "a"), nothing) == (1, 1)
