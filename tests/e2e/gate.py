"""Runs the installed command in a workspace of its own, or a copy of its source with one fault put in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import retrieval_gate

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
    """A workspace with the committed fixture, baseline and configuration; `source` is a faulty copy, or None."""

    workspace: Path
    source: Path | None = None

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

    def report(self, *arguments: str, env: Mapping[str, str] | None = None) -> tuple[Ran, dict[str, Any]]:
        """A run with `--report`, and the report."""
        ran = self.run("run", "--report", "report.json", *arguments, env=env)
        return ran, json.loads((self.workspace / "report.json").read_text(encoding="utf-8"))

    def edit(self, path: str, old: str, new: str) -> int:
        """Replace the only occurrence of `old` in a file of the workspace; the line (from 1) where it stood."""
        return replace_once(self.workspace / path, old, new)


def workspace(folder: Path) -> Gate:
    """A fresh workspace in `folder`."""
    for name in (FIXTURE, BASELINE, "retrieval-gate.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return Gate(workspace=folder)


def with_fault(folder: Path, *, file: str, old: str, new: str) -> Gate:
    """A fresh workspace, and a copy of the source in which the only occurrence of `old` in `file` is `new`."""
    source = folder / "source"
    shutil.copytree(
        Path(retrieval_gate.__file__).parent,
        source / "retrieval_gate",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    replace_once(source / "retrieval_gate" / file, old, new)
    (folder / "workspace").mkdir()
    return Gate(workspace=workspace(folder / "workspace").workspace, source=source)


def replace_once(path: Path, old: str, new: str) -> int:
    """Raises ValueError where `old` does not stand just once: a fault that is not put in proves nothing."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path.name} holds this {text.count(old)} times, not once: {old!r}")
    path.write_text(text.replace(old, new), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1
