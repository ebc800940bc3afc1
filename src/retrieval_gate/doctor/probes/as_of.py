"""Only the version that is current when a question is asked is served."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.record import Shown
from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import WITH_IDS, Probe
from retrieval_gate.doctor.questions import Question, RoundId
from retrieval_gate.doctor.wording import NO_SCENARIOS, of
from retrieval_gate.scenarios.scenario import has_times

CAPABILITY = "asOf"


def _no_times(case: Case) -> str | None:
    return None if has_times(case.fixture) else "no document of the fixture has a date"


def _look(case: Case) -> Finding:
    asked = list(_asked(case))
    out_of_time = [(question, shown) for question, shown in asked if shown]
    what = f"{of(len(out_of_time), len(asked), 'questions')} show what is not current when they are asked"
    if not asked:
        return Finding(health=Health.NOT_CHECKED, what="no document is out of date for any question")
    if out_of_time:
        first = out_of_time[0][1][0]
        return Finding(
            health=Health.FIX,
            what=f"{what}; the first: {first.chunk} in {first.where}",
            fix="serve what is current at the request's asOf: begun, not over, not revoked, not replaced"
            + ("; the retriever does not say that it knows times" if case.lacks(CAPABILITY) else ""),
            queries=named([question for question, _ in out_of_time]),
        )
    if case.recorded:
        return Finding(health=Health.NOT_CHECKED, what=f"{what}; {NO_SCENARIOS}")
    if case.lacks(CAPABILITY):
        return Finding(
            health=Health.NOTE,
            what=f"{what}, but it does not say that it knows times: scenarios of versions are not run",
            fix="name `asOf` among the capabilities of `hello`",
        )
    return Finding(health=Health.OK, what=what)


def _asked(case: Case) -> Iterator[tuple[Question, tuple[Shown, ...]]]:
    """What each answer shows that is not current; one that is revoked is forbidden, and one by its dates is stale.

    Only at another time is what is forbidden told here: the probe `principals` tells it of the sample.
    """
    for question, seen in case.observed(RoundId.FIRST):
        if seen.record.checked_stale:
            yield question, seen.record.stale
    for question, seen in case.observed(RoundId.TIMES):
        yield question, (*seen.record.stale, *_revoked(case, seen.record.leaks))


def _revoked(case: Case, leaks: tuple[Shown, ...]) -> Iterator[Shown]:
    revocable = {document.id for document in case.fixture.documents if document.revoked_at is not None}
    return (shown for shown in leaks if case.owners.get(shown.chunk) in revocable)


AS_OF = Probe(
    id="as-of",
    explanation="Asked before a version begins and after it is over, it is not served.",
    look=_look,
    needs=(*WITH_IDS, _no_times),
)
