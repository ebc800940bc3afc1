"""One rich Report, made by hand: every output and every test of the room is shown the same values."""

from __future__ import annotations

from datetime import date

from retrieval_gate.base.difference import Cause, Difference
from retrieval_gate.base.evaluation import Margin, RetrieverFailure
from retrieval_gate.base.fixture import State
from retrieval_gate.base.hashes import Components, Definition
from retrieval_gate.base.ids import AblationId, ChunkId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.places import Place
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown, Where
from retrieval_gate.base.scores import Latency, Row
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report.answers import StateCount, WaiverSummary
from retrieval_gate.report.report import (
    NEVER_CHECKED,
    BaselineStatus,
    BaselineSummary,
    Environment,
    FixtureSummary,
    Invocation,
    Part,
    Report,
    Retrieval,
)

HYBRID = AblationId("hybrid")
RERANK = AblationId("hybrid-rerank")
ABLATIONS = tuple(
    map(AblationId, ("lexical", "token-hash-vector", "regression-alias-vector", "hybrid", "hybrid-rerank"))
)
SLICES = tuple(map(SliceId, ("all", "language=en", "language=zh", "tag=near-miss")))
METRICS = tuple(
    map(
        MetricId,
        (
            "recall@5",
            "recall@10",
            "mrr@10",
            "ndcg@10",
            "context-precision",
            "context-recall",
            "no-answer-fpr",
            "permission-leaks",
        ),
    )
)


def a_hash(digit: str) -> str:
    return digit * 64


COMPONENTS = Components(
    labels=a_hash("1"),
    system=a_hash("2"),
    corpus=a_hash("3"),
    settings=a_hash("4"),
    ablations=a_hash("5"),
    providers=a_hash("6"),
    tokenizer=a_hash("7"),
    aliases=a_hash("8"),
)
DEFINITION = Definition(
    evaluation=a_hash("a"), components=COMPONENTS, queries=((QueryId("q-en-01"), a_hash("b")),)
)


def rows() -> tuple[Row, ...]:
    """Values that differ everywhere, so that a swapped column shows; the last language has no no-answer query."""
    return tuple(
        _row(ablation, part, metric, 10_000 - 700 * a - 110 * s - 13 * m)
        for a, ablation in enumerate(ABLATIONS)
        for s, part in enumerate(SLICES)
        for m, metric in enumerate(METRICS)
    )


def _row(ablation: AblationId, part: SliceId, metric: MetricId, tenthousandths: int) -> Row:
    if metric == "permission-leaks":
        return Row(ablation=ablation, slice=part, metric=metric, value=2.0, n=9)
    if metric == "no-answer-fpr":
        absent = part == "language=zh"
        return Row(
            ablation=ablation, slice=part, metric=metric, value=None if absent else 0.25, n=0 if absent else 16
        )
    n = {"all": 60, "language=en": 31, "language=zh": 29}.get(part, 12)
    return Row(ablation=ablation, slice=part, metric=metric, value=tenthousandths / 10_000, n=n)


def record(*, query: str = "q-en-01", ablation: AblationId = HYBRID) -> QueryRecord:
    return QueryRecord(
        ablation=ablation,
        query=QueryId(query),
        judged=(
            JudgedRank(unit=UnitId("backup#1"), grade=3, rank=4, spans=(0, 1), lost_at=None),
            JudgedRank(unit=UnitId("backup#2"), grade=1, rank=None, spans=(), lost_at="fusion"),
        ),
        no_answer=False,
        returned=10,
        duplicates=1,
        unlocatable=0,
        matched_characters=80,
        returned_characters=900,
        annotated_characters=120,
        leaks=(Shown(ChunkId("payroll#1"), Where.CONTEXT),),
        checked_forbidden=1,
        stale=(),
        checked_stale=0,
        expected_state=State.ANSWERED,
        state=State.ANSWERED,
        ranking_digest="0123456789abcdef",
    )


LATENCIES = tuple(
    Latency(ablation=name, count=152, min=0.21, median=0.5 + place, p95=1.25 + place, max=9.75, mean=0.7)
    for place, name in enumerate(ABLATIONS)
)
ENVIRONMENT = Environment(tool="0.1.0", python="3.12.4", sqlite="3.45.1", unicode="15.0.0", numpy="2.1.0")
FIXTURE = FixtureSummary(
    id="synthetic-bilingual-v1", version=3, documents=34, chunks=96, queries=76, answerable=60, no_answer=16
)
STATES = tuple(
    StateCount(ablation=name, slice=SliceId(part), expected=expected, observed=observed, n=n)
    for name in ABLATIONS
    for part, counts in (("language=en", (24, 2, 1, 7)), ("language=zh", (19, 0, 3, 6)))
    for (expected, observed), n in zip(
        ((expected, observed) for expected in State for observed in State), counts, strict=True
    )
)
MARGIN = Margin(ablation=HYBRID, query=QueryId("q-en-01"), evidence=0.41, threshold=0.36)
WAIVERS = (
    WaiverSummary(query=QueryId("q-zh-21"), expires=date(2026, 6, 30), expired=None, waived=1),
    WaiverSummary(query=None, expires=date(2026, 7, 31), expired=None, waived=0),
)
PARTIAL = BaselineSummary(
    status=BaselineStatus.PARTIAL,
    comparable=True,
    shared=71,
    added=(QueryId("q-en-77"),),
    removed=(QueryId("q-zh-09"),),
    edited=(QueryId("q-zh-04"),),
    changed=(Part.CORPUS, Part.SETTINGS),
    names=frozenset({"q-zh-09"}),
)
MATCHED = BaselineSummary(
    status=BaselineStatus.MATCHED,
    comparable=True,
    shared=76,
    added=(),
    removed=(),
    edited=(),
    changed=(),
    names=frozenset(),
)
FILE = "fixtures/synthetic-bilingual-v1.json"
INVOCATION = Invocation(
    fixture=FILE, config="retrieval-gate.toml", baseline="fixtures/synthetic-bilingual-v1.baseline.jsonl"
)
PLACES = tuple(
    (QueryId(query), Place(file=FILE, line=line, pointer=f"/queries/{line}"))
    for query, line in (("q-en-01", 412), ("q-en-02", 430), ("q-zh-04", 988))
)
DIFFERENCES = (
    Difference(ablation=HYBRID, query=QueryId("q-en-05"), rank=3, cause=Cause.ORDER, tolerated=False),
    Difference(ablation=HYBRID, query=QueryId("q-en-06"), rank=7, cause=Cause.TIE_ORDER, tolerated=True),
)
RETRIEVER_FAILURES = (
    RetrieverFailure(
        run=2, ablation=RERANK, code="wrong-id", detail="an answer to another query came for q-en-09"
    ),
)


def a_report(
    *verdicts: Verdict,
    baseline: BaselineSummary = MATCHED,
    allow_missing_baseline: bool = False,
    differences: tuple[Difference, ...] = (),
    failures: tuple[RetrieverFailure, ...] = (),
    measured: tuple[Row, ...] | None = None,
    label: str | None = None,
    invocation: Invocation = INVOCATION,
) -> Report:
    """A report on the sample fixture; without arguments it passes."""
    return Report(
        label=label,
        fixture=FIXTURE,
        definition=DEFINITION,
        retrieval=Retrieval.REAL,
        unchecked=NEVER_CHECKED,
        ablations=ABLATIONS,
        left_out=(),
        substituted=(),
        rows=rows() if measured is None else measured,
        records=(record(), record(query="q-zh-04", ablation=RERANK)),
        verdicts=verdicts,
        differences=differences,
        failures=failures,
        baseline=baseline,
        allow_missing_baseline=allow_missing_baseline,
        latencies=LATENCIES,
        environment=ENVIRONMENT,
        invocation=invocation,
        places=PLACES,
        states=STATES,
        margins=(MARGIN,),
        waivers=WAIVERS,
    )
