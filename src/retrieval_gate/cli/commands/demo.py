"""`retrieval-gate demo`: the lesson."""

from __future__ import annotations

import click

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.console import say
from retrieval_gate.cli.traces import terminal_style
from retrieval_gate.inputs.traces import load_lesson
from retrieval_gate.report.traces.demo import render_demo


@click.command()
def command() -> int:
    """Show five traces that fail, each in its own way, and why each blocks.

    It teaches; it reads no file and runs no retriever. It exits 1, as the gate does on such traces: that is its
    documented end, not a fault.
    """
    say(render_demo(load_lesson(), terminal_style()))
    return ExitCode.GATE_FAILED
