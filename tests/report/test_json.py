"""Report v1: the JSON view, its schema, and what may differ between two equal runs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no stubs

from retrieval_gate.base.ids import SliceId
from retrieval_gate.report import schema
from retrieval_gate.report.outputs.table import render_json
from retrieval_gate.report.report import NO_BASELINE, FailOn, Report
from retrieval_gate.report.view import to_json
from tests.report.rich import PASSED, RICH
from tests.report.samples import ENVIRONMENT, LATENCIES, a_report, rows


def parsed(report: Report) -> dict[str, Any]:
    view: dict[str, Any] = json.loads(render_json(report))
    return view


def test_the_rich_report_reads_as_its_golden_file(golden: Callable[[str, str], None]) -> None:
    golden("report.json", render_json(RICH))


def test_the_text_is_the_view() -> None:
    assert parsed(RICH) == to_json(RICH)


@pytest.mark.parametrize("report", [RICH, a_report(*PASSED), a_report(baseline=NO_BASELINE, measured=())])
def test_every_report_is_valid_by_the_schema(report: Report) -> None:
    Draft202012Validator.check_schema(schema.report_schema())
    assert list(Draft202012Validator(schema.report_schema()).iter_errors(parsed(report))) == []


def test_the_schema_refuses_what_no_report_holds() -> None:
    validator = Draft202012Validator(schema.report_schema())
    for broken in (
        to_json(RICH) | {"query": "a text"},
        to_json(RICH) | {"schema": "retrieval-gate/report/v2"},
        {key: value for key, value in to_json(RICH).items() if key != "rows"},
    ):
        assert not validator.is_valid(broken)


def test_numbers_are_not_rounded_and_not_applicable_is_null() -> None:
    row = replace(rows()[0], value=0.1 + 0.2)
    view = parsed(a_report(measured=(row, replace(row, value=None, n=0))))
    assert [entry["value"] for entry in view["rows"]] == [0.30000000000000004, None]


def test_two_equal_runs_differ_in_diagnostics_only() -> None:
    slower = tuple(replace(latency, median=99.0) for latency in LATENCIES)
    again = replace(RICH, latencies=slower, environment=replace(ENVIRONMENT, python="3.13.1"))
    one, other = to_json(RICH), to_json(again)
    assert one["diagnostics"] != other["diagnostics"]
    assert one | {"diagnostics": None} == other | {"diagnostics": None}
    assert list(one)[-1] == "diagnostics"


def test_the_projection_hash_can_be_computed_again_and_moves_with_any_value() -> None:
    view = parsed(RICH)
    body = {key: value for key, value in view.items() if key not in ("projectionHash", "diagnostics")}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    assert view["projectionHash"] == hashlib.sha256(text.encode()).hexdigest()
    moved = replace(RICH, verdicts=RICH.verdicts[1:])
    assert parsed(moved)["projectionHash"] != view["projectionHash"]


def test_what_blocks_is_said_of_each_verdict() -> None:
    view = parsed(replace(a_report(*RICH.verdicts), fail_on=FailOn.VIOLATION))
    assert view["failOn"] == "violation"
    red = [entry for entry in view["verdicts"] if entry["status"] == "failed"]
    assert {entry["kind"] for entry in red if entry["blocks"]} >= {"permission-leak", "loosened-floor"}
    assert {entry["kind"] for entry in red if not entry["blocks"]} >= {"no-drop", "floor"}
    assert not [entry for entry in view["verdicts"] if entry["blocks"] and entry["status"] != "failed"]


def test_the_hash_of_a_loosening_is_said_with_its_approval() -> None:
    assert parsed(RICH)["baseline"]["looseningHash"] == "0123456789abcdef"
    assert parsed(RICH)["baseline"]["looseningApproved"] is False
    assert parsed(a_report())["baseline"]["looseningHash"] is None


def test_a_command_of_a_runner_can_not_be_forged_in_json_and_the_text_reads_back_equal() -> None:
    hostile = replace(rows()[0], slice=SliceId("tag=##[error]x"))
    text = render_json(a_report(measured=(hostile,)))
    assert "##[" not in text
    assert json.loads(text)["rows"][0]["slice"] == "tag=##[error]x"


def test_places_and_paths_of_the_caller_stay_out() -> None:
    assert "fixtures/" not in render_json(RICH)
    assert "retrieval-gate.toml" not in render_json(RICH)


def test_each_row_and_each_query_stands_on_one_line() -> None:
    lines = render_json(RICH).splitlines()
    assert len([line for line in lines if '"rankingDigest"' in line]) == len(RICH.records)
    assert len(
        [line for line in lines if '"slice":' in line and '"value":' in line and '"kind"' not in line]
    ) == len(RICH.rows)
