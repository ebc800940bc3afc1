"""The process that asks one retriever every question of the doctor's, in fresh state, and says what came."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from time import perf_counter_ns

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Response
from retrieval_gate.doctor.questions import Round
from retrieval_gate.doctor.wire import ExamOrder, Failed, Fault, Heard, Opened, Replied, Said, said_line
from retrieval_gate.evaluation.serving import serve
from retrieval_gate.evaluation.wire import Finished
from retrieval_gate.retrievers.known import Known, known_of, likely_mapping
from retrieval_gate.retrievers.port import Opening, Retriever
from retrieval_gate.retrievers.table import is_recorded, open_retrievers

# What is wrong with one answer alone: the retriever can be asked on.
ANSWERED_WRONGLY = frozenset({"bad-answer", "too-many-hits", "scores-against-order", "unknown-shape"})
# As many unknown ids are kept to find how they may differ from the fixture's.
_HEARD = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Tap(Known):
    """Knows the fixture's ids, and keeps those that it does not know. They do not leave this process."""

    heard: dict[str, None] = field(default_factory=dict)

    def chunk(self, name: str) -> ChunkId:
        told = Known.chunk(self, name)
        if told != name and len(self.heard) < _HEARD:
            self.heard.setdefault(name)
        return told


def main() -> None:
    """Read one order from stdin, write one JSON line per message to stdout (see `serving.serve`)."""
    serve(ExamOrder, work, said_line)


def work(order: ExamOrder) -> Iterator[Said]:
    """That it is open, each reply as it comes, what is known of ids, and the end.

    A retriever that fails ends it: what it answered before has been said.
    """
    known = known_of(order.fixture.documents)
    tap = Tap(chunks=known.chunks, documents=known.documents)
    began = perf_counter_ns()
    try:
        with closing(open_retrievers([order.spec], _opening(order, tap))[order.spec.id]) as retriever:
            yield Opened(hello=retriever.hello(), elapsed_ns=perf_counter_ns() - began)
            for place, part in enumerate(order.rounds):
                for number, reply in _replies(retriever, part, recorded=is_recorded(order.spec)):
                    yield Replied(place=place, number=number, reply=reply)
    except RetrieverError as failure:
        yield Failed(fault=_fault(failure))
    yield Heard(mapping=likely_mapping(tuple(tap.heard), known))
    yield Finished()


def _opening(order: ExamOrder, tap: Tap) -> Opening:
    fixture = order.fixture
    return Opening(
        run=order.run,
        folder=order.folder,
        documents=fixture.documents[::-1] if order.backwards else fixture.documents,
        engine=order.engine,
        aliases=order.aliases,
        principals=fixture.principals,
        fixture=(fixture.id, fixture.version),
        known=tap,
    )


def _replies(retriever: Retriever, part: Round, *, recorded: bool) -> Iterator[tuple[int, Response | Fault]]:
    if recorded:
        return _recorded(retriever, part)
    return _together(retriever, part) if part.together else _one_by_one(retriever, part)


def _one_by_one(retriever: Retriever, part: Round) -> Iterator[tuple[int, Response | Fault]]:
    for number, question in enumerate(part.questions):
        try:
            responses = list(retriever.answer([question.request]))
        except RetrieverError as failure:
            if failure.code not in ANSWERED_WRONGLY:
                raise
            yield number, _fault(failure)
            continue
        if [response.id for response in responses] != [question.request.id]:
            raise _unanswered()
        yield number, responses[0]


def _together(retriever: Retriever, part: Round) -> Iterator[tuple[int, Response | Fault]]:
    """As a run of the gate asks; the first answer that is none ends the round."""
    number = -1
    try:
        for number, response in enumerate(retriever.answer([question.request for question in part.questions])):
            yield number, response
    except RetrieverError as failure:
        if failure.code not in ANSWERED_WRONGLY:
            raise
        yield number + 1, _fault(failure)


def _recorded(retriever: Retriever, part: Round) -> Iterator[tuple[int, Response | Fault]]:
    """All in one call, as a run of the gate asks: a recording without any answer to a call is taken for another's.

    Behind an answer that is none all are asked once more, the rest of them first, and only these are told.
    """
    requests = [question.request for question in part.questions]
    number = 0
    while number < len(requests):
        turned = [*requests[number:], *requests[:number]]
        try:
            for response in islice(retriever.answer(turned), len(requests) - number):
                yield number, response
                number += 1
        except RetrieverError as failure:
            if failure.code not in ANSWERED_WRONGLY:
                raise
            yield number, _fault(failure)
            number += 1


def _unanswered() -> RetrieverError:
    return RetrieverError("no-answer-given", "a question was not answered once", fix="answer every request")


def _fault(failure: RetrieverError) -> Fault:
    return Fault(code=failure.code, what=failure.what, fix=failure.fix)
