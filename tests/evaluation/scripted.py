"""Retrievers whose every move a test decides, put into the table of retrievers; and a small world to ask about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec, AliasTable, Channel, Concept, EngineSettings
from retrieval_gate.base.fixture import Document, Query
from retrieval_gate.base.ids import AblationId, ChunkId
from retrieval_gate.base.retrieval import Hello, Hit, Request, Response
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.wire import Order, order_for
from retrieval_gate.retrievers import table
from retrieval_gate.retrievers.port import Opening, Retriever
from retrieval_gate.retrievers.table import RetrieverRow
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.scoring.slices import slices_of
from tests.scoring.build import document, fixture, judgment, query, span

DOCUMENTS: tuple[Document, ...] = (
    document("keys", k1="A lost key costs ten euros.", k2="The master key opens every door."),
    document("zh", z1="遗失钥匙须交费十元。", z2="夜间关门。"),
    document("doors", d1="Doors lock at night.", d2="A lost key costs ten euros."),
    document("copy", e1="A lost key costs ten euros."),
)
QUERIES: tuple[Query, ...] = (
    replace(query("cost", judgment("k1", 3, span("k1", 0, 26))), text="What does a lost key cost?"),
    replace(query("fee", judgment("z1", 3, span("z1", 0, 9)), language="zh"), text="遗失钥匙要交多少钱"),
    replace(query("none", no_answer=True), text="Who won the football match?"),
)
ALIASES = AliasTable(note="for tests", concepts=(Concept(id="key", aliases=("key", "钥匙")),))
BUILTIN = (
    AblationSpec(id=AblationId("lexical"), retriever="builtin", channels=(Channel(name="lexical", weight=1.0),)),
    AblationSpec(
        id=AblationId("hybrid"),
        retriever="builtin",
        channels=(Channel(name="lexical", weight=1.0), Channel(name="regression-alias-vector", weight=1.0)),
        rerank=True,
    ),
)

# What a retriever does with all requests: yields responses, raises, or stops.
Answer = Callable[[Sequence[Request]], Iterator[Response]]
OpenAll = Callable[[Sequence[AblationSpec], Opening], tuple[Retriever, ...]]


@dataclass(slots=True)
class Scripted:
    """A retriever that answers as it is told, and remembers what it was asked and whether it was closed."""

    respond: Answer
    greet: Callable[[], Hello] = lambda: Hello(name="s", version="1", fingerprint="f", capabilities=frozenset())
    asked: list[Request] = field(default_factory=list)
    closed: int = 0

    def hello(self) -> Hello:
        return self.greet()

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        self.asked += requests
        return self.respond(requests)

    def close(self) -> None:
        self.closed += 1


def scheme(
    name: str, open_all: Callable[[Sequence[AblationSpec], Opening], tuple[Retriever, ...]]
) -> RetrieverRow:
    """A row of the table that takes any spec."""
    return RetrieverRow(schemes=(name,), explanation="for tests", check=lambda _: None, open=open_all)


def install(monkeypatch: pytest.MonkeyPatch, **retrievers: Scripted) -> tuple[AblationSpec, ...]:
    """Put the scheme `scripted` into the table; one ablation for each of the given retrievers."""
    row = scheme("scripted", lambda specs, _: tuple(retrievers[spec.id] for spec in specs))
    monkeypatch.setattr(table, "RETRIEVERS", (*table.RETRIEVERS, row))
    return tuple(AblationSpec(id=AblationId(name), retriever="scripted") for name in retrievers)


def plan(ablations: tuple[AblationSpec, ...] = BUILTIN) -> Plan:
    """A plan over the small world."""
    asked = fixture(DOCUMENTS, QUERIES)
    return Plan(
        fixture=asked,
        ablations=ablations,
        metrics=(parse_metric("recall@5"), parse_metric("no-answer-fpr")),
        slices=slices_of(asked),
        engine=EngineSettings(neighbours=1, abstention=False),
        aliases=ALIASES,
        k=10,
        left_out=(),
        substituted=(),
    )


def order(folder: Path, made: Plan, run: int = 1) -> Order:
    """The order of one run, with a new empty folder of its own in `folder`."""
    own = folder / f"run-{len(list(folder.iterdir()))}"
    own.mkdir()
    return order_for(made, run, own)


def found(request: Request, *chunks: str) -> Response:
    """An answer with these hits, best first."""
    scored = enumerate(chunks, start=1)
    return Response(id=request.id, hits=tuple(Hit(chunk=ChunkId(chunk), score=1 / rank) for rank, chunk in scored))


def right(requests: Sequence[Request]) -> Iterator[Response]:
    """The first chunk of the small world for every question."""
    for request in requests:
        yield found(request, "k1")
