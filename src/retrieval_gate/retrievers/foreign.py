"""A retriever of the user's own behind the port: any transport that carries the contract's messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Hello, Request, Response
from retrieval_gate.retrievers.checks import checked
from retrieval_gate.retrievers.contract import (
    Message,
    operation,
    query_message,
    read_answer,
    revocation,
)
from retrieval_gate.retrievers.documents import document_message, principal_message
from retrieval_gate.retrievers.known import known_of
from retrieval_gate.retrievers.port import Opening, Retriever

# Documents in one `seed` message.
SEED_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The members of one answer, without `v` and `id`, and the time that it took in nanoseconds."""

    body: Mapping[str, object]
    elapsed_ns: int = 0


class Carrier(Protocol):
    """What a transport has to do: carry messages there and answers back."""

    def hello(self) -> Hello: ...

    def exchange(self, messages: Sequence[Message]) -> Iterator[Answer]:
        """One answer per message, in their order.

        Raises RetrieverError at the first message that has none in time, or one that is not the contract's; the
        answers before it have been given. It sees to ids, versions, timeouts and sizes.
        """

    def close(self) -> None:
        """Leave nothing behind; called once, whatever happened before."""


class ForeignRetriever:
    """The port over a carrier. Where the retriever can be seeded, it has been by the time this is made."""

    def __init__(self, spec: AblationSpec, opening: Opening, carrier: Carrier) -> None:
        self._spec = spec
        self._carrier = carrier
        self._known = known_of(opening.documents) if opening.known is None else opening.known
        self._number = 0
        try:
            self._hello = carrier.hello()
            if "seed" in self._hello.capabilities:
                self._seed(opening)
        except RetrieverError as failure:
            failure.ablation = spec.id
            raise

    def hello(self) -> Hello:
        return self._hello

    def answer(self, requests: Sequence[Request]) -> Iterator[Response]:
        answers = self._carrier.exchange([query_message(request) for request in requests])
        for request, answer in zip(requests, answers, strict=True):
            part = read_answer(answer.body)
            yield checked(part, request, self._known, self._spec.transport, answer.elapsed_ns)

    @property
    def corpus(self) -> object:
        return self

    def update(self, document: Document) -> None:
        self._change("update", {"document": document_message(document)})
        self._known = self._known.having(document)

    def delete(self, document: DocumentId) -> None:
        self._change("delete", {"documentId": document})

    def revoke(self, document: DocumentId, at: datetime) -> None:
        self._change("revoke", revocation(document, at))

    def close(self) -> None:
        self._carrier.close()

    def _seed(self, opening: Opening) -> None:
        """The first message empties the retriever and tells who may ask; the documents come in batches."""
        principals = [principal_message(principal) for principal in opening.principals or ()]
        self._change("seed", {"reset": True, "principals": principals, "documents": []})
        documents = [document_message(document) for document in opening.documents]
        for first in range(0, len(documents), SEED_BATCH):
            batch = documents[first : first + SEED_BATCH]
            self._change("seed", {"reset": False, "principals": [], "documents": batch})

    def _change(self, op: str, body: Mapping[str, object]) -> None:
        self._number += 1
        for answer in self._carrier.exchange([operation(op, self._number, body)]):
            if answer.body.get("ok") is not True:
                raise RetrieverError(
                    "change-refused", f"{op} was not answered with ok", fix='answer {"v":1,"id":…,"ok":true}'
                )


def open_foreign(
    specs: Sequence[AblationSpec], opening: Opening, begin: Callable[[AblationSpec, int], Carrier]
) -> tuple[Retriever, ...]:
    """One retriever per spec. Where one can not be opened, none is left open.

    `begin` makes a spec's carrier; the number, from 1, tells carriers of one kind apart. All are made before the
    first is waited for, since some load for long.
    """
    with ExitStack() as undo:
        carriers = []
        for number, spec in enumerate(specs, start=1):
            carriers.append(begin(spec, number))
            undo.callback(carriers[-1].close)
        opened = tuple(
            ForeignRetriever(spec, opening, carrier) for spec, carrier in zip(specs, carriers, strict=True)
        )
        undo.pop_all()
    return opened
