"""The command line. Imports stay late: `--help` must start fast, and a broken import must not exit 1."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable


def main() -> None:
    """Run the command line and exit with its code; the only place that catches everything.

    Nothing but a failed gate exits 1 (design §2): a bug, a broken import or an interrupt has a code of its own.
    """
    # This process imports much, works briefly and ends; to look through all of that for garbage, and once more at
    # the end, takes longer than to read a fixture.
    gc.disable()
    code = guarded(_command)
    gc.freeze()
    sys.exit(code)


def _command() -> int:
    from retrieval_gate.cli.entry import run

    return run(sys.argv[1:])


def guarded(program: Callable[[], int], *, on_bug: Callable[[], None] | None = None) -> int:
    """The exit code of `program`, whatever happens in it. A request to end ends it as Ctrl-C does, tidily.

    `on_bug` is called once a bug has been reported, for whoever else must hear of it.
    """
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        return program()
    except KeyboardInterrupt:
        return 130
    except Exception as bug:  # noqa: BLE001 - the one broad except: a bug exits 70, never 1
        _report_bug(bug)
        if on_bug is not None:
            on_bug()
        return 70


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _report_bug(bug: Exception) -> None:
    """Say where the bug is without quoting what it stumbled over."""
    from retrieval_gate.base.crash import private_traceback

    sys.stderr.write(
        "retrieval-gate: internal error: this is a bug, please report it.\n"
        "The trace holds no query or corpus text:\n" + private_traceback(bug) + "\n"
    )
