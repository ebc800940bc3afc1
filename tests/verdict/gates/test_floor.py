"""A value is at least what the configuration asks for."""

from __future__ import annotations

from math import nextafter

import pytest

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Status
from tests.verdict.factories import config, failed, gate, judged, of_kind, record
from tests.verdict.reranked import PLAN, TWO, records_of, verdicts_of


@pytest.mark.parametrize(
    ("bound", "status"), [(0.5, Status.PASSED), (nextafter(0.5 + 1e-9, 1), Status.FAILED), (0.49, Status.PASSED)]
)
def test_a_floor_passes_at_the_bound_and_fails_below(bound: float, status: Status) -> None:
    (verdict,) = of_kind(verdicts_of(gate(GateKind.FLOOR, "mrr@10", bound, ablation="hybrid-rerank")), "floor")

    assert (verdict.status, verdict.value, verdict.bound, verdict.n) == (status, 0.5, bound, 2)
    assert (verdict.ablation, verdict.slice, verdict.metric) == ("hybrid-rerank", "all", "mrr@10")


def test_a_gate_looks_at_its_own_slice() -> None:
    records = [*records_of()[:1], record(TWO, {"b": 10}), *records_of()[2:]]
    gates = [gate(GateKind.FLOOR, "mrr@10", 0.2, group=f"language={language}") for language in ("en", "zh")]

    verdicts = judged(PLAN, records, settings=config(PLAN, gates=gates))

    assert [(item.slice, item.value, item.n) for item in failed(verdicts)] == [("language=zh", 0.1, 1)]
