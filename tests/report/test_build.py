"""What the line has measured and judged becomes one Report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from retrieval_gate.base.config import GateKind, GateSpec
from retrieval_gate.base.errors import InternalError, UsageError
from retrieval_gate.base.evaluation import Evaluation
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.scores import Scores
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.report.build import build, summarise_baseline
from retrieval_gate.report.places import failing_queries
from retrieval_gate.report.report import NO_BASELINE, BaselineStatus, Part, Report
from retrieval_gate.scoring.rows import rows
from retrieval_gate.scoring.trail import OTHER
from retrieval_gate.verdict.baseline import candidate
from retrieval_gate.verdict.comparison import Comparison, compare
from tests.report.canaries import QUERY, canary_plan, canary_record
from tests.report.samples import DEFINITION, ENVIRONMENT, a_hash
from tests.verdict import factories


def evaluated(plan: Plan) -> Evaluation:
    records = (canary_record(),)
    return Evaluation(
        definition=DEFINITION,
        scores=Scores(records=records, rows=rows(records, plan.metrics, plan.slices)),
        differences=(),
        failures=(),
        latencies=(),
    )


def built(plan: Plan, *verdicts: Verdict, label: str | None = None, gates: Sequence[GateSpec] = ()) -> Report:
    config = factories.config(plan, gates=gates)
    return build(
        plan=plan,
        config=config,
        evaluation=evaluated(plan),
        verdicts=verdicts,
        environment=ENVIRONMENT,
        label=label,
    )


def test_the_counts_are_the_fixtures() -> None:
    fixture = built(canary_plan()).fixture
    assert (fixture.id, fixture.version) == ("canary-set", 1)
    assert (fixture.documents, fixture.chunks) == (1, 1)
    assert (fixture.queries, fixture.answerable, fixture.no_answer) == (1, 1, 0)


def test_a_stage_name_that_no_table_has_becomes_other_and_a_known_one_stays() -> None:
    plan = canary_plan()
    lost = Verdict(kind="span-lost", status=Status.FAILED, query=QUERY, stage="fusion")
    report = built(plan, lost, replace(lost, stage="acme secret stage"))
    assert [verdict.stage for verdict in report.verdicts] == ["fusion", OTHER]
    assert report.records[0].judged[0].lost_at == OTHER


def test_held_out_queries_are_reported_as_aggregates_only() -> None:
    plan = canary_plan()
    held_out = replace(plan.fixture.queries[0], split=Split.HELDOUT)
    hidden = replace(plan, fixture=replace(plan.fixture, queries=(held_out,)))
    assert len(built(plan).records) == 1
    assert built(hidden).records == ()
    assert built(hidden).rows == built(plan).rows


def test_a_verdict_that_holds_a_text_gives_no_report_at_all() -> None:
    with pytest.raises(InternalError):
        built(canary_plan(), Verdict(kind="floor", status=Status.FAILED, detail="some text of the corpus"))


def test_a_gate_of_the_configuration_is_named_also_where_nothing_of_it_was_run() -> None:
    gate = GateSpec(
        kind=GateKind.MAX_BELOW,
        ablation=AblationId("hybrid-rerank"),
        reference=AblationId("hybrid-vector"),
        metric=MetricId("recall@20"),
        slice=SliceId("tag=typo"),
        bound=0.05,
    )
    missing = Verdict(
        kind="not-measured",
        status=Status.FAILED,
        ablation=gate.ablation,
        metric=gate.metric,
        slice=gate.slice,
        bound=gate.bound,
        n=0,
        detail=gate.reference,
    )
    assert built(canary_plan(), missing, gates=(gate,)).verdicts == (missing,)
    with pytest.raises(InternalError):
        built(canary_plan(), missing)


def test_a_bad_label_is_a_users_mistake() -> None:
    assert built(canary_plan(), label="leg-1").label == "leg-1"
    with pytest.raises(UsageError):
        built(canary_plan(), label="two words")


def test_the_queries_whose_place_is_needed_are_those_of_failures_each_once() -> None:
    failed = Verdict(kind="span-lost", status=Status.FAILED, query=QueryId("b"))
    verdicts = (
        failed,
        replace(failed, query=QueryId("a")),
        replace(failed, kind="rank-worsened"),
        replace(failed, query=None),
        Verdict(kind="query-improved", status=Status.NOTE, query=QueryId("c")),
    )
    assert failing_queries(verdicts) == ("b", "a")


def test_no_comparison_is_a_missing_baseline() -> None:
    assert summarise_baseline(None) == NO_BASELINE


def compared(*, before: tuple[str, ...], now: tuple[str, ...]) -> Comparison:
    """Both sides answer every query alike; a query's label hash is the same on both."""

    def side(names: tuple[str, ...]) -> tuple[Plan, Evaluation]:
        plan = factories.plan(*(factories.query(name, {"doc-0": 3}) for name in names))
        records = tuple(replace(canary_record(), query=QueryId(name)) for name in names)
        hashes = tuple((QueryId(name), a_hash("c")) for name in names)
        definition = Definition(evaluation=a_hash("a"), components=DEFINITION.components, queries=hashes)
        scores = Scores(records=records, rows=rows(records, plan.metrics, plan.slices))
        return plan, Evaluation(definition=definition, scores=scores, differences=(), failures=(), latencies=())

    old_plan, old = side(before)
    plan, evaluation = side(now)
    committed = candidate(old_plan, old, factories.config(old_plan), reason="first", environment=())
    return compare(plan, evaluation, committed)


def test_the_same_queries_on_both_sides_are_a_matched_baseline() -> None:
    summary = summarise_baseline(compared(before=("a", "b"), now=("a", "b")))
    assert (summary.status, summary.shared, summary.comparable) == (BaselineStatus.MATCHED, 2, True)
    assert (summary.added, summary.removed, summary.edited, summary.changed) == ((), (), (), ())


def test_queries_on_one_side_only_are_a_partial_baseline_whose_names_stay_known() -> None:
    summary = summarise_baseline(compared(before=("a", "b"), now=("b", "c")))
    assert (summary.status, summary.shared) == (BaselineStatus.PARTIAL, 1)
    assert (summary.added, summary.removed) == (("c",), ("a",))
    assert {"a", "b", UnitId("doc#1")} <= summary.names


def test_a_baseline_of_other_queries_is_not_comparable() -> None:
    summary = summarise_baseline(compared(before=("a",), now=("b",)))
    assert (summary.status, summary.comparable) == (BaselineStatus.PARTIAL, False)


def test_changed_parts_of_the_system_are_named() -> None:
    comparison = replace(compared(before=("a",), now=("a",)), changed_parts=("corpus", "aliases"))
    assert summarise_baseline(comparison).changed == (Part.CORPUS, Part.ALIASES)
