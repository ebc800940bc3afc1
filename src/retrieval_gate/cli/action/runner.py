"""What the runner is told: outputs and the job summary, through the files that it names."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from retrieval_gate.cli.console import say

# A step's summary is dropped whole by the runner above 1 MiB: this leaves room for others (cases seen: 4 KB over).
SUMMARY_BYTES = 900 * 1024


def write_outputs(environment: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Append the step's outputs by heredoc, with a delimiter that no value can hold; nothing without a file."""
    path = environment.get("GITHUB_OUTPUT")
    if not path:
        return
    delimiter = f"retrieval-gate-{secrets.token_hex(16)}"
    text = "".join(f"{name}<<{delimiter}\n{value}\n{delimiter}\n" for name, value in values.items())
    if not _append(path, text):
        warning("the step's outputs can not be written")


def summary_budget(environment: Mapping[str, str]) -> int:
    """How many bytes of the job summary are left in this step's file; 0 where there is no such file."""
    path = environment.get("GITHUB_STEP_SUMMARY")
    if not path:
        return 0
    held = 0
    with suppress(OSError):
        held = Path(path).stat().st_size
    # One byte is for the end of a line that another step left open.
    return max(0, SUMMARY_BYTES - held - 1)


def write_summary(environment: Mapping[str, str], text: str) -> None:
    """Append to the job summary; where that can not be done a warning says so, and the verdict stands.

    An empty text, for which there was no room, leaves the file as it is.
    """
    path = environment.get("GITHUB_STEP_SUMMARY")
    if path and text and not _append(path, text):
        warning("the job summary can not be written; the verdict stands")


def warning(text: str) -> None:
    """One warning annotation without a place; `text` is the action's own."""
    say(f"::warning title=retrieval-gate::{text}")


def give_to_owner(workspace: Path, paths: list[Path]) -> None:
    """Hand what was written to the workspace's owner, where this process may: the next checkout must remove it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return
    owner = workspace.stat()
    for path in paths:
        with suppress(OSError):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def _line_end(stream: IO[bytes]) -> bytes:
    """What ends the line that another step left open."""
    if stream.seek(0, os.SEEK_END) == 0:
        return b""
    stream.seek(-1, os.SEEK_END)
    return b"" if stream.read(1) == b"\n" else b"\n"


def _append(path: str, text: str) -> bool:
    try:
        with Path(path).open("ab+") as stream:
            stream.write(_line_end(stream) + text.encode("utf-8"))
    except OSError:
        return False
    return True
