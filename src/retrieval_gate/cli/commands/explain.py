"""`retrieval-gate explain NAME`."""

from __future__ import annotations

import click

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.console import say
from retrieval_gate.report.explain import explain


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Explain a metric, a gate, a kind of failure, an exit code or a rule of fixtures.

    Without a NAME, list them all but the rules, which docs/fixture.md lists."""
    say(explain(name))
    return ExitCode.PASS
