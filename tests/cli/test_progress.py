"""The progress bar shows what was done, and ends at the whole."""

from __future__ import annotations

import io
import sys

import pytest

from retrieval_gate.cli.progress import LEAST_WORK, progress_bar


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(monkeypatch: pytest.MonkeyPatch, total: int, until: int, *, quiet: bool = False) -> str:
    terminal = _Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", terminal)
        with progress_bar(quiet=quiet) as advance:
            for done in range(1, until + 1):
                advance(done, total)
    return terminal.getvalue()


def test_it_ends_at_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "100%" in _shown(monkeypatch, LEAST_WORK, LEAST_WORK)


def test_it_never_shows_more_than_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _shown(monkeypatch, LEAST_WORK, LEAST_WORK // 2)
    assert " 50%" in shown
    assert not any(f"{percent}%" in shown for percent in range(51, 101))


def test_short_and_quiet_work_shows_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _shown(monkeypatch, LEAST_WORK - 1, LEAST_WORK - 1) == ""
    assert _shown(monkeypatch, LEAST_WORK, LEAST_WORK, quiet=True) == ""
