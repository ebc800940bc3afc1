"""One principal asks, then another, then the first again after a revocation: no answer outlives its reasons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from retrieval_gate.base.access import permitted
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import AblationId, DocumentId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.scenarios.answers import difference, place
from retrieval_gate.scenarios.bench import SOME_TIME, Bench, sample
from retrieval_gate.scenarios.scenario import Scenario, has_access
from retrieval_gate.scenarios.tally import Tally

# Questions of each audience that are looked at for a case, and cases that are enough.
_QUESTIONS = 2
_CASES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """`first` may see `document`, and gets it for its question; `second`, who asks the same, may not."""

    document: Document
    first: Request
    second: Request


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    cases = list(islice(_cases(bench, tally, ablations), _CASES))
    for number, case in enumerate(cases):
        turn = bench.turn(ablations, number, len(cases))
        before = bench.ask(tally, turn, [case.first])
        other = bench.ask(tally, turn, [case.second])
        again = bench.ask(tally, turn, [case.first])
        chunks = frozenset(chunk.id for chunk in case.document.chunks)
        for ablation in turn:
            leaked = place(other[ablation][0], chunks)
            tally.check(ablation, bench.finding("cache-leak", case.second, *leaked) if leaked else None)
            where = difference(before[ablation][0], again[ablation][0])
            tally.check(ablation, bench.finding("cache-mixed", case.first, where) if where else None)
    _revoked(bench, tally, ablations, cases)
    _narrow(bench, tally, ablations, cases)


def _revoked(bench: Bench, tally: Tally, ablations: Sequence[AblationId], cases: Sequence[_Case]) -> None:
    """Every document of the cases is revoked, and asked for again; then it is put back."""
    documents = {case.document.id: case.document for case in cases}
    for document in documents.values():
        at = next(case.first.as_of for case in cases if case.document is document)
        bench.revoke(ablations, document.id, at or SOME_TIME)
    for number, case in enumerate(cases):
        turn = bench.turn(ablations, number, len(cases))
        answers = bench.ask(tally, turn, [case.first])
        chunks = frozenset(chunk.id for chunk in case.document.chunks)
        for ablation in turn:
            stale = place(answers[ablation][0], chunks)
            tally.check(ablation, bench.finding("revoked-served", case.first, *stale) if stale else None)
    for document in documents.values():
        bench.update(ablations, document)


def _narrow(bench: Bench, tally: Tally, ablations: Sequence[AblationId], cases: Sequence[_Case]) -> None:
    """After a change a question is asked for one hit first: that decides nothing of its whole answer."""
    for number, case in enumerate(cases):
        turn = bench.turn(ablations, number, len(cases))
        before = bench.base(tally, turn, [case.first])
        bench.ask(tally, turn, [replace(case.first, k=1)])
        again = bench.ask(tally, turn, [case.first])
        for ablation in turn:
            where = difference(before[ablation][0], again[ablation][0])
            tally.check(ablation, bench.finding("cache-mixed", case.first, where) if where else None)


def _cases(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> Iterator[_Case]:
    """For each audience the first of its questions whose answer shows a document that another may not see.

    No document comes twice.
    """
    used: set[DocumentId] = set()
    numbers = range(len(bench.audiences))
    # Neighbours in the file are often of one tenant: every other audience first.
    for number in (*numbers[::2], *numbers[1::2]):
        asked = sample(bench.audiences[number].requests, _QUESTIONS)
        # Any ablation shows what there is: here the one that has been asked the same before, as a rule.
        ablation = bench.turn(ablations, number, len(bench.audiences))[0]
        answers = bench.base(tally, [ablation], asked)[ablation]
        pairs = zip(asked, answers, strict=True)
        cases = (case for pair in pairs for case in _cases_of(bench, *pair))
        case = next((case for case in cases if case.document.id not in used), None)
        if case is not None:
            used.add(case.document.id)
            yield case


def _cases_of(bench: Bench, request: Request, response: Response) -> Iterator[_Case]:
    """Each hit's document with the first audience that may not see it."""
    for hit in response.hits:
        document = bench.owners.get(hit.chunk)
        for audience in bench.audiences if document is not None else ():
            if document is not None and not permitted(document.access, audience.principal):
                yield _Case(
                    document=document, first=request, second=replace(request, principal=audience.principal)
                )
                break


CACHE_PROBE = Scenario(
    id="cache-probe",
    applies=has_access,
    able=Bench.changeable,
    run=_run,
)
