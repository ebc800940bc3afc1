"""Every query is answered, nothing is measured over less."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.fixture import Split, State
from retrieval_gate.base.verdict import Status
from retrieval_gate.verdict.judge import judge
from tests.verdict.factories import (
    baseline,
    case,
    failed,
    judged,
    missing,
    of_kind,
    plan,
    query,
    record,
)
from tests.verdict.world import GOOD, ONE, PLAN, TWO, now, only


def test_a_query_without_an_answer_fails_once_and_is_scored_as_empty() -> None:
    verdicts = now(second=missing(TWO))

    verdict = only(verdicts, "query-missing")

    assert (verdict.query, verdict.ablation, verdict.value, verdict.bound, verdict.n) == (
        "q2",
        "hybrid",
        0.0,
        1.0,
        0,
    )
    assert [item.query for item in failed(verdicts) if item.query] == ["q2"]
    assert of_kind(failed(verdicts), "no-drop")


def test_what_a_failed_retriever_did_not_reach_is_one_failure_and_not_one_for_each_query() -> None:
    died = RetrieverFailure(run=1, ablation=PLAN.ablations[0].id, code="closed", detail="it ended")
    whole = case(PLAN, [GOOD[0], missing(TWO), missing(PLAN.fixture.queries[2])])
    verdict = only(judge(replace(whole, evaluation=replace(whole.evaluation, failures=(died,)))), "query-missing")

    assert (verdict.query, verdict.slice, verdict.value, verdict.bound, verdict.n) == (None, "all", 1.0, 3.0, 1)


def test_a_query_that_has_no_record_at_all_is_missing_too() -> None:
    verdicts = judged(PLAN, GOOD[:2])

    assert [(item.kind, item.query) for item in failed(verdicts)] == [("query-missing", "q3")]


def test_an_empty_answer_is_not_a_missing_one() -> None:
    verdicts = judged(PLAN, [GOOD[0], record(TWO, {}, returned=0), GOOD[2]])

    assert [(item.status, item.n) for item in of_kind(verdicts, "completeness")] == [(Status.PASSED, 3)]


def test_missing_held_out_answers_are_counted_and_not_named() -> None:
    hidden = [query(f"h{number}", {"d": 3}, split=Split.HELDOUT) for number in range(3)]
    of = plan(ONE, *hidden)

    verdict = only(judged(of, [GOOD[0], record(hidden[0], {"d": 1}), *map(missing, hidden[1:])]), "query-missing")

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
