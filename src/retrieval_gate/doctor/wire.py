"""What passes between the doctor and the process that asks: one order in, JSON lines out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from retrieval_gate.base.canonical import json_line, short_digest
from retrieval_gate.base.config import AblationSpec, AliasTable, EngineSettings
from retrieval_gate.base.fixture import Fixture, State
from retrieval_gate.base.ids import ChunkId, DocumentId, QueryId
from retrieval_gate.base.retrieval import Hello, Hit, Passage, Response, Stage
from retrieval_gate.base.strict import (
    as_count,
    as_count_or_none,
    as_list,
    as_number_or_none,
    as_text,
    as_text_or_none,
)
from retrieval_gate.doctor.questions import Round
from retrieval_gate.evaluation.serving import Crashed
from retrieval_gate.evaluation.wire import Finished
from retrieval_gate.retrievers.known import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamOrder:
    """What one process is to ask of one retriever. `folder` is empty and its own.

    `run` is what the retriever is told that it serves; `backwards` seeds the documents in reverse.
    """

    run: int
    backwards: bool
    folder: Path
    fixture: Fixture
    spec: AblationSpec
    engine: EngineSettings
    aliases: AliasTable | None
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The retriever said what it is, and holds what it was seeded with."""

    hello: Hello
    elapsed_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An answer that is none, or the retriever's end: as a RetrieverError tells it."""

    code: str
    what: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """To the question at `number` of the round at `place`, both from 0."""

    place: int
    number: int
    reply: Response | Fault


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """How the ids that the fixture does not have may differ from its own; None: in no way that is known."""

    mapping: Mapping | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Nothing more can be asked."""

    fault: Fault


Said = Opened | Replied | Heard | Failed | Crashed | Finished


def said_line(said: Said) -> str:
    """One JSON line, without its line end."""
    match said:
        case Opened(hello=hello):
            about = [hello.name, hello.version, hello.fingerprint, sorted(hello.capabilities)]
            body: list[object] = ["opened", *about, said.elapsed_ns]
        case Replied():
            body = _reply(said)
        case Heard(mapping=found):
            body = ["heard", *([] if found is None else [found.explanation, found.matched, found.of])]
        case Failed(fault=fault):
            body = ["failed", fault.code, fault.what, fault.fix]
        case Crashed():
            body = ["crashed", said.trace]
        case Finished():
            body = ["finished"]
        case _:
            assert_never(said)
    return json_line(body)


def said_from(line: bytes) -> Said:
    """Raises ValueError, TypeError or KeyError for anything that is no such line."""
    kind, *rest = as_list(json.loads(line))
    return _READERS[kind](*rest)


def _reply(said: Replied) -> list[object]:
    place = [said.place, said.number]
    match said.reply:
        case Fault(code=code, what=what, fix=fix):
            return ["fault", *place, code, what, fix]
        case Response() as response:
            return ["reply", *place, *_response(response)]


def _response(response: Response) -> list[object]:
    """Without what is not compared; of a text a digest, so that none passes."""
    context = response.context
    return [
        response.id,
        [[hit.chunk, hit.score, hit.document] for hit in response.hits],
        None if context is None else [_passage(passage) for passage in context],
        response.state,
        response.citations,
        [[stage.name, stage.chunks] for stage in response.stages],
        response.evidence,
        response.threshold,
        response.elapsed_ns,
    ]


def _passage(passage: Passage) -> list[object]:
    text = None if passage.text is None else short_digest(passage.text)
    return [passage.chunk, passage.start, passage.end, text]


def _read_reply(place: object, number: object, *parts: object) -> Replied:
    name, hits, context, state, citations, stages, evidence, threshold, elapsed = parts
    response = Response(
        id=QueryId(as_text(name)),
        hits=tuple(
            Hit(chunk=ChunkId(as_text(chunk)), score=as_number_or_none(score), document=_document(document))
            for chunk, score, document in as_list(hits)
        ),
        context=None if context is None else tuple(_read_passage(*passage) for passage in as_list(context)),
        state=None if state is None else State(as_text(state)),
        citations=None if citations is None else _chunks(citations),
        stages=tuple(Stage(name=as_text(name), chunks=_chunks(chunks)) for name, chunks in as_list(stages)),
        evidence=as_number_or_none(evidence),
        threshold=as_number_or_none(threshold),
        elapsed_ns=as_count(elapsed),
    )
    return Replied(place=as_count(place), number=as_count(number), reply=response)


def _read_passage(chunk: object, start: object, end: object, text: object) -> Passage:
    return Passage(
        chunk=ChunkId(as_text(chunk)),
        start=as_count_or_none(start),
        end=as_count_or_none(end),
        text=as_text_or_none(text),
    )


def _chunks(names: object) -> tuple[ChunkId, ...]:
    return tuple(ChunkId(as_text(name)) for name in as_list(names))


def _document(name: object) -> DocumentId | None:
    return None if name is None else DocumentId(as_text(name))


def _read_opened(name: object, version: object, fingerprint: object, can: object, elapsed: object) -> Opened:
    hello = Hello(
        name=as_text(name),
        version=as_text(version),
        fingerprint=as_text(fingerprint),
        capabilities=frozenset(map(as_text, as_list(can))),
    )
    return Opened(hello=hello, elapsed_ns=as_count(elapsed))


def _read_fault(code: object, what: object, fix: object) -> Fault:
    return Fault(code=as_text(code), what=as_text(what), fix=as_text(fix))


def _read_heard(*mapping: object) -> Heard:
    if not mapping:
        return Heard(mapping=None)
    explanation, matched, of = mapping
    return Heard(mapping=Mapping(explanation=as_text(explanation), matched=as_count(matched), of=as_count(of)))


_READERS: dict[str, Callable[..., Said]] = {
    "opened": _read_opened,
    "fault": lambda place, number, *fault: Replied(
        place=as_count(place), number=as_count(number), reply=_read_fault(*fault)
    ),
    "reply": _read_reply,
    "heard": _read_heard,
    "failed": lambda *fault: Failed(fault=_read_fault(*fault)),
    "crashed": lambda trace: Crashed(trace=as_text(trace)),
    "finished": Finished,
}
