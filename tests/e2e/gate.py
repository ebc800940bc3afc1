"""Runs the installed command in a workspace of its own, or a copy of its source with one fault put in."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import retrieval_gate
from retrieval_gate.cli import entry

ROOT = Path(__file__).resolve().parents[2]
FIXTURE = "fixtures/synthetic-bilingual-v1.json"
BASELINE = "fixtures/synthetic-bilingual-v1.baseline.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One call of the command."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A workspace; `source` is a copy of the source with a fault in the file `fault`, or both are None."""

    workspace: Path
    source: Path | None = None
    fault: str | None = None

    def run(self, *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Ran:
        environment = {**os.environ, **(env or {})}
        if self.source is not None:
            environment["PYTHONPATH"] = str(self.source)
        done = subprocess.run(
            [sys.executable, "-m", "retrieval_gate", *arguments],
            cwd=cwd or self.workspace,
            env=environment,
            capture_output=True,
            check=False,
        )
        return Ran(code=done.returncode, out=done.stdout.decode("utf-8"), err=done.stderr.decode("utf-8"))

    def call(self, *arguments: str) -> Ran:
        """The command line called in this process, with its real children: half the time of `run`.

        For what is said, written and decided. How a process starts and ends needs `run`; so does a fault, unless
        it is one of the engine: that runs in the children alone, which are started from the faulty copy.
        """
        if self.fault is not None and not self.fault.startswith("engine/"):
            raise ValueError("this process has imported the sound source")
        source = self.source or Path(retrieval_gate.__file__).parents[1]
        with patch.object(retrieval_gate, "__file__", str(source / "retrieval_gate" / "__init__.py")):
            return in_process(lambda: entry.run(list(arguments)), self.workspace)

    def report(self, *arguments: str, env: Mapping[str, str] | None = None) -> tuple[Ran, dict[str, Any]]:
        """A run with `--report`, and the report; in this process, unless a fault or an environment is given."""
        command = ("run", "--report", "report.json", *arguments)
        ran = self.run(*command, env=env) if env or self.source else self.call(*command)
        return ran, self.read("report.json")

    def read(self, path: str) -> dict[str, Any]:
        """A JSON object of the workspace."""
        found: dict[str, Any] = json.loads((self.workspace / path).read_text(encoding="utf-8"))
        return found

    def edit(self, path: str, old: str, new: str) -> int:
        """Replace the only occurrence of `old` in a file of the workspace; the line (from 1) where it stood."""
        return replace_once(self.workspace / path, old, new)


def in_process(program: Callable[[], int], folder: Path) -> Ran:
    """Call a program that returns its exit code, in `folder`; a bug is raised, not turned into 70."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = program()
    return Ran(code=code, out=_written(out), err=_written(err))


def _written(stream: io.TextIOWrapper) -> str:
    held = stream.detach()
    assert isinstance(held, io.BytesIO)
    return held.getvalue().decode("utf-8")


def workspace(folder: Path) -> Gate:
    """A fresh workspace in `folder`."""
    for name in (FIXTURE, BASELINE, "retrieval-gate.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return Gate(workspace=folder)


def with_fault(folder: Path, *, file: str, old: str, new: str, make: Callable[[Path], Gate] = workspace) -> Gate:
    """A fresh workspace, and a copy of the source in which the only occurrence of `old` in `file` is `new`."""
    source = folder / "source"
    # With its byte code, which holds for every file but the one that is changed: compiling it all takes a second.
    being_written = shutil.ignore_patterns("*.pyc.*")
    shutil.copytree(Path(retrieval_gate.__file__).parent, source / "retrieval_gate", ignore=being_written)
    faulty = source / "retrieval_gate" / file
    for compiled in faulty.parent.glob(f"__pycache__/{faulty.stem}.*"):
        compiled.unlink()
    replace_once(faulty, old, new)
    (folder / "workspace").mkdir()
    return Gate(workspace=make(folder / "workspace").workspace, source=source, fault=file)


def replace_once(path: Path, old: str, new: str) -> int:
    """Raises ValueError where `old` does not stand just once: a fault that is not put in proves nothing."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path.name} holds this {text.count(old)} times, not once: {old!r}")
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1
