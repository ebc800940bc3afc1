"""One step in this process's own Python: the same program that the container and the composite action run.

`_call` is the step called in this process, for what it says and writes; `_start` is a process of its own, as a
runner starts one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from retrieval_gate.cli.action.main import act
from retrieval_gate.cli.action.runner import SUMMARY_BYTES, summary_budget, write_summary
from retrieval_gate.report.outputs.summary import BUDGET, summary
from tests.container.runner import heredocs
from tests.e2e.gate import BASELINE, FIXTURE, ROOT, Ran, in_process, replace_once
from tests.e2e.small import small
from tests.report.rich import RICH

_ACT = "from retrieval_gate.cli.action.main import main; main()"
CONFIG = "retrieval-gate.toml"
ACT = [sys.executable, "-c", _ACT]
# A hash that no loosening has.
WRONG = "0" * 16
# In the place of the default gates, or ablations.
ONE_GATE = '[[gates]]\nablation = "lexical"\nmetric = "recall@10"\nmin = 0.1\n\n'
ONE_ABLATION = '[[ablations]]\nid = "lexical"\nchannels = ["lexical"]\n\n'


# Exit code, log, outputs and summary of one step.
Step = tuple[int, str, dict[str, str], str]


def _call(folder: Path, **variables: str) -> Step:
    """One step over a workspace in `folder`, which is made where there is none."""

    def program(environment: dict[str, str]) -> Ran:
        return in_process(lambda: act(environment), folder / "workspace")

    return _step(folder, program, variables)


def _start(folder: Path, command: list[str], **variables: str) -> Step:
    def program(environment: dict[str, str]) -> Ran:
        root = folder / "workspace"
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
        return Ran(code=done.returncode, out=done.stdout.decode("utf-8"), err=done.stderr.decode("utf-8"))

    return _step(folder, program, variables)


def _step(folder: Path, program: Callable[[dict[str, str]], Ran], variables: dict[str, str]) -> Step:
    root = folder / "workspace"
    if not root.exists():
        root.mkdir()
        small(root)
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
    done = program(environment)
    assert "Traceback" not in done.err
    written = heredocs(outputs.read_text(encoding="utf-8"))
    return done.code, done.out, written, summary.read_text(encoding="utf-8")


def test_pass_and_fail_say_the_same_everywhere(tmp_path: Path) -> None:
    code, log, outputs, summary = _start(tmp_path, ACT)
    assert (code, outputs["result"], outputs["exit-code"]) == (0, "pass", "0")
    assert "passed" in summary.splitlines()[0]
    assert "::error" not in log

    replace_once(tmp_path / "workspace" / "retrieval-gate.toml", "neighbours = 1", "neighbours = 0")
    code, log, outputs, summary = _start(tmp_path, ACT)
    assert (code, outputs["result"], outputs["exit-code"]) == (1, "fail", "1")
    assert f"::error file={FIXTURE},line=" in log
    assert log.count("\n::error") == 10
    assert "failed" in summary.splitlines()[0]

    code, log, outputs, _ = _call(tmp_path, INPUT_ANNOTATIONS="0", INPUT_SUMMARY="false")
    assert code == 1
    assert "::error" not in log


def test_an_unwritable_summary_is_a_warning_and_the_verdict_stands(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere" / "summary")
    code, log, _, _ = _call(tmp_path, GITHUB_STEP_SUMMARY=missing)
    assert code == 0
    assert "::warning title=retrieval-gate::the job summary can not be written" in log


@pytest.mark.once
def test_two_labels_write_two_files_and_a_slash_in_one_is_no_folder(tmp_path: Path) -> None:
    first = _call(tmp_path, INPUT_LABEL="a/b")[2]["report"]
    second = _call(tmp_path, INPUT_LABEL="a-b")[2]["report"]
    assert first != second
    assert {Path(first).parent.as_posix(), Path(second).parent.as_posix()} == {"retrieval-gate-report"}


def test_two_actions_are_one_core(tmp_path: Path) -> None:
    """The composite action's step, installed for real into an environment of its own."""
    if os.environ.get("RETRIEVAL_GATE_REGISTRY") != "1":
        pytest.skip("needs a package registry: set RETRIEVAL_GATE_REGISTRY=1")
    temporary = tmp_path / "runner-temp"
    temporary.mkdir()
    run = [sys.executable, str(ROOT / "python" / "run.py")]
    code, _, outputs, summary = _start(tmp_path, run, RUNNER_TEMP=str(temporary))
    assert (code, outputs["result"]) == (0, "pass")
    assert "passed" in summary.splitlines()[0]
    made = [path.name for path in temporary.iterdir()]
    assert len(made) == 1
    assert made[0].startswith("retrieval-gate-")
    before = sorted(path.name for path in (tmp_path / "workspace").iterdir())
    assert before == ["fixtures", "retrieval-gate-report", "retrieval-gate.toml"]


def test_it_needs_no_variable_of_a_runner(tmp_path: Path) -> None:
    """No event, no pull request, no git history: a laptop will do."""
    small(tmp_path)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "RUNNER_"))
    }
    done = subprocess.run(ACT, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"PASSED" in done.stdout


@pytest.mark.once
def test_a_full_summary_is_left_as_it_is(tmp_path: Path) -> None:
    held = "x" * (901 * 1024)
    path = tmp_path / "held"
    path.write_text(held, encoding="utf-8")
    code, _, _, _ = _call(tmp_path, GITHUB_STEP_SUMMARY=str(path))
    assert code == 0
    assert path.read_text(encoding="utf-8") == held


def _append(path: Path, held: str) -> None:
    """What a step does with its report, and with a summary that another step has begun."""
    path.write_text(held, encoding="utf-8")
    environment = {"GITHUB_STEP_SUMMARY": str(path)}
    write_summary(environment, summary(RICH, budget=summary_budget(environment)))


@pytest.mark.parametrize("held", ["x" * (901 * 1024), "x" * (900 * 1024), "x" * (900 * 1024 - 1) + "\n"])
def test_a_summary_that_is_full_to_the_byte_is_left_as_it_is(tmp_path: Path, held: str) -> None:
    path = tmp_path / "held"
    _append(path, held)
    assert path.read_text(encoding="utf-8") == held


def test_what_is_added_to_an_open_line_still_fits(tmp_path: Path) -> None:
    """The line end that another step has left out counts too."""
    path = tmp_path / "held"
    whole = summary(RICH, budget=BUDGET).encode()
    for room in (len(whole), len(whole) + 1):
        held = "x" * (SUMMARY_BYTES - room)
        _append(path, held)
        assert held == path.read_text(encoding="utf-8")[: len(held)]
        assert len(held) < path.stat().st_size <= SUMMARY_BYTES
    assert path.read_bytes().endswith(whole)


@pytest.mark.parametrize("folder", ["circle", "a" * 300, "retrieval-gate.toml", "retrieval-gate.toml/x"])
def test_a_folder_that_can_not_be_entered_is_named(tmp_path: Path, folder: str) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    small(root)
    (root / "circle").symlink_to("circle")
    code, log, outputs, _ = _call(tmp_path, **{"INPUT_WORKING-DIRECTORY": folder})
    assert (code, outputs["result"]) == (2, "error")
    assert "[no-working-directory]" in log


@pytest.mark.once
@pytest.mark.parametrize("folder", [".services/help", "services/help"])
def test_paths_are_the_repository_s_also_in_a_hidden_folder(tmp_path: Path, folder: str) -> None:
    root = tmp_path / "workspace"
    (root / folder).mkdir(parents=True)
    made = small(root / folder)
    made.edit("retrieval-gate.toml", "neighbours = 1", "neighbours = 0")
    given = {"INPUT_WORKING-DIRECTORY": folder, "INPUT_REPORT-DIR": "."}
    code, log, outputs, _ = _call(tmp_path, **given)
    assert code == 1
    assert f"\n::error file={folder}/{FIXTURE},line=" in log
    assert outputs["report"] == f"{folder}/retrieval-gate.json"


def test_a_linked_report_folder_is_refused_and_nothing_is_written_through_it(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    small(root)
    (tmp_path / "elsewhere").mkdir()
    (root / "retrieval-gate-report").symlink_to(tmp_path / "elsewhere")
    code, log, _, _ = _call(tmp_path)
    assert code == 2
    assert "[symlink]" in log
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_bug_says_so_to_the_steps_after_it(tmp_path: Path) -> None:
    program = f"import retrieval_gate.cli.action.main as m; m.run = lambda *_: 1 / 0; {_ACT}"
    code, log, outputs, _ = _start(tmp_path, [sys.executable, "-c", program])
    assert code == 70
    assert (outputs["result"], outputs["exit-code"]) == ("error", "70")
    assert "::error title=internal-error::" in log


def test_an_environment_that_can_not_be_made_is_no_failed_gate(tmp_path: Path) -> None:
    run = [sys.executable, str(ROOT / "python" / "run.py")]
    (tmp_path / "file").touch()
    code, log, _, _ = _start(tmp_path, run, RUNNER_TEMP=str(tmp_path / "file"))
    assert code == 2
    assert log.startswith("::error title=retrieval-gate::The gate's own environment can not be made")


@pytest.mark.parametrize(
    ("held", "code"), [(None, "not-found"), ("", "baseline-malformed"), ("<<<<<<< a\n", "merge-conflict")]
)
def test_a_base_branch_s_baseline_that_can_not_be_read_is_called_by_its_name(
    tmp_path: Path, held: str | None, code: str
) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    small(root)
    if held is not None:
        (root / "base.jsonl").write_text(held, encoding="utf-8")
    exit_code, log, _, summary = _call(tmp_path, **{"INPUT_BASE-BASELINE": "base.jsonl"})
    assert exit_code == 2
    assert "error: base.jsonl" in log
    assert f"[{code}] the base branch's baseline: " in log
    assert "leave --base-baseline out" in summary.replace("&#45;", "-")


@pytest.mark.once
class TestAPullRequestCanNotApproveItself:
    """The whole way: the base branch's file, a change that has accepted itself, the hash of the summary."""

    BASE = "base.jsonl"

    def _change(self, folder: Path, edits: list[tuple[str, str, str]]) -> None:
        """A change of some places, and a baseline made of what it measures."""
        root = folder / "workspace"
        root.mkdir()
        made = small(root)
        shutil.copy(root / BASELINE, root / self.BASE)
        for file, old, new in edits:
            made.edit(file, old, new)
        accepted = made.call("baseline", "accept", "--reason", "as the change has it")
        assert accepted.code == 0, accepted.err

    def _judge(self, folder: Path, approved: str) -> Step:
        return _call(folder, **{"INPUT_BASE-BASELINE": self.BASE, "INPUT_APPROVE-LOOSENING": approved})

    # Every kind alone: tests/verdict/loosening. A wrong hash is as good as none: both are tried with the first.
    @pytest.mark.parametrize(
        ("edits", "kinds", "refused"),
        [
            ([(CONFIG, "neighbours = 1", "neighbours = 0")], ["query-worse"], ["", WRONG]),
            ([(CONFIG, "[engine]", f"{ONE_ABLATION}[engine]")], ["ablation-gone"], [""]),
            (
                [
                    (CONFIG, "[engine]", f"max-drop = 0.5\n{ONE_GATE}[engine]"),
                    (FIXTURE, '"provenance"', '"exempt": ["url"], "provenance"'),
                ],
                ["max-drop", "gate-gone", "exempt"],
                [WRONG],
            ),
        ],
        ids=["query-worse", "ablation-gone", "bounds"],
    )
    def test_red_until_the_hash_of_the_summary_is_given(
        self, tmp_path: Path, edits: list[tuple[str, str, str]], kinds: list[str], refused: list[str]
    ) -> None:
        self._change(tmp_path, edits)
        printed = {self._refused(tmp_path, approved, kinds) for approved in refused}
        assert len(printed) == 1
        code, _, outputs, _ = self._judge(tmp_path, printed.pop())
        assert (code, outputs["result"], outputs["baseline-status"]) == (0, "pass", "matched")

    def _refused(self, folder: Path, approved: str, kinds: list[str]) -> str:
        """The hash that the summary of a red step asks for."""
        code, log, outputs, summary = self._judge(folder, approved)
        assert (code, outputs["baseline-status"]) == (1, "loosened")
        assert [kind for kind in kinds if f"loosened-{kind}" not in log] == []
        (printed,) = set(re.findall(r"not approved: `([0-9a-f]{16})`", summary))
        assert isinstance(printed, str)
        return printed
