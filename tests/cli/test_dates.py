"""The date that waivers are held against, and both files of `check --held-out`, from the command itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.inputs.fixtures import encoded, query, sound


def _call(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code, and what was printed on both streams."""
    done = subprocess.run(
        [sys.executable, "-m", "retrieval_gate", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("command", [("run",), ("baseline", "accept", "--reason", "first")])
def test_a_date_in_another_form_is_refused_with_the_form_that_is_meant(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    code, told = _call(tmp_path, *command, "--today", "01/03/2026")
    assert code == 2
    assert "[bad-date] --today is not a date of the form YYYY-MM-DD" in told
    assert "e.g. 2026-03-01" in told
    code, told = _call(tmp_path, *command, "--today", "2026-03-01")
    assert (code, "[no-fixture]" in told) == (2, True)


def test_a_file_of_held_out_queries_is_judged_apart_from_its_fixture(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_bytes(encoded(sound()))
    (tmp_path / "held.json").write_text(
        json.dumps({"queries": [query("h-1", "en", "How?") | {"forbidden": ["nowhere"]}]}), encoding="utf-8"
    )
    code, told = _call(tmp_path, "check", "good.json", "--held-out", "held.json")
    assert code == 2
    assert "good.json: accepted, 0 errors, 0 warnings\nheld.json: rejected, 1 error, 0 warnings\n" in told
