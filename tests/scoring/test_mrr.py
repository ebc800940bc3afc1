"""mrr@k."""

from __future__ import annotations

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Hit
from tests.scoring.build import aggregate, graded, observed, query, ranked, response, value


def test_only_the_first_relevant_result_counts() -> None:
    """Case 40: relevant at 1 and 3 is 1, not the mean of 1 and 1/3."""
    assert value("mrr@10", ranked(graded("q", a=1, b=3), "a", "x", "b")) == 1


def test_the_first_relevant_result_at_rank_three_is_a_third() -> None:
    assert value("mrr@10", ranked(graded("q", a=1, b=1), "x", "y", "b", "a")) == 1 / 3


def test_it_is_zero_where_none_is_inside_the_cut_off() -> None:
    scored = ranked(graded("q", a=1), *[f"x{index}" for index in range(10)], "a")
    assert value("mrr@10", scored) == 0
    assert value("mrr@11", scored) == 1 / 11


def test_duplicates_before_the_first_relevant_result_do_not_push_it_down() -> None:
    assert value("mrr@2", ranked(graded("q", a=1), "x", "x", "x", "a")) == 0.5


def test_scores_that_single_precision_can_not_tell_apart_keep_their_order() -> None:
    """Case 1: the list is the ranking; no score is ever narrowed or compared here."""
    hits = [Hit(chunk=ChunkId("a"), score=1.000000002), Hit(chunk=ChunkId("b"), score=1.000000001)]
    assert value("mrr@10", observed(graded("q", a=1), response(hits))) == 1


def test_tied_scores_keep_the_order_of_the_list() -> None:
    """Cases 2 and 8: no tie is broken by id, and sixteen tied results stay where they are."""
    tied = [Hit(chunk=ChunkId(f"x{index}"), score=1.0) for index in range(1, 4)]
    assert value("mrr@10", observed(graded("q", x3=1), response(tied))) == 1 / 3
    many = [Hit(chunk=ChunkId(f"c{index}"), score=1.0) for index in range(16)]
    assert value("mrr@10", observed(graded("q", c0=1), response(many))) == 1
    assert value("mrr@20", observed(graded("q", c15=1), response(many))) == 1 / 16


def test_every_cut_off_reads_the_same_ranking() -> None:
    """Case 3: with tied scores the value at a large cut-off is the value without one."""
    tied = [Hit(chunk=ChunkId(name), score=1.0) for name in ("b", "a")]
    scored = observed(graded("q", a=1), response(tied))
    assert [value(f"mrr@{k}", scored) for k in (2, 10, 1000)] == [0.5, 0.5, 0.5]


def test_the_mean_counts_queries_that_found_nothing() -> None:
    records = [ranked(graded("q1", a=1), "x", "a"), ranked(graded("q2", a=1), "x"), ranked(graded("q3", a=1))]
    assert aggregate("mrr@10", *records) == (0.5 / 3, 3)


def test_a_no_answer_query_has_no_reciprocal_rank() -> None:
    assert value("mrr@10", ranked(query("q", no_answer=True), "a")) is None
