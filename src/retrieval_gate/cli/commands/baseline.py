"""`retrieval-gate baseline`: only a commit changes what the gate compares with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.console import say, wants_colour, warn
from retrieval_gate.cli.options import options_from, shared_options
from retrieval_gate.cli.progress import progress_bar
from retrieval_gate.scenarios.children import Children


@click.group()
def command() -> None:
    """Accept what is measured now as the committed baseline."""


@command.command("accept")
@shared_options
@click.option(
    "--reason", required=True, metavar="TEXT", help="Why this is right; kept in the file for the reviewer."
)
def accept_command(reason: str, quiet: bool, **values: Any) -> int:  # noqa: FBT001 - click passes flags by name
    """Run the fixture and write the baseline. Commit the file: a reviewer sees each value that moved.

    Refused where the two runs differ, the retriever failed, or a forbidden or stale chunk was returned.
    """
    children = Children(config=values["config"], fixture=values["fixture"])
    with children, progress_bar(quiet=quiet) as progress:
        from retrieval_gate.app import accept
        from retrieval_gate.report.outputs.style import Style
        from retrieval_gate.report.outputs.text import render_accepted

        outcome = accept(options_from(values), reason, Path.cwd(), progress, children)
    if outcome.replaced is not None:
        warn(f"the baseline before could not be read, and is replaced: {outcome.replaced.where}")
    say(render_accepted(outcome.report, outcome.baseline_path, Style(colour=wants_colour(sys.stdout))))
    return ExitCode.PASS
