"""The process that runs a retrieval path once, in fresh state, and says what it saw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.fixture import Query, Split
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.record import Observation
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.evaluation.requests import requests_of
from retrieval_gate.evaluation.serving import serve
from retrieval_gate.evaluation.wire import (
    Finished,
    Introduced,
    Message,
    Order,
    to_line,
)
from retrieval_gate.retrievers.port import Opening, Retriever
from retrieval_gate.retrievers.table import open_retrievers
from retrieval_gate.scoring.observe import Observer


def main() -> None:
    """Read one order from stdin, write one JSON line per message to stdout (see `child.serve`)."""
    serve(Order, work, to_line)


def work(order: Order) -> Iterator[Message]:
    """All messages of one run: introductions, one observation per ablation and query, then the end."""
    current: AblationId | None = None
    try:
        with ExitStack() as closing:
            retrievers = open_retrievers(order.ablations, opening_of(order))
            for retriever in retrievers.values():
                closing.callback(retriever.close)
            for ablation, retriever in retrievers.items():
                yield Introduced(ablation=ablation, hello=retriever.hello())
            observer = Observer(order.fixture)
            requests = requests_of(order.fixture, order.k)
            for current, retriever in retrievers.items():
                yield from _observe(observer, current, retriever, order.fixture.queries, requests)
    except RetrieverError as failure:
        whose = failure.ablation or current
        yield RetrieverFailure(run=order.run, ablation=whose, code=failure.code, detail=failure.what)
    yield Finished()


def opening_of(order: Order) -> Opening:
    """Run 2 seeds the documents in reverse: their order must decide nothing."""
    documents = order.fixture.documents if order.run == 1 else order.fixture.documents[::-1]
    return Opening(
        run=order.run,
        folder=order.folder,
        documents=documents,
        engine=order.engine,
        aliases=order.aliases,
        principals=order.fixture.principals,
        fixture=(order.fixture.id, order.fixture.version),
    )


def _observe(
    observer: Observer,
    ablation: AblationId,
    retriever: Retriever,
    queries: Sequence[Query],
    requests: Sequence[Request],
) -> Iterator[Observation]:
    for query, response in paired(retriever, queries, requests):
        yield observer.observe(ablation, query, response)


def paired(
    retriever: Retriever, queries: Sequence[Query], requests: Sequence[Request]
) -> Iterator[tuple[Query, Response]]:
    """Each query with its response; a response out of place means that the retriever failed."""
    responses = iter(retriever.answer(requests))
    for query in queries:
        response = _next(responses, query)
        if response is None:
            raise RetrieverError("no-answer-given", f"no answer to {_named(query)}", fix="answer every request")
        if response.id != query.id:
            raise RetrieverError(
                "wrong-id", f"an answer to another query came for {_named(query)}", fix="echo the id"
            )
        yield query, response
    if next(responses, None) is not None:
        raise RetrieverError("too-many-answers", "an answer came after the last query's", fix="answer each once")


def _next(responses: Iterator[Response], query: Query) -> Response | None:
    """The next response, None at the end; a failure says at which query it came."""
    try:
        return next(responses, None)
    except RetrieverError as failure:
        raise RetrieverError(failure.code, f"{failure.what}, at {_named(query)}", fix=failure.fix) from failure


def _named(query: Query) -> str:
    return "a held-out query" if query.split is Split.HELDOUT else f"query {query.id}"
