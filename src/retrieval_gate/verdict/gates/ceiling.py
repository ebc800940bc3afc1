"""A value is at most what the configuration allows."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.verdict.bounds import at_most
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule, bounded, configured, row_of


def _judge(case: Case) -> Iterator[Verdict]:
    for gate in configured(case, GateKind.CEILING):
        row = row_of(case, gate)
        if row is not None:
            passed = at_most(row.value, gate.bound, case.config.slack)
            yield bounded("ceiling", row, bound=gate.bound, passed=passed)


CEILING = GateRule(
    id="ceiling",
    explanation="A metric of one ablation and slice is at most the bound; needs no baseline.",
    kinds=("ceiling",),
    judge=_judge,
)
