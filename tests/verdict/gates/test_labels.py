"""Accepted labels stay until new ones are accepted."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.fixture import Split
from tests.verdict.factories import (
    baseline,
    failed,
    fixture,
    judged,
    kinds,
    of_kind,
    plan,
    query,
    record,
)
from tests.verdict.world import GOOD, NONE, ONE, TWO, only


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

    verdict = only(judged(plan(ONE, edited), [GOOD[0], record(edited, {"d": 1})], before), "label-edited")

    assert (verdict.query, verdict.slice, verdict.n, verdict.baseline_n) == (None, "split=heldout", 1, 1)


def test_the_first_held_out_queries_are_an_addition() -> None:
    hidden = query("q9", {"d": 3}, split=Split.HELDOUT)

    verdicts = judged(plan(ONE, hidden), [GOOD[0], record(hidden, {"d": 1})], baseline(plan(ONE), GOOD[:1]))

    assert failed(verdicts) == []
    assert [(item.query, item.slice, item.n) for item in of_kind(verdicts, "query-added")] == [
        (None, "split=heldout", 1)
    ]


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
