"""Its documents can be changed, so that scenarios can be run."""

from __future__ import annotations

from retrieval_gate.doctor.case import Case
from retrieval_gate.doctor.finding import Finding, Health
from retrieval_gate.doctor.probe import Probe, opened
from retrieval_gate.doctor.wording import NO_SCENARIOS, listed
from retrieval_gate.retrievers.port import ADMINISTERED

SEED = "seed"


def _recorded(case: Case) -> str | None:
    return NO_SCENARIOS if case.recorded else None


def _look(case: Case) -> Finding:
    can, can_not = sorted(ADMINISTERED & case.capabilities), sorted(ADMINISTERED - case.capabilities)
    if not can_not:
        return Finding(health=Health.OK, what=f"{listed(can)}: scenarios can change its documents")
    expected = "" if SEED in can else "; the fixture's documents are expected to be there already"
    offered = f"{listed(can)}, but not {listed(can_not)}" if can else f"none of {listed(can_not)}"
    return Finding(
        health=Health.NOTE,
        what=f"{offered}{expected}; scenarios that change documents are not run",
        fix="offer seed, update, delete and revoke, and name them among the capabilities of `hello`",
    )


CHANGES = Probe(
    id="changes",
    explanation="`seed`, `update`, `delete` and `revoke` are offered; else what is not checked without them.",
    look=_look,
    needs=(opened, _recorded),
)
