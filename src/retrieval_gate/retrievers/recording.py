"""A recording: what a retriever answered, as JSON Lines that stand in for it later.

    {"v":1,"op":"hello","name","version","fingerprint","capabilities","fixture":{"id","version"},"k"}
    {"v":1,"id","request","hits",…}

`fingerprint` is the SHA-256 of the retriever's own; `request` is the digest of all that was asked, so that an
answer is never taken for one to another question. No query's text is in the file; a context's text may be. A file
of the contract's plain answers, without both, is a recording too, of which nothing can be checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from retrieval_gate.base.canonical import digest, json_line, text_digest
from retrieval_gate.base.errors import ConfigError, RetrieverError
from retrieval_gate.base.places import Place
from retrieval_gate.base.retrieval import Hello, Hit, Passage, Request, Response, Stage
from retrieval_gate.base.strict import as_count, as_text
from retrieval_gate.inputs.formats.jsonl import MAX_LINES, lines_of, parse_line
from retrieval_gate.inputs.formats.trec_run import RunHit
from retrieval_gate.retrievers.contract import VERSION, Message, query_message, read_answer, read_hello

# The members of a request that decide its answer.
_ASKED = ("query", "k", "principal", "asOf", "language")
# What a recording can show of what its retriever could do.
_SHOWN = ("stages", "context")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_RECORD_AGAIN = "record it again: retrieval-gate record --out FILE"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFor:
    """What was asked: the fixture by id and version, and for how many hits."""

    fixture: tuple[str, int]
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One answer: its members as `contract.read_answer` takes them, or those of an error.

    `line` is where it begins in the file; `request` None: nobody wrote down what was asked.
    """

    body: Mapping[str, object]
    line: int
    request: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """`hello` is what the retriever said of itself, with the capabilities that the answers show. `answers` has one
    per query id. `made_for` is None for a file without a hello.
    """

    hello: Hello
    answers: Mapping[str, Recorded]
    made_for: MadeFor | None = None


def request_digest(message: Message) -> str:
    """Of a request of `contract.query_message`: all that decides its answer, 64 hex digits."""
    return digest([message[name] for name in _ASKED])


def hello_line(hello: Hello, made_for: MadeFor) -> str:
    """The first line of a recording, without its line end."""
    name, version = made_for.fixture
    return json_line(
        {
            "v": VERSION,
            "op": "hello",
            "name": hello.name,
            "version": hello.version,
            "fingerprint": text_digest(hello.fingerprint),
            "capabilities": sorted(hello.capabilities),
            "fixture": {"id": name, "version": version},
            "k": made_for.k,
        }
    )


def answer_line(request: Request, response: Response) -> str:
    """The line of one answer, without its line end; what the retriever did not give is left out."""
    context = response.context
    members = {
        "v": VERSION,
        "id": request.id,
        "request": request_digest(query_message(request)),
        "hits": [_hit(hit) for hit in response.hits],
        "context": None if context is None else [_passage(passage) for passage in context],
        "state": None if response.state is None else response.state.value,
        "citations": response.citations,
        "stages": [_stage(stage) for stage in response.stages] or None,
    }
    return json_line(_given(members))


def _hit(hit: Hit) -> Message:
    return _given({"id": hit.chunk, "score": hit.score, "documentId": hit.document})


def _passage(passage: Passage) -> Message:
    return _given({"id": passage.chunk, "start": passage.start, "end": passage.end, "text": passage.text})


def _stage(stage: Stage) -> Message:
    return {"name": stage.name, "hits": [{"id": chunk} for chunk in stage.chunks]}


def _given(members: Message) -> Message:
    return {name: value for name, value in members.items() if value is not None}


def of_run(hits: Mapping[str, Iterable[RunHit]], *, scores: bool) -> Recording:
    """A TREC run as a recording, each query's hits in the given order; without `scores` the order is all."""
    answers = {}
    for query, ranking in hits.items():
        ranked = list(ranking)
        body = {"hits": [{"id": hit.id} | ({"score": hit.score} if scores else {}) for hit in ranked]}
        answers[query] = Recorded(body=body, line=min(hit.line for hit in ranked))
    return Recording(hello=_unnamed(frozenset()), answers=answers)


def read_recording(data: bytes, *, file: str) -> Recording:
    """A recording in JSON Lines; raises ConfigError with the place of the first line that is none of it."""
    if data.count(b"\n") > MAX_LINES:
        raise ConfigError(
            "too-many-lines", f"over {MAX_LINES} lines", fix="record fewer queries", where=Place(file=file)
        )
    greeting: tuple[Hello, MadeFor] | None = None
    answers: dict[str, Recorded] = {}
    for number, line in lines_of(data):
        where = Place(file=file, line=number)
        value = _versioned(parse_line(line, number, file=file, error=ConfigError), where)
        if "op" in value:
            if greeting is not None or answers:
                raise _bad("an operation stands behind the first line", where)
            greeting = _greeting(value, where)
        else:
            name, recorded = _recorded(value, where, digests=greeting is not None)
            if name in answers:
                raise _bad(f"its query was answered on line {answers[name].line} already", where)
            answers[name] = recorded
    if not answers:
        raise ConfigError("empty-recording", "no answer is recorded", fix=_RECORD_AGAIN, where=Place(file=file))
    shown = frozenset(name for name in _SHOWN if any(recorded.body.get(name) for recorded in answers.values()))
    if greeting is None:
        return Recording(hello=_unnamed(shown), answers=answers)
    hello, made_for = greeting
    said = Hello(name=hello.name, version=hello.version, fingerprint=hello.fingerprint, capabilities=shown)
    return Recording(hello=said, answers=answers, made_for=made_for)


def _unnamed(capabilities: frozenset[str]) -> Hello:
    return Hello(name="replay", version="", fingerprint="", capabilities=capabilities)


def _versioned(value: object, where: Place) -> Message:
    if not isinstance(value, dict):
        raise _bad("the line is not an object", where)
    if type(value.get("v")) is not int or value["v"] != VERSION:
        raise _bad(f"its v is not {VERSION}", where)
    return value


def _greeting(value: Message, where: Place) -> tuple[Hello, MadeFor]:
    if value["op"] != "hello":
        raise _bad("its op is not hello", where)
    try:
        fixture: Any = value["fixture"]
        made_for = MadeFor(fixture=(as_text(fixture["id"]), as_count(fixture["version"])), k=as_count(value["k"]))
        return read_hello(value), made_for
    except RetrieverError as refused:
        raise _bad(refused.what, where) from None
    except (KeyError, TypeError, ValueError):
        raise _bad("hello lacks its fixture's id and version, or k", where) from None


def _recorded(value: Message, where: Place, *, digests: bool) -> tuple[str, Recorded]:
    name, request = value.get("id"), value.get("request")
    if not isinstance(name, str) or not name:
        raise _bad("the line has no id", where)
    if (digests or "request" in value) and not (isinstance(request, str) and _DIGEST.fullmatch(request)):
        raise _bad("its request is no digest of 64 hex digits", where)
    body = {member: part for member, part in value.items() if member not in ("v", "id", "request")}
    if body.get("error") is None:
        body.pop("error", None)
        try:
            read_answer(body)
        except RetrieverError as refused:
            raise _bad(refused.what, where) from None
    return name, Recorded(body=body, line=where.line or 0, request=request)


def _bad(what: str, where: Place) -> ConfigError:
    return ConfigError("bad-recording", what, fix=_RECORD_AGAIN, where=where)
