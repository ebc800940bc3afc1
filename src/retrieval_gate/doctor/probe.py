"""The shape of a probe, and what keeps one from being made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval_gate.doctor.case import Case
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.questions import RoundId

# Why a probe can not be made, None where it can.
Need = Callable[[Case], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One row of the table. `look` is called where none of `needs` gives a reason not to."""

    id: str
    explanation: str
    look: Callable[[Case], Finding]
    needs: tuple[Need, ...] = ()


def probed(probe: Probe, case: Case) -> Finding:
    """What the probe found, or why it was not made."""
    for need in probe.needs:
        reason = need(case)
        if reason is not None:
            return Finding(health=Health.NOT_CHECKED, what=reason)
    return probe.look(case)


def opened(case: Case) -> str | None:
    return "the retriever could not be opened" if case.first.hello is None else None


def answered(case: Case) -> str | None:
    """At least one answer of the sample."""
    return None if case.answers(RoundId.FIRST) else "no question was answered"


def has_hits(case: Case) -> str | None:
    if any(response.hits for _, response in case.answers(RoundId.FIRST)):
        return None
    return "no answer had a hit"


def has_known_ids(case: Case) -> str | None:
    """Nothing can be said of hits that are no chunk and of no document of the fixture."""
    hits = [hit for _, response in case.answers(RoundId.FIRST) for hit in response.hits]
    if any(hit.chunk in case.owners or hit.document is not None for hit in hits):
        return None
    return "no hit has an id of the fixture"


ANSWERED = (opened, answered)
WITH_HITS = (*ANSWERED, has_hits)
WITH_IDS = (*WITH_HITS, has_known_ids)
