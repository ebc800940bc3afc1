"""Floors, ceilings, distances and gates that were not measured: all without a baseline."""

from __future__ import annotations

from math import nextafter

import pytest

from retrieval_gate.base.config import Config, GateKind, GateSpec
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.evaluation.plan import Plan
from tests.verdict.factories import baseline, config, failed, gate, judged, kinds, of_kind, plan, query, record

ONE = query("q1", {"a": 3})
TWO = query("q2", {"b": 3}, language="zh")
NONE = query("q3")
PLAN = plan(ONE, TWO, NONE, ablations=("hybrid", "hybrid-rerank"))


def _records(rerank: int = 1) -> list[QueryRecord]:
    """mrr@10 is 1 for hybrid and 1/rerank for hybrid-rerank; the no-answer query returns something in both."""
    return [
        record(asked, {unit: rank} if unit else {}, ablation=ablation)
        for ablation, rank in (("hybrid", 1), ("hybrid-rerank", rerank))
        for asked, unit in ((ONE, "a"), (TWO, "b"), (NONE, None))
    ]


def _verdicts(
    *gates: GateSpec, rerank: int = 2, of: Plan = PLAN, settings: Config | None = None
) -> tuple[Verdict, ...]:
    return judged(of, _records(rerank), settings=settings or config(of, gates=gates))


@pytest.mark.parametrize(
    ("bound", "status"), [(0.5, Status.PASSED), (nextafter(0.5 + 1e-9, 1), Status.FAILED), (0.49, Status.PASSED)]
)
def test_a_floor_passes_at_the_bound_and_fails_below(bound: float, status: Status) -> None:
    (verdict,) = of_kind(_verdicts(gate(GateKind.FLOOR, "mrr@10", bound, ablation="hybrid-rerank")), "floor")

    assert (verdict.status, verdict.value, verdict.bound, verdict.n) == (status, 0.5, bound, 2)
    assert (verdict.ablation, verdict.slice, verdict.metric) == ("hybrid-rerank", "all", "mrr@10")


@pytest.mark.parametrize(("bound", "status"), [(1.0, Status.PASSED), (0.34, Status.FAILED)])
def test_a_ceiling_fails_above_the_bound(bound: float, status: Status) -> None:
    (verdict,) = of_kind(_verdicts(gate(GateKind.CEILING, "no-answer-fpr", bound)), "ceiling")

    assert (verdict.status, verdict.value, verdict.bound, verdict.n) == (status, 1.0, bound, 1)


@pytest.mark.parametrize(("bound", "status"), [(0.5, Status.PASSED), (0.49, Status.FAILED)])
def test_an_ablation_may_be_below_its_reference_by_the_bound(bound: float, status: Status) -> None:
    below = gate(GateKind.MAX_BELOW, "mrr@10", bound, ablation="hybrid-rerank", reference="hybrid")

    (verdict,) = of_kind(_verdicts(below), "max-below")

    assert (verdict.status, verdict.value, verdict.bound, verdict.n) == (status, 0.5, 1.0 - bound, 2)
    assert verdict.detail == "hybrid"


def test_an_ablation_above_its_reference_is_never_too_far_below() -> None:
    below = gate(GateKind.MAX_BELOW, "mrr@10", 0.0, reference="hybrid-rerank")

    assert failed(_verdicts(below)) == []


def test_for_a_metric_that_is_better_lower_worse_means_above() -> None:
    quiet = [*_records()[:5], record(NONE, ablation="hybrid-rerank", returned=0)]
    below = gate(GateKind.MAX_BELOW, "no-answer-fpr", 0.5, reference="hybrid-rerank")

    verdicts = judged(PLAN, quiet, settings=config(PLAN, gates=(below,)))

    assert [(item.kind, item.value, item.bound) for item in failed(verdicts)] == [("max-below", 1.0, 0.5)]


def test_a_gate_looks_at_its_own_slice() -> None:
    records = [*_records()[:1], record(TWO, {"b": 10}), *_records()[2:]]
    gates = [gate(GateKind.FLOOR, "mrr@10", 0.2, group=f"language={language}") for language in ("en", "zh")]

    verdicts = judged(PLAN, records, settings=config(PLAN, gates=gates))

    assert [(item.slice, item.value, item.n) for item in failed(verdicts)] == [("language=zh", 0.1, 1)]


@pytest.mark.parametrize(
    ("metric", "group", "ablation"),
    [
        ("mrr@10", "language=fr", "hybrid"),
        ("ndcg@10", "all", "hybrid"),
        ("wrong-state", "all", "hybrid"),
        ("mrr@10", "all", "lexical"),
    ],
)
def test_a_gate_whose_value_was_not_measured_fails(metric: str, group: str, ablation: str) -> None:
    floor = gate(GateKind.FLOOR, metric, 0.0, group=group, ablation=ablation)

    (verdict,) = failed(_verdicts(floor))

    assert (verdict.kind, verdict.value, verdict.bound, verdict.n) == ("not-measured", None, 0.0, 0)


def test_a_distance_whose_reference_was_not_measured_fails() -> None:
    below = gate(GateKind.MAX_BELOW, "mrr@10", 0.1, reference="lexical")

    assert kinds(failed(_verdicts(below))) == ["not-measured"]


def test_a_default_gate_on_an_ablation_that_the_command_left_out_is_not_checked() -> None:
    settings = config(
        PLAN,
        gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, ablation="lexical"),),
        defaults=True,
        more_ablations=("lexical",),
    )

    verdicts = _verdicts(settings=settings)

    assert failed(verdicts) == []
    assert [item.status for item in of_kind(verdicts, "ablation-not-run")] == [Status.NOT_CHECKED]


def test_a_named_gate_on_an_ablation_that_the_command_left_out_fails() -> None:
    settings = config(
        PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, ablation="lexical"),), more_ablations=("lexical",)
    )

    assert kinds(failed(_verdicts(settings=settings))) == ["not-measured"]


def test_what_the_baseline_measured_and_this_run_did_not_fails() -> None:
    tagged = query("q2", {"b": 3}, language="zh", tags=("hard",))
    before_plan = plan(ONE, tagged, ablations=("hybrid", "old"), metrics=("mrr@10", "hit@2"))
    records = [
        record(asked, {unit: 1}, ablation=name)
        for name in ("hybrid", "old")
        for asked, unit in ((ONE, "a"), (tagged, "b"))
    ]
    now = plan(ONE, TWO, metrics=("mrr@10",))

    verdicts = judged(now, [record(ONE, {"a": 1}), record(TWO, {"b": 1})], baseline(before_plan, records))

    gone = [
        (item.kind, item.ablation or item.metric or item.slice) for item in failed(verdicts) if "gone" in item.kind
    ]
    assert gone == [("ablation-gone", "old"), ("metric-gone", "hit@2"), ("slice-gone", "tag=hard")]


def test_a_baseline_ablation_that_the_command_left_out_is_not_checked() -> None:
    before = baseline(PLAN, _records())
    narrowed = plan(ONE, TWO, NONE, ablations=("hybrid",))
    settings = config(narrowed, more_ablations=("hybrid-rerank",))

    verdicts = judged(narrowed, _records()[:3], before, settings)

    assert failed(verdicts) == []
    assert [item.ablation for item in of_kind(verdicts, "ablation-not-run")] == ["hybrid-rerank"]
