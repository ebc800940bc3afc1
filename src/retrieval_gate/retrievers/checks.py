"""An answer of a foreign retriever, held to what the request asked and to the fixture's ids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Hit, Passage, Request, Response, Stage
from retrieval_gate.base.transport import Transport, UnknownIds
from retrieval_gate.retrievers.contract import AnswerPart, HitPart
from retrieval_gate.retrievers.known import Known, likely_mapping


def checked(answer: AnswerPart, request: Request, known: Known, transport: Transport, elapsed_ns: int) -> Response:
    """The response; ids that the fixture does not have are told by a name that stands for them.

    Raises RetrieverError for more hits than were asked for, scores that contradict the order of the list, and,
    unless they are allowed, ids that the fixture does not have.
    """
    _check_length(answer.hits, request)
    told = transport.fields.lower_is_better
    _check_order(answer.hits, lower_is_better=answer.lowerIsBetter if told is None else told)
    if transport.unknown_ids is UnknownIds.FAIL:
        _check_ids(answer, known)
    return Response(
        id=request.id,
        hits=_hits(answer, known),
        context=_context(answer, known),
        state=answer.state,
        citations=None if answer.citations is None else tuple(map(known.chunk, answer.citations)),
        stages=tuple(
            Stage(name=stage.name, chunks=tuple(known.chunk(hit.id) for hit in stage.hits))
            for stage in answer.stages
        ),
        elapsed_ns=elapsed_ns,
    )


def _check_length(hits: Sequence[HitPart], request: Request) -> None:
    if len(hits) > request.k:
        raise RetrieverError(
            "too-many-hits", f"{len(hits)} hits came where {request.k} were asked for", fix="return at most k hits"
        )


def _check_order(hits: Sequence[HitPart], *, lower_is_better: bool) -> None:
    """The scores must fall, or not be given; where some hits have none, nothing can be said."""
    scores = [hit.score for hit in hits if hit.score is not None]
    if len(scores) < len(hits):
        return
    for rank, (one, other) in enumerate(pairwise(scores), start=1):
        if (other < one) if lower_is_better else (other > one):
            raise RetrieverError(
                "scores-against-order",
                f"the hit at rank {rank + 1} has a better score than the one at rank {rank}",
                fix="give the score that made the order, or none; set lower-is-better where scores are distances",
            )


def _check_ids(answer: AnswerPart, known: Known) -> None:
    unknown = [
        hit.id for hit in answer.hits if hit.id not in known.chunks and known.document(hit.documentId) is None
    ]
    if not unknown:
        return
    mapping = likely_mapping(unknown, known)
    hint = "" if mapping is None else f"; {mapping.explanation} in {mapping.matched} of {mapping.of}"
    raise RetrieverError(
        "unknown-id",
        f"{len(unknown)} of {len(answer.hits)} hits have an id that is not a chunk of the fixture{hint}",
        fix="return the fixture's chunk ids; retrieval-gate doctor shows the likely mapping; set "
        'unknown-ids = "unjudged" where the retriever holds more than the fixture',
    )


def _hits(answer: AnswerPart, known: Known) -> tuple[Hit, ...]:
    """Each hit with its rank at every stage that it passed."""
    places: dict[str, list[tuple[str, int]]] = {}
    for stage in answer.stages:
        for rank, chunk in enumerate(dict.fromkeys(hit.id for hit in stage.hits), start=1):
            places.setdefault(chunk, []).append((stage.name, rank))
    return tuple(
        Hit(
            chunk=known.chunk(hit.id),
            score=hit.score,
            document=known.document(hit.documentId),
            ranks=tuple(places.get(hit.id, ())),
        )
        for hit in answer.hits
    )


def _context(answer: AnswerPart, known: Known) -> tuple[Passage, ...] | None:
    if answer.context is None:
        return None
    return tuple(
        Passage(chunk=ChunkId(known.chunk(part.id)), start=part.start, end=part.end, text=part.text)
        for part in answer.context
    )
