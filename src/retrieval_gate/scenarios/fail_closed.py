"""Whoever is not known is served nothing: a principal that is not listed, or claims more than is listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrieval_gate.base.fixture import Fixture, Principal
from retrieval_gate.base.ids import AblationId, PrincipalId
from retrieval_gate.scenarios.answers import place
from retrieval_gate.scenarios.bench import PREFIX, Bench, own_request, sample
from retrieval_gate.scenarios.probes import NOBODY
from retrieval_gate.scenarios.scenario import Scenario
from retrieval_gate.scenarios.tally import Tally

_QUESTIONS = 2


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    everything = frozenset(chunk.id for document in bench.fixture.documents for chunk in document.chunks)
    questions = sample([request for audience in bench.audiences for request in audience.requests], _QUESTIONS)
    for number, impostor in enumerate(_impostors(bench.fixture)):
        turn = bench.turn(ablations, number)
        requests = [
            replace(own_request(f"impostor-{at}", request.query, request), principal=impostor)
            for at, request in enumerate(questions)
        ]
        answers = bench.ask(tally, turn, requests)
        for ablation in turn:
            for request, response in zip(requests, answers[ablation], strict=True):
                served = place(response, everything)
                tally.check(ablation, bench.finding("unknown-principal", request, *served) if served else None)


def _impostors(fixture: Fixture) -> Iterator[Principal]:
    """One whom nobody knows, with the rights of one who is known; and known ones with a tenant of nobody's."""
    for principal in sample_principals(fixture):
        yield replace(principal, id=PrincipalId(f"{PREFIX}nobody"))
        yield replace(principal, tenant=NOBODY)


def sample_principals(fixture: Fixture) -> tuple[Principal, ...]:
    """The first and the last principal."""
    return tuple(dict.fromkeys((fixture.principals[0], fixture.principals[-1])))


FAIL_CLOSED = Scenario(
    id="fail-closed",
    explanation=(
        "A principal that is not listed, or that claims another tenant than is listed for it, is served nothing, "
        "not even what is public."
    ),
    applies=lambda fixture: bool(fixture.principals),
    able=lambda bench: bench.able("principals", "directory"),
    run=_run,
)
