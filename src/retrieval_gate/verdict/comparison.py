"""Two results joined by query id: what can be compared, and what has changed around it.

A query is shared where its label hash is the same on both sides; only shared queries are compared, and every
aggregate is computed again over them, on both sides, by the same function. Nothing is joined by position.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from retrieval_gate.base.evaluation import Evaluation
from retrieval_gate.base.hashes import Components
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Row
from retrieval_gate.scoring.metrics.table import METRIC_VERSION, Metric
from retrieval_gate.scoring.rows import rows
from retrieval_gate.verdict.accepted import Baseline, record_identity, row_identity
from retrieval_gate.verdict.baseline import held_out_ids, held_out_of

if TYPE_CHECKING:
    from retrieval_gate.evaluation.plan import Plan

T = TypeVar("T")
# Compared elsewhere: `labels` query by query, `system` as the parts that it is made of.
_WHOLES = ("labels", "system")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPair:
    """One ablation, slice and metric over the shared queries, before and now."""

    metric: Metric
    before: Row
    now: Row


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPair:
    """One shared query under one ablation, before and now."""

    before: QueryRecord
    now: QueryRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All in plan order; what only the baseline knows is in its own.

    `shared` are the queries compared, none where no ablation is on both sides; `ablations` those that are.
    `removed` and `edited` queries fail until accepted, `added` ones are held to absolute gates only.
    `held_out_changed` says that the set of held-out queries, or one of their labels, is not the baseline's.
    `changed_parts` are fields of `Components`. `moved` are the shared records that differ in anything.
    """

    baseline: Baseline
    shared: tuple[QueryId, ...]
    added: tuple[QueryId, ...]
    removed: tuple[QueryId, ...]
    edited: tuple[QueryId, ...]
    held_out_changed: bool
    changed_parts: tuple[str, ...]
    ablations: tuple[AblationId, ...]
    ablations_added: tuple[AblationId, ...]
    ablations_removed: tuple[AblationId, ...]
    slices_removed: tuple[SliceId, ...]
    metrics_removed: tuple[MetricId, ...]
    rows: tuple[RowPair, ...]
    moved: tuple[RecordPair, ...]


def comparable(comparison: Comparison) -> bool:
    """Whether anything was compared at all; without it a run exits 4, never 0."""
    return bool(comparison.shared)


def compare(plan: Plan, evaluation: Evaluation, baseline: Baseline) -> Comparison:
    """Join `evaluation` with `baseline` by query id; pure."""
    now = dict(evaluation.definition.queries)
    before = dict(baseline.definition.queries)
    hidden = held_out_ids(plan.fixture)
    open_now = [query for query in now if query not in hidden]
    known_ablations = frozenset(baseline.ablations)
    planned = tuple(spec.id for spec in plan.ablations)
    ablations = tuple(ablation for ablation in planned if ablation in known_ablations)
    shared = tuple(query for query in open_now if ablations and before.get(query) == now[query])
    return Comparison(
        baseline=baseline,
        shared=shared,
        added=tuple(query for query in open_now if query not in before),
        removed=tuple(query for query in before if query not in now),
        edited=tuple(
            query for query in now if query in before and (query in hidden or before[query] != now[query])
        ),
        held_out_changed=held_out_of(plan, evaluation.definition).labels != baseline.held_out.labels,
        changed_parts=_changed_parts(baseline.definition.components, evaluation.definition.components),
        ablations=ablations,
        ablations_added=tuple(ablation for ablation in planned if ablation not in known_ablations),
        ablations_removed=_without(baseline.ablations, planned),
        slices_removed=_without(baseline.slices, [group.id for group in plan.slices]),
        metrics_removed=_without(baseline.metrics, [metric.id for metric in plan.metrics]),
        rows=_row_pairs(plan, evaluation, baseline, frozenset(shared), ablations),
        moved=_moved(evaluation.scores.records, baseline.records, frozenset(shared)),
    )


def _without(known: Sequence[T], present: Collection[T]) -> tuple[T, ...]:
    return tuple(item for item in known if item not in present)


def _changed_parts(before: Components, now: Components) -> tuple[str, ...]:
    names = (field.name for field in fields(Components) if field.name not in _WHOLES)
    return tuple(name for name in names if getattr(before, name) != getattr(now, name))


def _row_pairs(
    plan: Plan,
    evaluation: Evaluation,
    baseline: Baseline,
    shared: Collection[QueryId],
    ablations: Sequence[AblationId],
) -> tuple[RowPair, ...]:
    """One pair per ablation of both sides, slice and metric of the plan; none where nothing is shared."""
    if not shared:
        return ()
    before = _by_identity(_rows_before(plan, baseline, shared))
    now = _by_identity(_rows_now(plan, evaluation, shared))
    return tuple(
        RowPair(metric=metric, before=before[key], now=now[key])
        for ablation in ablations
        for group in plan.slices
        for metric in plan.metrics
        if (key := (ablation, group.id, metric.id)) in before and key in now
    )


def _rows_now(plan: Plan, evaluation: Evaluation, shared: Collection[QueryId]) -> Sequence[Row]:
    """This run's rows over the shared queries: those of the evaluation where that is every query."""
    if len(shared) == len(plan.fixture.queries):
        return evaluation.scores.rows
    return rows(_of(evaluation.scores.records, shared), plan.metrics, plan.slices)


def _rows_before(plan: Plan, baseline: Baseline, shared: Collection[QueryId]) -> Sequence[Row]:
    """The baseline's rows over the shared queries: the file's own where they say just that, as is usual."""
    whole = len(shared) == len(baseline.queries) and baseline.held_out.count == 0
    same_slices = baseline.slices == tuple(sorted(group.id for group in plan.slices))
    same_metrics = baseline.metrics == tuple(sorted(metric.id for metric in plan.metrics))
    if whole and same_slices and same_metrics and baseline.metric_version == METRIC_VERSION:
        return baseline.rows
    return rows(_of(baseline.records, shared), plan.metrics, plan.slices)


def _of(records: Sequence[QueryRecord], queries: Collection[QueryId]) -> list[QueryRecord]:
    return [record for record in records if record.query in queries]


def _by_identity(found: Sequence[Row]) -> dict[tuple[AblationId, SliceId, MetricId], Row]:
    return {row_identity(row): row for row in found}


def _moved(
    now: Sequence[QueryRecord], before: Sequence[QueryRecord], shared: Collection[QueryId]
) -> tuple[RecordPair, ...]:
    old = {record_identity(record): record for record in before}
    return tuple(
        RecordPair(before=known, now=record)
        for record in now
        if record.query in shared and (known := old.get(record_identity(record))) is not None and known != record
    )
