"""The command as a hurried user meets it: misspelt, interrupted, piped into `head`, on a strange terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from retrieval_gate import __version__
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.entry import COMMANDS
from tests.e2e.gate import BASELINE, FIXTURE, ROOT, Gate
from tests.e2e.small import small


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return small(tmp_path)


def test_help_lists_every_command_with_its_summary(gate: Gate) -> None:
    ran = gate.run("--help")
    assert ran.code == 0
    for row in COMMANDS:
        assert row.name in ran.out
        assert row.summary in ran.out


def test_the_version_is_the_package_s(gate: Gate) -> None:
    assert __version__ in gate.run("--version").out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("run", "--fixtur", "x"), "--fixture"),
        (("rum",), "run"),
        (("run", "--format", "yaml"), "markdown"),
        (("run", "--fixture", "nowhere.json"), "no such file"),
        (("run", "--ablations", "hybird"), "the nearest is hybrid"),
        (("run", "--config", "nowhere.toml"), "no such file"),
        (("explain", "ndgc"), "ndcg"),
        (("check",), "FILES"),
        (("baseline", "accept"), "--reason"),
        (("run", "--report", "/etc/report.json"), "absolute-path"),
        (("run", "--report", FIXTURE.replace(".json", ".baseline.jsonl")), "replace the committed baseline"),
        (("run", "--report", "retrieval-gate.toml"), "replace the configuration"),
        (("run", "--report", f"./{FIXTURE}"), "replace the"),
        (("run", "--label", "a b"), "bad-label"),
        (("run", "--today", "tomorrow"), "--today"),
        (("baseline", "accept", "--reason", "x", "--baseline", FIXTURE), "replace the fixture"),
        (("baseline", "accept", "--reason", "two\nlines"), "bad-reason"),
        (("baseline", "accept", "--reason", "x", "--ablations", "lexical"), "every configured ablation"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistake_exits_2_with_a_hint_and_no_traceback(gate: Gate, arguments: tuple[str, ...], hint: str) -> None:
    ran = gate.call(*arguments)
    assert ran.code == ExitCode.BAD_INPUT
    assert hint in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("arguments", [("run", "--format", "yaml"), ("run", "--ablations", "hybird")])
def test_a_mistake_is_the_same_in_a_process_of_its_own(gate: Gate, arguments: tuple[str, ...]) -> None:
    """One that the parser sees, and one that the gate sees."""
    assert gate.run(*arguments) == gate.call(*arguments)


def test_the_output_path_is_refused_before_anything_is_evaluated(gate: Gate) -> None:
    (gate.workspace / FIXTURE).write_text("not a fixture", encoding="utf-8")
    ran = gate.call("run", "--report", "../report.json")
    assert "traversal" in ran.err


def test_a_bad_label_is_refused_before_anything_is_read(gate: Gate) -> None:
    (gate.workspace / FIXTURE).write_text("not a fixture", encoding="utf-8")
    assert "bad-label" in gate.call("run", "--label", "a b").err


@pytest.mark.parametrize("spelled", [f"./{FIXTURE}", f"fixtures/../{FIXTURE}"])
def test_the_configured_fixture_keeps_its_baseline_and_aliases_however_it_is_spelled(
    gate: Gate, spelled: str
) -> None:
    ran = gate.call("run", "--fixture", spelled)
    assert ran.code == 0
    assert "want of an alias table" not in ran.out


def test_a_baseline_that_is_a_link_to_nowhere_is_not_a_missing_one(gate: Gate) -> None:
    (gate.workspace / BASELINE).unlink()
    (gate.workspace / BASELINE).symlink_to("nowhere.jsonl")
    assert gate.call("run", "--allow-missing-baseline").code == ExitCode.BAD_INPUT


@pytest.mark.once
def test_a_baseline_with_a_conflict_is_replaced_by_an_acceptance_and_told(gate: Gate) -> None:
    path = gate.workspace / BASELINE
    whole = path.read_text(encoding="utf-8")
    path.write_text("<<<<<<< ours\n" + whole, encoding="utf-8")
    assert "merge-conflict" in gate.call("run").err
    ran = gate.call("baseline", "accept", "--reason", "merged both sides")
    assert (ran.code, f"{BASELINE}:1" in ran.err) == (0, True)
    assert gate.call("run").code == 0


def test_an_acceptance_never_replaces_a_file_that_is_no_baseline(gate: Gate) -> None:
    readme = gate.workspace / "README.md"
    readme.write_text("# Ours\n", encoding="utf-8")
    ran = gate.call("baseline", "accept", "--reason", "x", "--baseline", "README.md")
    assert ran.code == ExitCode.BAD_INPUT
    assert readme.read_text(encoding="utf-8") == "# Ours\n"


@pytest.mark.once
def test_a_waiver_says_that_its_date_is_not_checked_until_a_date_is_given(gate: Gate) -> None:
    config = gate.workspace / "retrieval-gate.toml"
    waiver = '\n[[waivers]]\nquery = "q-of-no-fixture"\nreason = "known"\nexpires = 2026-01-31\n'
    config.write_text(config.read_text(encoding="utf-8") + waiver, encoding="utf-8")
    assert "waiver-dates" in gate.call("run").out
    assert "waiver-expired: query q-of-no-fixture" in gate.call("run", "--today", "2026-02-01").out
    on_its_last_day = gate.call("run", "--today", "2026-01-31").out
    assert "waiver-dates" not in on_its_last_day
    assert "waiver-expired" not in on_its_last_day


def test_no_baseline_and_no_bound_is_never_green(gate: Gate) -> None:
    (gate.workspace / BASELINE).unlink()
    config = gate.workspace / "retrieval-gate.toml"
    config.write_text("gates = []\n" + config.read_text(encoding="utf-8"), encoding="utf-8")
    ran = gate.call("run", "--allow-missing-baseline")
    assert ran.code == ExitCode.NOTHING_COMPARABLE
    assert "there is no baseline, and no bound was judged" in ran.out
    assert "make the first baseline:" in ran.out


def test_a_run_leaves_no_file(gate: Gate) -> None:
    before = sorted(gate.workspace.rglob("*"))
    assert gate.call("run").code == 0
    assert sorted(gate.workspace.rglob("*")) == before


def test_a_report_leaves_itself_and_the_candidate_baseline_only(gate: Gate) -> None:
    before = set(gate.workspace.rglob("*"))
    assert gate.call("run", "--report", "out/report.json").code == 0
    made = {path.relative_to(gate.workspace).as_posix() for path in set(gate.workspace.rglob("*")) - before}
    assert made == {"out", "out/report.json", "out/report.baseline.jsonl"}


def test_quiet_prints_the_verdict_only(gate: Gate) -> None:
    ran = gate.call("run", "--quiet")
    assert ran.code == 0
    assert ran.out.startswith("PASSED")
    assert "LATENCY" not in ran.out


def test_nothing_coloured_reaches_a_pipe(gate: Gate) -> None:
    assert "\x1b" not in gate.run("run", env={"TERM": "xterm-256color", "FORCE_COLOR": "1"}).out


def test_a_reader_that_leaves_does_not_change_the_verdict(gate: Gate) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "retrieval_gate", "run"],
        cwd=gate.workspace,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 0


@pytest.mark.skipif(os.name == "nt", reason="closes a descriptor as a POSIX shell does")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_stream_closed_before_the_start_does_not_change_the_verdict(gate: Gate, closed: str) -> None:
    command = f'"$0" -m retrieval_gate run {closed}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable], cwd=gate.workspace, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_under_stdout_exits_2(gate: Gate, unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "retrieval_gate", "run"],
            cwd=gate.workspace,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == ExitCode.BAD_INPUT
    assert b"can not be written" in done.stderr


def test_a_configuration_that_leaves_the_zero_tolerance_metrics_out_is_judged(gate: Gate) -> None:
    """Without a baseline, which would hold their names too."""
    (gate.workspace / BASELINE).unlink()
    (gate.workspace / "retrieval-gate.toml").write_text(
        f"fixture = '{FIXTURE}'\nmetrics = ['recall@10']\n[[ablations]]\nid = 'mine'\nchannels = ['lexical']\n",
        encoding="utf-8",
    )
    ran = gate.call("run")
    assert (ran.code, ran.err) == (ExitCode.NOTHING_COMPARABLE, "")
    assert "permission-leak: n 0" in ran.out


def test_one_problem_is_counted_as_one(gate: Gate) -> None:
    (gate.workspace / "torn.json").write_text("{", encoding="utf-8")
    assert "torn.json: rejected, 1 error, 0 warnings" in gate.call("check", "torn.json").out


def test_utf8_is_written_whatever_the_locale_says(gate: Gate) -> None:
    ran = gate.run("explain", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert ran.code == 0
    assert "\r" not in ran.out


def test_check_names_all_files_and_fails_if_one_is_bad(gate: Gate) -> None:
    (gate.workspace / "bad.json").write_text('{"version": 1,\n "id": "x",\n "id": "y"}', encoding="utf-8")
    ran = gate.call("check", FIXTURE, "bad.json", "nowhere.json")
    assert ran.code == ExitCode.BAD_INPUT
    assert f"{FIXTURE}: accepted" in ran.out
    assert "bad.json:3: error" in ran.out
    assert "nowhere.json" in ran.err


def test_every_exit_code_of_the_readme_is_the_code_s() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for code in ExitCode:
        assert f"| {int(code)} | {code.meaning} |" in readme


def test_the_package_is_not_imported_from_the_working_folder(tmp_path: Path) -> None:
    gate = small(tmp_path)
    (tmp_path / "numpy.py").write_text("raise SystemExit(99)", encoding="utf-8")
    (tmp_path / "json.py").write_text("raise SystemExit(99)", encoding="utf-8")
    script = Path(sys.executable).with_name("retrieval-gate")
    done = subprocess.run(
        [str(script), "run", "-q"], cwd=gate.workspace, env=os.environ, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
