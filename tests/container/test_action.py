"""The action in a real engine, started as a hosted runner starts it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.container.conftest import copy_source
from tests.container.runner import DOCKER, HARDENED, Runner, annotated
from tests.e2e.gate import BASELINE, FIXTURE, ROOT, replace_once
from tests.e2e.test_red import SWAPPED, TIES

USERS = {"root": (), "runner": ("--user=1001:127",), "stranger": ("--user=4321:4321",), "hardened": HARDENED}
SITE = "/opt/gate/lib/python3.13/site-packages/retrieval_gate"


def _worse(runner: Runner) -> None:
    """A configuration under which some query loses evidence."""
    replace_once(runner.workspace / "retrieval-gate.toml", "neighbours = 1", "neighbours = 0")


def _faulty(folder: Path, fault: tuple[str, str, str]) -> tuple[str, ...]:
    """Flags that mount a copy of the package with one fault over the image's."""
    file, old, new = fault
    source = copy_source(folder / "faulty")
    replace_once(source / file, old, new)
    return ("-v", f"{source}:{SITE}:ro")


def test_it_passes_and_says_so_everywhere(committed: Runner) -> None:
    step = committed.step()
    assert step.code == 0, step.log
    assert step.outputs["result"] == "pass"
    assert step.outputs["exit-code"] == "0"
    assert (step.outputs["failures"], step.outputs["regressions"]) == ("0", "0")
    assert step.outputs["baseline-status"] == "matched"
    assert len(step.outputs["evaluation-hash"]) == 64
    assert annotated(step.log) == []
    assert "PASSED" in step.log
    assert step.summary.startswith("#")
    report = committed.workspace / step.outputs["report"]
    assert json.loads(report.read_text(encoding="utf-8"))["exitCode"] == 0


def test_what_it_leaves_belongs_to_the_workspace_s_owner(runner: Runner) -> None:
    assert runner.step().code == 0
    left = [path for path in runner.workspace.rglob("*") if path.stat().st_uid != 1001]
    assert left == []
    assert (runner.workspace / "retrieval-gate-report" / "retrieval-gate.baseline.jsonl").exists()


@pytest.mark.parametrize("user", ["root", "runner", "hardened"])
def test_it_works_as(runner: Runner, user: str) -> None:
    step = runner.step(flags=USERS[user])
    assert step.code == 0, step.log
    assert step.outputs["result"] == "pass"


def test_a_user_who_may_not_write_gets_a_named_failure_of_the_report(runner: Runner) -> None:
    step = runner.step(flags=USERS["stranger"])
    assert step.code == 2
    assert "unwritable" in step.log
    assert any("job summary can not be written" in line for line in annotated(step.log))


def test_a_user_who_may_not_write_still_gets_a_verdict_without_a_report(runner: Runner) -> None:
    step = runner.step(flags=USERS["stranger"], inputs={"report-formats": "none"})
    assert step.code == 0, step.log


def test_a_regression_is_red_at_the_query_s_line(runner: Runner) -> None:
    _worse(runner)
    step = runner.step(inputs={"label": "leg-1"})
    assert step.code == 1
    assert step.outputs["result"] == "fail"
    assert int(step.outputs["regressions"]) > 0
    first = annotated(step.log)[0]
    assert first.startswith("::error file=fixtures/synthetic-bilingual-v1.json,line=")
    assert len(annotated(step.log)) <= 10
    assert "leg-1" in step.summary
    assert step.outputs["report"].endswith("retrieval-gate-leg-1.json")


@pytest.mark.parametrize(("fail_on", "code"), [("regression", 1), ("violation", 0), ("never", 0), ("", 1)])
def test_fail_on(runner: Runner, fail_on: str, code: int) -> None:
    _worse(runner)
    assert runner.step(inputs={"fail-on": fail_on}).code == code


def test_two_runs_that_differ_exit_3(runner: Runner, tmp_path: Path) -> None:
    step = runner.step(flags=_faulty(tmp_path, TIES), inputs={"fail-on": "never"})
    assert step.code == 3
    assert step.outputs["result"] == "error"


def test_two_judged_ranks_swapped_exit_1(runner: Runner, tmp_path: Path) -> None:
    step = runner.step(flags=_faulty(tmp_path, SWAPPED))
    assert step.code == 1
    assert "rank-worsened" in step.summary


def test_a_crash_exits_70_and_quotes_nothing(runner: Runner, tmp_path: Path) -> None:
    step = runner.step(
        flags=_faulty(tmp_path, ("engine/service.py", "final = stages[-1][1]", "raise ValueError(request.query)"))
    )
    assert step.code == 70
    queries = json.loads((runner.workspace / FIXTURE).read_text(encoding="utf-8"))["queries"]
    assert [query["id"] for query in queries if query["query"] in step.log + step.summary] == []


def test_a_missing_baseline_exits_4(runner: Runner) -> None:
    (runner.workspace / BASELINE).unlink()
    step = runner.step()
    assert (step.code, step.outputs["baseline-status"]) == (4, "missing")
    assert "baseline accept" in step.summary
    assert runner.step(inputs={"allow-missing-baseline": "true"}).code == 0


def test_a_bad_fixture_is_annotated_at_its_line(runner: Runner) -> None:
    path = runner.workspace / FIXTURE
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 1', '"version": 0', 1), encoding="utf-8")
    line = path.read_text(encoding="utf-8").split('"version": 0')[0].count("\n") + 1
    step = runner.step()
    assert step.code == 2
    assert step.outputs["result"] == "error"
    assert any(f"file={FIXTURE},line={line}" in found for found in annotated(step.log))


@pytest.mark.parametrize(
    ("inputs", "hint"),
    [
        ({"fixtrue": "x"}, "the nearest is fixture"),
        ({"summary": "yes"}, "not a boolean"),
        ({"annotations": "11"}, "0 to 10"),
        ({"annotations": "1000"}, "0 to 10"),
        ({"fail-on": "regresion"}, "the nearest is regression"),
        ({"fixture": "/home/runner/work/r/r/f.json"}, "host"),
        ({"fixture": "f.json; touch pwned"}, "no such file"),
        ({"fixture": "$(touch pwned)"}, "no such file"),
        ({"report-dir": "../out"}, "traversal"),
        ({"report-dir": ".git/hooks"}, "git-folder"),
        ({"label": "a\n::error::forged"}, "label"),
        ({"working-directory": ".."}, "outside-workspace"),
        ({"working-directory": "nowhere"}, "does not exist"),
        ({"ablations": "hybird"}, "the nearest is hybrid"),
        ({"report-formats": "jsn"}, "the nearest is json"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_a_bad_input_is_refused_with_a_hint(runner: Runner, inputs: dict[str, str], hint: str) -> None:
    step = runner.step(inputs=inputs)
    assert step.code == 2, step.log
    assert hint in step.log
    assert not (runner.workspace / "pwned").exists()
    assert [line for line in annotated(step.log) if "forged" in line.split("::")[-1] and "label" not in line] == []


def test_underscores_are_accepted_and_two_values_are_not(runner: Runner) -> None:
    _worse(runner)
    flags = {"INPUT_FAIL_ON": "never"}
    assert runner.step(environment=flags, inputs={"fail-on": ""}).code == 0
    assert runner.step(environment=flags, inputs={"fail-on": "violation"}).code == 2


def test_a_summary_that_is_already_large_is_appended_to_within_the_limit(runner: Runner) -> None:
    held = "x" * (899 * 1024) + "\n"
    _worse(runner)
    step = runner.step(held=held)
    assert step.code == 1
    assert step.summary.startswith(held)
    assert len(step.summary.encode()) <= 900 * 1024
    full = runner.step(held="y" * (901 * 1024))
    assert (full.code, full.summary) == (1, "y" * (901 * 1024))


def test_a_second_run_in_the_same_workspace_gives_the_same_bytes(runner: Runner) -> None:
    first = runner.step()
    folder = runner.workspace / "retrieval-gate-report"
    before = (folder / "retrieval-gate.baseline.jsonl").read_bytes()
    hashed = json.loads((folder / "retrieval-gate.json").read_text(encoding="utf-8"))["projectionHash"]
    second = runner.step()
    assert (first.code, second.code) == (0, 0)
    assert (folder / "retrieval-gate.baseline.jsonl").read_bytes() == before
    assert json.loads((folder / "retrieval-gate.json").read_text(encoding="utf-8"))["projectionHash"] == hashed
    assert first.summary == second.summary


def test_pull_request_target_is_warned_of(runner: Runner) -> None:
    step = runner.step(environment={"GITHUB_EVENT_NAME": "pull_request_target"})
    assert step.code == 0
    assert any("pull_request_target" in line for line in annotated(step.log))


def test_without_runner_files_it_still_judges(runner: Runner) -> None:
    step = runner.step(environment={"GITHUB_OUTPUT": "", "GITHUB_STEP_SUMMARY": ""})
    assert (step.code, step.outputs, step.summary) == (0, {}, "")


def test_a_working_directory_prefixes_annotations_and_paths(runner: Runner) -> None:
    inner = runner.workspace / "services" / "help"
    inner.mkdir(parents=True)
    for name in ("fixtures", "retrieval-gate.toml"):
        (runner.workspace / name).rename(inner / name)
    replace_once(inner / "retrieval-gate.toml", "neighbours = 1", "neighbours = 0")
    step = runner.step(inputs={"working-directory": "services/help"})
    assert step.code == 1
    assert annotated(step.log)[0].startswith("::error file=services/help/fixtures/")
    assert step.outputs["report"] == "services/help/retrieval-gate-report/retrieval-gate.json"


def test_the_image_is_small(image: str) -> None:
    base, plain = _size(os.environ["RETRIEVAL_GATE_BASE"]), _size("retrieval-gate-base-plain")
    wheels = base - plain  # only there for the build without a network
    assert _size(image) - wheels <= 230_000_000


def _size(image: str) -> int:
    printed = subprocess.run(
        [DOCKER, "image", "inspect", "--format", "{{.Size}}", image], capture_output=True, check=True
    ).stdout
    return int(printed)


def test_docker_run_on_a_laptop(image: str, runner: Runner) -> None:
    done = subprocess.run(
        [DOCKER, "run", "--rm", "--user=1001:127", "--read-only", "--network=none", "--cap-drop=ALL",
         "-v", f"{runner.workspace}:/workspace", image, "run", "--report", "junit:out/junit.xml"],
        capture_output=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (runner.workspace / "out" / "junit.xml").exists()
    assert (runner.workspace / "out" / "junit.baseline.jsonl").exists()


def test_a_workspace_that_is_read_only_is_a_named_failure_of_the_report(runner: Runner) -> None:
    flags = ("--mount", f"type=bind,src={runner.workspace},dst=/read-only,readonly", "--workdir=/read-only")
    elsewhere = {"GITHUB_WORKSPACE": "/read-only"}
    step = runner.step(flags=flags, environment=elsewhere)
    assert (step.code, step.outputs["result"]) == (2, "error")
    assert "[unwritable]" in step.log
    assert "unwritable" in step.summary
    assert runner.step(flags=flags, environment=elsewhere, inputs={"report-formats": "none"}).code == 0


def test_root_without_its_capabilities_gets_a_named_failure_of_the_report(runner: Runner) -> None:
    """Root may then write no other user's folder (CAP_DAC_OVERRIDE)."""
    step = runner.step(flags=("--cap-drop=ALL",))
    assert step.code == 2
    assert "[unwritable]" in step.log
    step = runner.step(flags=("--cap-drop=ALL",), inputs={"report-formats": "none"})
    assert step.code == 0, step.log
    assert any("job summary can not be written" in line for line in annotated(step.log))


def test_a_workspace_that_may_not_be_entered_is_named(runner: Runner) -> None:
    runner.workspace.chmod(0o700)
    step = runner.step(flags=("--cap-drop=ALL", "--workdir=/"))
    assert step.code == 2
    assert "[no-working-directory]" in step.log


def test_two_fixtures_in_one_job_leave_two_reports(runner: Runner) -> None:
    for service in ("billing", "search"):
        for name in ("fixtures", "retrieval-gate.toml"):
            copy = shutil.copytree if (runner.workspace / name).is_dir() else shutil.copy
            (runner.workspace / service).mkdir(exist_ok=True)
            copy(runner.workspace / name, runner.workspace / service / name)
    reports = [
        runner.step(inputs={"working-directory": service, "label": f"{service}/3.12"}).outputs["report"]
        for service in ("billing", "search")
    ]
    assert [report.split("/")[0] for report in reports] == ["billing", "search"]
    assert all((runner.workspace / report).exists() for report in reports)
    assert len({Path(report).name for report in reports}) == 2


def test_no_start_compiles_anything(image: str) -> None:
    """The standard library, the dependencies and the gate itself are byte code in the image."""
    program = (
        "import click, numpy, pydantic, sqlite3, retrieval_gate.cli.action.main, retrieval_gate.evaluation.worker"
    )
    command = [DOCKER, "run", "--rm", "--read-only", "--entrypoint=/opt/gate/bin/python", image, "-IBvc", program]
    done = subprocess.run(command, capture_output=True, check=True)
    loaded = re.findall(r"code object from '?([^'\n]+)", done.stderr.decode("utf-8"))
    assert len([path for path in loaded if path.endswith(".pyc")]) > 300
    assert [path for path in loaded if path.endswith(".py")] == []


def test_a_base_branch_s_baseline_keeps_a_change_from_approving_itself(runner: Runner) -> None:
    shutil.copy(runner.workspace / BASELINE, runner.workspace / "base.jsonl")
    _worse(runner)
    assert runner.step().code == 1
    shutil.copy(
        runner.workspace / "retrieval-gate-report/retrieval-gate.baseline.jsonl", runner.workspace / BASELINE
    )
    assert runner.step().code == 0
    step = runner.step(inputs={"base-baseline": "base.jsonl"})
    assert (step.code, step.outputs["baseline-status"]) == (1, "loosened")
    (printed,) = set(re.findall(r"not approved: `([0-9a-f]{16})`", step.summary))
    given = {"base-baseline": "base.jsonl", "approve-loosening": printed}
    assert runner.step(inputs=given).code == 0
    assert runner.step(inputs={**given, "approve-loosening": "0" * 16}).code == 1


def test_the_image_is_the_same_twice_apart_from_timestamps(image: str) -> None:
    command = [sys.executable, "soak/image_twice.py", image]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("utf-8")


def test_too_little_room_for_temporary_files_is_named_and_more_room_mends_it(runner: Runner) -> None:
    small = (*HARDENED, "--shm-size=64k")
    step = runner.step(flags=small)
    assert step.code == 5
    assert "index-unwritable" in step.log
    assert runner.step(flags=(*small, "--tmpfs=/tmp")).code == 0
