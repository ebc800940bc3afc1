"""No drop, per-query, completeness, labels and notes: all against an accepted baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.config import Allowance, GateKind
from retrieval_gate.base.fixture import Split, State
from retrieval_gate.base.ids import AblationId, MetricId, SliceId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Status, Verdict
from tests.verdict.factories import (
    baseline,
    config,
    document,
    failed,
    fixture,
    gate,
    judged,
    kinds,
    missing,
    of_kind,
    plan,
    query,
    record,
)

ONE = query("q1", {"a": 3, "b": 1})
TWO = query("q2", {"c": 3}, language="zh")
NONE = query("q3")
PLAN = plan(ONE, TWO, NONE, metrics=("recall@10", "mrr@10", "ndcg@10", "context-recall", "no-answer-fpr"))
GOOD = [record(ONE, {"a": 1, "b": 4}), record(TWO, {"c": 2}), record(NONE, returned=0)]
BEFORE = baseline(PLAN, GOOD)


def _now(
    first: QueryRecord | None = None, second: QueryRecord | None = None, none: QueryRecord | None = None
) -> tuple[Verdict, ...]:
    return judged(PLAN, [first or GOOD[0], second or GOOD[1], none or GOOD[2]], BEFORE)


def _one(verdicts: tuple[Verdict, ...], kind: str) -> Verdict:
    (verdict,) = of_kind(failed(verdicts), kind)
    return verdict


# No drop


def test_the_same_run_is_green_and_says_what_was_compared() -> None:
    verdicts = _now()

    assert failed(verdicts) == []
    assert [(item.status, item.ablation, item.n) for item in of_kind(verdicts, "no-drop")] == [
        (Status.PASSED, "hybrid", 3)
    ]
    assert [item for item in verdicts if item.status is Status.NOTE] == []


def test_a_fall_of_an_average_carries_both_values_and_both_n() -> None:
    """q2 falls from rank 2 to 4: mrr@10 from (1 + 1/2)/2 to (1 + 1/4)/2."""
    falls = of_kind(failed(_now(second=record(TWO, {"c": 4}))), "no-drop")

    verdict = next(item for item in falls if (item.metric, item.slice) == ("mrr@10", "all"))

    assert (verdict.value, verdict.baseline, verdict.bound) == (0.625, 0.75, 0.75)
    assert (verdict.n, verdict.baseline_n) == (2, 2)


def test_a_fall_in_one_language_is_red_though_the_average_rises() -> None:
    before = baseline(PLAN, [record(ONE, {"a": 4, "b": 5}), *GOOD[1:]])

    falls = of_kind(failed(judged(PLAN, [GOOD[0], record(TWO, {"c": 3}), GOOD[2]], before)), "no-drop")

    assert {(item.slice, item.metric) for item in falls} == {("language=zh", "mrr@10"), ("language=zh", "ndcg@10")}


def test_a_rate_that_should_be_low_must_not_rise() -> None:
    falls = of_kind(failed(_now(none=record(NONE, returned=3))), "no-drop")

    assert {(item.metric, item.value, item.baseline) for item in falls} == {("no-answer-fpr", 1.0, 0.0)}


@pytest.mark.parametrize(
    ("allowance", "red"),
    [
        (Allowance(metric=MetricId("mrr@10"), ablation=None, slice=None, max_drop=0.25), False),
        (Allowance(metric=MetricId("mrr@10"), ablation=None, slice=None, max_drop=0.1), True),
        (Allowance(metric=MetricId("mrr@10"), ablation=AblationId("lexical"), slice=None, max_drop=1.0), True),
        (Allowance(metric=MetricId("recall@10"), ablation=None, slice=None, max_drop=1.0), True),
    ],
)
def test_an_allowance_covers_only_what_it_names_and_as_far_as_it_says(allowance: Allowance, red: bool) -> None:
    of = plan(ONE, TWO, metrics=("mrr@10",))
    before = baseline(of, GOOD[:2])

    verdicts = judged(of, [GOOD[0], record(TWO, {"c": 4})], before, config(of, allowances=(allowance,)))

    assert bool(failed(verdicts)) is red


def test_the_most_specific_allowance_wins() -> None:
    of = plan(ONE, TWO, metrics=("mrr@10",))
    wide = Allowance(metric=None, ablation=None, slice=None, max_drop=1.0)
    narrow = Allowance(metric=MetricId("mrr@10"), ablation=None, slice=SliceId("language=zh"), max_drop=0.0)

    verdicts = judged(
        of, [GOOD[0], record(TWO, {"c": 4})], baseline(of, GOOD[:2]), config(of, allowances=(narrow, wide))
    )

    assert [(item.kind, item.slice) for item in failed(verdicts)] == [("no-drop", "language=zh")]


# Per query


def test_a_relevant_chunk_that_is_no_longer_returned_is_named_with_rank_and_stage() -> None:
    verdict = _one(_now(first=record(ONE, {"a": 1}, lost_at="rerank")), "relevant-left-cut-off")

    assert (verdict.query, verdict.ablation, verdict.units) == ("q1", "hybrid", ("b",))
    assert (verdict.old_rank, verdict.new_rank, verdict.stage) == (4, None, "rerank")
    assert set(verdict.metrics) == {"recall@10", "ndcg@10", "context-recall"}
    assert (verdict.n, verdict.baseline_n) == (1, 1)


def test_a_relevant_chunk_beyond_the_cut_off_has_left_it() -> None:
    verdict = _one(_now(first=record(ONE, {"a": 1, "b": 11})), "relevant-left-cut-off")

    assert (verdict.units, verdict.old_rank, verdict.new_rank) == (("b",), 4, 11)


def test_at_the_cut_off_it_has_not_left() -> None:
    assert of_kind(_now(first=record(ONE, {"a": 1, "b": 10})), "relevant-left-cut-off") == []


def test_a_chunk_that_leaves_is_red_though_no_metric_of_the_query_falls() -> None:
    of = plan(ONE, metrics=("hit@10",))
    before = baseline(of, [record(ONE, {"a": 1, "b": 4})])

    verdicts = failed(judged(of, [record(ONE, {"a": 1}, lost_at="fusion")], before))

    assert [(item.kind, item.units, item.stage, item.metrics) for item in verdicts] == [
        ("relevant-left-cut-off", ("b",), "fusion", ())
    ]


def test_all_units_that_left_are_one_verdict_the_highest_grade_first() -> None:
    verdict = _one(_now(first=record(ONE, {}, returned=0, lost_at="abstention")), "relevant-left-cut-off")

    assert (verdict.units, verdict.old_rank, verdict.stage) == (("a", "b"), 1, "abstention")
    assert (verdict.metric, verdict.value, verdict.baseline) == ("recall@10", 0.0, 1.0)


def test_a_span_cut_from_the_context_is_named_with_the_stage_context() -> None:
    verdict = _one(_now(second=record(TWO, {"c": 2}, spans={"c": ()})), "span-lost")

    assert (verdict.query, verdict.units, verdict.stage) == ("q2", ("c",), "context")
    assert (verdict.metric, verdict.value, verdict.baseline) == ("context-recall", 0.0, 1.0)


def test_a_span_gained_is_no_failure() -> None:
    before = baseline(PLAN, [GOOD[0], record(TWO, {"c": 2}, spans={"c": ()}), GOOD[2]])

    assert failed(judged(PLAN, GOOD, before)) == []


def test_the_span_of_a_chunk_that_left_is_not_told_twice() -> None:
    assert of_kind(_now(first=record(ONE, {"a": 1})), "span-lost") == []


def test_two_judged_ranks_swapped_are_named() -> None:
    """a (grade 3) and b (grade 1) change places 1 and 4: the first relevant rank stays 1, nDCG falls."""
    verdict = _one(_now(first=record(ONE, {"a": 4, "b": 1})), "rank-worsened")

    assert (verdict.units, verdict.old_rank, verdict.new_rank) == (("a",), 1, 4)
    assert verdict.metrics == ("ndcg@10",)


def test_a_worse_rank_that_no_metric_sees_is_a_note() -> None:
    of = plan(ONE, metrics=("recall@10",))
    before = baseline(of, [record(ONE, {"a": 1, "b": 4})])

    verdicts = judged(of, [record(ONE, {"a": 2, "b": 4})], before)

    assert failed(verdicts) == []
    assert [item.query for item in of_kind(verdicts, "query-changed")] == ["q1"]


def test_a_no_answer_query_that_begins_to_return_hits_is_named() -> None:
    verdict = _one(_now(none=record(NONE, returned=3)), "false-positive")

    assert (verdict.query, verdict.metric, verdict.value, verdict.baseline) == ("q3", "no-answer-fpr", 1.0, 0.0)


def test_a_no_answer_query_that_always_returned_hits_is_no_new_failure() -> None:
    noisy = [*GOOD[:2], record(NONE, returned=5)]

    assert failed(judged(PLAN, [*GOOD[:2], record(NONE, returned=9)], baseline(PLAN, noisy))) == []


def test_a_value_that_falls_for_another_reason_is_named_too() -> None:
    of = plan(ONE, metrics=("precision@10",))
    before = baseline(of, [record(ONE, {"a": 1, "b": 2}, returned=2)])

    verdict = _one(judged(of, [record(ONE, {"a": 1, "b": 2}, returned=4)], before), "query-value-fell")

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


# Completeness


def test_a_query_without_an_answer_fails_once_and_is_scored_as_empty() -> None:
    verdicts = _now(second=missing(TWO))

    verdict = _one(verdicts, "query-missing")

    assert (verdict.query, verdict.ablation, verdict.value, verdict.bound, verdict.n) == (
        "q2",
        "hybrid",
        0.0,
        1.0,
        0,
    )
    assert [item.query for item in failed(verdicts) if item.query] == ["q2"]
    assert of_kind(failed(verdicts), "no-drop")


def test_a_query_that_has_no_record_at_all_is_missing_too() -> None:
    verdicts = judged(PLAN, GOOD[:2])

    assert [(item.kind, item.query) for item in failed(verdicts)] == [("query-missing", "q3")]


def test_an_empty_answer_is_not_a_missing_one() -> None:
    verdicts = judged(PLAN, [GOOD[0], record(TWO, {}, returned=0), GOOD[2]])

    assert [(item.status, item.n) for item in of_kind(verdicts, "completeness")] == [(Status.PASSED, 3)]


def test_missing_held_out_answers_are_counted_and_not_named() -> None:
    hidden = [query(f"h{number}", {"d": 3}, split=Split.HELDOUT) for number in range(3)]
    of = plan(ONE, *hidden)

    verdict = _one(judged(of, [GOOD[0], record(hidden[0], {"d": 1}), *map(missing, hidden[1:])]), "query-missing")

    assert (verdict.query, verdict.slice, verdict.value, verdict.bound) == (None, "split=heldout", 1.0, 3.0)


def test_a_drop_in_n_fails() -> None:
    """precision@10 by what was returned has no value for a query that returns nothing."""
    of = plan(ONE, TWO, metrics=("precision@10",))
    before = baseline(of, [record(ONE, {"a": 1}, returned=1), record(TWO, {}, returned=10)])

    verdicts = failed(judged(of, [record(ONE, {"a": 1}, returned=1), record(TWO, {}, returned=0)], before))

    dropped = next(item for item in of_kind(verdicts, "n-dropped") if item.slice == "all")
    assert (dropped.n, dropped.baseline_n, dropped.bound) == (1, 2, 2.0)


def test_states_that_are_no_longer_given_are_a_drop_in_n() -> None:
    stated = query("q1", {"a": 3}, expected=State.ANSWERED)
    of = plan(stated, metrics=("mrr@10", "wrong-state"))
    before = baseline(of, [record(stated, {"a": 1}, state=State.ANSWERED)])

    verdicts = failed(judged(of, [record(stated, {"a": 1})], before))

    assert {(item.kind, item.metric, item.n, item.baseline_n) for item in verdicts} == {
        ("n-dropped", "wrong-state", 0, 1)
    }


# Labels


def test_a_changed_grade_is_a_label_edited_until_it_is_accepted() -> None:
    edited = query("q2", {"c": 2}, language="zh")
    of = plan(ONE, edited, NONE)
    records = [GOOD[0], record(edited, {"c": 2}), GOOD[2]]

    verdicts = judged(of, records, baseline(plan(ONE, TWO, NONE), GOOD))

    assert [(item.kind, item.query) for item in failed(verdicts)] == [("label-edited", "q2")]
    assert failed(judged(of, records, baseline(of, records))) == []


def test_a_removed_query_fails_until_it_is_accepted() -> None:
    of = plan(ONE, NONE)

    verdicts = judged(of, [GOOD[0], GOOD[2]], baseline(plan(ONE, TWO, NONE), GOOD))

    assert {(item.kind, item.query or item.slice) for item in failed(verdicts)} == {
        ("query-removed", "q2"),
        ("slice-gone", "language=zh"),
    }


def test_query_ids_renamed_in_the_fixture_are_red() -> None:
    renamed = replace(TWO, id=query("q2-new").id)
    of = plan(ONE, renamed, NONE)

    verdicts = judged(of, [GOOD[0], record(renamed, {"c": 2}), GOOD[2]], baseline(plan(ONE, TWO, NONE), GOOD))

    assert [(item.kind, item.query) for item in failed(verdicts)] == [("query-removed", "q2")]
    assert [item.query for item in of_kind(verdicts, "query-added")] == ["q2-new"]


def test_a_changed_held_out_label_is_one_failure_without_an_id() -> None:
    hidden = query("q9", {"d": 3}, split=Split.HELDOUT)
    edited = query("q9", {"d": 2}, split=Split.HELDOUT)
    before = baseline(plan(ONE, hidden), [GOOD[0], record(hidden, {"d": 1})])

    verdict = _one(judged(plan(ONE, edited), [GOOD[0], record(edited, {"d": 1})], before), "label-edited")

    assert (verdict.query, verdict.slice, verdict.n, verdict.baseline_n) == (None, "split=heldout", 1, 1)


def test_a_baseline_of_another_fixture_names_no_query_as_removed() -> None:
    other = query("p1", {"a": 3})
    of = plan(of=fixture(other, name="other"), metrics=("mrr@10",))
    before = baseline(plan(ONE, metrics=("mrr@10",)), GOOD[:1])

    assert failed(judged(of, [record(other, {"a": 1})], before)) == []


def test_half_of_the_queries_under_another_name_is_red() -> None:
    queries = [query(f"q{number}", {"a": 3}) for number in range(10)]
    renamed = [*queries[:5], *(replace(item, id=query(f"x-{item.id}").id) for item in queries[5:])]
    of = plan(*renamed)
    before = baseline(plan(*queries), [record(item, {"a": 1}) for item in queries])

    verdicts = failed(judged(of, [record(item, {"a": 1}) for item in renamed], before))

    assert kinds(verdicts) == ["query-removed"] * 5


# Notes


def test_a_gain_is_a_note_with_both_values() -> None:
    verdicts = _now(second=record(TWO, {"c": 1}))

    gain = next(item for item in of_kind(verdicts, "improved") if (item.metric, item.slice) == ("mrr@10", "all"))

    assert failed(verdicts) == []
    assert (gain.status, gain.value, gain.baseline) == (Status.NOTE, 1.0, 0.75)
    assert [(item.query, item.metric) for item in of_kind(verdicts, "query-improved")] == [("q2", "mrr@10")]


def test_a_move_among_unjudged_hits_is_a_note() -> None:
    verdicts = _now(first=replace(GOOD[0], ranking_digest="f" * 16))

    assert failed(verdicts) == []
    assert [(item.kind, item.query) for item in verdicts if item.status is Status.NOTE] == [
        ("unjudged-moved", "q1")
    ]


def test_a_changed_corpus_under_the_same_version_is_a_finding_of_its_own() -> None:
    changed = replace(fixture(ONE, TWO, NONE), documents=(document("doc", "another text"),))
    metrics = ("mrr@10",)
    before = baseline(plan(ONE, TWO, NONE, metrics=metrics), GOOD)

    same = judged(plan(of=changed, metrics=metrics), GOOD, before)
    raised = judged(plan(of=replace(changed, version=2), metrics=metrics), GOOD, before)

    assert [(item.kind, item.detail) for item in same if item.status is Status.NOTE] == [
        ("same-version", "corpus")
    ]
    assert [(item.kind, item.detail) for item in raised if item.status is Status.NOTE] == [
        ("fixture-changed", None),
        ("system-changed", "corpus"),
    ]
    assert failed(same) == failed(raised) == []


def test_changed_bounds_are_noted() -> None:
    settings = config(PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.1),))

    assert "bounds-changed" in kinds(judged(PLAN, GOOD, BEFORE, settings))
    assert "bounds-changed" not in kinds(judged(PLAN, GOOD, baseline(PLAN, GOOD, settings), settings))


def test_a_new_ablation_is_noted_and_not_held_against_another() -> None:
    of = plan(ONE, ablations=("hybrid", "new"), metrics=("mrr@10",))
    before = baseline(plan(ONE, metrics=("mrr@10",)), GOOD[:1])

    verdicts = judged(of, [GOOD[0], record(ONE, {}, ablation="new")], before)

    assert failed(verdicts) == []
    assert [item.ablation for item in of_kind(verdicts, "ablation-added")] == ["new"]
