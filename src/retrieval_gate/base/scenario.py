"""What a scenario found: checks that need several questions, or changes of the documents between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.ids import AblationId, DocumentId, PrincipalId, QueryId, UnitId

# Stands in `units` for a document that a scenario has added itself; it has no place in the fixture.
PROBE = UnitId("retrieval-gate-probe")
# Where a finding is that stands in what a retriever writes besides its answers.
LOG = "log"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFinding:
    """One failed check.

    `kind` is a row of `verdict.kinds`. `query` is None where no labelled query was asked; `principal` None is the
    public. `units` are chunks, or documents where the log names one. `where` is the part of the answer that shows
    it, a value of `record.Where`, `abstention` for another state, or `LOG`. `instead` is the version that should
    have been served in the place of a late one, where the fixture has it.
    """

    kind: str
    query: QueryId | None
    principal: PrincipalId | None
    units: tuple[UnitId, ...]
    where: str
    instead: DocumentId | None = None


class Unmet(StrEnum):
    """What a scenario that could not be run lacks: something to check, someone to check it with, or whole runs."""

    FIXTURE = "fixture"
    RETRIEVER = "retriever"
    RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioResult:
    """One scenario under one ablation. `checked` False: `checks` is 0, and `unmet` says for want of what."""

    scenario: str
    ablation: AblationId
    checks: int
    findings: tuple[ScenarioFinding, ...]
    checked: bool
    unmet: Unmet | None = None
