"""hit@k."""

from __future__ import annotations

from tests.scoring.build import aggregate, graded, query, ranked, value


def test_hit_is_one_where_anything_relevant_is_inside_the_cut_off() -> None:
    scored = ranked(graded("q", a=1, b=1), "x", "b", "a")
    assert value("hit@1", scored) == 0
    assert value("hit@2", scored) == 1
    assert value("hit@10", scored) == 1


def test_hit_never_exceeds_one_for_a_repeated_hit() -> None:
    """Case 24."""
    assert value("hit@2", ranked(graded("q", a=1), "a", "a")) == 1


def test_the_mean_of_hits_is_a_rate() -> None:
    hits = [ranked(graded("q1", a=1), "a"), ranked(graded("q2", a=1), "b"), ranked(graded("q3", a=1))]
    assert aggregate("hit@10", *hits) == (1 / 3, 3)


def test_a_no_answer_query_has_no_hit() -> None:
    assert value("hit@10", ranked(query("q", no_answer=True), "a")) is None
