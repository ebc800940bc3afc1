"""What scenarios found fails, by kind, with what was found and how many checks were made."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.ids import AblationId, DocumentId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.scenario import ScenarioFinding, ScenarioResult, Unmet
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.phrases import unchecked_gate
from retrieval_gate.verdict.actions import action_of
from retrieval_gate.verdict.gates.scenarios import SCENARIOS_RULE
from retrieval_gate.verdict.kinds import kind_of
from retrieval_gate.verdict.scenario_kinds import CHECKS, FINDINGS
from tests.verdict.factories import case
from tests.verdict.world import GOOD, PLAN

LEXICAL, HYBRID = AblationId("lexical"), AblationId("hybrid")


def _result(scenario: str, ablation: AblationId, checks: int, *findings: ScenarioFinding) -> ScenarioResult:
    return ScenarioResult(
        scenario=scenario, ablation=ablation, checks=checks, findings=findings, checked=checks > 0
    )


def _finding(kind: str, principal: str | None, *units: str, query: str | None = None) -> ScenarioFinding:
    return ScenarioFinding(
        kind=kind,
        query=None if query is None else QueryId(query),
        principal=None if principal is None else PrincipalId(principal),
        units=tuple(UnitId(unit) for unit in units),
        where="hits",
    )


def _judged(*results: ScenarioResult) -> list[Verdict]:
    plain = case(PLAN, GOOD)
    return list(SCENARIOS_RULE.judge(replace(plain, evaluation=replace(plain.evaluation, scenarios=results))))


def test_what_was_checked_and_clean_passes_with_its_count() -> None:
    (verdict,) = _judged(_result("lifecycle", LEXICAL, 40))
    assert (verdict.kind, verdict.status, verdict.ablation) == ("lifecycle", Status.PASSED, LEXICAL)
    assert (verdict.value, verdict.bound, verdict.n) == (0.0, 0.0, 40)


def test_findings_of_one_kind_are_one_failure_with_all_that_was_named() -> None:
    (verdict,) = _judged(
        _result(
            "positive-controls",
            HYBRID,
            9,
            _finding("over-restriction", "pupil", "a#0", query="q1"),
            _finding("over-restriction", "teacher", "b#0", "a#0"),
        )
    )
    assert (verdict.kind, verdict.status, verdict.query) == ("over-restriction", Status.FAILED, "q1")
    assert (verdict.value, verdict.bound, verdict.n) == (2.0, 0.0, 9)
    assert (verdict.units, verdict.stage, verdict.detail) == (("a#0", "b#0"), "hits", "pupil")


def test_kinds_and_ablations_fail_apart() -> None:
    verdicts = _judged(
        _result("lifecycle", LEXICAL, 9, _finding("ghost-row", None), _finding("late-version", None)),
        _result("lifecycle", HYBRID, 9),
    )
    assert [(verdict.kind, verdict.ablation, verdict.status) for verdict in verdicts] == [
        ("ghost-row", "lexical", Status.FAILED),
        ("late-version", "lexical", Status.FAILED),
        ("lifecycle", "hybrid", Status.PASSED),
    ]


def test_what_no_retriever_could_be_checked_for_is_said_once_else_for_each() -> None:
    verdicts = _judged(
        _result("cache-probe", LEXICAL, 0),
        _result("cache-probe", HYBRID, 0),
        _result("lifecycle", LEXICAL, 0),
        _result("lifecycle", HYBRID, 5),
    )
    assert [(verdict.kind, verdict.ablation, verdict.status, verdict.n) for verdict in verdicts] == [
        ("cache-probe", None, Status.NOT_CHECKED, 0),
        ("lifecycle", "lexical", Status.NOT_CHECKED, 0),
        ("lifecycle", "hybrid", Status.PASSED, 5),
    ]


def test_what_is_missing_in_the_fixture_is_not_asked_of_the_retriever() -> None:
    lacking = [
        replace(_result("cache-probe", ablation, 0), unmet=unmet)
        for ablation, unmet in ((LEXICAL, Unmet.FIXTURE), (HYBRID, Unmet.RETRIEVER))
    ]
    by_fixture, by_retriever = (_judged(one)[0] for one in lacking)
    assert action_of(by_fixture).startswith("ask something that one principal is to get")
    assert action_of(by_retriever).startswith("have the retriever offer seed")
    line = unchecked_gate(by_fixture, str)
    assert line.startswith("cache-probe: n 0; not possible with this fixture; ask something")


def test_a_late_version_names_the_one_that_supersedes_it_and_other_findings_who_asked() -> None:
    late = replace(_finding("late-version", "pupil", "bus-1#0"), instead=DocumentId("bus-2"))
    verdicts = _judged(_result("lifecycle", LEXICAL, 9, late, _finding("early-version", "pupil", "bus-2#0")))
    assert {verdict.kind: verdict.detail for verdict in verdicts} == {
        "late-version": "bus-2",
        "early-version": "pupil",
    }


def test_a_finding_without_a_check_fails_all_the_same() -> None:
    verdicts = _judged(_result("lifecycle", LEXICAL, 0, _finding("probe-leak", None, "a#0")))
    assert Status.FAILED in {verdict.status for verdict in verdicts}


def test_a_fixture_with_nothing_to_check_says_so_in_one_line() -> None:
    (verdict,) = _judged()
    assert (verdict.kind, verdict.status, verdict.n) == ("scenarios", Status.NOT_CHECKED, 0)


def test_whatever_a_scenario_finds_is_a_violation_that_no_baseline_may_accept() -> None:
    for row in FINDINGS:
        assert (kind_of(row.id).violation, kind_of(row.id).acceptable, kind_of(row.id).blocking) == (
            True,
            False,
            True,
        )
    assert [row.id for row in CHECKS if kind_of(row.id).blocking] == []
