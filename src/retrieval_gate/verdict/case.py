"""Everything that a gate rule looks at, with the look-ups that several rules share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from retrieval_gate.base.config import Config
from retrieval_gate.base.evaluation import Evaluation
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId
from retrieval_gate.base.scores import Row
from retrieval_gate.base.verdict import Approval
from retrieval_gate.scoring.metrics.table import Metric
from retrieval_gate.scoring.slices import ALL
from retrieval_gate.verdict.accepted import Baseline, row_identity
from retrieval_gate.verdict.baseline import candidate, held_out_ids
from retrieval_gate.verdict.comparison import Comparison, comparable
from retrieval_gate.verdict.drops import Drops
from retrieval_gate.verdict.loosening import Loosening, approval, loosenings
from retrieval_gate.verdict.query_change import QueryChange, furthest, got_worse, query_change

if TYPE_CHECKING:
    from retrieval_gate.evaluation.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One evaluation to be judged. `comparison` is None where there is no baseline.

    `rows` are this run's rows by ablation, slice and metric, over every query. `changes` are the shared queries
    that differ from the baseline. `held_out` queries are `unnamed`, unless the caller asked for their ids. `today`
    is the date that waivers are held against; None: their dates are not checked. `base` is the base branch's
    baseline, `loosenings` is what it asks for and this run, or the committed baseline, does not; `approval` says
    whether that was approved, None where there is nothing to approve.
    """

    plan: Plan
    config: Config
    evaluation: Evaluation
    comparison: Comparison | None
    rows: Mapping[tuple[AblationId, SliceId, MetricId], Row]
    changes: tuple[QueryChange, ...]
    held_out: frozenset[QueryId]
    unnamed: frozenset[QueryId]
    today: date | None
    base: Baseline | None
    loosenings: tuple[Loosening, ...]
    approval: Approval | None

    def waives(self, query: QueryId) -> bool:
        """Whether a waiver holds for the query today; its date is not checked where no date is given."""
        return any(
            waiver.query == query and (self.today is None or self.today <= waiver.expires)
            for waiver in self.config.waivers
        )

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
    base: Baseline | None = None,
    approve: str | None = None,
    reveal: bool = False,
) -> Case:
    """The case of one evaluation; pure. `approve` is the hash of the loosenings that a maintainer has approved.

    `reveal` says that held-out queries may be named.
    """
    held_out = held_out_ids(plan.fixture)
    changes = _changes(plan, config, comparison)
    found: tuple[Loosening, ...] = ()
    if base is not None:
        now = candidate(plan, evaluation, config, reason=None, environment=())
        committed = None if comparison is None else comparison.baseline
        found = loosenings(
            base,
            now,
            committed=committed,
            hidden=held_out,
            not_run=left_out_by_command(plan, config),
            red=_red(evaluation, changes),
        )
    return Case(
        plan=plan,
        config=config,
        evaluation=evaluation,
        comparison=comparison,
        rows={row_identity(row): row for row in evaluation.scores.rows},
        changes=changes,
        held_out=held_out,
        unnamed=frozenset() if reveal else held_out,
        today=today,
        base=base,
        loosenings=found,
        approval=approval(found, approve),
    )


def left_out_by_command(plan: Plan, config: Config) -> frozenset[AblationId]:
    """Ablations of the configuration that the command narrowed away; not those that lack their alias table."""
    ran = {spec.id for spec in plan.ablations}
    configured = {spec.id for spec in config.ablations}
    return frozenset(configured - ran - set(plan.left_out))


def _changes(plan: Plan, config: Config, comparison: Comparison | None) -> tuple[QueryChange, ...]:
    if comparison is None:
        return ()
    cut_off = furthest(plan.metrics, plan.k)
    drops = Drops(config)

    def allowed(ablation: AblationId) -> Callable[[Metric], float]:
        return lambda metric: drops.at(metric.id, ablation, ALL)

    return tuple(
        query_change(pair, plan.metrics, cut_off, allowed(pair.now.ablation), config.slack)
        for pair in comparison.moved
    )


def _red(evaluation: Evaluation, changes: Sequence[QueryChange]) -> frozenset[tuple[AblationId, QueryId]]:
    """The records that another gate fails already: without an answer, or worse than in the committed baseline."""
    missing = [record for record in evaluation.scores.records if record.missing]
    worse = [change.pair.now for change in changes if got_worse(change)]
    return frozenset((record.ablation, record.query) for record in (*missing, *worse))
