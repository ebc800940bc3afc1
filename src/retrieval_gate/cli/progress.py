"""A progress bar on stderr, for work that a person waits for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from retrieval_gate.evaluation.evaluate import Progress, silent

# Shorter work than this many answers is over before a bar could be read.
LEAST_WORK = 2_000


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """A progress observer; silent where stderr is not a terminal, on --quiet, and for short work."""
    if quiet or not sys.stderr.isatty():
        yield silent
        return
    bar = _LateBar()
    try:
        yield bar.advance
    finally:
        bar.finish()


class _LateBar:
    """A bar that appears once it knows that the work is long."""

    def __init__(self) -> None:
        self._bar: click._termui_impl.ProgressBar[int] | None = None

    def advance(self, done: int, total: int) -> None:
        if total < LEAST_WORK:
            return
        if self._bar is None:
            self._bar = click.progressbar(
                length=total, label="answers, both runs", file=sys.stderr, update_min_steps=50
            )
            self._bar.render_progress()
        self._bar.update(done - self._bar.pos)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
