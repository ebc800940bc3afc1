"""It starts, says what it is, and takes the documents where it can."""

from __future__ import annotations

from retrieval_gate.doctor.case import Case
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import Probe
from retrieval_gate.doctor.wording import listed, shown_name, told


def _look(case: Case) -> Finding:
    hello, failure = case.first.hello, case.first.failure
    if hello is None:
        return Finding(
            health=Health.FIX,
            what="it could not be opened" if failure is None else told(failure),
            fix=None if failure is None else failure.fix,
        )
    said = [part for part in map(shown_name, (hello.name, hello.version)) if part is not None]
    who = " ".join(said) or "a retriever without a name"
    return Finding(health=Health.OK, what=f"{who}; capabilities: {listed(sorted(hello.capabilities))}")


REACHABLE = Probe(id="reachable", explanation="It can be opened, and says what it is and can do.", look=_look)
