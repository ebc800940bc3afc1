"""One ablation is at most so much worse than another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from retrieval_gate.base.config import GateKind
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.verdict.bounds import limit, within
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule, bounded, configured, reference_of, row_of


def _judge(case: Case) -> Iterator[Verdict]:
    for gate in configured(case, GateKind.MAX_BELOW):
        row, reference = row_of(case, gate), reference_of(case, gate)
        if row is None or reference is None or reference.value is None:
            continue
        direction = parse_metric(gate.metric).family.direction
        bound = limit(reference.value, direction, gate.bound)
        passed = within(row.value, bound, direction, case.config.slack)
        yield replace(bounded("max-below", row, bound=bound, passed=passed), detail=gate.reference)


MAX_BELOW = GateRule(
    id="max-below",
    explanation=(
        "A metric of one ablation is worse than the same metric of a reference ablation by at most the bound; "
        "for a metric that is better lower, worse is above."
    ),
    kinds=("max-below",),
    judge=_judge,
)
