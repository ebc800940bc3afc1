"""One step in this process's own Python: the same program that the container and the composite action run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.container.runner import heredocs
from tests.e2e.gate import FIXTURE, ROOT, replace_once, workspace

_ACT = "from retrieval_gate.cli.action.main import main; main()"


def _step(folder: Path, command: list[str], **variables: str) -> tuple[int, str, dict[str, str], str]:
    """Exit code, log, outputs and summary of one step over a fresh workspace in `folder`."""
    root = folder / "workspace"
    if not root.exists():
        root.mkdir()
        workspace(root)
    outputs, summary = folder / "outputs", folder / "summary"
    outputs.write_text("", encoding="utf-8")
    summary.write_text("", encoding="utf-8")
    environment = {
        **os.environ,
        "GITHUB_WORKSPACE": str(root),
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_STEP_SUMMARY": str(summary),
        **variables,
    }
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    return (
        done.returncode,
        done.stdout.decode("utf-8"),
        heredocs(outputs.read_text(encoding="utf-8")),
        summary.read_text(encoding="utf-8"),
    )


def test_pass_and_fail_say_the_same_everywhere(tmp_path: Path) -> None:
    act = [sys.executable, "-c", _ACT]
    code, log, outputs, summary = _step(tmp_path, act)
    assert (code, outputs["result"], outputs["exit-code"]) == (0, "pass", "0")
    assert "passed" in summary.splitlines()[0]
    assert "::error" not in log

    replace_once(tmp_path / "workspace" / "retrieval-gate.toml", "neighbours = 1", "neighbours = 0")
    code, log, outputs, summary = _step(tmp_path, act)
    assert (code, outputs["result"], outputs["exit-code"]) == (1, "fail", "1")
    assert f"::error file={FIXTURE},line=" in log
    assert log.count("\n::error") == 10
    assert "failed" in summary.splitlines()[0]

    code, log, outputs, _ = _step(tmp_path, act, INPUT_ANNOTATIONS="0", INPUT_SUMMARY="false")
    assert code == 1
    assert "::error" not in log


def test_an_unwritable_summary_is_a_warning_and_the_verdict_stands(tmp_path: Path) -> None:
    act = [sys.executable, "-c", _ACT]
    missing = str(tmp_path / "nowhere" / "summary")
    code, log, _, _ = _step(tmp_path, act, GITHUB_STEP_SUMMARY=missing)
    assert code == 0
    assert "::warning title=retrieval-gate::the job summary can not be written" in log


def test_two_labels_write_two_files_and_a_slash_in_one_is_no_folder(tmp_path: Path) -> None:
    act = [sys.executable, "-c", _ACT]
    first = _step(tmp_path, act, INPUT_LABEL="a/b")[2]["report"]
    second = _step(tmp_path, act, INPUT_LABEL="a-b")[2]["report"]
    assert first != second
    assert {Path(first).parent.as_posix(), Path(second).parent.as_posix()} == {"retrieval-gate-report"}


def test_two_actions_are_one_core(tmp_path: Path) -> None:
    """The composite action's step, installed for real into an environment of its own."""
    if os.environ.get("RETRIEVAL_GATE_REGISTRY") != "1":
        pytest.skip("needs a package registry: set RETRIEVAL_GATE_REGISTRY=1")
    temporary = tmp_path / "runner-temp"
    temporary.mkdir()
    run = [sys.executable, str(ROOT / "python" / "run.py")]
    code, _, outputs, summary = _step(tmp_path, run, RUNNER_TEMP=str(temporary))
    assert (code, outputs["result"]) == (0, "pass")
    assert "passed" in summary.splitlines()[0]
    made = [path.name for path in temporary.iterdir()]
    assert len(made) == 1
    assert made[0].startswith("retrieval-gate-")
    before = sorted(path.name for path in (tmp_path / "workspace").iterdir())
    assert before == ["fixtures", "retrieval-gate-report", "retrieval-gate.toml"]
