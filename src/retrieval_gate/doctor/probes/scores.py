"""Scores are given, and do not contradict the order."""

from __future__ import annotations

from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import ANSWERED, Probe
from retrieval_gate.doctor.probes.answers import OF_SCORES
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.doctor.wording import of, told

_WITHOUT = "two runs that swap hits of nearly the same score can then not be told from two that differ"


def _look(case: Case) -> Finding:
    faults = [(question, fault) for question, fault in case.faults() if fault.code == OF_SCORES]
    if faults:
        return Finding(
            health=Health.FIX,
            what=f"{len(faults)} answers, the first: {told(faults[0][1])}",
            fix=faults[0][1].fix,
            queries=named([question for question, _ in faults]),
        )
    hits = [hit for _, response in case.answers(RoundId.FIRST) for hit in response.hits]
    scored = len([hit for hit in hits if hit.score is not None])
    what = of(scored, len(hits), "hits have a score")
    if not hits:
        return Finding(health=Health.NOT_CHECKED, what="no answer had a hit")
    if scored < len(hits):
        return Finding(health=Health.NOTE, what=f"{what}: {_WITHOUT}", fix="give every hit its score")
    return Finding(health=Health.OK, what=f"{what}, in the order of the hits")


SCORES = Probe(
    id="scores",
    explanation="Hits have scores, and these fall; distances, where that is set, rise.",
    look=_look,
    needs=(ANSWERED[0],),
)
