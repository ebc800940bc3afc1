"""A version is served from the instant at which it is ready and due until it is superseded, ended or revoked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone

from retrieval_gate.base.access import permitted, visible
from retrieval_gate.base.fixture import Document, Fixture, IndexState
from retrieval_gate.base.ids import AblationId, PrincipalId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.base.scenario import ScenarioFinding
from retrieval_gate.scenarios.answers import difference, everything, place
from retrieval_gate.scenarios.bench import SOME_TIME, Audience, Bench, own_request, sample
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
# Code points of each version's text that are asked for: enough to find it, little enough to be quick.
_OPENING = 40
# Versions that are asked for together.
_TOGETHER = 12


def _run(bench: Bench, tally: Tally, ablations: Sequence[AblationId]) -> None:
    for number, (audience, instant, versions) in enumerate(_activations(bench)):
        turn, zone = bench.turn(ablations, number), _ZONES[number % len(_ZONES)]
        _at(bench, tally, turn, audience, instant.astimezone(zone), versions)
    changeable = [ablation for ablation in ablations if ablation in bench.changeable()]
    asking = [audience for audience in bench.audiences if audience.requests]
    if changeable and asking:
        _Changes(bench, tally, changeable, asking[0]).run()


def _activations(bench: Bench) -> Iterator[tuple[Audience, datetime, list[Document]]]:
    """Who is to be asked at which instant about which versions, in order of the sources in the file.

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
        for first in range(0, len(versions), _TOGETHER):
            yield audience, instant, versions[first : first + _TOGETHER]


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
    bench: Bench,
    tally: Tally,
    ablations: Sequence[AblationId],
    audience: Audience,
    instant: datetime,
    versions: Sequence[Document],
) -> None:
    """The texts of all versions are asked for together, at one instant; each version is a check."""
    if not audience.requests:
        return
    text = "\n".join(version.chunks[0].content[:_OPENING] for version in versions)
    request = replace(own_request("versions", text, audience.requests[0], k=50), as_of=instant)
    served = visible(bench.fixture.documents, audience.principal, instant).documents
    permitted_ones = [version for version in versions if permitted(version.access, audience.principal)]
    answers = bench.ask(tally, ablations, [request])
    for ablation in ablations:
        response = answers[ablation][0]
        for version in permitted_ones:
            tally.check(ablation, _wrong(bench, request, response, version, due=version.id in served))


def _wrong(
    bench: Bench, request: Request, response: Response, version: Document, *, due: bool
) -> ScenarioFinding | None:
    """How a version is served that must not be, or is not although it is due; None where all is well."""
    chunks = tuple(chunk.id for chunk in version.chunks)
    found = place(response, frozenset(chunks))
    if found is not None and not due:
        return bench.finding(_undue(version, request.as_of), request, *found)
    if due and chunks[0] not in everything(response):
        return bench.finding("missing-version", request, "hits", chunks[:1])
    return None


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
        self._request = own_request("life", f"{_OLD} {_NEW} {_RIVAL}", like)
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
        request = replace(self._request, as_of=at or self._due)
        answers = self._bench.ask(self._tally, self._ablations, [request])
        for ablation in self._ablations:
            shown = everything(answers[ablation][0])
            for version in of:
                chunk = version.chunks[0].id
                kind = None
                if version is due and chunk not in shown:
                    kind = "missing-version"
                elif version is not due and chunk in shown:
                    kind = wrong
                finding = self._bench.finding(kind, request, "hits", (chunk,)) if kind else None
                self._tally.check(ablation, finding)

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
    explanation=(
        "Before, at and after each instant at which a version begins, ends or is revoked, in other time zones, "
        "just the current one is served. Where documents can be changed: a version waits until ready and due, "
        "the old one leaves at that instant, conflicts are not served, revocation and deletion leave nothing."
    ),
    applies=lambda fixture: has_times(fixture) or has_access(fixture),
    able=lambda bench: bench.able("asOf"),
    run=_run,
)
