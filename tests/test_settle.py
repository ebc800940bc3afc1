"""What of a configuration is left aside for another fixture than its own is said, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from retrieval_gate.report.outputs.style import PLAIN
from retrieval_gate.report.outputs.text import render, render_accepted
from retrieval_gate.report.report import SetAside
from retrieval_gate.report.summary import set_aside_line
from retrieval_gate.settle import Options, settle
from tests.report.samples import a_report

CONFIG = """
fixture = "own.json"
heldout = "own.heldout.json"
baseline = "own.baseline.jsonl"
[aliases.concepts]
tea = ["tea", "brew"]
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "retrieval-gate.toml").write_text(CONFIG, encoding="utf-8")
    for name in ("own.json", "other.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_another_fixture_leaves_the_alias_table_the_held_out_file_and_the_baseline_aside(workspace: Path) -> None:
    settled = settle(Options(fixture="other.json"), workspace)
    assert (settled.config.aliases, settled.held_out, settled.baseline) == (None, None, "other.baseline.jsonl")
    assert settled.set_aside == (SetAside.ALIASES, SetAside.HELD_OUT, SetAside.BASELINE)


def test_what_the_caller_names_in_their_place_is_no_loss(workspace: Path) -> None:
    options = Options(fixture="other.json", held_out="h.json", baseline="b.jsonl")
    assert settle(options, workspace).set_aside == (SetAside.ALIASES,)


@pytest.mark.parametrize("fixture", [None, "own.json", "./own.json"])
def test_the_configuration_s_own_fixture_loses_nothing(workspace: Path, fixture: str | None) -> None:
    assert settle(Options(fixture=fixture), workspace).set_aside == ()


def test_a_report_and_an_acceptance_say_so() -> None:
    report = a_report()
    aside = replace(report, invocation=replace(report.invocation, set_aside=tuple(SetAside)))
    line = "--fixture is not the configuration's fixture: its alias table, held-out file and baseline are not used"
    assert set_aside_line(aside) == line
    for told in (render(aside, PLAIN), render_accepted(aside, "b.jsonl", PLAIN)):
        assert line in " ".join(told.split())
    assert set_aside_line(report) is None
    assert "is not the configuration's" not in render(report, PLAIN)
