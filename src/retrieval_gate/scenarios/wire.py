"""What passes between the gate and the process that runs the scenarios (see `evaluation.serving`)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from retrieval_gate.base.canonical import json_line
from retrieval_gate.base.config import AblationSpec, AliasTable, EngineSettings
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.base.ids import AblationId, DocumentId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.scenario import ScenarioFinding, ScenarioResult, Unmet
from retrieval_gate.base.strict import as_count, as_flag, as_list, as_text, as_text_or_none
from retrieval_gate.evaluation.serving import Crashed
from retrieval_gate.evaluation.wire import Finished, Message, from_line, to_line

_RESULT = "scenario"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOrder:
    """What is to be seeded and questioned. `folder` is empty and the process's own."""

    folder: Path
    fixture: Fixture
    ablations: tuple[AblationSpec, ...]
    engine: EngineSettings
    aliases: AliasTable | None
    k: int


Said = ScenarioResult | RetrieverFailure | Crashed | Finished


def said_line(said: Said) -> str:
    """One JSON line, without its line end."""
    if not isinstance(said, ScenarioResult):
        return to_line(said)
    findings = [
        [finding.kind, finding.query, finding.principal, finding.units, finding.where, finding.instead]
        for finding in said.findings
    ]
    return json_line([_RESULT, said.scenario, said.ablation, said.checks, findings, said.checked, said.unmet])


def said_from(line: bytes) -> ScenarioResult | Message:
    """What a line says; raises ValueError, TypeError or KeyError for anything else."""
    kind, *rest = as_list(json.loads(line))
    if kind != _RESULT:
        return from_line(line)
    scenario, ablation, checks, findings, checked, unmet = rest
    lacking = as_text_or_none(unmet)
    return ScenarioResult(
        scenario=as_text(scenario),
        ablation=AblationId(as_text(ablation)),
        checks=as_count(checks),
        findings=tuple(_finding(*as_list(finding)) for finding in as_list(findings)),
        checked=as_flag(checked),
        unmet=None if lacking is None else Unmet(lacking),
    )


def _finding(
    kind: object, query: object, principal: object, units: object, where: object, instead: object
) -> ScenarioFinding:
    asked, asker, current = as_text_or_none(query), as_text_or_none(principal), as_text_or_none(instead)
    return ScenarioFinding(
        kind=as_text(kind),
        query=None if asked is None else QueryId(asked),
        principal=None if asker is None else PrincipalId(asker),
        units=tuple(UnitId(as_text(unit)) for unit in as_list(units)),
        where=as_text(where),
        instead=None if current is None else DocumentId(current),
    )
