"""What a gate or the baseline names was measured: a gate that never ran is not a pass."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.config import GateSpec
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.case import Case, left_out_by_command
from retrieval_gate.verdict.gates.rule import GateRule, reference_of, row_of


def _judge(case: Case) -> Iterator[Verdict]:
    left_out = left_out_by_command(case.plan, case.config)
    skipped: list[AblationId] = []
    for gate in case.config.gates:
        absent = [name for name in (gate.ablation, gate.reference) if name in left_out]
        if absent and case.config.defaults:
            skipped += absent
        elif not _has_value(case, gate):
            yield _not_measured(case, gate)
    comparison = case.comparison
    if comparison is not None:
        skipped += [ablation for ablation in comparison.ablations_removed if ablation in left_out]
        for ablation in comparison.ablations_removed:
            if ablation not in left_out:
                yield Verdict(kind="ablation-gone", status=Status.FAILED, ablation=ablation)
        for metric in comparison.metrics_removed:
            yield Verdict(kind="metric-gone", status=Status.FAILED, metric=metric)
        for group in comparison.slices_removed:
            yield Verdict(kind="slice-gone", status=Status.FAILED, slice=group)
    for ablation in first_occurrences(skipped):
        yield Verdict(kind="ablation-not-run", status=Status.NOT_CHECKED, ablation=ablation, n=0)


def _has_value(case: Case, gate: GateSpec) -> bool:
    if row_of(case, gate) is None:
        return False
    return gate.reference is None or reference_of(case, gate) is not None


def _not_measured(case: Case, gate: GateSpec) -> Verdict:
    row = case.rows.get((gate.ablation, gate.slice, gate.metric))
    return Verdict(
        kind="not-measured",
        status=Status.FAILED,
        ablation=gate.ablation,
        slice=gate.slice,
        metric=gate.metric,
        bound=gate.bound,
        n=row.n if row is not None else 0,
    )


MEASURED = GateRule(
    id="measured",
    explanation=(
        "Every gate of the configuration has a value, and every ablation, metric and slice of the baseline was "
        "measured again. Ablations that --ablations leaves out are not checked, except where the configuration "
        "names a gate on them."
    ),
    kinds=("not-measured", "ablation-gone", "metric-gone", "slice-gone", "ablation-not-run"),
    judge=_judge,
)
