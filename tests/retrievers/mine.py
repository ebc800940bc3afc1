"""Retrievers that tests write as modules called `mine`, in the folder `code` of a working folder of their own."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from retrieval_gate.base.config import AblationSpec, EngineSettings
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Principal
from retrieval_gate.base.ids import AblationId, PrincipalId, QueryId
from retrieval_gate.base.retrieval import Hello, Request, Response
from retrieval_gate.base.transport import PythonSettings, Transport
from retrieval_gate.retrievers.port import Opening
from retrieval_gate.retrievers.python import open_python
from tests.evaluation.scripted import DOCUMENTS

SECRET = "severance-for-the-manager"
ADA = Principal(id=PrincipalId("ada"), tenant="north", attributes=(("role", ("staff",)),))


def write(source: str, name: str = "mine.py") -> None:
    """Put the module in the place of one that was imported before."""
    sys.modules.pop("mine", None)
    path = Path("code") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source), encoding="utf-8")


def spec_of(attribute: str = "search", *, per_principal: bool = False, **transport: Any) -> AblationSpec:
    settings = PythonSettings(python_path=("code",), per_principal=per_principal, start_timeout=20)
    return AblationSpec(
        id=AblationId("mine"),
        retriever=f"python:mine:{attribute}",
        transport=Transport(settings=settings, **transport),
    )


@contextmanager
def opened(*specs: AblationSpec) -> Iterator[Any]:
    """The first retriever of those opened together, or all where there are several."""
    opening = Opening(folder=Path(), documents=DOCUMENTS, engine=EngineSettings(), aliases=None)
    retrievers = open_python(specs, opening)
    try:
        yield retrievers[0] if len(retrievers) == 1 else retrievers
    finally:
        for retriever in retrievers:
            retriever.close()


def request(
    name: str = "q1", query: str = "lost key", *, k: int = 3, principal: Principal | None = None
) -> Request:
    at = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return Request(id=QueryId(name), query=query, k=k, principal=principal, as_of=at, language="en", trace=True)


def answers_of(source: str, *requests: Request, spec: AblationSpec | None = None) -> list[Response]:
    write(source)
    with opened(spec or spec_of()) as retriever:
        return list(retriever.answer(requests or (request(),)))


def ids_of(source: str, *requests: Request, spec: AblationSpec | None = None) -> list[list[str]]:
    return [[hit.chunk for hit in response.hits] for response in answers_of(source, *requests, spec=spec)]


def hello_of(source: str, spec: AblationSpec | None = None) -> Hello:
    write(source)
    with opened(spec or spec_of()) as retriever:
        hello: Hello = retriever.hello()
        return hello


def failure_of(source: str, *requests: Request, spec: AblationSpec | None = None) -> RetrieverError:
    """What the retriever failed with; nothing that it held is in it."""
    with pytest.raises(RetrieverError) as caught:
        answers_of(source, *requests, spec=spec)
    assert SECRET not in str(caught.value)
    return caught.value
