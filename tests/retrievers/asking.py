"""Opens a retriever through the table, asks it three questions, and keeps what came before a failure."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from retrieval_gate.base.config import AblationSpec, EngineSettings
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Principal
from retrieval_gate.base.ids import AblationId, PrincipalId, QueryId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.transport import DEFAULT_TRANSPORT, Transport
from retrieval_gate.retrievers.port import Opening, Retriever
from retrieval_gate.retrievers.table import open_retrievers
from tests.evaluation.scripted import DOCUMENTS

PROGRAMS = Path(__file__).parent / "programs"
PRINCIPAL = Principal(id=PrincipalId("ada"), tenant="north", attributes=(("role", ("teacher",)),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answers in order, and what ended them; None: nothing did."""

    responses: tuple[Response, ...]
    failure: RetrieverError | None

    @property
    def code(self) -> str | None:
        return None if self.failure is None else self.failure.code

    @property
    def what(self) -> str:
        return "" if self.failure is None else str(self.failure)


def python_program(scheme: str, name: str, *arguments: str) -> str:
    """The retriever of a configuration that runs a program of `programs/`."""
    words = (sys.executable, str(PROGRAMS / name), *arguments)
    return f"{scheme}:{shlex.join(words)}"


def spec(retriever: str, transport: Transport = DEFAULT_TRANSPORT, name: str = "mine") -> AblationSpec:
    return AblationSpec(id=AblationId(name), retriever=retriever, transport=transport)


def opening(folder: Path, run: int = 1) -> Opening:
    own = folder / f"run-{run}"
    own.mkdir()
    return Opening(run=run, folder=own, documents=DOCUMENTS, engine=EngineSettings(), aliases=None)


def request(name: str, query: str = "What does a lost key cost?") -> Request:
    return Request(id=QueryId(name), query=query, k=2, principal=PRINCIPAL, as_of=None, language="en", trace=True)


REQUESTS = (request("q1"), request("q2"), replace(request("q3"), principal=None))


@contextmanager
def opened(folder: Path, asked: AblationSpec, run: int = 1) -> Iterator[Retriever]:
    """The retriever, closed at the end whatever happens."""
    retriever = open_retrievers([asked], opening(folder, run))[asked.id]
    try:
        yield retriever
    finally:
        retriever.close()


def ask(retriever: Retriever, requests: Sequence[Request] = REQUESTS) -> Asked:
    responses = []
    try:
        for response in retriever.answer(requests):
            responses.append(response)  # noqa: PERF402 - what came before a failure is kept
    except RetrieverError as failure:
        return Asked(responses=tuple(responses), failure=failure)
    return Asked(responses=tuple(responses), failure=None)


def ids(asked: Asked) -> list[str]:
    return [response.id for response in asked.responses]
