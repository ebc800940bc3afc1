"""`retrieval-gate compare BEFORE AFTER`: what a repair changed in supplied traces, and what stayed."""

from __future__ import annotations

import click

from retrieval_gate.cli.console import say
from retrieval_gate.cli.traces import cutoff_option, format_option, read_source, terminal_style
from retrieval_gate.inputs.traces import load_traces
from retrieval_gate.report.traces.compare import compare
from retrieval_gate.report.traces.outputs import trace_output
from retrieval_gate.report.traces.report import comparison_exit_code


@click.command()
@click.argument("before", type=click.Path())
@click.argument("after", type=click.Path())
@cutoff_option
@format_option
def command(before: str, after: str, k: int, form: str) -> int:
    """Compare two files of traces, as `score` reads them.

    A trace whose hits or observed state differ is labelled simulated: a file was changed, and no search
    implementation was run. A trace that is gone, has other labels, or lost any value fails.

    Exits 1 where anything fails in AFTER or against BEFORE, 4 where no trace could be compared.
    """
    comparison = compare(load_traces(read_source(before)), load_traces(read_source(after)), k)
    say(trace_output(form).compare(comparison, terminal_style()))
    return comparison_exit_code(comparison)
