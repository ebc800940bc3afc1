"""Small plans, records and baselines made by hand; a test names only what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from retrieval_gate.base.config import AblationSpec, Allowance, Config, EngineSettings, GateKind, GateSpec, Waiver
from retrieval_gate.base.evaluation import Evaluation
from retrieval_gate.base.fixture import (
    Chunk,
    Document,
    Fixture,
    IndexState,
    JudgedLevel,
    Judgment,
    Provenance,
    Query,
    Span,
    Split,
    State,
)
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown, Where
from retrieval_gate.base.scores import Scores
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.evaluation.definition import define
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.rows import rows
from retrieval_gate.scoring.slices import slices_of
from retrieval_gate.verdict.baseline import Baseline, candidate, read_baseline, render_baseline
from retrieval_gate.verdict.case import Case, make_case
from retrieval_gate.verdict.comparison import compare
from retrieval_gate.verdict.judge import judge

METRICS = ("recall@10", "mrr@10", "no-answer-fpr", "permission-leaks", "stale-evidence", "wrong-state")
HYBRID = AblationId("hybrid")
LEXICAL = AblationId("lexical")


def query(
    name: str,
    grades: Mapping[str, int] | None = None,
    *,
    language: str = "en",
    split: Split = Split.DEV,
    forbidden: Iterable[str] = (),
    stale: Iterable[str] = (),
    expected: State | None = None,
    tags: tuple[str, ...] = (),
) -> Query:
    """A query whose judged chunks are given with their grades; without any it is a no-answer query."""
    judgments = tuple(
        Judgment(
            unit=UnitId(unit),
            relevance=grade,
            spans=(Span(chunk=ChunkId(unit), start=0, end=5, declared=True),),
        )
        for unit, grade in (grades or {}).items()
    )
    return Query(
        id=QueryId(name),
        language=language,
        text=f"text of {name}",
        no_answer=not judgments,
        level=JudgedLevel.CHUNK,
        judgments=judgments,
        split=split,
        principal=None,
        as_of=None,
        expected_state=expected,
        forbidden=tuple(map(ChunkId, forbidden)),
        stale=tuple(map(ChunkId, stale)),
        tags=tags,
        reviews=(),
    )


def document(name: str, text: str = "some text") -> Document:
    return Document(
        id=DocumentId(name),
        title="a title",
        chunks=(Chunk(id=ChunkId(f"{name}-0"), content=text, start=None),),
        language=None,
        source=None,
        owner=None,
        content_hash=None,
        effective_from=None,
        effective_to=None,
        index_state=IndexState.READY,
        revoked_at=None,
        version_label=None,
        access=None,
    )


def fixture(*queries: Query, name: str = "tiny", version: int = 1) -> Fixture:
    return Fixture(
        id=name,
        version=version,
        provenance=Provenance(kind="synthetic", license="CC0-1.0"),
        documents=(document("doc"),),
        queries=queries,
        principals=(),
        as_of=None,
        exempt=(),
    )


def plan(
    *queries: Query,
    ablations: Sequence[str] = ("hybrid",),
    metrics: Sequence[str] = METRICS,
    of: Fixture | None = None,
) -> Plan:
    labelled = of or fixture(*queries)
    return Plan(
        fixture=labelled,
        ablations=tuple(AblationSpec(id=AblationId(name), retriever="builtin") for name in ablations),
        metrics=tuple(parse_metric(metric) for metric in metrics),
        slices=slices_of(labelled),
        engine=EngineSettings(),
        aliases=None,
        k=10,
        left_out=(),
        substituted=(),
    )


def record(
    asked: Query,
    ranks: Mapping[str, int | None] | None = None,
    *,
    ablation: str = "hybrid",
    returned: int = 10,
    lost_at: str | None = None,
    state: State | None = None,
    leaks: Iterable[str] = (),
    where: Where = Where.HITS,
    stale: Iterable[str] = (),
    order: str = "0",
    spans: Mapping[str, tuple[int, ...]] | None = None,
) -> QueryRecord:
    """What was remembered of `asked`. `ranks` gives the places of judged units; others were not returned."""
    places = ranks or {}
    found = {unit: (0,) if rank is not None else () for unit, rank in places.items()} | dict(spans or {})
    judged = tuple(
        JudgedRank(
            unit=judgment.unit,
            grade=judgment.relevance,
            rank=places.get(judgment.unit),
            spans=found.get(judgment.unit, ()),
            lost_at=lost_at if places.get(judgment.unit) is None else None,
        )
        for judgment in asked.judgments
    )
    characters = 0
    for unit in judged:
        characters += 5 * len(unit.spans)
    return QueryRecord(
        ablation=AblationId(ablation),
        query=asked.id,
        judged=judged,
        no_answer=asked.no_answer,
        returned=returned,
        duplicates=0,
        unlocatable=0,
        matched_characters=characters if judged else None,
        returned_characters=100 if judged else None,
        annotated_characters=5 * len(judged) if judged else None,
        leaks=tuple(Shown(ChunkId(chunk), where) for chunk in leaks),
        checked_forbidden=len(asked.forbidden),
        stale=tuple(Shown(ChunkId(chunk), where) for chunk in stale),
        checked_stale=len(asked.stale),
        expected_state=asked.expected_state,
        state=state,
        ranking_digest=order * 16,
    )


def missing(asked: Query, ablation: str = "hybrid") -> QueryRecord:
    """The record of a query that the run has no answer for."""
    return replace(
        record(asked, ablation=ablation, returned=0), checked_forbidden=0, checked_stale=0, missing=True
    )


def evaluation(of: Plan, records: Iterable[QueryRecord]) -> Evaluation:
    seen = tuple(records)
    return Evaluation(
        definition=define(of, ()),
        scores=Scores(records=seen, rows=rows(seen, of.metrics, of.slices)),
        differences=(),
        failures=(),
        latencies=(),
    )


def config(
    of: Plan,
    *,
    gates: Iterable[GateSpec] = (),
    max_drop: float = 0.0,
    allowances: Iterable[Allowance] = (),
    waivers: Iterable[Waiver] = (),
    defaults: bool = False,
    more_ablations: Iterable[str] = (),
) -> Config:
    """The configuration of a plan; `more_ablations` are configured and not run."""
    others = tuple(AblationSpec(id=AblationId(name), retriever="builtin") for name in more_ablations)
    return Config(
        fixture=None,
        baseline=None,
        metrics=tuple(metric.id for metric in of.metrics),
        ablations=(*of.ablations, *others),
        engine=of.engine,
        aliases=None,
        gates=tuple(gates),
        max_drop=max_drop,
        slack=1e-9,
        allowances=tuple(allowances),
        waivers=tuple(waivers),
        defaults=defaults,
    )


def gate(
    kind: GateKind,
    metric: str,
    bound: float,
    *,
    ablation: str = "hybrid",
    group: str = "all",
    reference: str | None = None,
) -> GateSpec:
    return GateSpec(
        kind=kind,
        ablation=AblationId(ablation),
        metric=MetricId(metric),
        slice=SliceId(group),
        bound=bound,
        reference=None if reference is None else AblationId(reference),
    )


def baseline(of: Plan, records: Iterable[QueryRecord], settings: Config | None = None) -> Baseline:
    """An accepted baseline, as it is read back from its file."""
    made = candidate(
        of, evaluation(of, records), settings or config(of), reason="first", environment=(("python", "3.11.7"),)
    )
    return read_baseline(render_baseline(made).encode(), file="baseline.jsonl")


def case(
    of: Plan,
    records: Iterable[QueryRecord],
    against: Baseline | None = None,
    settings: Config | None = None,
    today: date | None = None,
    *,
    reveal: bool = False,
) -> Case:
    seen = evaluation(of, records)
    comparison = None if against is None else compare(of, seen, against)
    return make_case(of, settings or config(of), seen, comparison, today=today, reveal=reveal)


def judged(
    of: Plan,
    records: Iterable[QueryRecord],
    against: Baseline | None = None,
    settings: Config | None = None,
    today: date | None = None,
    *,
    reveal: bool = False,
) -> tuple[Verdict, ...]:
    return judge(case(of, records, against, settings, today, reveal=reveal))


def failed(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.status is Status.FAILED]


def kinds(verdicts: Iterable[Verdict]) -> list[str]:
    return [verdict.kind for verdict in verdicts]


def of_kind(verdicts: Iterable[Verdict], kind: str) -> list[Verdict]:
    return [verdict for verdict in verdicts if verdict.kind == kind]
