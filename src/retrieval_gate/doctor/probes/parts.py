"""The parts of an answer that need not be there, and what is not checked without them."""

from __future__ import annotations

from collections.abc import Callable

from retrieval_gate.base.retrieval import Response
from retrieval_gate.doctor.case import Case
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import ANSWERED, Probe
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.doctor.wording import listed, of

_PARTS: tuple[tuple[str, Callable[[Response], bool], str], ...] = (
    (
        "context",
        lambda answer: answer.context is not None,
        "the hits' own chunks stand for what a model would read",
    ),
    ("state", lambda answer: answer.state is not None, "whether it answers or abstains is not checked"),
    ("citations", lambda answer: answer.citations is not None, "citations are not checked"),
)


def _look(case: Case) -> Finding:
    responses = [response for _, response in case.answers(RoundId.FIRST)]
    given, without = [], []
    for name, has, loss in _PARTS:
        count = len([response for response in responses if has(response)])
        if count:
            given.append(f"{name} in {of(count, len(responses), 'answers')}")
        else:
            without.append(f"no {name}: {loss}")
    what = "; ".join([*given, *without])
    if without:
        missing = [name for name, has, _ in _PARTS if not any(map(has, responses))]
        return Finding(health=Health.NOTE, what=what, fix=f"give {listed(missing)} where the retriever has them")
    return Finding(health=Health.OK, what=what)


PARTS = Probe(
    id="parts",
    explanation="Context, answer state and citations are given; else what is not checked without them.",
    look=_look,
    needs=ANSWERED,
)
