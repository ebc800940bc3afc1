"""What starts fast stays fast: an allow-list of modules, not a stopwatch."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


def test_a_run_needs_no_numpy_in_the_process_that_judges() -> None:
    loaded = _loaded("run", "--help")
    assert "retrieval_gate.app" in loaded
    assert "numpy" not in loaded
