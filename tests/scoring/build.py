"""Small fixtures, responses and records, with only what a scoring test is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from retrieval_gate.base.fixture import (
    Chunk,
    Document,
    Fixture,
    IndexState,
    JudgedLevel,
    Judgment,
    Principal,
    Provenance,
    Query,
    Span,
    Split,
    State,
)
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown, Where
from retrieval_gate.base.retrieval import Hit, Passage, Response, Stage
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.observe import Observer

ABLATION = AblationId("lexical")


def document(name: str, **chunks: str) -> Document:
    """A public document whose chunks are given as id and text."""
    return Document(
        id=DocumentId(name),
        title="",
        chunks=tuple(Chunk(id=ChunkId(chunk), content=text, start=None) for chunk, text in chunks.items()),
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


def span(chunk: str, start: int, end: int) -> Span:
    return Span(chunk=ChunkId(chunk), start=start, end=end, declared=True)


def judgment(unit: str, relevance: int, *spans: Span) -> Judgment:
    return Judgment(unit=UnitId(unit), relevance=relevance, spans=spans)


def query(
    name: str,
    *judgments: Judgment,
    no_answer: bool = False,
    level: JudgedLevel = JudgedLevel.CHUNK,
    language: str = "en",
    split: Split = Split.DEV,
    principal: str | None = None,
    as_of: datetime | None = None,
    expected_state: State | None = None,
    forbidden: Iterable[str] = (),
    stale: Iterable[str] = (),
    tags: tuple[str, ...] = (),
) -> Query:
    return Query(
        id=QueryId(name),
        language=language,
        text="?",
        no_answer=no_answer,
        level=level,
        judgments=judgments,
        split=split,
        principal=None if principal is None else PrincipalId(principal),
        as_of=as_of,
        expected_state=expected_state,
        forbidden=tuple(ChunkId(chunk) for chunk in forbidden),
        stale=tuple(ChunkId(chunk) for chunk in stale),
        tags=tags,
        reviews=(),
    )


def graded(name: str, **grades: int) -> Query:
    """A query whose judgments are chunk ids and grades, without spans."""
    return query(name, *(judgment(chunk, grade) for chunk, grade in grades.items()))


def fixture(
    documents: Iterable[Document], queries: Iterable[Query], principals: Iterable[Principal] = ()
) -> Fixture:
    return Fixture(
        id="test",
        version=1,
        provenance=Provenance(kind="synthetic", license="CC0-1.0"),
        documents=tuple(documents),
        queries=tuple(queries),
        principals=tuple(principals),
        as_of=None,
        exempt=(),
    )


def response(
    hits: Iterable[str | Hit] = (),
    *,
    context: Iterable[Passage] | None = None,
    state: State | None = None,
    citations: Iterable[str] | None = None,
    stages: Mapping[str, Iterable[str]] | None = None,
    elapsed_ns: int = 0,
) -> Response:
    return Response(
        id=QueryId("q"),
        hits=tuple(hit if isinstance(hit, Hit) else Hit(chunk=ChunkId(hit)) for hit in hits),
        context=None if context is None else tuple(context),
        state=state,
        citations=None if citations is None else tuple(ChunkId(chunk) for chunk in citations),
        stages=tuple(
            Stage(name=name, chunks=tuple(ChunkId(chunk) for chunk in chunks))
            for name, chunks in (stages or {}).items()
        ),
        elapsed_ns=elapsed_ns,
    )


def passage(chunk: str, start: int | None = None, end: int | None = None, *, text: str | None = None) -> Passage:
    return Passage(chunk=ChunkId(chunk), start=start, end=end, text=text)


def observed(asked: Query, answer: Response, *documents: Document) -> QueryRecord:
    """The record of one response to the only query of a fixture."""
    return Observer(fixture(documents, (asked,))).observe(ABLATION, asked, answer).record


def ranked(asked: Query, *hits: str) -> QueryRecord:
    """The record of a ranking of plain ids."""
    return observed(asked, response(hits))


def record(
    name: str = "q",
    *,
    judged: Mapping[str, tuple[int, int | None]] | None = None,
    no_answer: bool = False,
    returned: int = 10,
    characters: tuple[int, int, int] | None = None,
    leaks: tuple[str, ...] = (),
    checked_forbidden: int = 0,
    stale: tuple[str, ...] = (),
    checked_stale: int = 0,
    expected_state: State | None = None,
    state: State | None = None,
    ablation: str = "lexical",
) -> QueryRecord:
    """A record as a baseline gives it: `judged` is unit -> (grade, rank).

    `characters` are matched, returned, annotated.
    """
    matched, read, annotated = characters or (None, None, None)
    return QueryRecord(
        ablation=AblationId(ablation),
        query=QueryId(name),
        judged=tuple(
            JudgedRank(unit=UnitId(unit), grade=grade, rank=rank, spans=(), lost_at=None)
            for unit, (grade, rank) in (judged or {}).items()
        ),
        no_answer=no_answer,
        returned=returned,
        duplicates=0,
        unlocatable=0,
        matched_characters=matched,
        returned_characters=read,
        annotated_characters=annotated,
        leaks=tuple(Shown(ChunkId(chunk), Where.HITS) for chunk in leaks),
        checked_forbidden=checked_forbidden,
        stale=tuple(Shown(ChunkId(chunk), Where.HITS) for chunk in stale),
        checked_stale=checked_stale,
        expected_state=expected_state,
        state=state,
        ranking_digest="0" * 16,
    )


def value(metric: str, scored: QueryRecord) -> float | None:
    """The value of one query."""
    return parse_metric(metric).value(scored)


def aggregate(metric: str, *records: QueryRecord) -> tuple[float | None, int]:
    """The value over queries and its n."""
    return parse_metric(metric).aggregate(records)
