"""What a scenario found: checks that need several questions, or changes of the documents between them."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval_gate.base.ids import AblationId, PrincipalId, QueryId, UnitId

# Stands in `units` for a document that a scenario has added itself; it has no place in the fixture.
PROBE = UnitId("retrieval-gate-probe")
# Where a finding is that stands in what a retriever writes besides its answers.
LOG = "log"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFinding:
    """One failed check.

    `kind` is a row of `verdict.kinds`. `query` is None where no labelled query was asked; `principal` None is the
    public. `units` are chunks. `where` is the part of the answer that shows it, a value of `record.Where`,
    `abstention` for another state, or `LOG`.
    """

    kind: str
    query: QueryId | None
    principal: PrincipalId | None
    units: tuple[UnitId, ...]
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioResult:
    """One scenario under one ablation. `checked` False: it could not be run, and `checks` is 0."""

    scenario: str
    ablation: AblationId
    checks: int
    findings: tuple[ScenarioFinding, ...]
    checked: bool
