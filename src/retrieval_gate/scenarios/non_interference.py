"""Documents that a principal may not see are added, changed, removed: its answers stay the same to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from retrieval_gate.base.access import permitted
from retrieval_gate.base.fixture import Access, Document, Fixture
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.scenarios.answers import difference
from retrieval_gate.scenarios.bench import Audience, Bench, sample
from retrieval_gate.scenarios.probes import closed_policies, probe
from retrieval_gate.scenarios.scenario import Scenario, has_access
from retrieval_gate.scenarios.tally import Tally

# Questions of each audience.
_QUESTIONS = 2
# Documents of the fixture that are changed at a time: one gets another text, one is removed.
_DOCUMENTS = 2

# The ablations whose turn it is, who asks, and what.
_Round = tuple[tuple[AblationId, ...], Audience, tuple[Request, ...]]


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    audiences = [audience for audience in bench.audiences if audience.requests]
    rounds = [
        (bench.turn(ablations, number, len(audiences)), audience, sample(audience.requests, _QUESTIONS))
        for number, audience in enumerate(audiences)
    ]
    for turn, _, requests in rounds:
        bench.base(tally, turn, requests)
    added = _outranking(bench.fixture, audiences)
    for document in added:
        bench.update(ablations, document)
    for turn, _, requests in rounds:
        _compare(bench, tally, turn, requests)
    for document in added:
        bench.delete(ablations, document.id)
    _existing(bench, tally, ablations, rounds)


def _outranking(fixture: Fixture, audiences: Sequence[Audience]) -> list[Document]:
    """For each closed policy a document that repeats questions of those whom it keeps out, one chunk for each.

    The questions of one tenant's principals are dealt out to the policies that are closed to them; none goes
    without.
    """
    dealt: dict[str | None, tuple[dict[Access, None], list[str]]] = {}
    for audience in audiences:
        tenant = None if audience.principal is None else audience.principal.tenant
        policies, asked = dealt.setdefault(tenant, ({}, []))
        policies.update(dict.fromkeys(closed_policies(fixture, audience.principal)))
        asked += [request.query for request in sample(audience.requests, _QUESTIONS)]
    texts: dict[Access, dict[str, None]] = {}
    for policies, asked in dealt.values():
        closed = list(policies)
        for number in range(max(len(closed), len(asked))):
            texts.setdefault(closed[number % len(closed)], {}).setdefault(asked[number % len(asked)])
    return [
        probe(f"outranks-{number}", [f"{text}\n{text}" for text in asked], access)
        for number, (access, asked) in enumerate(texts.items())
    ]


def _existing(bench: Bench, tally: Tally, ablations: Sequence[AblationId], rounds: Sequence[_Round]) -> None:
    """Documents of the fixture are changed and removed, a few at a time, until that was done to each audience.

    What one audience may not see, others may not see either: all of them are asked at once.
    """
    waiting = list(rounds)
    while waiting:
        _, audience, requests = waiting[0]
        chosen = _kept_from(bench.fixture, audience)[:_DOCUMENTS]
        for number, document in enumerate(chosen):
            if number % 2:
                bench.delete(ablations, document.id)
            else:
                bench.update(ablations, _rewritten(document, requests[0].query))
        later: list[_Round] = []
        for one in waiting:
            if _sees_any(one[1], chosen):
                later.append(one)
            else:
                _compare(bench, tally, one[0], one[2])
        for document in chosen:
            bench.update(ablations, document)
        waiting = later


def _kept_from(fixture: Fixture, audience: Audience) -> list[Document]:
    """The documents that an audience may not see, those of its own tenant first."""
    tenant = None if audience.principal is None else audience.principal.tenant
    kept = [document for document in fixture.documents if not permitted(document.access, audience.principal)]
    return sorted(kept, key=lambda document: document.access is None or document.access.tenant != tenant)


def _sees_any(audience: Audience, documents: Sequence[Document]) -> bool:
    return any(permitted(document.access, audience.principal) for document in documents)


def _rewritten(document: Document, text: str) -> Document:
    """The document with another text in each chunk."""
    chunks = tuple(replace(chunk, content=f"{text}\n{number}") for number, chunk in enumerate(document.chunks))
    return replace(document, chunks=chunks, content_hash=None)


def _compare(bench: Bench, tally: Tally, ablations: Sequence[AblationId], requests: Sequence[Request]) -> None:
    before = bench.base(tally, ablations, requests)
    after = bench.ask(tally, ablations, requests)
    for ablation in ablations:
        for request, one, other in zip(requests, before[ablation], after[ablation], strict=True):
            where = difference(one, other)
            tally.check(ablation, bench.finding("interference", request, where) if where else None)


NON_INTERFERENCE = Scenario(
    id="non-interference",
    applies=has_access,
    able=Bench.changeable,
    run=_run,
)
