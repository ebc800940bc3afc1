"""JUnit XML, as CI servers read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report.outputs.junit import JUDGED, render
from retrieval_gate.report.outputs.style import PLAIN, Style
from retrieval_gate.report.report import NO_BASELINE, FailOn, Report
from tests.report.rich import FAILED, NOT_CHECKED, PASSED, RICH
from tests.report.samples import DIFFERENCES, RETRIEVER_FAILURES, a_report
from tests.report.strategies import ids, verdicts

FORMAT = xmlschema.XMLSchema11(str(Path(__file__).parent / "formats/junit.xsd"))


def suite(report: Report, style: Style = PLAIN) -> dict[str, Any]:
    """The suite, read and validated; attributes begin with `@`, text is `$`."""
    read: Any = FORMAT.to_dict(render(report, style))
    (found,) = read["testsuite"]
    assert [read[count] for count in COUNTS] == [found[count] for count in COUNTS]
    assert found["@tests"] == len(found["testcase"])
    for element, count in (("failure", "@failures"), ("error", "@errors"), ("skipped", "@skipped")):
        assert found[count] == len([case for case in found["testcase"] if element in case])
    checked: dict[str, Any] = found
    return checked


COUNTS = ("@name", "@tests", "@failures", "@errors")


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.junit.xml", render(RICH, PLAIN))


def test_a_passing_run_has_passed_cases_only() -> None:
    """Never none: a reader may take an empty file for a broken build."""
    found = suite(a_report(*PASSED))
    assert [found[count] for count in COUNTS] == ["retrieval-gate", 1 + len(PASSED), 0, 0]
    assert suite(a_report())["testcase"] == [{"@classname": "retrieval-gate.run", "@name": JUDGED}]


def test_a_failed_gate_says_where_why_and_what_to_do() -> None:
    _, leak = suite(a_report(FAILED[0], label="leg"), Style(prefix="sub"))["testcase"]
    assert leak["@classname"] == "retrieval-gate.hybrid"
    assert leak["@name"] == "permission-leak: query q-en-01, hybrid"
    assert leak["failure"]["@type"] == "permission-leak"
    assert leak["failure"]["$"].splitlines()[1:3] == [
        "at sub/fixtures/synthetic-bilingual-v1.json:412",
        "first: enforce permissions before retrieval, context and logging",
    ]


@pytest.mark.parametrize(
    ("report", "kinds"),
    [
        (a_report(failures=RETRIEVER_FAILURES), ["retriever-failed"]),
        (a_report(differences=DIFFERENCES), ["not-deterministic"]),
        (a_report(*PASSED, baseline=NO_BASELINE), ["nothing-comparable"]),
        (RICH, ["retriever-failed", "not-deterministic"]),
    ],
)
def test_an_error_is_no_failure(report: Report, kinds: list[str]) -> None:
    found = suite(report)
    judged = found["testcase"][0]
    assert judged["@name"] == JUDGED
    assert [error["@type"] for error in judged["error"]] == kinds
    assert found["@failures"] == (len(FAILED) if report is RICH else 0)


def test_a_failure_that_does_not_block_is_a_passed_case_with_a_warning() -> None:
    found = suite(replace(a_report(FAILED[-1]), fail_on=FailOn.VIOLATION))
    assert found["@failures"] == 0
    assert found["testcase"][1]["system-out"].startswith("warning: no-drop: hybrid-rerank, language=zh, ndcg@10")


def test_a_gate_that_could_not_be_checked_is_skipped() -> None:
    found = suite(a_report(*NOT_CHECKED))
    assert found["@skipped"] == len(NOT_CHECKED)
    assert "add expectedState to queries" in found["testcase"][2]["skipped"]


def test_two_cases_of_one_name_are_numbered() -> None:
    names = [case["@name"] for case in suite(a_report(FAILED[0], FAILED[0]))["testcase"]]
    assert names[1:] == [f"permission-leak: query q-en-01, hybrid{again}" for again in ("", " (2)")]


@given(st.lists(verdicts(), max_size=4), ids)
def test_any_verdicts_make_a_valid_file(many: list[Verdict], label: str) -> None:
    assert suite(replace(a_report(*many), label=label))["testcase"]
