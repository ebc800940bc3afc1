"""The one port behind which every retriever stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from retrieval_gate.base.config import AliasTable, EngineSettings
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.retrieval import Hello, Request, Response


class Retriever(Protocol):
    """A retrieval path that answers questions.

    `answer` yields one response per request, in request order; batching, concurrency and shared work are the
    transport's affair. It raises RetrieverError when the retriever died, hung or gave something that is no answer.
    """

    def hello(self) -> Hello: ...

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a retriever may use when it is opened: an empty folder of its own, the documents in seeding order."""

    folder: Path
    documents: tuple[Document, ...]
    engine: EngineSettings
    aliases: AliasTable | None
