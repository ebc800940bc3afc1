"""`retrieval-gate compare BEFORE AFTER`: what a repair changed in supplied traces, and what stayed."""

from __future__ import annotations

import click

from retrieval_gate.cli.console import say
from retrieval_gate.cli.traces import cutoff_option, format_option, judgments_option, read_sources, terminal_style
from retrieval_gate.inputs.traces import load_traces
from retrieval_gate.report.traces.compare import compare
from retrieval_gate.report.traces.outputs import trace_output
from retrieval_gate.report.traces.report import comparison_exit_code


@click.command()
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@judgments_option
@cutoff_option
@format_option
def command(before: str, after: str, judgments: str | None, k: int, form: str) -> int:
    """Compare two files of traces, as `score` reads them; --judgments holds the labels of both.

    A trace whose hits or observed state differ is labelled simulated unless recorded: no search implementation is
    run here, and only you know whether both files came from one. A trace that is gone, has other labels, or lost
    any value fails.

    Exits 1 where anything fails in AFTER or against BEFORE, 4 where no trace could be compared, or there was
    nothing to check in any.
    """
    old, new, *labels = read_sources(before, after, *([] if judgments is None else [judgments]))
    comparison = compare(load_traces(old, *labels), load_traces(new, *labels), k)
    say(trace_output(form).compare(comparison, terminal_style()))
    return comparison_exit_code(comparison)
