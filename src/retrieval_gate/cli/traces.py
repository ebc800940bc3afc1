"""What `score`, `compare` and `demo` share: their options, and how a file of traces is read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from retrieval_gate.base.errors import TraceError, UsageError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.places import Place
from retrieval_gate.cli.console import wants_colour
from retrieval_gate.inputs.traces import TRACES_BYTE_LIMIT, Source
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.traces.outputs import TRACE_OUTPUTS
from retrieval_gate.scoring.metrics.table import MAX_CUTOFF

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_K = 10
# The argument that stands for standard input, and its name in messages.
DASH, STDIN = "-", "(standard input)"


class Cutoff(click.IntRange):
    """A cut-off, refused in words that say what one is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number from 1 to MAX_CUTOFF."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"this is not a whole number from 1 to {MAX_CUTOFF}", param, ctx)


def cutoff_option(command: Command) -> Command:
    """Add `--k`."""
    return click.option(
        "--k",
        type=Cutoff(1, MAX_CUTOFF),
        default=DEFAULT_K,
        show_default=True,
        metavar="N",
        help=(
            "The cut-off of every metric and of whole evidence, after duplicates are dropped. A forbidden or "
            "stale hit fails at any depth, below it too."
        ),
    )(command)


def judgments_option(command: Command) -> Command:
    """Add `--judgments`."""
    return click.option(
        "--judgments",
        metavar="FILE",
        type=click.Path(),
        help="The labels, where they are not in the traces themselves.",
    )(command)


def format_option(command: Command) -> Command:
    """Add `--format`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice([row.id for row in TRACE_OUTPUTS]),
        default="text",
        show_default=True,
        help="What to print.",
    )(command)


def read_sources(*files: str) -> tuple[Source, ...]:
    """The bytes of files of traces, `-` being standard input; raises TraceError, UsageError for a second `-`."""
    if files.count(DASH) > 1:
        raise UsageError(
            "one-stdin", "standard input can only be read once", fix="name a file in place of all '-' but one"
        )
    return tuple(_stdin() if file == DASH else _read(file) for file in files)


def _read(file: str) -> Source:
    if _is_folder(file):
        raise TraceError("folder", "this is a folder", fix="name a file of traces in it", where=Place(file=file))
    return Source(read_bounded(file, limit=TRACES_BYTE_LIMIT, error=TraceError), file)


def _is_folder(file: str) -> bool:
    try:
        return Path(file).is_dir()
    except OSError:
        # A name that is too long, or a way that is closed: reading it says so.
        return False


def _stdin() -> Source:
    """All that standard input gives, as bounded as a file."""
    where = Place(file=STDIN)
    try:
        data = b"" if sys.stdin is None else sys.stdin.buffer.read(TRACES_BYTE_LIMIT + 1)
    except OSError as failure:
        raise TraceError(
            "unreadable", "standard input can not be read", fix="pipe the traces in", where=where
        ) from failure
    if len(data) > TRACES_BYTE_LIMIT:
        raise TraceError(
            "too-large", f"this is over {TRACES_BYTE_LIMIT} bytes", fix="split it into several files", where=where
        )
    return Source(data, STDIN)


def terminal_style() -> Style:
    """How a text may look on this stdout."""
    return Style(colour=wants_colour(sys.stdout))
