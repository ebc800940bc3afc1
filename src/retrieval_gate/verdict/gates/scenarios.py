"""No scenario finds anything: a leak, a ghost or a version out of its time, wherever the retriever shows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval_gate.base.scenario import ScenarioFinding, ScenarioResult, Unmet
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule
from retrieval_gate.verdict.scenario_kinds import CHECKS, FINDINGS, LATE


def _judge(case: Case) -> Iterator[Verdict]:
    results = case.evaluation.scenarios
    if not results:
        unmet = Unmet.RUN if case.evaluation.failures else None
        yield Verdict(kind="scenarios", status=Status.NOT_CHECKED, n=0, detail=unmet)
    for scenario in dict.fromkeys(result.scenario for result in results):
        own = [result for result in results if result.scenario == scenario]
        if not any(result.checked or result.findings for result in own):
            yield Verdict(kind=scenario, status=Status.NOT_CHECKED, n=0, detail=own[0].unmet)
            continue
        for result in own:
            yield from _verdicts(result)


def _verdicts(result: ScenarioResult) -> Iterator[Verdict]:
    """One failure for each kind of finding, or that nothing was found; with the number of checks."""
    if not result.checked and not result.findings:
        yield Verdict(
            kind=result.scenario, status=Status.NOT_CHECKED, ablation=result.ablation, n=0, detail=result.unmet
        )
    for kind in dict.fromkeys(finding.kind for finding in result.findings):
        yield _failure(result, kind, [finding for finding in result.findings if finding.kind == kind])
    if result.checked and not result.findings:
        yield Verdict(
            kind=result.scenario,
            status=Status.PASSED,
            ablation=result.ablation,
            value=0.0,
            bound=0.0,
            n=result.checks,
        )


def _failure(result: ScenarioResult, kind: str, findings: Sequence[ScenarioFinding]) -> Verdict:
    """`query`, `stage` and `detail` are the first finding's, `units` are all that were named.

    `detail` is the principal; of a late version the one that supersedes it, None where there is none.
    """
    first = findings[0]
    units = dict.fromkeys(unit for finding in findings for unit in finding.units)
    return Verdict(
        kind=kind,
        status=Status.FAILED,
        ablation=result.ablation,
        query=first.query,
        units=tuple(units),
        value=float(len(findings)),
        bound=0.0,
        n=result.checks,
        stage=first.where,
        detail=first.instead if kind == LATE else first.principal,
    )


SCENARIOS_RULE = GateRule(
    id="scenarios",
    explanation=(
        "What several questions show, and changes of the documents between them: documents that a principal may "
        "not see change none of its answers, versions are served at their time and no other, caches forget, what "
        "may be seen can be found. Each prints how many checks were made. Ablations over the same documents take "
        "turns: each check is made under one of them. Where the fixture has no principals, "
        "policies or times, or the retriever can not be changed, it says not checked. Needs no baseline."
    ),
    kinds=tuple(row.id for row in (*FINDINGS, *CHECKS)),
    judge=_judge,
)
