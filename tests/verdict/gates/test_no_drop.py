"""No metric of any ablation and slice falls below the baseline."""

from __future__ import annotations

import pytest

from retrieval_gate.base.config import Allowance
from retrieval_gate.base.ids import AblationId, MetricId, SliceId
from retrieval_gate.base.verdict import Status
from tests.verdict.factories import (
    baseline,
    config,
    failed,
    judged,
    of_kind,
    plan,
    record,
)
from tests.verdict.world import GOOD, NONE, ONE, PLAN, TWO, now


def test_the_same_run_is_green_and_says_what_was_compared() -> None:
    verdicts = now()

    assert failed(verdicts) == []
    assert [(item.status, item.ablation, item.n) for item in of_kind(verdicts, "no-drop")] == [
        (Status.PASSED, "hybrid", 3)
    ]
    assert [item for item in verdicts if item.status is Status.NOTE] == []


def test_a_fall_of_an_average_carries_both_values_and_both_n() -> None:
    """q2 falls from rank 2 to 4: mrr@10 from (1 + 1/2)/2 to (1 + 1/4)/2."""
    falls = of_kind(failed(now(second=record(TWO, {"c": 4}))), "no-drop")

    verdict = next(item for item in falls if (item.metric, item.slice) == ("mrr@10", "all"))

    assert (verdict.value, verdict.baseline, verdict.bound) == (0.625, 0.75, 0.75)
    assert (verdict.n, verdict.baseline_n) == (2, 2)


def test_a_fall_in_one_language_is_red_though_the_average_rises() -> None:
    before = baseline(PLAN, [record(ONE, {"a": 4, "b": 5}), *GOOD[1:]])

    falls = of_kind(failed(judged(PLAN, [GOOD[0], record(TWO, {"c": 3}), GOOD[2]], before)), "no-drop")

    assert {(item.slice, item.metric) for item in falls} == {("language=zh", "mrr@10"), ("language=zh", "ndcg@10")}


def test_a_rate_that_should_be_low_must_not_rise() -> None:
    falls = of_kind(failed(now(none=record(NONE, returned=3))), "no-drop")

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
