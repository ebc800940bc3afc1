"""What is written to the terminal: UTF-8 with `\\n`, whatever the platform; a closed pipe is not a failure."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

from retrieval_gate.base.errors import OutputError


def prepare_streams() -> None:
    """Write UTF-8 and `\\n` everywhere; what a stream can not show is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def say(text: str) -> None:
    """Write a line, or lines, to stdout."""
    _write(sys.stdout, text)


def say_plainly(text: str) -> None:
    """Write one line to stdout that may hold a file's name: nothing in it can command a terminal or a runner."""
    from retrieval_gate.report.outputs.style import plain  # late: only a problem needs it

    say(plain(text))


def warn_plainly(text: str) -> None:
    """The same, to stderr."""
    from retrieval_gate.report.outputs.style import plain

    warn(plain(text))


def warn(text: str) -> None:
    """Write a line, or lines, to stderr."""
    _write(sys.stderr, text)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person reads the stream; None is a stream that was closed before the start."""
    return stream is not None and stream.isatty()


def wants_colour(stream: TextIO | None) -> bool:
    """Colour on a terminal only, and never where NO_COLOR is set (no-color.org) or the terminal is dumb."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:
        return
    try:
        stream.write(text if text.endswith("\n") else text + "\n")
        stream.flush()
    except BrokenPipeError:
        # The reader has seen enough, as `| head` does: the verdict stands, nothing more is written.
        _discard(stream)
    except OSError as failure:
        # Python flushes what is left at its end, and would exit 120 in place of the error's own code.
        _discard(stream)
        raise OutputError(
            "stdout", "the output can not be written", fix="check the disk that it goes to"
        ) from failure


def _discard(stream: TextIO) -> None:
    """Send what is left in the stream's buffer, and all that follows, nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
