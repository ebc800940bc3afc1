"""What the fixture judges relevant is found at all."""

from __future__ import annotations

from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import WITH_IDS, Probe
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.doctor.wording import of


def _look(case: Case) -> Finding:
    judged = [(question, seen.record) for question, seen in case.observed(RoundId.FIRST) if seen.record.judged]
    if not judged:
        return Finding(health=Health.NOT_CHECKED, what="no question that was answered has a judgment")
    missed = [question for question, record in judged if all(unit.rank is None for unit in record.judged)]
    units = [unit.rank for _, record in judged for unit in record.judged]
    found = len([rank for rank in units if rank is not None])
    what = (
        f"{of(len(judged) - len(missed), len(judged), 'questions')} find something relevant in their first "
        f"{case.k} hits; {of(found, len(units), 'judged units')}"
    )
    if len(missed) == len(judged):
        return Finding(
            health=Health.FIX,
            what=what,
            fix="see that the fixture's documents are indexed, all of them and in this version, and that the ids "
            "belong to these texts",
            queries=named(missed),
        )
    return Finding(health=Health.OK, what=what)


FOUND = Probe(
    id="found",
    explanation="Some of what is judged relevant is among the first k hits: else the index is likely another.",
    look=_look,
    needs=WITH_IDS,
)
