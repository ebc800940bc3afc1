"""What passes between the gate and a worker (see `serving`): one order in, messages as JSON lines out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from retrieval_gate.base.canonical import json_line
from retrieval_gate.base.config import AblationSpec, AliasTable, EngineSettings
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import AblationId, ChunkId
from retrieval_gate.base.record import Observation
from retrieval_gate.base.record_json import record_from_json, record_to_json
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.strict import as_count, as_list, as_number_or_none, as_text, as_text_or_none
from retrieval_gate.evaluation.serving import Crashed

if TYPE_CHECKING:  # a worker reads its order, and needs nothing that a plan is made of
    from retrieval_gate.evaluation.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What one worker is to do. `run` is 1 or 2; `folder` is empty and its own."""

    run: int
    folder: Path
    fixture: Fixture
    ablations: tuple[AblationSpec, ...]
    engine: EngineSettings
    aliases: AliasTable | None
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Introduced:
    """A retriever said what it is."""

    ablation: AblationId
    hello: Hello


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The worker did all that it was ordered."""


Message = Introduced | Observation | RetrieverFailure | Crashed | Finished


def order_for(plan: Plan, run: int, folder: Path) -> Order:
    return Order(
        run=run,
        folder=folder,
        fixture=plan.fixture,
        ablations=plan.ablations,
        engine=plan.engine,
        aliases=plan.aliases,
        k=plan.k,
    )


def to_line(message: Message) -> str:
    """One JSON line, without its line end."""
    match message:
        case Observation():
            body: list[object] = [
                "seen",
                record_to_json(message.record),
                message.hits,
                message.context_digest,
                message.latency_ns,
                message.evidence,
                message.threshold,
            ]
        case Introduced():
            hello = message.hello
            body = [
                "hello",
                message.ablation,
                hello.name,
                hello.version,
                hello.fingerprint,
                sorted(hello.capabilities),
            ]
        case RetrieverFailure():
            body = ["failed", message.run, message.ablation, message.code, message.detail]
        case Crashed():
            body = ["crashed", message.trace]
        case Finished():
            body = ["finished"]
        case _:
            assert_never(message)
    return json_line(body)


def from_line(line: bytes) -> Message:
    """The message of one line; raises ValueError, TypeError or KeyError for anything else."""
    if line.startswith(_SEEN):
        return _read_seen(line)
    kind, *rest = as_list(json.loads(line))
    message: Message = _READERS[kind](*rest)
    return message


_SEEN = b'["seen",'


def _read_seen(line: bytes) -> Observation:
    head, latency_ns, evidence, threshold = line.rsplit(b",", 3)
    same = _untimed(b",".join((head, evidence, threshold)))
    return Observation(
        record=same.record,
        hits=same.hits,
        context_digest=same.context_digest,
        latency_ns=as_count(json.loads(latency_ns)),
        evidence=same.evidence,
        threshold=same.threshold,
    )


@lru_cache(maxsize=2)
def _untimed(line: bytes) -> Observation:
    """What a line says, its latency left out; as a rule the other run's next line says the same."""
    _, record, hits, context_digest, evidence, threshold = as_list(json.loads(line))
    return Observation(
        record=record_from_json(record),
        hits=tuple((ChunkId(as_text(chunk)), as_number_or_none(score)) for chunk, score in as_list(hits)),
        context_digest=as_text_or_none(context_digest),
        latency_ns=0,
        evidence=as_number_or_none(evidence),
        threshold=as_number_or_none(threshold),
    )


def _read_hello(
    ablation: object, name: object, version: object, fingerprint: object, capabilities: object
) -> Introduced:
    hello = Hello(
        name=as_text(name),
        version=as_text(version),
        fingerprint=as_text(fingerprint),
        capabilities=frozenset(map(as_text, as_list(capabilities))),
    )
    return Introduced(ablation=AblationId(as_text(ablation)), hello=hello)


def _read_failure(run: object, ablation: object, code: object, detail: object) -> RetrieverFailure:
    named = None if ablation is None else AblationId(as_text(ablation))
    return RetrieverFailure(run=as_count(run), ablation=named, code=as_text(code), detail=as_text(detail))


_READERS: dict[str, Callable[..., Message]] = {
    "hello": _read_hello,
    "failed": _read_failure,
    "crashed": lambda trace: Crashed(trace=as_text(trace)),
    "finished": Finished,
}
