"""Opened retrievers that scenarios question and change; every answer is looked at for leaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from retrieval_gate.base.access import permitted
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Access, Document, Fixture, JudgedLevel, Principal, Query, Split
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scenario import LOG, PROBE, ScenarioFinding
from retrieval_gate.evaluation.requests import requests_of
from retrieval_gate.retrievers.port import Administered, Retriever, administered
from retrieval_gate.scenarios.answers import place
from retrieval_gate.scenarios.log_watch import LogWatch
from retrieval_gate.scenarios.tally import Tally

# The time of questions where the fixture has none; only the dates of added documents are held against it.
SOME_TIME = datetime(2026, 1, 1, tzinfo=UTC)
# Ids of what scenarios add begin with this; no fixture's may.
PREFIX = f"{PROBE}:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who asks (None: the public), and the questions that the fixture labels for it, held-out ones left out."""

    principal: Principal | None
    requests: tuple[Request, ...]


class Bench:
    """The retrievers of one plan, seeded with its fixture.

    `logs` is None where nothing watches what they say. Changes are the scenario's to undo.
    """

    def __init__(
        self, fixture: Fixture, k: int, retrievers: Mapping[AblationId, Retriever], logs: LogWatch | None = None
    ) -> None:
        self.fixture = fixture
        self.k = k
        self._retrievers = dict(retrievers)
        self._logs = logs
        self.owners = {chunk.id: document for document in fixture.documents for chunk in document.chunks}
        self._documents = {document.id: document for document in fixture.documents}
        self._forbidden: dict[Principal | None, frozenset[ChunkId]] = {}
        self._base: dict[tuple[AblationId, PrincipalId | None, QueryId], Response] = {}
        self._capabilities = {name: retriever.hello().capabilities for name, retriever in retrievers.items()}
        self._administered = {name: administered(retriever) for name, retriever in retrievers.items()}
        self.audiences = _audiences(fixture, k)
        self.log_tally = Tally(tuple(retrievers))

    def able(self, *capabilities: str) -> tuple[AblationId, ...]:
        """The ablations whose retrievers have all of `capabilities`."""
        return tuple(name for name, has in self._capabilities.items() if has.issuperset(capabilities))

    def changeable(self) -> tuple[AblationId, ...]:
        """The ablations that know principals and whose documents can be changed."""
        return tuple(name for name in self.able("principals") if self._administered[name] is not None)

    def turn(self, ablations: Sequence[AblationId], number: int, rounds: int) -> tuple[AblationId, ...]:
        """Those whose turn it is in round `number` (from 0) of so many.

        Ablations that answer from the same documents share the rounds, and each has one at least; all others have
        every round. What a principal may see is decided once for all of them: a check under one of them is enough.
        """
        groups: dict[object, list[AblationId]] = {}
        for ablation in ablations:
            backend = self._administered[ablation]
            groups.setdefault(ablation if backend is None else id(backend.corpus), []).append(ablation)
        return tuple(one for group in groups.values() for one in _in_turn(group, number, rounds))

    def ask(
        self, tally: Tally, ablations: Sequence[AblationId], requests: Sequence[Request]
    ) -> dict[AblationId, list[Response]]:
        """The answers to requests of one principal.

        What the principal may not see is found wherever it stands in them, or in what the retriever says besides.
        """
        answers: dict[AblationId, list[Response]] = {}
        for ablation in ablations:
            if self._logs is not None:
                self._logs.skip()
            answers[ablation] = _answers(self._retrievers[ablation], requests)
            self._look(tally, ablation, requests, answers[ablation])
        return answers

    def base(
        self, tally: Tally, ablations: Sequence[AblationId], requests: Sequence[Request]
    ) -> dict[AblationId, list[Response]]:
        """The answers before any change; asked for once, so no change may be pending at the first call."""
        answers: dict[AblationId, list[Response]] = {}
        for ablation in ablations:
            missing = [request for request in requests if _place(ablation, request) not in self._base]
            asked = self.ask(tally, [ablation], missing)[ablation] if missing else []
            for request, response in zip(missing, asked, strict=True):
                self._base[_place(ablation, request)] = response
            answers[ablation] = [self._base[_place(ablation, request)] for request in requests]
        return answers

    def update(self, ablations: Sequence[AblationId], document: Document) -> None:
        """Put a document in place, once for retrievers that share their documents."""
        before = self._documents.get(document.id)
        self._documents[document.id] = document
        if before is None or _guarded(before) != _guarded(document):
            self._forbidden.clear()
        for backend in self._backends(ablations):
            backend.update(document)

    def delete(self, ablations: Sequence[AblationId], document: DocumentId) -> None:
        for backend in self._backends(ablations):
            backend.delete(document)

    def revoke(self, ablations: Sequence[AblationId], document: DocumentId, at: datetime) -> None:
        for backend in self._backends(ablations):
            backend.revoke(document, at)

    def _backends(self, ablations: Sequence[AblationId]) -> list[Administered]:
        distinct: dict[int, Administered] = {}
        for ablation in ablations:
            backend = self._administered[ablation]
            if backend is not None:
                distinct.setdefault(id(backend.corpus), backend)
        return list(distinct.values())

    def forbidden(self, principal: Principal | None) -> frozenset[ChunkId]:
        """Every chunk that the policy keeps from a principal at any time, what scenarios have added included."""
        if principal not in self._forbidden:
            self._forbidden[principal] = frozenset(
                chunk.id
                for document in self._documents.values()
                if not permitted(document.access, principal)
                for chunk in document.chunks
            )
        return self._forbidden[principal]

    def _unspoken(self, principal: Principal | None) -> frozenset[ChunkId | DocumentId]:
        """What no line of a log may name: the chunks of `forbidden` and their documents.

        The id of a document that is a plain word is left out, for any line may hold it.
        """
        chunks = self.forbidden(principal)
        owners = (document.id for document in self._documents.values() if not document.id.isalpha())
        return chunks.union(owner for owner in owners if self._documents[owner].chunks[0].id in chunks)

    def finding(
        self,
        kind: str,
        request: Request,
        where: str,
        units: Sequence[ChunkId | DocumentId] = (),
        *,
        instead: DocumentId | None = None,
    ) -> ScenarioFinding:
        """A finding about one answer; a question that no label stands for has no query."""
        asked = None if request.id.startswith(PREFIX) else request.id
        principal = None if request.principal is None else PrincipalId(_named(request.principal.id))
        named = dict.fromkeys(UnitId(_named(unit)) for unit in units)
        return ScenarioFinding(
            kind=kind, query=asked, principal=principal, units=tuple(named), where=where, instead=instead
        )

    def _look(
        self, tally: Tally, ablation: AblationId, requests: Sequence[Request], answers: Sequence[Response]
    ) -> None:
        if not requests:
            return
        forbidden = self.forbidden(requests[0].principal)
        for request, response in zip(requests, answers, strict=True):
            leak = place(response, forbidden)
            if leak is not None:
                tally.found(ablation, self.finding("probe-leak", request, *leak))
        if self._logs is not None and forbidden:
            named = self._logs.named(self._unspoken(requests[0].principal))
            unlabelled = replace(requests[0], id=QueryId(PREFIX))
            leaked = self.finding("log-leak", unlabelled, LOG, named) if named else None
            self.log_tally.check(ablation, leaked)


def _in_turn(group: Sequence[AblationId], number: int, rounds: int) -> Sequence[AblationId]:
    """One member a round; where there are fewer rounds than members, each round has its share of them."""
    if rounds >= len(group):
        return [group[number % len(group)]]
    return group[number % rounds :: rounds]


def _guarded(document: Document) -> tuple[Access | None, list[ChunkId]]:
    """What a document keeps from whom."""
    return document.access, [chunk.id for chunk in document.chunks]


def _place(ablation: AblationId, request: Request) -> tuple[AblationId, PrincipalId | None, QueryId]:
    return ablation, None if request.principal is None else request.principal.id, request.id


def _named(name: str) -> str:
    """The id as it may be reported: one word stands for all that scenarios make up."""
    return PROBE if name.startswith(PREFIX) else name


def own_request(name: str, text: str, like: Request, *, k: int | None = None) -> Request:
    """A question of a scenario's own, by the principal and at the time of another."""
    return replace(like, id=QueryId(f"{PREFIX}{name}"), query=text, k=like.k if k is None else k)


def sample(requests: Sequence[Request], most: int) -> tuple[Request, ...]:
    """At most `most` of them, spread evenly, the first always among them."""
    if len(requests) <= most:
        return tuple(requests)
    return tuple(requests[number * len(requests) // most] for number in range(most))


def _answers(retriever: Retriever, requests: Sequence[Request]) -> list[Response]:
    responses = list(retriever.answer(requests))
    if [response.id for response in responses] != [request.id for request in requests]:
        raise RetrieverError("wrong-id", "a scenario's questions were not answered one by one", fix="echo the ids")
    return responses


def _audiences(fixture: Fixture, k: int) -> tuple[Audience, ...]:
    """Every principal in fixture order, then the public; one without questions of its own asks some of all."""
    shown = [query.split is not Split.HELDOUT for query in fixture.queries]
    requests = [request for request, named in zip(requests_of(fixture, k), shown, strict=True) if named]
    own: dict[Principal | None, list[Request]] = {principal: [] for principal in (*fixture.principals, None)}
    for request in requests:
        own[request.principal].append(request)
    return tuple(
        Audience(principal=principal, requests=tuple(asked) or _borrowed(requests, principal))
        for principal, asked in own.items()
    )


def _borrowed(requests: Sequence[Request], principal: Principal | None) -> tuple[Request, ...]:
    return tuple(
        replace(request, id=QueryId(f"{PREFIX}borrowed-{number}"), principal=principal)
        for number, request in enumerate(sample(requests, 4))
    )


def judged_chunks(fixture: Fixture, query: Query) -> tuple[ChunkId, ...]:
    """The chunks that a query judges, by themselves or with their document, in label order."""
    members = {str(document.id): document.chunks for document in fixture.documents}
    chunks: list[ChunkId] = []
    for judgment in query.judgments:
        if query.level is JudgedLevel.DOCUMENT:
            chunks += [chunk.id for chunk in members[judgment.unit]]
        else:
            chunks.append(ChunkId(judgment.unit))
    return tuple(chunks)
