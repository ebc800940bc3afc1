"""`retrieval-gate score RUN`: supplied traces against their labels; nothing is run."""

from __future__ import annotations

import click

from retrieval_gate.cli.console import say
from retrieval_gate.cli.traces import cutoff_option, format_option, judgments_option, read_sources, terminal_style
from retrieval_gate.inputs.traces import load_traces
from retrieval_gate.report.traces.build import score
from retrieval_gate.report.traces.outputs import trace_output
from retrieval_gate.report.traces.report import exit_code


@click.command()
@click.argument("run", type=click.Path())
@judgments_option
@cutoff_option
@format_option
def command(run: str, judgments: str | None, k: int, form: str) -> int:
    """Score the traces in RUN: JSON or JSON Lines, which is detected; - reads standard input.

    A trace has an id, its relevant, forbidden and stale chunks, the expected and the observed answer state, and
    its hits in order. Permission, freshness, answer state and whole evidence are checked apart from relevance;
    each failure blocks, with what to do first. With --judgments the two files must hold the same ids: a trace
    without labels fails, and so do labels without a trace. The text of a query may be there; it is never printed.

    Exits 1 where a trace fails, 4 where nothing was checked.
    """
    report = score(load_traces(*read_sources(run, *([] if judgments is None else [judgments]))), k)
    say(trace_output(form).score(report, terminal_style()))
    return exit_code(report)
