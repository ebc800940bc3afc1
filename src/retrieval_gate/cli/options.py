"""The options that `run` and `baseline accept` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from retrieval_gate.app import Options

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_SHARED: tuple[Decorator, ...] = (
    click.option("--fixture", metavar="FILE", help="The labelled fixture. Default: the configuration's."),
    click.option("--config", metavar="FILE", help="Default: retrieval-gate.toml, or [tool.retrieval-gate]."),
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
    click.option("--quiet", "-q", is_flag=True, help="No progress; print the verdict and the failures only."),
)


def shared_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the shared options, in the order of their table."""
    for option in reversed(_SHARED):
        command = option(command)
    return command


def options_from(values: dict[str, Any]) -> Options:
    """The options of one call; an empty value means the default."""
    names = tuple(name.strip() for name in values.get("ablations", "").split(",") if name.strip())
    return Options(
        config=values.get("config") or None,
        fixture=values.get("fixture") or None,
        baseline=values.get("baseline") or None,
        ablations=names,
        abstention=not values.get("no_abstention", False),
        allow_missing_baseline=values.get("allow_missing_baseline", False),
        report=values.get("report") or None,
        label=values.get("label") or None,
    )
