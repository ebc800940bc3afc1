"""A verdict of every kind, and the rich Report that the golden files show."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.ids import MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.scenario import LOG, PROBE
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.report import BaselineStatus
from retrieval_gate.verdict.loosening import LOOSENINGS
from retrieval_gate.verdict.scenario_kinds import CHECKS, FINDINGS, LATE
from tests.report.samples import DIFFERENCES, HYBRID, PARTIAL, RERANK, RETRIEVER_FAILURES, a_report

ALL = SliceId("all")
ZH = SliceId("language=zh")
NDCG = MetricId("ndcg@10")
STATE = MetricId("wrong-state")
MRR = MetricId("mrr@10")
RECALL = MetricId("recall@5")
FPR = MetricId("no-answer-fpr")
EN_01, EN_02, ZH_04 = (QueryId(query) for query in ("q-en-01", "q-en-02", "q-zh-04"))
ONE, TWO = UnitId("backup#1"), UnitId("backup#2")

# Those whose values are bounds; the others are about a query's labels, a document, a part that is gone.
_BOUNDS = ("floor", "ceiling", "max-below", "max-drop", "allowance", "slack")
LOOSENED = tuple(
    Verdict(kind=rule.id, status=Status.FAILED, ablation=HYBRID, slice=ALL, metric=NDCG, value=0.7, baseline=0.75)
    if rule.id.removeprefix("loosened-") in _BOUNDS
    else Verdict(kind=rule.id, status=Status.FAILED, query=EN_01, units=(ONE,))
    for rule in LOOSENINGS
)
# One of each kind that scenarios find; every other one was asked for the public.
SCENARIO_FINDINGS = tuple(
    Verdict(
        kind=row.id,
        status=Status.FAILED,
        ablation=HYBRID,
        query=EN_01 if number % 2 else None,
        units=(PROBE, ONE) if number % 2 else (),
        value=1.0 + number,
        bound=0.0,
        n=40,
        stage=LOG if row.id == "log-leak" else "hits",
        detail="fees-2024" if row.id == LATE else None if number % 2 else "p-office",
    )
    for number, row in enumerate(FINDINGS)
)
FAILED = (
    Verdict(
        kind="permission-leak",
        status=Status.FAILED,
        ablation=HYBRID,
        query=EN_01,
        units=(UnitId("payroll#1"),),
        value=1.0,
        bound=0.0,
        n=2,
        metric=MetricId("permission-leaks"),
        stage="context",
    ),
    Verdict(
        kind="stale-evidence",
        status=Status.FAILED,
        ablation=HYBRID,
        query=EN_02,
        units=tuple(UnitId(f"fees-2023#{number}") for number in range(1, 8)),
        value=7.0,
        bound=0.0,
        n=7,
        metric=MetricId("stale-evidence"),
        stage="hits",
        detail="fees-2024",
    ),
    Verdict(
        kind="bad-citation",
        status=Status.FAILED,
        ablation=HYBRID,
        query=EN_02,
        units=(TWO,),
        stage="citations",
        value=2.0,
        bound=0.0,
        n=5,
    ),
    Verdict(
        kind="unsupported-answer",
        status=Status.FAILED,
        ablation=RERANK,
        query=QueryId("q-zh-20"),
        metric=STATE,
        value=1.0,
        bound=0.0,
        n=1,
        detail="ANSWERED",
    ),
    Verdict(
        kind="over-abstention",
        status=Status.FAILED,
        ablation=RERANK,
        slice=SliceId("split=heldout"),
        metric=STATE,
        value=2.0,
        bound=0.0,
        n=2,
    ),
    Verdict(
        kind="incomplete-evidence",
        status=Status.FAILED,
        query=EN_01,
        units=(TWO,),
        metric=RECALL,
        value=0.5,
        bound=1.0,
        n=2,
    ),
    Verdict(
        kind="no-evidence",
        status=Status.FAILED,
        query=EN_02,
        units=(ONE,),
        metric=RECALL,
        value=0.0,
        bound=1.0,
        n=1,
    ),
    *SCENARIO_FINDINGS,
    *LOOSENED,
    Verdict(kind="query-missing", status=Status.FAILED, ablation=RERANK, query=EN_02, value=0.0, bound=1.0, n=0),
    Verdict(
        kind="n-dropped",
        status=Status.FAILED,
        ablation=HYBRID,
        slice=ALL,
        metric=NDCG,
        value=0.78,
        baseline=0.77,
        bound=60.0,
        n=58,
        baseline_n=60,
    ),
    Verdict(kind="not-measured", status=Status.FAILED, ablation=RERANK, slice=ZH, metric=FPR, bound=0.34, n=0),
    Verdict(kind="ablation-gone", status=Status.FAILED, ablation=HYBRID),
    Verdict(kind="metric-gone", status=Status.FAILED, metric=MetricId("recall@20")),
    Verdict(kind="slice-gone", status=Status.FAILED, slice=SliceId("tag=typo")),
    Verdict(kind="query-removed", status=Status.FAILED, query=QueryId("q-zh-09")),
    Verdict(kind="label-edited", status=Status.FAILED, query=ZH_04, detail="expectedState"),
    Verdict(
        kind="floor",
        status=Status.FAILED,
        ablation=RERANK,
        slice=ALL,
        metric=NDCG,
        value=0.7499999,
        bound=0.75,
        n=60,
    ),
    Verdict(
        kind="ceiling", status=Status.FAILED, ablation=RERANK, slice=ALL, metric=FPR, value=0.375, bound=0.34, n=16
    ),
    Verdict(
        kind="max-below",
        status=Status.FAILED,
        ablation=RERANK,
        slice=ALL,
        metric=NDCG,
        value=0.7161,
        bound=0.7361,
        n=60,
        detail=HYBRID,
    ),
    Verdict(
        kind="relevant-left-cut-off",
        status=Status.FAILED,
        ablation=HYBRID,
        query=EN_01,
        units=(TWO,),
        old_rank=2,
        new_rank=None,
        stage="fusion",
        metric=RECALL,
        metrics=(RECALL, NDCG, MRR),
        value=0.5,
        baseline=1.0,
        bound=1.0,
        n=1,
        baseline_n=1,
    ),
    Verdict(
        kind="span-lost",
        status=Status.FAILED,
        ablation=HYBRID,
        query=EN_01,
        units=(ONE,),
        stage="context",
        old_rank=1,
        new_rank=1,
        n=1,
        baseline_n=1,
    ),
    Verdict(
        kind="false-positive",
        status=Status.FAILED,
        ablation=HYBRID,
        query=QueryId("q-en-30"),
        metric=FPR,
        metrics=(FPR,),
        value=1.0,
        baseline=0.0,
        bound=0.0,
        n=1,
        baseline_n=1,
    ),
    Verdict(
        kind="rank-worsened",
        status=Status.FAILED,
        ablation=RERANK,
        query=EN_02,
        metric=NDCG,
        units=(ONE,),
        value=0.6309297535714575,
        baseline=1.0,
        old_rank=1,
        new_rank=4,
        stage="rerank",
    ),
    Verdict(
        kind="query-value-fell",
        status=Status.FAILED,
        ablation=RERANK,
        query=EN_02,
        metric=MetricId("context-precision"),
        value=0.1,
        baseline=0.2,
    ),
    Verdict(
        kind="no-drop",
        status=Status.FAILED,
        ablation=RERANK,
        slice=ZH,
        metric=NDCG,
        value=0.6941,
        baseline=0.7214,
        bound=0.7214,
        n=29,
        baseline_n=29,
    ),
)
PASSED = (
    *(
        Verdict(kind=row.id, status=Status.PASSED, ablation=HYBRID, value=0.0, bound=0.0, n=40)
        for row in CHECKS
        if row.id != "scenarios"
    ),
    Verdict(kind="loosening", status=Status.PASSED, n=76),
    Verdict(
        kind="no-drop",
        status=Status.PASSED,
        ablation=HYBRID,
        slice=ALL,
        metric=MRR,
        value=0.78,
        baseline=0.78,
        bound=0.78,
        n=60,
        baseline_n=60,
    ),
    Verdict(kind="completeness", status=Status.PASSED, ablation=HYBRID, n=76),
    Verdict(kind="labels", status=Status.PASSED, n=76),
)
NOT_CHECKED = (
    Verdict(kind="scenarios", status=Status.NOT_CHECKED, n=0),
    Verdict(kind="wrong-state", status=Status.NOT_CHECKED, metric=STATE, n=0),
    Verdict(kind="ablation-not-run", status=Status.NOT_CHECKED, ablation=HYBRID, n=0),
    Verdict(kind="waiver-dates", status=Status.NOT_CHECKED, n=0),
)
NOTES = (
    Verdict(kind="loosening-approved", status=Status.NOTE, n=2),
    Verdict(kind="approval-stale", status=Status.NOTE),
    Verdict(kind="declared-conflict", status=Status.NOTE, units=(ONE, TWO), n=3),
    Verdict(kind="waived", status=Status.NOTE, query=QueryId("q-zh-21"), ablation=RERANK),
    Verdict(kind="waiver-expired", status=Status.NOTE, query=ZH_04),
    Verdict(kind="waiver-unknown", status=Status.NOTE, query=EN_02),
    Verdict(kind="same-version", status=Status.NOTE, detail="corpus"),
    Verdict(kind="fixture-changed", status=Status.NOTE, value=4.0, baseline=3.0),
    Verdict(kind="system-changed", status=Status.NOTE, detail="settings"),
    Verdict(kind="bounds-changed", status=Status.NOTE),
    Verdict(kind="query-added", status=Status.NOTE, query=QueryId("q-en-77")),
    Verdict(kind="ablation-added", status=Status.NOTE, ablation=RERANK),
    Verdict(
        kind="improved",
        status=Status.NOTE,
        ablation=HYBRID,
        slice=ALL,
        metric=MetricId("recall@5"),
        value=0.79,
        baseline=0.7,
        n=60,
        baseline_n=60,
    ),
    Verdict(
        kind="query-improved",
        status=Status.NOTE,
        ablation=HYBRID,
        query=ZH_04,
        metric=MRR,
        value=1.0,
        baseline=0.5,
    ),
    Verdict(kind="query-changed", status=Status.NOTE, ablation=HYBRID, query=EN_02),
    Verdict(kind="unjudged-moved", status=Status.NOTE, ablation=HYBRID, query=EN_01),
)

# Every kind of verdict, both runs apart, and a retriever that failed.
RICH = a_report(
    *FAILED,
    *PASSED,
    *NOT_CHECKED,
    *NOTES,
    baseline=replace(PARTIAL, status=BaselineStatus.LOOSENED, loosening_hash="0123456789abcdef"),
    differences=DIFFERENCES,
    failures=RETRIEVER_FAILURES,
    label="python-3.12",
)
# Every name in RICH that is an id.
NAMES = frozenset(
    {
        *(verdict.query for verdict in RICH.verdicts if verdict.query is not None),
        *(unit for verdict in RICH.verdicts for unit in verdict.units),
        *(verdict.metric for verdict in RICH.verdicts if verdict.metric is not None),
        *(row.metric for row in RICH.rows),
        *(row.slice for row in RICH.rows),
        *(difference.query for difference in RICH.differences if difference.query is not None),
        *(unit.unit for record in RICH.records for unit in record.judged),
        *(leak.chunk for record in RICH.records for leak in record.leaks),
        *RICH.ablations,
        RICH.fixture.id,
        "recall@20",
        "tag=typo",
        "split=heldout",
        "fees-2024",
        "p-office",
        "expectedState",
        "stale-evidence",
        *RICH.baseline.names,
        *RICH.baseline.added,
    }
)
