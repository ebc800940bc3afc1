"""One ablation is at most so much worse than another."""

from __future__ import annotations

import pytest

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Status
from tests.verdict.factories import config, failed, gate, judged, of_kind, record
from tests.verdict.reranked import NONE, PLAN, records_of, verdicts_of


@pytest.mark.parametrize(("bound", "status"), [(0.5, Status.PASSED), (0.49, Status.FAILED)])
def test_an_ablation_may_be_below_its_reference_by_the_bound(bound: float, status: Status) -> None:
    below = gate(GateKind.MAX_BELOW, "mrr@10", bound, ablation="hybrid-rerank", reference="hybrid")

    (verdict,) = of_kind(verdicts_of(below), "max-below")

    assert (verdict.status, verdict.value, verdict.bound, verdict.n) == (status, 0.5, 1.0 - bound, 2)
    assert verdict.detail == "hybrid"


def test_an_ablation_above_its_reference_is_never_too_far_below() -> None:
    below = gate(GateKind.MAX_BELOW, "mrr@10", 0.0, reference="hybrid-rerank")

    assert failed(verdicts_of(below)) == []


def test_for_a_metric_that_is_better_lower_worse_means_above() -> None:
    quiet = [*records_of()[:5], record(NONE, ablation="hybrid-rerank", returned=0)]
    below = gate(GateKind.MAX_BELOW, "no-answer-fpr", 0.5, reference="hybrid-rerank")

    verdicts = judged(PLAN, quiet, settings=config(PLAN, gates=(below,)))

    assert [(item.kind, item.value, item.bound) for item in failed(verdicts)] == [("max-below", 1.0, 0.5)]
