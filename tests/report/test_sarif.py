"""SARIF 2.1.0, as code scanning and editors read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no stubs

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.places import Place
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report.outputs.sarif import render
from retrieval_gate.report.outputs.style import PLAIN, Style
from retrieval_gate.report.report import NO_BASELINE, FailOn, Report
from tests.report.rich import FAILED, PASSED, RICH
from tests.report.samples import a_report
from tests.report.strategies import verdicts

FORMAT = json.loads((Path(__file__).parent / "formats/sarif-2.1.0.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(FORMAT)


def the_run(report: Report, style: Style = PLAIN) -> dict[str, Any]:
    log = json.loads(render(report, style))
    assert list(VALIDATOR.iter_errors(log)) == []
    (run,) = log["runs"]
    found: dict[str, Any] = run
    return found


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.sarif.json", render(RICH, PLAIN))


def test_a_passing_run_has_no_result() -> None:
    run = the_run(a_report(*PASSED))
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0, "toolExecutionNotifications": []}]


def test_a_failed_gate_is_a_result_of_a_run_that_went_well() -> None:
    run = the_run(a_report(FAILED[0], label="leg"), Style(prefix="sub"))
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run["invocations"][0]["exitCode"] == ExitCode.GATE_FAILED
    assert run["automationDetails"] == {"id": "retrieval-gate/leg/"}
    (result,) = run["results"]
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "sub/fixtures/synthetic-bilingual-v1.json", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 412},
    }


def test_a_run_that_could_not_be_judged_is_told_apart_from_a_failed_gate() -> None:
    run = the_run(a_report(*PASSED, baseline=NO_BASELINE))
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is False
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["descriptor"]["id"] == "nothing-comparable"
    assert [issue["level"] for issue in the_run(RICH)["invocations"][0]["toolExecutionNotifications"]] == [
        "error",
        "error",
    ]


def test_every_result_and_notification_points_at_its_description() -> None:
    run = the_run(RICH)
    driver = run["tool"]["driver"]
    assert len(run["results"]) == len(FAILED)
    assert all(driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    told = [entry["descriptor"] for entry in run["invocations"][0]["toolExecutionNotifications"]]
    assert [driver["notifications"][entry["index"]]["id"] for entry in told] == [entry["id"] for entry in told]


def test_a_failure_that_does_not_block_is_a_warning() -> None:
    report = replace(a_report(FAILED[0], FAILED[-1]), fail_on=FailOn.VIOLATION)
    assert [result["level"] for result in the_run(report)["results"]] == ["error", "warning"]


def test_a_path_is_written_as_a_uri() -> None:
    file = "my sets/100%#知.json"
    report = replace(a_report(FAILED[0]), places=((QueryId("q-en-01"), Place(file=file, line=1)),))
    (result,) = the_run(report)["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "my%20sets/100%25%23%E7%9F%A5.json"


@given(st.lists(verdicts(), max_size=4))
def test_any_verdicts_make_a_valid_file_with_unique_fingerprints(many: list[Verdict]) -> None:
    results = the_run(a_report(*many))["results"]
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]
    assert len(set(prints)) == len(prints)
