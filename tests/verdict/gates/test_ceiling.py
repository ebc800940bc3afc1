"""A value is at most what the configuration allows."""

from __future__ import annotations

import pytest

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Status
from tests.verdict.factories import gate, of_kind
from tests.verdict.reranked import verdicts_of


@pytest.mark.parametrize(("bound", "status"), [(1.0, Status.PASSED), (0.34, Status.FAILED)])
def test_a_ceiling_fails_above_the_bound(bound: float, status: Status) -> None:
    (verdict,) = of_kind(verdicts_of(gate(GateKind.CEILING, "no-answer-fpr", bound)), "ceiling")

    assert (verdict.status, verdict.value, verdict.bound, verdict.n) == (status, 1.0, bound, 1)
