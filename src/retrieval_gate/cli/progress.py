"""A progress bar on stderr, for work that a person waits for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from retrieval_gate.cli.console import is_terminal

if TYPE_CHECKING:
    from retrieval_gate.evaluation.evaluate import Progress

# Shorter work than this many answers is over before a bar could be read.
LEAST_WORK = 2_000
# The bar is drawn again after this many answers.
STEPS = 50


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Progress]:
    """A progress observer; silent where stderr is not a terminal, on --quiet, and for short work."""
    if quiet or not is_terminal(sys.stderr):
        yield lambda _done, _total: None
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
        self._done = 0

    def advance(self, done: int, total: int) -> None:
        if total < LEAST_WORK:
            return
        if self._bar is None:
            self._bar = click.progressbar(length=total, label="answers, both runs", file=sys.stderr)
            self._bar.render_progress()
        if done - self._done >= STEPS or done == total:
            self._bar.update(done - self._done)
            self._done = done

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.render_finish()
