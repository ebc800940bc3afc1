"""The command of an `exec:` or `mcp:` retriever: refused before anything runs, started without a shell."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.files import guard_output

if TYPE_CHECKING:
    from retrieval_gate.retrievers.port import Opening
    from retrieval_gate.retrievers.process import LineProcess


def check_command(spec: AblationSpec, stderr: str | None) -> None:
    """Raises ConfigError for a command that can not be started, OutputError for a file that can not be written."""
    command_of(spec)
    if stderr is not None:
        guard_output(Path.cwd(), stderr)


def command_of(spec: AblationSpec) -> list[str]:
    """The program, found as a shell would find it, and its arguments. Raises ConfigError; quotes nothing of it."""
    try:
        words = shlex.split(spec.address)
    except ValueError:
        raise ConfigError(
            "bad-command",
            f"the command of ablation {spec.id} has a quote or a backslash without its end",
            fix="write it as in a POSIX shell",
        ) from None
    if not words:
        raise ConfigError(
            "no-command",
            f"ablation {spec.id} names no command",
            fix=f'write it after the colon, e.g. "{spec.scheme}:python retriever.py"',
        )
    program = shutil.which(words[0])
    if program is None:
        raise ConfigError(
            "no-program",
            f"the program of ablation {spec.id} is not there, or can not be run",
            fix="install it, or write ./ before a program of the working folder and make it executable",
        )
    return [program, *words[1:]]


def start_command(spec: AblationSpec, opening: Opening, number: int, stderr: str | None) -> LineProcess:
    """The running command of the ablation at `number`, in the working folder.

    It is told which run it serves and a folder that it may fill, which no other run or ablation uses. Raises as
    `check_command`, and RetrieverError.
    """
    from retrieval_gate.retrievers.process import LineProcess

    folder = opening.folder / f"{spec.scheme}-{number}"
    folder.mkdir()
    own = {"RETRIEVAL_GATE_RUN": str(opening.run), "RETRIEVAL_GATE_FOLDER": str(folder)}
    return LineProcess(
        command_of(spec),
        environment={**os.environ, **own},
        stderr=None if stderr is None else guard_output(Path.cwd(), stderr),
        transport=spec.transport,
    )
