"""Build the Report from what the line has measured and judged."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from retrieval_gate.base.config import Config
from retrieval_gate.base.difference import Difference
from retrieval_gate.base.evaluation import Evaluation, RetrieverFailure
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import QueryId, UnitId
from retrieval_gate.base.places import Place
from retrieval_gate.base.record import QueryRecord, Where
from retrieval_gate.base.scenario import LOG
from retrieval_gate.base.verdict import Approval, Verdict
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.report.answers import state_counts, summarise_waivers
from retrieval_gate.report.names import FAILURE_CODES, STAGES, baseline_names, config_names, plan_names
from retrieval_gate.report.privacy import check_report
from retrieval_gate.report.report import (
    NO_BASELINE,
    BaselineStatus,
    BaselineSummary,
    Environment,
    FailOn,
    FixtureSummary,
    Invocation,
    Part,
    Report,
    ValueKey,
    check_label,
)
from retrieval_gate.report.scope import retrieval_of, timed, unchecked
from retrieval_gate.scoring.trail import OTHER
from retrieval_gate.verdict.baseline import held_out_ids
from retrieval_gate.verdict.comparison import Comparison, comparable

# Where a chunk was shown; no stage's name.
_PLACES = frozenset((*(where.value for where in Where), LOG))
# In place of what a retriever says of its own failure.
NO_DETAIL = "an error of the retriever's own, which is not repeated here"


def build(
    *,
    plan: Plan,
    config: Config,
    evaluation: Evaluation,
    verdicts: Sequence[Verdict],
    environment: Environment,
    baseline: BaselineSummary = NO_BASELINE,
    allow_missing_baseline: bool = False,
    label: str | None = None,
    invocation: Invocation | None = None,
    places: Sequence[tuple[QueryId, Place]] = (),
    value_places: Sequence[tuple[ValueKey, Place]] = (),
    unit_places: Sequence[tuple[UnitId, Place]] = (),
    fail_on: FailOn = FailOn.REGRESSION,
    reveal: bool = False,
) -> Report:
    """The report of one evaluation; pure. `baseline` is NO_BASELINE where there was none to compare with.

    Held-out records are left out (aggregates only), unless `reveal` asks for them. Stage names and failure codes
    that a retriever made up become `other`, so that nothing a retriever says reaches an output as text. Raises
    UsageError for a bad label, and InternalError where the privacy check finds a text: then there is no report,
    and no output can show it.
    """
    unnamed = frozenset() if reveal else held_out_ids(plan.fixture)
    records = (record for record in evaluation.scores.records if record.query not in unnamed)
    asked = invocation or Invocation()
    report = Report(
        label=None if label is None else check_label(label),
        fixture=summarise(plan.fixture),
        definition=evaluation.definition,
        retrieval=retrieval_of(plan.ablations),
        unchecked=unchecked(plan.ablations, evaluation.unseeded),
        ablations=tuple(spec.id for spec in plan.ablations),
        left_out=plan.left_out,
        substituted=plan.substituted,
        rows=evaluation.scores.rows,
        records=tuple(_with_known_stages(record) for record in records),
        verdicts=tuple(_with_known_stage(verdict) for verdict in verdicts),
        differences=tuple(_unnamed(difference, unnamed) for difference in evaluation.differences),
        failures=tuple(_with_known_code(failure) for failure in evaluation.failures),
        baseline=baseline,
        allow_missing_baseline=allow_missing_baseline,
        latencies=timed(plan.ablations, evaluation.latencies),
        environment=environment,
        invocation=asked,
        places=tuple(places),
        value_places=tuple(value_places),
        unit_places=tuple(unit_places),
        fail_on=fail_on,
        states=state_counts(evaluation.scores.records, plan.slices),
        margins=tuple(margin for margin in evaluation.margins if margin.query not in unnamed),
        waivers=summarise_waivers(config.waivers, evaluation.scores.records, asked.today, unnamed),
    )
    check_report(report, plan_names(plan) | config_names(config) | baseline.names)
    return report


def summarise_baseline(
    comparison: Comparison | None, approval: Approval | None = None, base_names: frozenset[str] = frozenset()
) -> BaselineSummary:
    """What was compared; NO_BASELINE for None. `matched` only where both sides have all queries and ablations.

    `approval` is None where nothing is loosened against the base branch's baseline, or none was given;
    `base_names` are the ids that only that baseline knows.
    """
    compared = _compared(comparison)
    if approval is None:
        return compared
    return replace(
        compared,
        status=compared.status if approval.approved else BaselineStatus.LOOSENED,
        loosening_hash=approval.hash,
        loosening_approved=approval.approved,
        names=compared.names | base_names,
    )


def _compared(comparison: Comparison | None) -> BaselineSummary:
    if comparison is None:
        return NO_BASELINE
    apart = (
        comparison.added,
        comparison.removed,
        comparison.edited,
        comparison.ablations_added,
        comparison.ablations_removed,
    )
    matched = not comparison.held_out_changed and not any(apart)
    return BaselineSummary(
        status=BaselineStatus.MATCHED if matched else BaselineStatus.PARTIAL,
        comparable=comparable(comparison),
        shared=len(comparison.shared),
        added=comparison.added,
        removed=comparison.removed,
        edited=comparison.edited,
        changed=tuple(map(Part, comparison.changed_parts)),
        names=baseline_names(comparison.baseline),
    )


def summarise(fixture: Fixture) -> FixtureSummary:
    """The fixture's id, revision and counts."""
    no_answer = len([query for query in fixture.queries if query.no_answer])
    return FixtureSummary(
        id=fixture.id,
        version=fixture.version,
        documents=len(fixture.documents),
        chunks=len([chunk for document in fixture.documents for chunk in document.chunks]),
        queries=len(fixture.queries),
        answerable=len(fixture.queries) - no_answer,
        no_answer=no_answer,
        held_out=len(held_out_ids(fixture)),
    )


def _unnamed(difference: Difference, unnamed: Collection[QueryId]) -> Difference:
    return replace(difference, query=None) if difference.query in unnamed else difference


def _with_known_code(failure: RetrieverFailure) -> RetrieverFailure:
    """A failure whose code this project did not give has a detail that it did not write."""
    return failure if failure.code in FAILURE_CODES else replace(failure, code=OTHER, detail=NO_DETAIL)


def _with_known_stages(record: QueryRecord) -> QueryRecord:
    if all(unit.lost_at is None or unit.lost_at in STAGES for unit in record.judged):
        return record
    judged = (replace(unit, lost_at=_known(unit.lost_at)) for unit in record.judged)
    return replace(record, judged=tuple(judged))


def _with_known_stage(verdict: Verdict) -> Verdict:
    return replace(verdict, stage=_known(verdict.stage))


def _known(stage: str | None) -> str | None:
    """The stage itself where it may be quoted, else its kind (as `candidates`), else `other`."""
    if stage is None or stage in STAGES or stage in _PLACES:
        return stage
    kind = stage.partition(":")[0]
    return kind if kind in STAGES else OTHER
