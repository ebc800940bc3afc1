"""`retrieval-gate record --out FILE`: what a retriever answers, for `replay:FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.cli.console import warn_plainly
from retrieval_gate.cli.options import input_options, options_from, retriever_option
from retrieval_gate.recording import Kept, Recorded, failed, record


@click.command()
@input_options
@click.option("--ablations", metavar="A", default="", help="The ablation to record, where several are configured.")
@retriever_option
@click.option("--no-abstention", is_flag=True, help="Answer however weak the evidence is.")
@click.option("--out", required=True, metavar="FILE", help="Where the answers go: JSON Lines.")
@click.option("--second", metavar="FILE", help="Ask everything a second time, in fresh state, and keep that here.")
def command(out: str, second: str | None, **values: Any) -> int:
    """Ask one ablation every question of the fixture and save its answers.

    An ablation whose retriever is "replay:FILE" then answers from the file, without the retriever that made it.
    With --second the gate can still tell whether two runs of the retriever agree.

    The file holds ids, scores and stages, and the contexts as far as the retriever gives their texts; of the
    questions it holds digests. Where the retriever fails, exit 5: FILE is left as it was, and what was answered
    before stands in FILE.partial.
    """
    recorded = record(options_from(values), out, second or None, Path.cwd())
    for kept in recorded.kept:
        warn_plainly(_told(recorded, kept))
    error = failed(recorded)
    if error is not None:
        raise error
    return ExitCode.PASS


def _told(recorded: Recorded, kept: Kept) -> str:
    """What a file holds, for whoever passes it on."""
    text = "contexts with their text: keep it where the corpus may be kept" if kept.holds_text else "no text"
    held_out = f", {recorded.held_out} of the fixture's queries are held out" if recorded.held_out else ""
    of = f"{kept.answers} answers of ablation {recorded.ablation}"
    return f"{kept.path}: {of}; ids, scores and stages, {text}{held_out}"
