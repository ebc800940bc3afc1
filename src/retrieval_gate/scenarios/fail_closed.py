"""Whoever is not known is served nothing: a principal that is not listed, or claims more than is listed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrieval_gate.base.fixture import Fixture, Principal
from retrieval_gate.base.ids import AblationId, PrincipalId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.scenarios.answers import place
from retrieval_gate.scenarios.bench import PREFIX, Bench, own_request, sample
from retrieval_gate.scenarios.probes import NOBODY
from retrieval_gate.scenarios.scenario import Scenario
from retrieval_gate.scenarios.tally import Tally

# Questions of an audience that are looked at for one that gets hits.
_QUESTIONS = 4


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    everything = frozenset(chunk.id for document in bench.fixture.documents for chunk in document.chunks)
    impostors = list(_impostors(bench.fixture))
    for number, (known, impostor) in enumerate(impostors):
        for ablation in bench.turn(ablations, number, len(impostors)):
            asked = _answered(bench, tally, ablation, (None, known))
            requests = [
                replace(own_request(f"impostor-{at}", request.query, request), principal=impostor)
                for at, request in enumerate(asked)
            ]
            answers = bench.ask(tally, [ablation], requests)[ablation]
            for request, response in zip(requests, answers, strict=True):
                served = place(response, everything)
                tally.check(ablation, bench.finding("unknown-principal", request, *served) if served else None)


def _answered(
    bench: Bench, tally: Tally, ablation: AblationId, askers: Sequence[Principal | None]
) -> Iterator[Request]:
    """For each who may ask a question that he gets hits for: whoever gets none for that is refused."""
    answerable = {query.id for query in bench.fixture.queries if not query.no_answer}
    for audience in bench.audiences:
        if audience.principal in askers:
            likely = [request for request in audience.requests if request.id in answerable]
            asked = sample(likely or audience.requests, _QUESTIONS)
            pairs = zip(asked, bench.base(tally, [ablation], asked)[ablation], strict=True)
            yield from [request for request, response in pairs if response.hits][:1]


def _impostors(fixture: Fixture) -> Iterator[tuple[Principal, Principal]]:
    """Each with the known principal whose rights he claims: under another id, in another tenant, or with more."""
    for known in dict.fromkeys((fixture.principals[0], fixture.principals[-1])):
        yield known, replace(known, id=PrincipalId(f"{PREFIX}nobody"))
        yield known, replace(known, tenant=NOBODY)
        yield known, replace(known, attributes=_more(fixture, known))


def _more(fixture: Fixture, known: Principal) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """His attributes, the first with a value more that another has, or nobody; an attribute where he has none."""
    (name, own), *others = known.attributes or (("role", ()),)
    values = [
        value
        for other in fixture.principals
        for attribute, held in other.attributes
        for value in held
        if attribute == name and value not in own
    ]
    return (name, (*own, *(values or [NOBODY])[:1])), *others


FAIL_CLOSED = Scenario(
    id="fail-closed",
    applies=lambda fixture: bool(fixture.principals),
    able=lambda bench: bench.able("principals", "directory"),
    run=_run,
)
