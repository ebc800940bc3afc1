"""`retrieval-gate doctor`: is this retriever ready for the gate, and what is to be mended first."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from retrieval_gate.cli.console import say, wants_colour
from retrieval_gate.cli.options import input_options, options_from, retriever_option
from retrieval_gate.doctor.finding import exit_code
from retrieval_gate.doctor.outputs import DOCTOR_OUTPUTS, doctor_output
from retrieval_gate.examination import examine
from retrieval_gate.report.outputs.style import Style


@click.command()
@input_options
@click.option(
    "--ablations", metavar="A,B", default="", help="Examine these only. Default: all that are configured."
)
@retriever_option
@click.option(
    "--format",
    "form",
    type=click.Choice([row.id for row in DOCTOR_OUTPUTS]),
    default="text",
    show_default=True,
    help="What to print.",
)
def command(form: str, **values: Any) -> int:
    """Examine a retriever before the gate judges it, and say what to fix, in order.

    Some 20 of the fixture's queries are asked several times: again, in another order, in a second process, by
    principals who may not see the answer, and when it is not current. Nothing is scored or written, and no id
    that the fixture does not have is shown.

    Exits 0 where nothing needs fixing, 5 where something does.
    """
    examined = examine(options_from(values), Path.cwd())
    style = Style(colour=wants_colour(sys.stdout))
    say(doctor_output(form).render(examined.diagnoses, examined.fixture, style))
    return exit_code(examined.diagnoses)
