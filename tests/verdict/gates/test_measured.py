"""A gate that never ran is not a pass."""

from __future__ import annotations

import pytest

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Status
from tests.verdict.factories import baseline, config, failed, gate, judged, kinds, of_kind, plan, query, record
from tests.verdict.reranked import NONE, ONE, PLAN, TWO, records_of, verdicts_of


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

    (verdict,) = failed(verdicts_of(floor))

    assert (verdict.kind, verdict.value, verdict.bound, verdict.n) == ("not-measured", None, 0.0, 0)


def test_a_distance_whose_reference_was_not_measured_fails() -> None:
    below = gate(GateKind.MAX_BELOW, "mrr@10", 0.1, reference="lexical")

    assert kinds(failed(verdicts_of(below))) == ["not-measured"]


def test_a_default_gate_on_an_ablation_that_the_command_left_out_is_not_checked() -> None:
    settings = config(
        PLAN,
        gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, ablation="lexical"),),
        defaults=True,
        more_ablations=("lexical",),
    )

    verdicts = verdicts_of(settings=settings)

    assert failed(verdicts) == []
    assert [item.status for item in of_kind(verdicts, "ablation-not-run")] == [Status.NOT_CHECKED]


def test_a_named_gate_on_an_ablation_that_the_command_left_out_fails() -> None:
    settings = config(
        PLAN, gates=(gate(GateKind.FLOOR, "mrr@10", 0.5, ablation="lexical"),), more_ablations=("lexical",)
    )

    assert kinds(failed(verdicts_of(settings=settings))) == ["not-measured"]


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
    before = baseline(PLAN, records_of())
    narrowed = plan(ONE, TWO, NONE, ablations=("hybrid",))
    settings = config(narrowed, more_ablations=("hybrid-rerank",))

    verdicts = judged(narrowed, records_of()[:3], before, settings)

    assert failed(verdicts) == []
    assert [item.ablation for item in of_kind(verdicts, "ablation-not-run")] == ["hybrid-rerank"]
