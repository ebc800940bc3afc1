"""No shared query loses evidence, rank or value."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import GateKind
from tests.verdict.factories import (
    baseline,
    config,
    failed,
    gate,
    judged,
    of_kind,
    plan,
    query,
    record,
)
from tests.verdict.world import BEFORE, GOOD, NONE, ONE, PLAN, TWO, now, only


def test_a_relevant_chunk_that_is_no_longer_returned_is_named_with_rank_and_stage() -> None:
    verdict = only(now(first=record(ONE, {"a": 1}, lost_at="rerank")), "relevant-left-cut-off")

    assert (verdict.query, verdict.ablation, verdict.units) == ("q1", "hybrid", ("b",))
    assert (verdict.old_rank, verdict.new_rank, verdict.stage) == (4, None, "rerank")
    assert set(verdict.metrics) == {"recall@10", "ndcg@10", "context-recall"}
    assert (verdict.n, verdict.baseline_n) == (1, 1)


def test_a_relevant_chunk_beyond_the_cut_off_has_left_it() -> None:
    verdict = only(now(first=record(ONE, {"a": 1, "b": 11})), "relevant-left-cut-off")

    assert (verdict.units, verdict.old_rank, verdict.new_rank) == (("b",), 4, 11)


def test_at_the_cut_off_it_has_not_left() -> None:
    assert of_kind(now(first=record(ONE, {"a": 1, "b": 10})), "relevant-left-cut-off") == []


def test_a_chunk_that_leaves_is_red_though_no_metric_of_the_query_falls() -> None:
    of = plan(ONE, metrics=("hit@10",))
    before = baseline(of, [record(ONE, {"a": 1, "b": 4})])

    verdicts = failed(judged(of, [record(ONE, {"a": 1}, lost_at="fusion")], before))

    assert [(item.kind, item.units, item.stage, item.metrics) for item in verdicts] == [
        ("relevant-left-cut-off", ("b",), "fusion", ())
    ]


def test_a_metric_that_is_no_longer_measured_does_not_hide_the_loss_that_explains_it() -> None:
    of = plan(ONE, metrics=("context-precision", "recall@10"))
    before = baseline(of, [record(ONE, {"a": 1, "b": 4})])

    verdict = only(judged(of, [record(ONE, {}, returned=0)], before), "relevant-left-cut-off")

    assert verdict.metrics == ("recall@10", "context-precision")
    assert (verdict.metric, verdict.value) == ("recall@10", 0.0)


def test_all_units_that_left_are_one_verdict_the_highest_grade_first() -> None:
    verdict = only(now(first=record(ONE, {}, returned=0, lost_at="abstention")), "relevant-left-cut-off")

    assert (verdict.units, verdict.old_rank, verdict.stage) == (("a", "b"), 1, "abstention")
    assert (verdict.metric, verdict.value, verdict.baseline) == ("recall@10", 0.0, 1.0)


def test_a_span_cut_from_the_context_is_named_with_the_stage_context() -> None:
    verdict = only(now(second=record(TWO, {"c": 2}, spans={"c": ()})), "span-lost")

    assert (verdict.query, verdict.units, verdict.stage) == ("q2", ("c",), "context")
    assert (verdict.metric, verdict.value, verdict.baseline) == ("context-recall", 0.0, 1.0)


def test_a_span_gained_is_no_failure() -> None:
    before = baseline(PLAN, [GOOD[0], record(TWO, {"c": 2}, spans={"c": ()}), GOOD[2]])

    assert failed(judged(PLAN, GOOD, before)) == []


def test_the_span_of_a_chunk_that_left_is_not_told_twice() -> None:
    assert of_kind(now(first=record(ONE, {"a": 1})), "span-lost") == []


def test_two_judged_ranks_swapped_are_named() -> None:
    """a (grade 3) and b (grade 1) change places 1 and 4: the first relevant rank stays 1, nDCG falls."""
    verdict = only(now(first=record(ONE, {"a": 4, "b": 1})), "rank-worsened")

    assert (verdict.units, verdict.old_rank, verdict.new_rank) == (("a",), 1, 4)
    assert verdict.metrics == ("ndcg@10",)


def test_a_worse_rank_that_no_metric_sees_is_a_note() -> None:
    of = plan(ONE, metrics=("recall@10",))
    before = baseline(of, [record(ONE, {"a": 1, "b": 4})])

    verdicts = judged(of, [record(ONE, {"a": 2, "b": 4})], before)

    assert failed(verdicts) == []
    assert [item.query for item in of_kind(verdicts, "query-changed")] == ["q1"]


def test_a_no_answer_query_that_begins_to_return_hits_is_named() -> None:
    verdict = only(now(none=record(NONE, returned=3)), "false-positive")

    assert (verdict.query, verdict.metric, verdict.value, verdict.baseline) == ("q3", "no-answer-fpr", 1.0, 0.0)


def test_a_no_answer_query_that_always_returned_hits_is_no_new_failure() -> None:
    noisy = [*GOOD[:2], record(NONE, returned=5)]

    assert failed(judged(PLAN, [*GOOD[:2], record(NONE, returned=9)], baseline(PLAN, noisy))) == []


def test_a_value_that_falls_for_another_reason_is_named_too() -> None:
    of = plan(ONE, metrics=("precision@10",))
    before = baseline(of, [record(ONE, {"a": 1, "b": 2}, returned=2)])

    verdict = only(judged(of, [record(ONE, {"a": 1, "b": 2}, returned=4)], before), "query-value-fell")

    assert (verdict.query, verdict.metric, verdict.baseline, verdict.value) == ("q1", "precision@10", 1.0, 0.5)


def test_one_query_that_collapses_is_red_though_the_average_rises() -> None:
    before = baseline(PLAN, [record(ONE, {"a": 9, "b": 10}), *GOOD[1:]])

    verdicts = failed(judged(PLAN, [GOOD[0], record(TWO, {"c": 3}), GOOD[2]], before))

    assert ("rank-worsened", "q2") in [(item.kind, item.query) for item in verdicts]


def test_queries_are_held_against_their_own_baseline_whatever_the_order() -> None:
    assert failed(judged(PLAN, [GOOD[2], GOOD[1], GOOD[0]], BEFORE)) == []


def test_an_added_query_is_not_held_against_anything() -> None:
    new = query("q7", {"z": 3})
    of = plan(ONE, TWO, NONE, new, metrics=("mrr@10",))
    before = baseline(plan(ONE, TWO, NONE, metrics=("mrr@10",)), GOOD)

    verdicts = judged(of, [*GOOD, record(new, {})], before)

    assert failed(verdicts) == []
    assert [item.query for item in of_kind(verdicts, "query-added")] == ["q7"]


def test_an_added_query_is_held_to_absolute_gates() -> None:
    new = query("q7", {"z": 3})
    of = plan(ONE, new, metrics=("mrr@10",))
    before = baseline(plan(ONE, metrics=("mrr@10",)), GOOD[:1])

    verdicts = judged(
        of, [GOOD[0], record(new, {})], before, config(of, gates=(gate(GateKind.FLOOR, "mrr@10", 0.9),))
    )

    assert [(item.kind, item.value, item.n) for item in failed(verdicts)] == [("floor", 0.5, 2)]


RANKS = st.none() | st.integers(1, 12)


@given(RANKS, RANKS, RANKS, RANKS)
def test_no_loss_is_silent_and_no_gain_is_red(
    old_a: int | None, old_b: int | None, new_a: int | None, new_b: int | None
) -> None:
    of = plan(ONE, metrics=("recall@10", "mrr@10", "ndcg@10"))

    def places(a: int | None, b: int | None) -> Mapping[str, int | None]:
        return {"a": a, "b": b}

    before = baseline(of, [record(ONE, places(old_a, old_b), spans={"a": (), "b": ()})])
    verdicts = judged(of, [record(ONE, places(new_a, new_b), spans={"a": (), "b": ()})], before)
    pairs = [(old_a, new_a), (old_b, new_b)]
    left = any((old or 99) <= 10 < (new or 99) for old, new in pairs)
    no_worse = all((new or 99) <= (old or 99) for old, new in pairs)

    assert not (left and not of_kind(failed(verdicts), "relevant-left-cut-off"))
    assert not (no_worse and failed(verdicts))
