"""Small documents and requests, with everything that a test does not speak of left at its plainest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.config import AliasTable, Channel, Concept, EngineSettings
from retrieval_gate.base.fixture import Access, Chunk, Document, IndexState, Principal
from retrieval_gate.base.ids import ChunkId, DocumentId, PrincipalId, QueryId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.engine.channels import Pipeline
from retrieval_gate.engine.service import KnowledgeService

LEXICAL = ("lexical",)
TOKEN_HASH = ("token-hash-vector",)
ALIAS = ("regression-alias-vector",)
HYBRID = ("lexical", "token-hash-vector")
HYBRID_ALIAS = ("lexical", "regression-alias-vector")

OPEN = EngineSettings(abstention=False)


def document(
    name: str,
    *texts: str,
    access: Access | None = None,
    source: str | None = None,
    begin: datetime | None = None,
    end: datetime | None = None,
    revoked: datetime | None = None,
    state: IndexState = IndexState.READY,
) -> Document:
    """Chunk i of the document is `<name>#<i>`."""
    return Document(
        id=DocumentId(name),
        title=f"Title of {name}",
        chunks=tuple(
            Chunk(id=ChunkId(f"{name}#{ordinal}"), content=text, start=None) for ordinal, text in enumerate(texts)
        ),
        language=None,
        source=source,
        owner=None,
        content_hash=None,
        effective_from=begin,
        effective_to=end,
        index_state=state,
        revoked_at=revoked,
        version_label=None,
        access=access,
    )


def request(
    text: str,
    *,
    k: int = 10,
    principal: Principal | None = None,
    as_of: datetime | None = None,
    trace: bool = False,
) -> Request:
    return Request(id=QueryId("q"), query=text, k=k, principal=principal, as_of=as_of, language="en", trace=trace)


def principal(tenant: str | None, **attributes: tuple[str, ...]) -> Principal:
    return Principal(id=PrincipalId("p"), tenant=tenant, attributes=tuple(sorted(attributes.items())))


def alias_table(**concepts: tuple[str, ...]) -> AliasTable:
    return AliasTable(
        note="for tests", concepts=tuple(Concept(id=name, aliases=aliases) for name, aliases in concepts.items())
    )


def pipeline(channels: Iterable[str] = LEXICAL, *, rerank: bool = False) -> Pipeline:
    return Pipeline(channels=tuple(Channel(name=name, weight=1.0) for name in channels), rerank=rerank)


def answers(
    folder: Path,
    documents: Sequence[Document],
    requests: Sequence[Request],
    *,
    channels: Iterable[str] = LEXICAL,
    rerank: bool = False,
    settings: EngineSettings = OPEN,
    aliases: AliasTable | None = None,
    models: Sequence[str] = (),
) -> list[Response]:
    """All responses of a fresh service in a new folder below `folder`, with the time taken left out."""
    place = folder / f"service-{len(list(folder.iterdir()))}"
    place.mkdir()
    service = KnowledgeService(
        folder=place, documents=documents, settings=settings, aliases=aliases, models=models
    )
    try:
        found = list(service.search(pipeline(channels, rerank=rerank), requests))
    finally:
        service.close()
    return [replace(response, elapsed_ns=0) for response in found]


def answer(folder: Path, documents: Sequence[Document], text: str, **options: object) -> Response:
    """The one response to `text`; options as for `answers`."""
    return answers(folder, documents, [request(text)], **options)[0]  # type: ignore[arg-type]  # passed on


def ids(response: Response) -> list[str]:
    return [str(hit.chunk) for hit in response.hits]


def fingerprint(responses: Sequence[Response]) -> str:
    """One hash over everything in the responses."""
    return digest(list(responses))
