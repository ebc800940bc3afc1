"""What `score`, `compare` and `demo` share: their options, and how a file of traces is read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from retrieval_gate.base.errors import TraceError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.cli.console import wants_colour
from retrieval_gate.inputs.traces import TRACES_BYTE_LIMIT, Source
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.traces.outputs import TRACE_OUTPUTS
from retrieval_gate.scoring.metrics.table import MAX_CUTOFF

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_K = 10


def cutoff_option(command: Command) -> Command:
    """Add `--k`."""
    return click.option(
        "--k",
        type=click.IntRange(1, MAX_CUTOFF),
        default=DEFAULT_K,
        show_default=True,
        metavar="N",
        help="The cut-off of every metric, after duplicates are dropped.",
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


def read_source(file: str) -> Source:
    """The bytes of a file of traces; raises TraceError."""
    return Source(read_bounded(file, limit=TRACES_BYTE_LIMIT, error=TraceError), file)


def terminal_style() -> Style:
    """How a text may look on this stdout."""
    return Style(colour=wants_colour(sys.stdout))
