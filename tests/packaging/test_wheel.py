"""The wheel as a user installs it: complete, without the repository, and asking for three packages only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from retrieval_gate import __version__
from tests.e2e.gate import FIXTURE, ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


def _metadata(wheel: Path) -> list[tuple[str, str]]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return [(key, str(value)) for key, value in message_from_bytes(archive.read(name)).items()]


def test_it_holds_every_module_the_type_marker_and_the_licence_and_nothing_else(wheel: Path) -> None:
    source = ROOT / "src"
    modules = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    about = f"retrieval_gate-{__version__}.dist-info"
    notes = {f"{about}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")}
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    lesson = "retrieval_gate/inputs/traces/lesson-traces-v1.json"
    assert held == modules | notes | {"retrieval_gate/py.typed", lesson}


def test_it_asks_for_click_numpy_and_pydantic_and_the_python_that_is_tested(wheel: Path) -> None:
    metadata = _metadata(wheel)
    required = [value for key, value in metadata if key == "Requires-Dist"]
    always = sorted(re.split("[<>=!~ ;]", value)[0] for value in required if "extra ==" not in value)
    assert always == ["click", "numpy", "pydantic"]
    assert dict(metadata)["Requires-Python"] == ">=3.11"
    assert dict(metadata)["Version"] == __version__
    assert dict(metadata)["License-Expression"] == "Apache-2.0"


def test_the_lesson_is_shown_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    """From the archive itself: its traces are read as package data, not as a file beside the code."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", "from retrieval_gate.cli import main; main()", "demo"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(wheel)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "5. R5: abstained over good evidence" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_it_runs_from_an_empty_folder_without_the_repository(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "set.json").write_bytes((ROOT / FIXTURE).read_bytes())
    program = (
        "import sys, retrieval_gate\n"
        "from retrieval_gate.cli import main\n"
        "print(retrieval_gate.__file__, file=sys.stderr)\n"
        "main()\n"
    )
    arguments = ["run", "--fixture", "set.json", "--allow-missing-baseline", "--report", "report.json", "-q"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments],
        cwd=empty,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[0] == str(site / "retrieval_gate" / "__init__.py")
    assert done.returncode in (0, 1), done.stderr  # the fixture's gates need its alias table, which is not here
    assert "for want of an alias table" in done.stdout
    assert sorted(path.name for path in empty.iterdir()) == ["report.baseline.jsonl", "report.json", "set.json"]
