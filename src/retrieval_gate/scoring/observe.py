"""One response against one query's labels, reduced to the integers that every metric is computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from retrieval_gate.base.canonical import json_line, rounded, short_digest, text_digest
from retrieval_gate.base.fixture import Fixture, JudgedLevel, Query
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.record import JudgedRank, Observation, QueryRecord
from retrieval_gate.base.retrieval import Passage, Response
from retrieval_gate.scoring.evidence import Evidence, of_hits, of_passages
from retrieval_gate.scoring.exposure import Exposures
from retrieval_gate.scoring.lost_where import lost_at
from retrieval_gate.scoring.policy import Policy
from retrieval_gate.scoring.target import Corpus, Target, TargetSpan, prepare
from retrieval_gate.scoring.trail import stage_names, trail


class Observer:
    """Scores responses to the queries of one fixture; built once, holds no state between responses."""

    def __init__(self, fixture: Fixture) -> None:
        self._corpus = _corpus(fixture)
        self._exposures = Exposures(Policy(fixture), self._corpus.owners)
        self._targets = {query.id: prepare(query, self._corpus) for query in fixture.queries}

    def observe(self, ablation: AblationId, query: Query, response: Response) -> Observation:
        """What is remembered of `response`. A hit that the fixture does not know is an unjudged hit.

        Duplicate hits count once, at their first place. Where judgments name documents, the ranking is each
        document's first hit; the context is still that of the first 10 distinct chunks.
        """
        target = self._targets[query.id]
        returned = tuple([hit.chunk for hit in response.hits])
        distinct = first_occurrences(returned)
        ranks = self._ranks(target, response, distinct)
        evidence = self._evidence(target, response, distinct)
        exposure = self._exposures.of(query, response)
        record = QueryRecord(
            ablation=ablation,
            query=target.query,
            judged=_judged(target, ranks, evidence, response),
            no_answer=target.no_answer,
            returned=len(ranks),
            duplicates=len(returned) - len(distinct),
            unlocatable=evidence.unlocatable if evidence else 0,
            matched_characters=evidence.matched if evidence else None,
            returned_characters=evidence.returned if evidence else None,
            annotated_characters=target.annotated,
            leaks=exposure.leaks,
            checked_forbidden=exposure.checked_forbidden,
            stale=exposure.stale,
            checked_stale=exposure.checked_stale,
            expected_state=target.expected_state,
            state=response.state,
            ranking_digest=short_digest(returned),
            stages=stage_names(response.stages),
            bad_citations=exposure.bad_citations,
            checked_citations=exposure.checked_citations,
        )
        return Observation(
            record=record,
            hits=tuple([(hit.chunk, hit.score) for hit in response.hits]),
            context_digest=_context_digest(response.context),
            latency_ns=response.elapsed_ns,
            evidence=_rounded(response.evidence),
            threshold=_rounded(response.threshold),
        )

    def missing(self, ablation: AblationId, query: Query) -> QueryRecord:
        """The record of a query that the run has no answer for: scored as empty, no policy label checked."""
        empty = self.observe(ablation, query, Response(id=query.id, hits=(), context=())).record
        return replace(empty, checked_forbidden=0, checked_stale=0, missing=True)

    def _ranks(self, target: Target, response: Response, distinct: Sequence[ChunkId]) -> dict[str, int]:
        """Rank from 1 of each distinct unit returned, in rank order."""
        return {unit: rank for rank, unit in enumerate(self._units(target, response, distinct), start=1)}

    def _units(self, target: Target, response: Response, distinct: Sequence[ChunkId]) -> Sequence[str]:
        match target.level:
            case JudgedLevel.CHUNK:
                return distinct
            case JudgedLevel.DOCUMENT:
                return first_occurrences(self._documents(response))

    def _documents(self, response: Response) -> Iterator[str]:
        """The document of each hit; a hit of no known document keeps its place under a name no id can have."""
        for hit in response.hits:
            document = hit.document or self._corpus.owners.get(hit.chunk)
            yield f"::{hit.chunk}" if document is None else document

    def _evidence(self, target: Target, response: Response, distinct: Sequence[ChunkId]) -> Evidence | None:
        """None where nothing is relevant: there is nothing to find."""
        if not target.units:
            return None
        if response.context is None:
            return of_hits(distinct, target, self._corpus.texts)
        return of_passages(response.context, distinct, target, self._corpus.texts)


def _judged(
    target: Target, ranks: dict[str, int], evidence: Evidence | None, response: Response
) -> tuple[JudgedRank, ...]:
    found = _ordinals(evidence.found) if evidence else {}
    judged = []
    for index, unit in enumerate(target.units):
        rank = ranks.get(unit.id)
        judged.append(
            JudgedRank(
                unit=unit.id,
                grade=unit.grade,
                rank=rank,
                spans=tuple(sorted(found.get(index, ()))),
                lost_at=lost_at(unit.chunks, response.stages) if rank is None else None,
                trail=trail(unit.chunks, response.stages),
            )
        )
    return tuple(judged)


def _ordinals(found: Sequence[TargetSpan]) -> dict[int, list[int]]:
    """The ordinals of the found spans by unit."""
    ordinals: dict[int, list[int]] = {}
    for span in found:
        ordinals.setdefault(span.unit, []).append(span.ordinal)
    return ordinals


def _rounded(value: float | None) -> float | None:
    return None if value is None else rounded(value)


def _context_digest(context: tuple[Passage, ...] | None) -> str | None:
    if context is None:
        return None
    return text_digest(json_line([(item.chunk, item.start, item.end, item.text) for item in context]))


def _corpus(fixture: Fixture) -> Corpus:
    texts: dict[ChunkId, str] = {}
    owners: dict[ChunkId, DocumentId] = {}
    members: dict[DocumentId, frozenset[ChunkId]] = {}
    for document in fixture.documents:
        members[document.id] = frozenset(chunk.id for chunk in document.chunks)
        for chunk in document.chunks:
            texts[chunk.id] = chunk.content
            owners[chunk.id] = document.id
    return Corpus(texts=texts, owners=owners, members=members)
