"""`retrieval-gate run`: the main job."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retrieval_gate.base.errors import UsageError
from retrieval_gate.cli.console import say, wants_colour, warn
from retrieval_gate.cli.options import FAIL_ON, FORMATS, options_from, shared_options
from retrieval_gate.cli.progress import progress_bar
from retrieval_gate.scenarios.children import Children

if TYPE_CHECKING:
    from retrieval_gate.app import Outcome


@click.command()
@shared_options
@click.option("--allow-missing-baseline", is_flag=True, help="Check the absolute gates alone where there is none.")
@click.option(
    "--report",
    multiple=True,
    metavar="[FORMAT:]FILE",
    help="Write a report here, JSON unless a format is named, and a candidate baseline beside the first.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option("--sweep", is_flag=True, help="Print what other evidence thresholds would decide, after the report.")
@click.option(
    "--fail-on",
    type=click.Choice(FAIL_ON),
    default=FAIL_ON[0],
    show_default=True,
    help="violation: leaks, stale evidence, wrong states and loosening only. never: no failed gate exits 1.",
)
@click.option("--base-baseline", metavar="FILE", help="The base branch's baseline: what is loosened is shown.")
@click.option("--approve-loosening", metavar="HASH", help="Accept exactly the loosenings of this hash.")
@click.option("--reveal-held-out", is_flag=True, help="Name held-out queries; they are told of together else.")
@click.option("--label", metavar="NAME", help="A name for this run, e.g. of a matrix leg.")
def command(form: str, quiet: bool, sweep: bool, **values: Any) -> int:  # noqa: FBT001 - click passes flags by name
    """Run the fixture through every ablation twice, compare, score, and check the gates.

    Prints the verdict first. Leaves no file unless --report names one.
    """
    if sweep and form != "text":
        raise UsageError("sweep-is-text", "--sweep prints text behind the report", fix="use it with --format text")
    # While the children start, this process imports what it needs itself.
    children = Children(config=values["config"], fixture=values["fixture"])
    with children, progress_bar(quiet=quiet) as progress:
        from retrieval_gate.app import run
        from retrieval_gate.report.outputs.sweep import sweep as sweep_of
        from retrieval_gate.report.report import exit_code

        outcome = run(options_from(values), Path.cwd(), progress, children)
    show(outcome, form=form, quiet=quiet)
    if sweep:
        say(f"\n{sweep_of(outcome.report)}")
    return exit_code(outcome.report)


def show(outcome: Outcome, *, form: str, quiet: bool) -> None:
    """Print the report to stdout in one format; how many warnings the fixture has, to stderr."""
    from retrieval_gate.report.outputs.table import Style, output

    if outcome.warnings and not quiet:
        file = outcome.warnings[0].place.file
        warn(f"the fixture has {len(outcome.warnings)} warnings: retrieval-gate check {file}")
    style = Style(colour=wants_colour(sys.stdout), quiet=quiet)
    say(output(form).render(outcome.report, style))
