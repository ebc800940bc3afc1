"""The Code Quality file of a merge request in GitLab."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no stubs

from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report.outputs.gitlab import render
from retrieval_gate.report.outputs.style import PLAIN, Style
from retrieval_gate.report.report import FailOn, Report
from tests.report.rich import FAILED, NOTES, PASSED, RICH
from tests.report.samples import a_report
from tests.report.strategies import verdicts

FORMAT = json.loads(
    (Path(__file__).parent / "formats/gitlab-code-quality.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(FORMAT)


def entries(report: Report, style: Style = PLAIN) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(render(report, style))
    assert list(VALIDATOR.iter_errors(found)) == []
    return found


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.gitlab.json", render(RICH, PLAIN))


def test_a_passing_run_is_an_empty_list() -> None:
    assert render(a_report(*PASSED, *NOTES), PLAIN) == "[]\n"


def test_an_entry_stands_at_its_query_and_says_what_to_do() -> None:
    (leak,) = entries(a_report(FAILED[0]), Style(prefix="sub"))
    assert leak["check_name"] == "permission-leak"
    assert leak["location"] == {"path": "sub/fixtures/synthetic-bilingual-v1.json", "lines": {"begin": 412}}
    assert leak["description"].endswith("first: enforce permissions before retrieval, context and logging")


@pytest.mark.parametrize(
    ("kind", "fail_on", "severity"),
    [
        ("permission-leak", FailOn.REGRESSION, "critical"),
        ("no-drop", FailOn.REGRESSION, "major"),
        ("no-drop", FailOn.VIOLATION, "minor"),
        ("permission-leak", FailOn.NEVER, "minor"),
    ],
)
def test_the_severity_says_whether_it_blocks(kind: str, fail_on: FailOn, severity: str) -> None:
    verdict = next(verdict for verdict in FAILED if verdict.kind == kind)
    (entry,) = entries(replace(a_report(verdict), fail_on=fail_on))
    assert entry["severity"] == severity


def test_what_kept_the_run_from_being_judged_blocks_above_all() -> None:
    found = entries(RICH)
    assert [entry["check_name"] for entry in found if entry["severity"] == "blocker"] == [
        "retriever-failed",
        "not-deterministic",
    ]
    assert len({entry["fingerprint"] for entry in found}) == len(found) == len(FAILED) + 2


@given(st.lists(verdicts(), max_size=4))
def test_any_verdicts_make_a_valid_file(many: list[Verdict]) -> None:
    found = entries(a_report(*many))
    assert len({entry["fingerprint"] for entry in found}) == len(found)
