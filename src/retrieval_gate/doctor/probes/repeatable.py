"""The same question gets the same answer: again, in another order, together with others, in a fresh process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.record import Observation
from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import ANSWERED, Probe
from retrieval_gate.doctor.questions import Question, RoundId
from retrieval_gate.doctor.wording import told
from retrieval_gate.evaluation.determinism import difference
from retrieval_gate.retrievers.replay import recordings
from retrieval_gate.retrievers.table import is_recorded

_FRESH = "asked in a fresh process"
_FIXES = (
    (
        RoundId.AGAIN,
        "order hits of equal score, as by id; seed or switch off what is random; keep nothing between questions",
    ),
    (RoundId.REVERSED, "let no answer hang on the questions before it: see what is cached or kept between them"),
    (RoundId.TOGETHER, "make it safe to ask several questions at once, or leave concurrency at 1"),
    (_FRESH, "let nothing hang on hash order, on the order in which documents are seeded, or on the start"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Compared:
    """One way of asking again: how many answers were compared, and those that differ."""

    way: str
    pairs: int
    found: tuple[tuple[Question, Difference], ...]

    @property
    def red(self) -> tuple[tuple[Question, Difference], ...]:
        return tuple((question, other) for question, other in self.found if not other.tolerated)


def _recorded_once(case: Case) -> str | None:
    once = is_recorded(case.spec) and len(set(recordings(case.spec))) == 1
    return "one recording answers every time" if once else None


def _look(case: Case) -> Finding:
    compared = _compared(case)
    red = [each for each in compared if each.red]
    if red:
        return _differing(red)
    if case.second is not None and case.second.failure is not None:
        failure = case.second.failure
        return Finding(health=Health.FIX, what=f"in a fresh process it fails: {told(failure)}", fix=failure.fix)
    ways = "; ".join(f"{each.way}: {each.pairs} the same" for each in compared)
    if any(each.found for each in compared):
        return Finding(health=Health.NOTE, what=f"{ways}, but for ties that are tolerated")
    if not compared:
        return Finding(health=Health.NOT_CHECKED, what="nothing was answered a second time")
    return Finding(health=Health.OK, what=ways)


def _differing(red: Sequence[_Compared]) -> Finding:
    """The fix is for the first way in which answers differ: the later ones have its causes too."""
    question, first = red[0].red[0]
    where = "" if first.rank is None else f" at rank {first.rank}"
    ways = "; ".join(f"{each.way}: {len(each.red)} of {each.pairs} differ" for each in red)
    return Finding(
        health=Health.FIX,
        what=f"{ways}; the first in {first.cause.value}{where}",
        fix=dict(_FIXES)[red[0].way],
        queries=named([question, *(other for each in red for other, _ in each.red)]),
    )


def _compared(case: Case) -> list[_Compared]:
    """In the order of `_FIXES`; a way in which nothing was asked is left out."""
    first = {question.origin: seen for question, seen in case.observed(RoundId.FIRST)}
    ways: list[tuple[str, list[tuple[Question, Observation]]]] = [
        (part, case.observed(part)) for part in (RoundId.AGAIN, RoundId.REVERSED, RoundId.TOGETHER)
    ]
    if case.second is not None:
        ways.append((_FRESH, case.observed(RoundId.FIRST, case.second)))
    return [_compare(way, first, again) for way, again in ways if again]


def _compare(
    way: str, first: dict[QueryId, Observation], again: Sequence[tuple[Question, Observation]]
) -> _Compared:
    pairs = [(question, first[question.origin], seen) for question, seen in again if question.origin in first]
    found = [(question, difference(one, other)) for question, one, other in pairs]
    return _Compared(
        way=way,
        pairs=len(pairs),
        found=tuple((question, other) for question, other in found if other is not None),
    )


REPEATABLE = Probe(
    id="repeatable",
    explanation="Asked again, in another order, together and in a fresh process, every question has one answer.",
    look=_look,
    needs=(*ANSWERED, _recorded_once),
)
