"""A value is at least what the configuration asks for."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.verdict.bounds import at_least
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule, bounded, configured, row_of


def _judge(case: Case) -> Iterator[Verdict]:
    for gate in configured(case, GateKind.FLOOR):
        row = row_of(case, gate)
        if row is not None:
            passed = at_least(row.value, gate.bound, case.config.slack)
            yield bounded("floor", row, bound=gate.bound, passed=passed)


FLOOR = GateRule(
    id="floor",
    explanation="A metric of one ablation and slice is at least the bound; needs no baseline.",
    kinds=("floor",),
    judge=_judge,
)
