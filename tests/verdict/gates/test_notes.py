"""What is worth reading and blocks nothing."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Status
from tests.verdict.factories import (
    baseline,
    config,
    document,
    failed,
    fixture,
    gate,
    judged,
    kinds,
    of_kind,
    plan,
    record,
)
from tests.verdict.world import BEFORE, GOOD, NONE, ONE, PLAN, TWO, now


def test_a_gain_is_a_note_with_both_values() -> None:
    verdicts = now(second=record(TWO, {"c": 1}))

    gain = next(item for item in of_kind(verdicts, "improved") if (item.metric, item.slice) == ("mrr@10", "all"))

    assert failed(verdicts) == []
    assert (gain.status, gain.value, gain.baseline) == (Status.NOTE, 1.0, 0.75)
    assert [(item.query, item.metric) for item in of_kind(verdicts, "query-improved")] == [("q2", "mrr@10")]


def test_a_move_among_unjudged_hits_is_a_note() -> None:
    verdicts = now(first=replace(GOOD[0], ranking_digest="f" * 16))

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
