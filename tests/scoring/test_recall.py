"""recall@k."""

from __future__ import annotations

from tests.scoring.build import aggregate, graded, query, ranked, value


def test_recall_counts_only_what_is_inside_the_cut_off() -> None:
    scored = ranked(graded("q", a=3, b=1), "x", "a", "y", "b")
    assert value("recall@1", scored) == 0
    assert value("recall@2", scored) == 0.5
    assert value("recall@4", scored) == 1


def test_one_of_twenty_relevant_is_a_twentieth_and_not_a_hit() -> None:
    """Case 39."""
    scored = ranked(graded("q", **{f"c{index}": 1 for index in range(20)}), "c7")
    assert value("recall@10", scored) == 0.05
    assert value("hit@10", scored) == 1


def test_a_repeated_hit_is_found_once() -> None:
    """Case 26: golden {a, b}, ranking a a."""
    assert value("recall@10", ranked(graded("q", a=1, b=1), "a", "a")) == 0.5


def test_recall_is_the_mean_over_queries_and_not_the_ratio_of_sums() -> None:
    """Case 42: 1/1 and 1/9 give 5/9, where the ratio of sums would be 2/10."""
    one = ranked(graded("q1", a=1), "a")
    nine = ranked(graded("q2", **{f"c{index}": 1 for index in range(9)}), "c0")
    assert aggregate("recall@10", one, nine) == (5 / 9, 2)


def test_a_no_answer_query_has_no_recall_and_leaves_the_mean_alone() -> None:
    """Case 19: an empty gold list is neither 1 nor 0."""
    nothing = ranked(query("q2", no_answer=True), "a")
    assert value("recall@5", nothing) is None
    assert aggregate("recall@5", ranked(graded("q1", a=1), "a"), nothing) == (1, 1)
    assert aggregate("recall@5", nothing) == (None, 0)
