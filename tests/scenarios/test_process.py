"""The scenarios' own process: what it says of the small world, and how it and what it was given end."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.base.config import AblationSpec, Channel
from retrieval_gate.base.errors import InternalError, RetrieverError
from retrieval_gate.base.evaluation import Evaluation, RetrieverFailure
from retrieval_gate.base.ids import AblationId, PrincipalId, QueryId, UnitId
from retrieval_gate.base.scenario import ScenarioFinding, ScenarioResult
from retrieval_gate.evaluation.plan import Plan, make_plan
from retrieval_gate.evaluation.serving import Crashed
from retrieval_gate.evaluation.wire import Finished
from retrieval_gate.inputs.config import default_config
from retrieval_gate.retrievers import table
from retrieval_gate.retrievers.port import Retriever
from retrieval_gate.scenarios.process import Scenarios
from retrieval_gate.scenarios.table import SCENARIOS
from retrieval_gate.scenarios.wire import ScenarioOrder, said_from, said_line
from retrieval_gate.scenarios.worker import LOG_OUTPUT, work
from retrieval_gate.verdict.scenario_kinds import CHECKS
from tests.scenarios.world import world
from tests.verdict.factories import evaluation
from tests.verdict.world import GOOD, PLAN

EVALUATED = evaluation(PLAN, GOOD)
IDS = [row.id for row in SCENARIOS]


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder in which this process makes its temporary folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def _plan() -> Plan:
    made = make_plan(world(), default_config())
    hybrid = AblationSpec(
        id=AblationId("hybrid"), retriever="builtin", channels=(Channel(name="lexical", weight=1.0),)
    )
    return replace(made, ablations=(hybrid, replace(hybrid, id=AblationId("reranked"), rerank=True)))


def _order(folder: Path) -> ScenarioOrder:
    plan = _plan()
    return ScenarioOrder(
        folder=folder, fixture=plan.fixture, ablations=plan.ablations, engine=plan.engine, aliases=None, k=10
    )


def test_every_scenario_and_the_log_are_checked_for_every_ablation(temporary: Path) -> None:
    with Scenarios() as scenarios:
        scenarios.expect(b'{"principals": []}')
        scenarios.begin(_plan())
        found = scenarios.added_to(EVALUATED)
    assert [(one.scenario, one.ablation) for one in found.scenarios] == [
        (scenario, ablation) for scenario in (*IDS, LOG_OUTPUT) for ablation in ("hybrid", "reranked")
    ]
    assert all(one.checked and one.checks and not one.findings for one in found.scenarios)
    assert list(temporary.iterdir()) == []


def test_two_processes_say_the_same(tmp_path: Path) -> None:
    said = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        said.append([said_line(message) for message in work(_order(tmp_path / name), None)])
    assert said[0] == said[1]


def test_a_fixture_without_principals_and_times_starts_no_process(temporary: Path) -> None:
    plan = _plan()
    plain = replace(
        plan.fixture,
        documents=plan.fixture.documents[3:4],
        queries=plan.fixture.queries[4:],
        principals=(),
        as_of=None,
    )
    before = EVALUATED
    with Scenarios() as scenarios:
        scenarios.expect(b'{"documents": []}')
        scenarios.begin(replace(plan, fixture=plain))
        assert list(temporary.iterdir()) == []
        assert scenarios.added_to(before) is before


def test_a_process_that_was_started_for_nothing_is_stopped(temporary: Path) -> None:
    with Scenarios() as scenarios:
        scenarios.expect(b'"principals"')
        assert len(list(temporary.iterdir())) == 1
    assert list(temporary.iterdir()) == []


def test_where_a_run_has_failed_the_scenarios_are_not_waited_for(temporary: Path) -> None:
    failure = RetrieverFailure(run=1, ablation=None, code="index-exists", detail="there is one")
    failed: Evaluation = replace(EVALUATED, failures=(failure,))
    with Scenarios() as scenarios:
        scenarios.begin(_plan())
        assert scenarios.added_to(failed) is failed


def test_a_bug_is_told_with_a_trace(temporary: Path) -> None:
    unknown = AblationSpec(id=AblationId("a"), retriever="nothing")
    with Scenarios() as scenarios:
        scenarios.begin(replace(_plan(), ablations=(unknown,)))
        with pytest.raises(InternalError, match=r"scenarios met a bug:\n.*ConfigError"):
            scenarios.added_to(EVALUATED)


def test_a_retriever_that_fails_is_told_as_run_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> tuple[Retriever, ...]:
        raise RetrieverError("index-unusable", "the index file can not be used", fix="give another folder")

    monkeypatch.setattr(table, "RETRIEVERS", (replace(table.RETRIEVERS[0], open=refuses),))
    detail = "the index file can not be used"
    assert list(work(_order(tmp_path), None)) == [
        RetrieverFailure(run=3, ablation=None, code="index-unusable", detail=detail),
        Finished(),
    ]


def test_what_is_said_comes_back_as_it_went() -> None:
    finding = ScenarioFinding(
        kind="ghost-row", query=QueryId("q"), principal=PrincipalId("p"), units=(UnitId("a#0"),), where="hits"
    )
    public = replace(finding, query=None, principal=None, units=())
    for said in (
        ScenarioResult(
            scenario="lifecycle", ablation=AblationId("a"), checks=3, findings=(finding, public), checked=True
        ),
        Crashed(trace="t"),
        Finished(),
    ):
        assert said_from(said_line(said).encode()) == said


def test_every_scenario_has_its_words_and_says_what_it_asks_of_retriever_and_fixture() -> None:
    assert [row.id for row in CHECKS] == [*IDS, LOG_OUTPUT, "scenarios"]
    assert [row.id for row in CHECKS if not (row.explanation.endswith(".") and row.action)] == []
    assert [row.id for row in CHECKS if not row.fixture] == ["scenarios"]
