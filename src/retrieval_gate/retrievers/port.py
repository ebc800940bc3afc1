"""The one port behind which every retriever stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from retrieval_gate.base.config import AliasTable, EngineSettings
from retrieval_gate.base.fixture import Document, Principal
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Hello, Request, Response
from retrieval_gate.retrievers.known import Known

# What `Hello.capabilities` must name so that a retriever's documents can be changed.
ADMINISTERED = frozenset({"seed", "update", "delete", "revoke"})


class Retriever(Protocol):
    """A retrieval path that answers questions.

    `answer` yields one response per request, in request order; batching, concurrency and shared work are the
    transport's affair. It raises RetrieverError when the retriever died, hung or gave something that is no answer.
    """

    def hello(self) -> Hello: ...

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]: ...

    def close(self) -> None: ...


@runtime_checkable
class Administered(Protocol):
    """What a retriever offers besides, whose capabilities are those of `ADMINISTERED`.

    `corpus` is the same object for retrievers that answer from the same documents: each change is then made
    through one of them only. A change has taken effect when its call returns. Every call raises RetrieverError
    where the change could not be made.
    """

    @property
    def corpus(self) -> object: ...

    def update(self, document: Document) -> None:
        """Put a version in the place of the one with its id, or add it."""

    def delete(self, document: DocumentId) -> None:
        """Remove a version; one that is not there is no error."""

    def revoke(self, document: DocumentId, at: datetime) -> None:
        """Serve a version no more from `at` on."""


def administered(retriever: Retriever) -> Administered | None:
    """The retriever as one whose documents can be changed; None where it does not say that they can."""
    if isinstance(retriever, Administered) and retriever.hello().capabilities >= ADMINISTERED:
        return retriever
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What a retriever may use when it is opened: an empty folder of its own, the documents in seeding order.

    `run` is 1 or 2, 3 for the scenarios' own and 4 for what stands alone (`record`, `doctor`). `principals` are
    those who may ask; None: whoever asks has been authenticated. `fixture` is the fixture's id and version; None:
    the documents are of none. `known` is what the answers' ids are held against; None: those of `documents`.
    """

    run: int = 4
    folder: Path
    documents: tuple[Document, ...]
    engine: EngineSettings
    aliases: AliasTable | None
    principals: tuple[Principal, ...] | None = None
    fixture: tuple[str, int] | None = None
    known: Known | None = None
