"""The options that `run` and `baseline accept` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from retrieval_gate.cli.dates import FORM, date_option

if TYPE_CHECKING:  # what it is made of is imported while the workers are starting
    from retrieval_gate.settle import Options, ReportFile

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

# The ids of `report.outputs.table.OUTPUTS` and of `report.report.FailOn`, which take long to import; a test
# compares them.
FORMATS = ("text", "json", "markdown", "github", "junit", "sarif", "gitlab")
FAIL_ON = ("regression", "violation", "never")

_INPUTS: tuple[Decorator, ...] = (
    click.option("--fixture", metavar="FILE", help="The labelled fixture. Default: the configuration's."),
    click.option("--held-out", metavar="FILE", help="Its held-out queries. Default: the configuration's."),
    click.option("--config", metavar="FILE", help="Default: retrieval-gate.toml, or [tool.retrieval-gate]."),
)
_SHARED: tuple[Decorator, ...] = (
    *_INPUTS,
    click.option(
        "--baseline",
        metavar="FILE",
        help="The committed baseline. Default: the configuration's, else beside the fixture.",
    ),
    click.option(
        "--ablations",
        metavar="A,B",
        default="",
        help="Run these ablations only. Default: all that are configured.",
    ),
    click.option("--no-abstention", is_flag=True, help="Answer however weak the evidence is."),
    click.option(
        "--today",
        metavar=FORM,
        callback=date_option,
        help="The date that waivers are held against. Default: their dates are not checked.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="No progress; print the verdict and the failures only."),
)


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options, in the order of their table."""
    return _with(_SHARED, command)


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add those of the shared options that name an input."""
    return _with(_INPUTS, command)


def retriever_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--retriever`."""
    return click.option(
        "--retriever",
        metavar="SPEC",
        help="One retriever in place of the configured ablations, e.g. 'exec:node retriever.mjs'.",
    )(command)


def _with(options: tuple[Decorator, ...], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


def options_from(values: dict[str, Any]) -> Options:
    """The options of one call; an empty value means the default."""
    from retrieval_gate.report.report import FailOn
    from retrieval_gate.settle import Options

    names = tuple(name.strip() for name in values.get("ablations", "").split(",") if name.strip())
    return Options(
        config=values.get("config") or None,
        fixture=values.get("fixture") or None,
        held_out=values.get("held_out") or None,
        baseline=values.get("baseline") or None,
        ablations=names,
        retriever=values.get("retriever") or None,
        abstention=not values.get("no_abstention", False),
        allow_missing_baseline=values.get("allow_missing_baseline", False),
        reports=tuple(_report_file(value) for value in values.get("report", ()) if value),
        label=values.get("label") or None,
        base_baseline=values.get("base_baseline") or None,
        approve_loosening=values.get("approve_loosening") or None,
        fail_on=FailOn(values.get("fail_on", FailOn.REGRESSION)),
        today=values.get("today"),
        reveal_held_out=values.get("reveal_held_out", False),
    )


def _report_file(value: str) -> ReportFile:
    """`FORMAT:FILE`, or a file alone for the JSON report."""
    from retrieval_gate.settle import ReportFile

    form, colon, path = value.partition(":")
    if colon and form in FORMATS:
        return ReportFile(form=form, path=path)
    return ReportFile(form="json", path=value)
