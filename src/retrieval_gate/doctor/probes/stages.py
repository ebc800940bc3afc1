"""Its stages say where a hit was lost."""

from __future__ import annotations

from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.retrieval import Response
from retrieval_gate.doctor.case import Case, named
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import ANSWERED, Probe
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.doctor.wording import listed, of
from retrieval_gate.report.names import STAGES as NAMES

CONTEXT = "context"


def _look(case: Case) -> Finding:
    answers = case.answers(RoundId.FIRST)
    staged = [(question, response) for question, response in answers if response.stages]
    if not staged:
        return Finding(
            health=Health.NOTE,
            what="none: the report can not say where a hit was lost",
            fix="give `stages`, each with the ids that left it",
        )
    kinds = [stage.name.partition(":")[0] for _, response in staged for stage in response.stages]
    known = [kind for kind in first_occurrences(kinds) if kind in NAMES]
    others = len(first_occurrences(kind for kind in kinds if kind not in NAMES))
    what = f"{of(len(staged), len(answers), 'answers')} have stages: {listed(known)}"
    what += f", and {others} of other names" if others else ""
    apart = [question for question, response in staged if not _ends_in_hits(response)]
    if apart:
        return Finding(
            health=Health.NOTE,
            what=f"{what}; in {len(apart)} the last of them is not the hits",
            fix="let the last stage before `context` have the hits' ids, in their order",
            queries=named(apart),
        )
    return Finding(health=Health.OK, what=what)


def _ends_in_hits(response: Response) -> bool:
    last = [stage for stage in response.stages if stage.name != CONTEXT][-1:]
    return all(stage.chunks == tuple(hit.chunk for hit in response.hits) for stage in last)


STAGES = Probe(
    id="stages",
    explanation="The stages that a hit passed are given, by the contract's names, and the last one is the hits.",
    look=_look,
    needs=ANSWERED,
)
