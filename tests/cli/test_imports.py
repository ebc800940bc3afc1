"""What starts fast stays fast: an allow-list of modules, not a stopwatch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from retrieval_gate.cli.options import FAIL_ON, FORMATS
from retrieval_gate.report.outputs.table import OUTPUTS
from retrieval_gate.report.report import FailOn

HEAVY = ("numpy", "pydantic", "sqlite3", "asyncio", "unittest", "tomllib", "subprocess")


def _loaded(*arguments: str) -> set[str]:
    program = (
        "import sys\n"
        f"sys.argv[1:] = {list(arguments)!r}\n"
        "from retrieval_gate.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "sys.stderr.write('\\n'.join(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_imports_nothing_heavy(argument: str) -> None:
    assert _loaded(argument).isdisjoint(HEAVY)


@pytest.mark.parametrize("command", [("run",), ("baseline", "accept")])
def test_workers_can_be_started_before_anything_heavy_is_imported(command: tuple[str, ...]) -> None:
    loaded = _loaded(*command, "--help")
    assert "retrieval_gate.scenarios.children" in loaded
    assert loaded.isdisjoint(set(HEAVY) - {"subprocess"})


def test_a_run_needs_no_numpy_in_the_process_that_judges() -> None:
    loaded = _loaded("run", "--fixture", "nowhere.json")
    assert "retrieval_gate.app" in loaded
    assert "numpy" not in loaded


def test_the_names_that_options_know_without_importing_them_are_those_of_the_tables() -> None:
    assert [row.id for row in OUTPUTS] == list(FORMATS)
    assert [choice.value for choice in FailOn] == list(FAIL_ON)
