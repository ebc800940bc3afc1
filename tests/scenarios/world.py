"""A small world of two tenants and three principals, and what a scenario finds in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.base.fixture import Access, Document, Fixture, Principal, Query
from retrieval_gate.base.ids import AblationId, DocumentId, PrincipalId
from retrieval_gate.base.retrieval import Hello, Request, Response
from retrieval_gate.base.scenario import ScenarioResult
from retrieval_gate.engine.service import KnowledgeService
from retrieval_gate.retrievers.builtin import CAPABILITIES
from retrieval_gate.retrievers.port import Retriever
from retrieval_gate.scenarios.bench import Bench
from retrieval_gate.scenarios.log_watch import LogWatch
from retrieval_gate.scenarios.scenario import Scenario
from retrieval_gate.scenarios.worker import results_of
from tests.engine.factories import HYBRID, document, pipeline
from tests.scoring.build import fixture, judgment, query

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=300)
NORTH, SOUTH = Access(tenant="north", allow=()), Access(tenant="south", allow=())
TEACHERS = Access(tenant="north", allow=(("role", ("teacher",)),))
PUPIL = Principal(id=PrincipalId("pupil"), tenant="north", attributes=(("role", ("pupil",)),))
TEACHER = Principal(id=PrincipalId("teacher"), tenant="north", attributes=(("role", ("teacher",)),))
GUEST = Principal(id=PrincipalId("guest"), tenant="south", attributes=())

DOCUMENTS: tuple[Document, ...] = (
    document("north-fee", "The exam fee of the north school is nine euros.", access=NORTH),
    document("south-fee", "The exam fee of the south school is four euros.", access=SOUTH),
    document("marks", "Exam marks are due on Friday, say the teachers.", access=TEACHERS),
    document("open", "The open day of both schools is in May."),
    document("bus-1", "The bus to the exam leaves at eight.", access=NORTH, source="bus", begin=LONG_AGO),
    document("bus-2", "The bus to the exam leaves at seven.", access=NORTH, source="bus", begin=NOON),
)


def world() -> Fixture:
    """Six documents, three principals, five questions."""
    return replace(
        fixture(
            DOCUMENTS,
            [
                _query("fee", "north-fee#0", "What is the exam fee?", PUPIL),
                _query("bus", "bus-2#0", "When does the bus to the exam leave?", PUPIL),
                _query("marks", "marks#0", "When are exam marks due?", TEACHER),
                _query("south", "south-fee#0", "What is the exam fee?", GUEST),
                _query("day", "open#0", "When is the open day?", None),
            ],
            [PUPIL, TEACHER, GUEST],
        ),
        as_of=NOON,
    )


def _query(name: str, judged: str, text: str, asker: Principal | None) -> Query:
    return replace(query(name, judgment(judged, 3), principal=None if asker is None else asker.id), text=text)


class Small:
    """The engine as a retriever of one pipeline, with fewer capabilities where a test says so."""

    def __init__(self, service: KnowledgeService, capabilities: frozenset[str] = CAPABILITIES) -> None:
        self.service = service
        self._capabilities = capabilities
        self._pipeline = pipeline(HYBRID)

    def hello(self) -> Hello:
        return Hello(name="small", version="1", fingerprint="", capabilities=self._capabilities)

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        return self.service.search(self._pipeline, requests)

    @property
    def corpus(self) -> object:
        return self.service

    def update(self, document: Document) -> None:
        self.service.update(document)

    def delete(self, document: DocumentId) -> None:
        self.service.delete(document)

    def revoke(self, document: DocumentId, at: datetime) -> None:
        self.service.revoke(document, at)

    def close(self) -> None:
        self.service.close()


def run(
    folder: Path,
    scenario: Scenario,
    make: Callable[[KnowledgeService], Retriever] = Small,
    *,
    made: Fixture | None = None,
    logs: LogWatch | None = None,
) -> ScenarioResult:
    """What the scenario finds with one retriever over the world."""
    made = made or world()
    with seeded(folder, made) as service:
        return results_of(scenario, Bench(made, 10, {AblationId("a"): make(service)}, logs))[0]


@contextmanager
def seeded(folder: Path, made: Fixture) -> Iterator[KnowledgeService]:
    """The engine over the documents; it answers however weak the evidence is."""
    service = KnowledgeService(
        folder=folder,
        documents=made.documents,
        settings=EngineSettings(abstention=False, neighbours=1),
        aliases=None,
        principals=made.principals,
    )
    with closing(service):
        yield service


def kinds(result: ScenarioResult) -> set[str]:
    return {finding.kind for finding in result.findings}


@contextmanager
def several(
    folder: Path, names: Sequence[str], made: Fixture, capabilities: frozenset[str] = CAPABILITIES
) -> Iterator[Bench]:
    """A bench of ablations of these names over one service."""
    with seeded(folder, made) as service:
        yield Bench(made, 10, {AblationId(name): Small(service, capabilities) for name in names})
