"""The ids of the answers are the fixture's; else how they seem to differ."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Response
from retrieval_gate.base.transport import UnknownIds
from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import WITH_HITS, Probe
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.doctor.wording import of

_FIX = "return each chunk's id as the fixture writes it, or write the fixture's ids as the retriever does"


def _look(case: Case) -> Finding:
    answers = case.answers(RoundId.FIRST)
    hits = [hit for _, response in answers for hit in response.hits]
    unknown = [hit for hit in hits if hit.chunk not in case.owners and hit.document is None]
    known = of(len(hits) - len(unknown), len(hits), "hits have an id of the fixture")
    if not unknown:
        return _elsewhere(case, known)
    allowed = case.spec.transport.unknown_ids is UnknownIds.UNJUDGED and len(unknown) < len(hits)
    return Finding(
        health=Health.NOTE if allowed else Health.FIX,
        what=f"{known}{_mapping(case)}",
        fix=None
        if allowed
        else f'{_FIX}; unknown-ids = "unjudged" is for retrievers that hold more than the fixture',
        queries=named([question for question, response in answers if _has_unknown(case, response)]),
    )


def _mapping(case: Case) -> str:
    found = case.first.mapping
    if found is None:
        return "; the others resemble none of the fixture's"
    return f"; {found.explanation} ({found.matched} of {found.of} unknown ids)"


def _elsewhere(case: Case, known: str) -> Finding:
    answers = case.answers(RoundId.FIRST)
    strange = [question for question, response in answers if not case.owners.keys() >= set(_beside(response))]
    if not strange:
        return Finding(health=Health.OK, what=known)
    return Finding(
        health=Health.NOTE,
        what=f"{known}; in {len(strange)} answers, contexts, citations or stages have others{_mapping(case)}",
        fix=_FIX,
        queries=named(strange),
    )


def _beside(response: Response) -> Iterator[ChunkId]:
    yield from (passage.chunk for passage in response.context or ())
    yield from response.citations or ()
    for stage in response.stages:
        yield from stage.chunks


def _has_unknown(case: Case, response: Response) -> bool:
    return any(hit.chunk not in case.owners and hit.document is None for hit in response.hits)


IDS = Probe(
    id="ids",
    explanation="Hits have ids of the fixture's chunks, or name its documents; else how they seem to differ.",
    look=_look,
    needs=WITH_HITS,
)
