"""What a response shows and must not: forbidden chunks, stale ones, citations of what was not retrieved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from retrieval_gate.base.fixture import Query
from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.record import Shown, Where
from retrieval_gate.base.retrieval import Response
from retrieval_gate.scoring.policy import Audience, Policy

# Whether the policy says this of a document, for an audience.
_Rule = Callable[[DocumentId, Audience], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """The fields of a `QueryRecord` of the same names."""

    leaks: tuple[Shown, ...]
    checked_forbidden: int
    stale: tuple[Shown, ...]
    checked_stale: int
    bad_citations: tuple[ChunkId | None, ...]
    checked_citations: int


class Exposures:
    """Holds responses against the labels of their query and against the policy; `owners` knows every chunk."""

    def __init__(self, policy: Policy, owners: Mapping[ChunkId, DocumentId]) -> None:
        self._policy = policy
        self._owners = owners
        self._documents = frozenset(owners.values())

    def of(self, query: Query, response: Response) -> Exposure:
        """Leaks are looked for in traced stages too; a stale chunk that a stage takes out misleads nobody."""
        policy, audience = self._policy, self._policy.audience(query)
        forbidden = policy.forbidden_chunks(audience) + self._beyond(
            query.forbidden, policy.is_forbidden, audience
        )
        stale = policy.stale_chunks(audience) + self._beyond(query.stale, policy.is_stale, audience)
        shown = self._shown(query, response, traced=forbidden > 0) if forbidden or stale else {}
        read = {chunk: where for chunk, where in shown.items() if where is not Where.STAGES}
        cited = first_occurrences(response.citations or ())
        retrieved = {*_hits(response), *_passages(response)}
        return Exposure(
            leaks=self._found(query.forbidden, policy.is_forbidden, audience, shown),
            checked_forbidden=forbidden,
            stale=self._found(query.stale, policy.is_stale, audience, read),
            checked_stale=stale,
            bad_citations=tuple(
                chunk if chunk in self._owners else None for chunk in cited if chunk not in retrieved
            ),
            checked_citations=len(cited),
        )

    def _beyond(self, listed: Sequence[ChunkId], rule: _Rule, audience: Audience) -> int:
        """How many of the listed chunks the policy does not give."""
        return len([chunk for chunk in listed if not self._is(chunk, rule, audience)])

    def _found(
        self, listed: Sequence[ChunkId], rule: _Rule, audience: Audience, shown: Mapping[ChunkId, Where]
    ) -> tuple[Shown, ...]:
        """The listed chunks in label order, then those that only the policy gives, by id."""
        derived = sorted(chunk for chunk in shown if chunk not in listed and self._is(chunk, rule, audience))
        return tuple([Shown(chunk, shown[chunk]) for chunk in (*listed, *derived) if chunk in shown])

    def _is(self, name: ChunkId, rule: _Rule, audience: Audience) -> bool:
        owner = self._owners.get(name) or DocumentId(name)
        return owner in self._documents and rule(owner, audience)

    def _shown(self, query: Query, response: Response, *, traced: bool) -> dict[ChunkId, Where]:
        """Every chunk of the fixture that came out, at its deepest place.

        A hit that is no chunk of the fixture stands for the document that the retriever says it is of.
        """
        documents = {hit.chunk: ChunkId(hit.document) for hit in response.hits if hit.document in self._documents}
        listed = frozenset((*query.forbidden, *query.stale))
        shown: dict[ChunkId, Where] = {}
        for where, chunk in _places(response, traced=traced):
            name = chunk if chunk in self._owners or chunk in listed else documents.get(chunk)
            if name is not None:
                shown.setdefault(name, where)
        return shown


def _places(response: Response, *, traced: bool) -> Iterator[tuple[Where, ChunkId]]:
    """Everything that came out, the deepest place first."""
    yield from ((Where.CITATIONS, chunk) for chunk in response.citations or ())
    yield from ((Where.CONTEXT, chunk) for chunk in _passages(response))
    yield from ((Where.HITS, chunk) for chunk in _hits(response))
    for stage in response.stages if traced else ():
        yield from ((Where.STAGES, chunk) for chunk in stage.chunks)


def _hits(response: Response) -> Iterator[ChunkId]:
    return (hit.chunk for hit in response.hits)


def _passages(response: Response) -> Iterator[ChunkId]:
    return (passage.chunk for passage in response.context or ())
