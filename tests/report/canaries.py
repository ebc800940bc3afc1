"""A report on a fixture whose every text field holds a canary, made by `build` as the line makes it."""

from __future__ import annotations

from datetime import UTC, datetime

from retrieval_gate.base.config import AblationSpec, AliasTable, Channel, Concept, EngineSettings
from retrieval_gate.base.evaluation import Evaluation, RetrieverFailure
from retrieval_gate.base.fixture import (
    Access,
    Chunk,
    Document,
    Fixture,
    IndexState,
    JudgedLevel,
    Judgment,
    Principal,
    Provenance,
    Query,
    Review,
    Span,
    Split,
    State,
)
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.record import JudgedRank, QueryRecord
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.scores import Scores
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.evaluation.definition import define
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.report.build import build
from retrieval_gate.report.report import Report
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.rows import rows
from retrieval_gate.scoring.slices import slices_of
from tests.report.samples import ENVIRONMENT, MATCHED
from tests.verdict.factories import config

CANARIES = {
    field: f"zq{field}zq whispers of the {field}"
    for field in (
        "title",
        "content",
        "query",
        "span",
        "owner",
        "source",
        "version",
        "contenthash",
        "tenant",
        "attribute",
        "reviewer",
        "license",
        "aliasnote",
        "concept",
        "alias",
        "fingerprint",
        "retriever",
        "stage",
    )
}
HYBRID = AblationId("hybrid")
QUERY = QueryId("q-canary")


def _fixture() -> Fixture:
    text = f"{CANARIES['content']} {CANARIES['span']}"
    access = Access(tenant=CANARIES["tenant"], allow=(("campus", (CANARIES["attribute"],)),))
    document = Document(
        id=DocumentId("doc"),
        title=CANARIES["title"],
        chunks=(Chunk(id=ChunkId("doc#1"), content=text, start=None),),
        language="en",
        source=CANARIES["source"],
        owner=CANARIES["owner"],
        content_hash=CANARIES["contenthash"],
        effective_from=datetime(2024, 1, 1, tzinfo=UTC),
        effective_to=None,
        index_state=IndexState.READY,
        revoked_at=None,
        version_label=CANARIES["version"],
        access=access,
    )
    span = Span(chunk=ChunkId("doc#1"), start=text.index(CANARIES["span"]), end=len(text), declared=True)
    query = Query(
        id=QUERY,
        language="en",
        text=CANARIES["query"],
        no_answer=False,
        level=JudgedLevel.CHUNK,
        judgments=(Judgment(unit=UnitId("doc#1"), relevance=3, spans=(span,)),),
        split=Split.DEV,
        principal=PrincipalId("alice"),
        as_of=None,
        expected_state=State.ANSWERED,
        forbidden=(),
        stale=(),
        tags=(),
        reviews=(Review(reviewer=CANARIES["reviewer"], unit=UnitId("doc#1"), relevance=3),),
    )
    principal = Principal(
        id=PrincipalId("alice"), tenant=CANARIES["tenant"], attributes=(("campus", (CANARIES["attribute"],)),)
    )
    return Fixture(
        id="canary-set",
        version=1,
        provenance=Provenance(kind="synthetic", license=CANARIES["license"]),
        documents=(document,),
        queries=(query,),
        principals=(principal,),
        as_of=datetime(2024, 6, 1, tzinfo=UTC),
        exempt=(),
    )


def canary_plan() -> Plan:
    fixture = _fixture()
    concept = Concept(id=CANARIES["concept"], aliases=(CANARIES["alias"],))
    return Plan(
        fixture=fixture,
        ablations=(AblationSpec(id=HYBRID, retriever="builtin", channels=(Channel(name="lexical", weight=1.0),)),),
        metrics=tuple(map(parse_metric, ("recall@5", "ndcg@10", "context-recall"))),
        slices=slices_of(fixture),
        engine=EngineSettings(),
        aliases=AliasTable(note=CANARIES["aliasnote"], concepts=(concept,)),
        k=10,
        left_out=(),
        substituted=(),
    )


def canary_record() -> QueryRecord:
    return QueryRecord(
        ablation=HYBRID,
        query=QUERY,
        judged=(JudgedRank(unit=UnitId("doc#1"), grade=3, rank=None, spans=(), lost_at=CANARIES["stage"]),),
        no_answer=False,
        returned=0,
        duplicates=0,
        unlocatable=0,
        matched_characters=0,
        returned_characters=0,
        annotated_characters=5,
        leaks=(),
        checked_forbidden=0,
        stale=(),
        checked_stale=0,
        expected_state=State.ANSWERED,
        state=State.ABSTAINED,
        ranking_digest="0" * 16,
    )


OWN_CODE = RetrieverFailure(run=1, ablation=HYBRID, code=CANARIES["stage"], detail=CANARIES["retriever"])


def canary_report(failure: RetrieverFailure = OWN_CODE) -> Report:
    """One failed verdict, a stage name and a failure code that the retriever made up."""
    plan = canary_plan()
    records = (canary_record(),)
    hello = Hello(
        name=CANARIES["retriever"],
        version=CANARIES["retriever"],
        fingerprint=CANARIES["fingerprint"],
        capabilities=frozenset(),
    )
    lost = Verdict(
        kind="relevant-left-cut-off",
        status=Status.FAILED,
        ablation=HYBRID,
        query=QUERY,
        units=(UnitId("doc#1"),),
        old_rank=1,
        stage=CANARIES["stage"],
    )
    evaluation = Evaluation(
        definition=define(plan, ((HYBRID, hello),)),
        scores=Scores(records=records, rows=rows(records, plan.metrics, plan.slices)),
        differences=(),
        failures=(failure,),
        latencies=(),
    )
    return build(
        plan=plan,
        config=config(plan),
        evaluation=evaluation,
        verdicts=(lost,),
        environment=ENVIRONMENT,
        baseline=MATCHED,
    )
