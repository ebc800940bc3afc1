"""What README, docs, action.yml, `--help` and the code all say is the same."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
import yaml

from retrieval_gate.cli.action.inputs import INPUTS
from retrieval_gate.cli.action.main import OUTPUTS
from retrieval_gate.report.outputs.table import OUTPUTS as FORMATS
from retrieval_gate.report.report import BaselineStatus, FailOn
from tests.e2e.gate import ROOT

ACTIONS = ("action.yml", "python/action.yml")


def _action(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


def _help(*arguments: str) -> str:
    command = [sys.executable, "-m", "retrieval_gate", *arguments, "--help"]
    return subprocess.run(command, capture_output=True, check=True, text=True, encoding="utf-8").stdout


@pytest.mark.parametrize("path", ACTIONS)
def test_the_inputs_of_action_yml_are_the_code_s(path: str) -> None:
    inputs = {name: row for name, row in _action(path)["inputs"].items() if name != "python"}
    assert {name: row["default"] for name, row in inputs.items()} == {row.name: row.default for row in INPUTS}
    assert not any(row["required"] for row in inputs.values())


@pytest.mark.parametrize("path", ACTIONS)
def test_the_outputs_of_action_yml_are_the_code_s(path: str) -> None:
    assert list(_action(path)["outputs"]) == [row.name for row in OUTPUTS]


def test_the_entry_point_of_action_yml_is_in_the_image() -> None:
    entry = _action("action.yml")["runs"]["entrypoint"]
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert entry.startswith("/")
    assert f"COPY docker/retrieval-gate-action {entry}" in dockerfile
    assert "\nUSER" not in dockerfile


def test_the_composite_action_hands_every_input_on_and_never_into_a_script() -> None:
    step = _action("python/action.yml")["runs"]["steps"][0]
    for row in INPUTS:
        assert step["env"][f"INPUT_{row.name.upper().replace('-', '_')}"] == f"${{{{ inputs.{row.name} }}}}"
    assert "${{" not in step["run"]


@pytest.mark.parametrize("page", ["README.md", "docs/ci.md"])
def test_no_page_shows_an_input_that_does_not_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    known = {row.name for row in INPUTS} | {"python"}
    for block in re.findall(
        r"uses: retrieval-gate/[^\n]*\n(?:\s+id:[^\n]*\n)?\s+with:\n((?:\s{10,}[^\n]*\n)+)", text
    ):
        shown = {line.split(":")[0].strip() for line in block.splitlines()}
        assert shown <= known


def test_every_input_is_described_in_the_docs() -> None:
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    assert [row.name for row in INPUTS if f"`{row.name}`" not in page] == []
    assert [row.name for row in OUTPUTS if f"`{row.name}`" not in page] == []


def test_the_words_of_an_input_are_the_command_line_s() -> None:
    run = _help("run")
    fail_on = next(row for row in INPUTS if row.name == "fail-on")
    for choice in FailOn:
        assert choice.value in run
        assert choice.value in fail_on.description
    formats = next(row for row in INPUTS if row.name == "report-formats")
    for form in FORMATS:
        assert form.id in run
        assert form.id in formats.description
    status = next(row for row in OUTPUTS if row.name == "baseline-status")
    assert [word.value for word in BaselineStatus if word.value not in status.description] == []


def test_options_of_the_command_line_have_the_inputs_names() -> None:
    run = _help("run")
    same = ("config", "fixture", "baseline", "base-baseline", "approve-loosening", "ablations", "fail-on", "label")
    for name in (*same, "allow-missing-baseline"):
        assert f"--{name}" in run


def test_every_test_that_the_list_of_public_reports_names_is_there() -> None:
    page = (ROOT / "docs/ci-cases.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[a-z_/]+\.py)::(\w+)`", page)
    assert len(named) > 40
    gone = [name for file, name in named if not re.search(rf"^(def|class) {name}\b", _source(file), re.MULTILINE)]
    assert gone == []


def test_every_public_report_is_answered() -> None:
    page = (ROOT / "docs/ci-cases.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| \d", line)]
    assert len(rows) == 64
    assert [row[0] for row in rows if len(row) != 4 or not all(row)] == []


def _source(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")
