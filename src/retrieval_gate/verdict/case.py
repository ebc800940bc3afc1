"""Everything that a gate rule looks at, with the look-ups that several rules share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from retrieval_gate.base.config import Config
from retrieval_gate.base.evaluation import Evaluation
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.base.scores import Row
from retrieval_gate.scoring.metrics.table import Metric
from retrieval_gate.scoring.slices import ALL
from retrieval_gate.verdict.accepted import row_identity
from retrieval_gate.verdict.baseline import held_out_ids
from retrieval_gate.verdict.comparison import Comparison, comparable
from retrieval_gate.verdict.query_change import QueryChange, query_change

if TYPE_CHECKING:
    from retrieval_gate.evaluation.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One evaluation to be judged. `comparison` is None where there is no baseline.

    `rows` are this run's rows by ablation, slice and metric, over every query. `changes` are the shared queries
    that differ from the baseline. `held_out` queries are never named. `today` is the date that waivers are held
    against; None: their dates are not checked.
    """

    plan: Plan
    config: Config
    evaluation: Evaluation
    comparison: Comparison | None
    rows: Mapping[tuple[AblationId, SliceId, MetricId], Row]
    changes: tuple[QueryChange, ...]
    held_out: frozenset[QueryId]
    today: date | None

    @property
    def compared(self) -> Comparison | None:
        """The comparison, None where there is no baseline or it shares nothing with this run."""
        return self.comparison if self.comparison is not None and comparable(self.comparison) else None


def make_case(
    plan: Plan,
    config: Config,
    evaluation: Evaluation,
    comparison: Comparison | None,
    *,
    today: date | None = None,
) -> Case:
    """The case of one evaluation; pure."""
    return Case(
        plan=plan,
        config=config,
        evaluation=evaluation,
        comparison=comparison,
        rows={row_identity(row): row for row in evaluation.scores.rows},
        changes=_changes(plan, config, comparison),
        held_out=held_out_ids(plan.fixture),
        today=today,
    )


def max_drop(config: Config, metric: MetricId, ablation: AblationId, group: SliceId) -> float:
    """How much a value may get worse: the most specific allowance that matches, the last of equals."""
    best, drop = 0, config.max_drop
    for allowance in config.allowances:
        pairs = ((allowance.metric, metric), (allowance.ablation, ablation), (allowance.slice, group))
        if all(named is None or named == actual for named, actual in pairs):
            specific = len([named for named, _ in pairs if named is not None])
            if specific >= best:
                best, drop = specific, allowance.max_drop
    return drop


def cut_off(plan: Plan) -> int:
    """The largest cut-off of the plan's metrics; how many hits are asked for where no metric has one."""
    return max([metric.k for metric in plan.metrics if metric.k is not None], default=plan.k)


def _changes(plan: Plan, config: Config, comparison: Comparison | None) -> tuple[QueryChange, ...]:
    if comparison is None:
        return ()
    furthest = cut_off(plan)

    def allowed(ablation: AblationId) -> Callable[[Metric], float]:
        return lambda metric: max_drop(config, metric.id, ablation, ALL)

    return tuple(
        query_change(pair, plan.metrics, furthest, allowed(pair.now.ablation), config.slack)
        for pair in comparison.moved
    )
