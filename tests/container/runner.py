"""Starts the action's image as a hosted runner starts a container action: mounts, environment, files, no shell."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.gate import ROOT

DOCKER = "/usr/bin/docker" if Path("/usr/bin/docker").exists() else "docker"
HARDENED = (
    "--read-only",
    "--network=none",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--pids-limit=64",
    "--memory=512m",
    "--user=1001:127",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step of the action did: its exit code, its log, the outputs and the summary that it left."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Runner:
    """A runner's temporary folder, an image, and the workspace of a repository."""

    image: str
    temporary: Path
    workspace: Path

    def step(
        self,
        *,
        inputs: Mapping[str, str] | None = None,
        flags: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        held: str = "",
    ) -> Step:
        """Run the action once. `held` is what the summary file already holds; `flags` are for `docker run`."""
        commands = self.temporary / "_runner_file_commands" / uuid.uuid4().hex
        commands.mkdir(parents=True)
        summary, outputs = commands / "summary", commands / "outputs"
        summary.write_text(held, encoding="utf-8")
        outputs.touch()
        for path in (commands, summary, outputs):
            os.chown(path, self.workspace.stat().st_uid, self.workspace.stat().st_gid)
        given = {
            **_defaults(),
            **(inputs or {}),
        }
        variables = {
            **{f"INPUT_{name.replace(' ', '_').upper()}": value for name, value in given.items()},
            "GITHUB_WORKSPACE": "/github/workspace",
            "GITHUB_STEP_SUMMARY": "/github/file_commands/summary",
            "GITHUB_OUTPUT": "/github/file_commands/outputs",
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            "HOME": "/github/home",
            **(environment or {}),
        }
        command = [
            DOCKER, "run", "--rm", "--workdir", "/github/workspace",
            *(part for name in variables for part in ("-e", name)),
            "--entrypoint", _action()["runs"]["entrypoint"],
            "-v", f"{commands}:/github/file_commands",
            "-v", f"{self.workspace}:/github/workspace",
            *flags,
            self.image,
        ]  # fmt: skip
        done = subprocess.run(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return Step(
            code=done.returncode,
            log=done.stdout.decode("utf-8"),
            outputs=heredocs(outputs.read_text(encoding="utf-8")),
            summary=summary.read_text(encoding="utf-8"),
        )


def annotated(log: str) -> list[str]:
    """The annotation commands of a log."""
    return [line for line in log.splitlines() if line.startswith(("::error", "::warning", "::notice"))]


def _action() -> Any:
    return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def _defaults() -> dict[str, str]:
    return {name: row["default"] for name, row in _action()["inputs"].items()}


def heredocs(text: str) -> dict[str, str]:
    """The outputs of a file of heredocs, as the runner reads them."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        name, delimiter = line.split("<<", 1)
        body: list[str] = []
        for inner in lines:
            if inner == delimiter:
                break
            body.append(inner)
        found[name] = "\n".join(body)
    return found
