"""Every question is answered with what is an answer, and not all of them with nothing."""

from __future__ import annotations

from collections import Counter

from retrieval_gate.base.ids import QueryId
from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import Probe, opened
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.doctor.wire import Fault
from retrieval_gate.doctor.wording import of, told

# The probe `scores` tells of these.
OF_SCORES = "scores-against-order"
_KEY = "replay.missing-is-empty"


def _look(case: Case) -> Finding:
    return _failed(case) or _faulty(case) or _counted(case)


def _failed(case: Case) -> Finding | None:
    failure = case.first.failure
    if failure is None:
        return None
    asked, came = case.rounds[0].questions, len(case.answers(RoundId.FIRST))
    during = "" if case.first.during in (None, RoundId.FIRST) else f" when {case.first.during}"
    whole = f"{of(came, len(asked), 'questions')} answered, then it failed{during}: {told(failure)}"
    return Finding(health=Health.FIX, what=whole, fix=_mended(failure), queries=_next(case))


def _mended(failure: Fault) -> str:
    """With the whole key where the advice is to set it."""
    return failure.fix.replace("set missing-is-empty", f"set {_KEY} = true")


def _next(case: Case) -> tuple[QueryId, ...]:
    """The query at which it failed."""
    part = next((part for part in case.rounds if part.id is case.first.during), None)
    came = 0 if part is None else len(case.first.replies.get(part.id, ()))
    return named(part.questions[came : came + 1]) if part is not None else ()


def _faulty(case: Case) -> Finding | None:
    faults = [(question, fault) for question, fault in case.faults() if fault.code != OF_SCORES]
    if not faults:
        return None
    counts = Counter(fault.code for _, fault in faults)
    kinds = ", ".join(f"{code} {count}" for code, count in counts.items())
    return Finding(
        health=Health.FIX,
        what=f"{len(faults)} answers are none ({kinds}), the first: {told(faults[0][1])}",
        fix=faults[0][1].fix,
        queries=named([question for question, _ in faults]),
    )


def _counted(case: Case) -> Finding:
    answers = case.answers(RoundId.FIRST)
    empty = [question for question, response in answers if not response.hits]
    unanswered = [question for question in empty if not question.query.no_answer]
    asked = of(len(answers), len(case.rounds[0].questions), "questions")
    if answers and len(empty) == len(answers):
        return Finding(
            health=Health.FIX,
            what=f"{asked} answered, every one without a hit",
            fix="see that the documents are indexed, and that query, principal and time reach the search",
        )
    if unanswered:
        return Finding(
            health=Health.NOTE,
            what=f"{asked} answered; {len(unanswered)} that have an answer got no hit",
            fix="see why nothing is found for them",
            queries=named(unanswered),
        )
    return Finding(health=Health.OK, what=f"{asked} answered, none with more than {case.k} hits")


ANSWERS = Probe(
    id="answers",
    explanation="Every question is answered, by the contract, with at most k hits; not all with nothing.",
    look=_look,
    needs=(opened,),
)
