"""A version is served from the instant at which it is ready and due until it is superseded, ended or revoked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from retrieval_gate.base.access import permitted, visible
from retrieval_gate.base.fixture import Document, Fixture, IndexState
from retrieval_gate.base.ids import AblationId, DocumentId, PrincipalId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scenario import ScenarioFinding
from retrieval_gate.scenarios.answers import difference, place, returned
from retrieval_gate.scenarios.bench import SOME_TIME, Audience, Bench, own_request, sample
from retrieval_gate.scenarios.positive_controls import together
from retrieval_gate.scenarios.probes import open_policy, probe
from retrieval_gate.scenarios.scenario import Scenario, has_access, has_times
from retrieval_gate.scenarios.tally import Tally

_INSTANT = timedelta(microseconds=1)
# The same instant is asked about in places whose dates differ.
_ZONES = tuple(timezone(timedelta(minutes=minutes)) for minutes in (330, -480, 840))
# Made-up words: no fixture's text has them, and no two share one.
_OLD = "zwolquist brimfeldt ocktavern"
_NEW = "hjendral pustigome wraxifol"
_RIVAL = "quenstuber lomdrivakt yspergon"
# Versions whose stages are looked at that are asked for together, by so many code points of each one's text.
_TOGETHER = 12
_OPENING = 40


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    activations = [activation for activation in _activations(bench) if activation.audience.requests]
    for number, activation in enumerate(activations):
        turn, zone = bench.turn(ablations, number, len(activations)), _ZONES[number % len(_ZONES)]
        _at(bench, tally, turn, activation, zone)
    changeable = [ablation for ablation in ablations if ablation in bench.changeable()]
    asking = [audience for audience in bench.audiences if audience.requests]
    if changeable and asking:
        _Changes(bench, tally, changeable, asking[0]).run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Activation:
    """Who is to be asked at which instant about which versions, and those of them that are then served."""

    audience: Audience
    instant: datetime
    versions: tuple[Document, ...]
    due: frozenset[DocumentId]


def _activations(bench: Bench) -> Iterator[_Activation]:
    """What is to be asked, in order of the sources in the file.

    Before, at and after each instant at which a version of a source begins, ends or is revoked; and at the
    fixture's own time, which shows what is never due, such as a version that is not ready.
    """
    now = bench.fixture.as_of or SOME_TIME
    questions: dict[tuple[PrincipalId | None, datetime], tuple[Audience, datetime, list[Document]]] = {}
    for versions in _sources(bench.fixture):
        audience = _best_placed(bench, versions)
        asker = None if audience.principal is None else audience.principal.id
        edges = sorted({edge for version in versions for edge in _edges(version)})
        instants = [edge + step for edge in edges for step in (-_INSTANT, timedelta(0), _INSTANT)]
        for instant in dict.fromkeys([*instants, now]):
            questions.setdefault((asker, instant), (audience, instant, []))[2].extend(versions)
    for audience, instant, versions in questions.values():
        # Versions compete with those of their own source only, and all of those are here.
        due = frozenset(visible(versions, audience.principal, instant).documents)
        yield _Activation(audience=audience, instant=instant, versions=tuple(versions), due=due)


def _edges(version: Document) -> list[datetime]:
    times = (version.effective_from, version.effective_to, version.revoked_at)
    return [time for time in times if time is not None]


def _sources(fixture: Fixture) -> list[list[Document]]:
    """The versions of each source of which one has a time or is not ready, in file order."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for document in fixture.documents:
        key = ("document", str(document.id)) if document.source is None else ("source", document.source)
        groups.setdefault(key, []).append(document)
    return [versions for versions in groups.values() if any(map(_has_life, versions))]


def _has_life(document: Document) -> bool:
    return bool(_edges(document)) or document.index_state is not IndexState.READY


def _best_placed(bench: Bench, versions: Sequence[Document]) -> Audience:
    """The first audience that may see as many of the versions as any may."""

    def seen(audience: Audience) -> int:
        return len([version for version in versions if permitted(version.access, audience.principal)])

    return max((audience for audience in bench.audiences), key=seen)


def _at(
    bench: Bench, tally: Tally, ablations: Sequence[AblationId], activation: _Activation, zone: timezone
) -> None:
    """The texts of all versions are asked for at one instant; each version that may be seen is a check."""
    audience = activation.audience
    asker = own_request("versions", "", audience.requests[0])
    like = replace(asker, as_of=activation.instant.astimezone(zone))
    requests = _questions(activation, like, deep=set(ablations).issubset(bench.able("stages")))
    answers = bench.ask(tally, ablations, requests)
    for ablation in ablations:
        found = frozenset(chunk for response in answers[ablation] for chunk in returned(response))
        for version in activation.versions:
            if version.id in activation.due:
                ok = version.chunks[0].id in found or _alone(bench, tally, ablation, like, version)
                missing = bench.finding("missing-version", like, "hits", (version.chunks[0].id,))
                tally.check(ablation, None if ok else missing)
            elif permitted(version.access, audience.principal):
                tally.check(ablation, _shown_undue(bench, activation, like, answers[ablation], version))


def _questions(activation: _Activation, like: Request, *, deep: bool) -> list[Request]:
    """What is due must be served, so few are asked for together; of all others `deep` stages show enough."""
    texts: dict[bool, list[str]] = {True: [], False: []}
    for version in activation.versions:
        texts[version.id in activation.due].append(version.chunks[0].content)
    asked = [*together(texts[True])]
    if deep:
        openings = [text[:_OPENING] for text in texts[False]]
        asked += ["\n".join(openings[at : at + _TOGETHER]) for at in range(0, len(openings), _TOGETHER)]
    else:
        asked += together(texts[False])
    return [own_request(f"versions-{number}", text, like, k=50) for number, text in enumerate(asked)]


def _alone(bench: Bench, tally: Tally, ablation: AblationId, like: Request, version: Document) -> bool:
    """Whether a version's own text gets it."""
    request = own_request("alone", version.chunks[0].content, like)
    (answer,) = bench.ask(tally, [ablation], [request])[ablation]
    return version.chunks[0].id in returned(answer)


def _shown_undue(
    bench: Bench, activation: _Activation, request: Request, answers: Sequence[Response], version: Document
) -> ScenarioFinding | None:
    """Where a version that is not due is shown; None where it is not."""
    chunks = frozenset(chunk.id for chunk in version.chunks)
    found = next((found for answer in answers if (found := place(answer, chunks))), None)
    if found is None:
        return None
    kind = _undue(version, activation.instant)
    return bench.finding(kind, request, *found, instead=_successor(activation, version, kind))


def _successor(activation: _Activation, version: Document, kind: str) -> DocumentId | None:
    """The version of the same source that is due, where this one is late for it."""
    if version.source is None or kind != "late-version":
        return None
    same = (other.id for other in activation.versions if other.source == version.source)
    return next((other for other in same if other in activation.due), None)


def _undue(version: Document, instant: datetime | None) -> str:
    """How a version comes out that must not: too early, too late, or in a conflict that hides it."""
    begins = version.effective_from
    if version.index_state is not IndexState.READY or (begins and instant and instant < begins):
        return "early-version"
    return "late-version"


class _Changes:
    """The life of documents that the scenario adds itself, one step after the other, as one audience sees it."""

    def __init__(self, bench: Bench, tally: Tally, ablations: Sequence[AblationId], audience: Audience) -> None:
        self._bench, self._tally, self._ablations = bench, tally, ablations
        self._due = bench.fixture.as_of or SOME_TIME
        like = replace(audience.requests[0], as_of=self._due)
        self._like = own_request("life", "", like)
        # Each text alone, so that one that is left of a replaced document is seen; and what the audience asks.
        self._asked = [
            own_request("old", _OLD, like),
            own_request("new", _NEW, like),
            *sample(audience.requests, 2),
        ]
        self._policy = open_policy(audience.principal)

    def run(self) -> None:
        before = self._answers()
        self._versions()
        self._same(before)
        self._in_place()
        self._same(before)

    def _versions(self) -> None:
        """One version after another of one source."""
        old = self._probe("old", _OLD, begins=self._due - timedelta(days=30))
        new = self._probe("new", _NEW, begins=self._due)
        rival = self._probe("rival", _RIVAL, begins=self._due)
        bench, ablations = self._bench, self._ablations
        bench.update(ablations, old)
        self._served(old, of=(old,))
        bench.update(ablations, replace(new, index_state=IndexState.INDEXING))
        self._served(old, of=(old, new), wrong="early-version")
        bench.update(ablations, new)
        self._served(old, of=(old, new), at=self._due - _INSTANT, wrong="early-version")
        self._served(new, of=(old, new), wrong="late-version")
        self._served(new, of=(old, new), at=self._due + _INSTANT, wrong="late-version")
        bench.update(ablations, rival)
        self._served(None, of=(old, new, rival), wrong="conflict-served")
        bench.delete(ablations, rival.id)
        self._served(new, of=(old, new, rival), wrong="ghost-row")
        bench.revoke(ablations, new.id, self._due)
        self._served(old, of=(old, new), wrong="late-version")
        for version in (old, new):
            bench.delete(ablations, version.id)
        self._served(None, of=(old, new, rival), wrong="ghost-row")

    def _in_place(self) -> None:
        """A text that is replaced under the same id leaves nothing behind: the same as if it were new."""
        bench, ablations = self._bench, self._ablations
        first, second = self._probe("place", _OLD), self._probe("place", _NEW)
        bench.update(ablations, first)
        self._served(first, of=(first,))
        bench.update(ablations, second)
        replaced = self._answers()
        bench.delete(ablations, second.id)
        bench.update(ablations, second)
        self._same(replaced)
        bench.revoke(ablations, second.id, self._due)
        self._served(None, of=(second,), wrong="late-version")
        bench.delete(ablations, second.id)

    def _probe(self, name: str, text: str, *, begins: datetime | None = None) -> Document:
        source = None if begins is None else "retrieval-gate-probe-source"
        return probe(f"life-{name}", [text], self._policy, source=source, begins=begins)

    def _served(
        self, due: Document | None, *, of: Sequence[Document], at: datetime | None = None, wrong: str = "ghost-row"
    ) -> None:
        """Of some versions only `due` is served; each is a check."""
        like = replace(self._like, as_of=at or self._due)
        requests = [own_request(version.title, version.chunks[0].content, like) for version in of]
        answers = self._bench.ask(self._tally, self._ablations, requests)
        for ablation in self._ablations:
            for version, response in zip(of, answers[ablation], strict=True):
                chunk = version.chunks[0].id
                if version is due:
                    where = None if chunk in returned(response) else "hits"
                else:
                    shown = place(response, frozenset((chunk,)))
                    where = None if shown is None else shown[0]
                kind = "missing-version" if version is due else wrong
                self._tally.check(ablation, self._bench.finding(kind, like, where, (chunk,)) if where else None)

    def _answers(self) -> dict[AblationId, list[Response]]:
        return self._bench.ask(self._tally, self._ablations, self._asked)

    def _same(self, expected: dict[AblationId, list[Response]]) -> None:
        """Nothing of what was removed is left: each answer is what it was."""
        for ablation, answers in self._answers().items():
            for request, one, other in zip(self._asked, expected[ablation], answers, strict=True):
                where = difference(one, other)
                self._tally.check(ablation, self._bench.finding("ghost-row", request, where) if where else None)


LIFECYCLE = Scenario(
    id="lifecycle",
    applies=lambda fixture: has_times(fixture) or has_access(fixture),
    able=lambda bench: bench.able("asOf"),
    run=_run,
)
