"""Exit codes, and which one wins when several hold."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """What a caller learns from the process alone; `meaning` is the one-line documentation of each."""

    PASS = 0
    GATE_FAILED = 1
    BAD_INPUT = 2
    NOT_DETERMINISTIC = 3
    NOTHING_COMPARABLE = 4
    RETRIEVER_FAILED = 5
    INTERNAL = 70
    INTERRUPTED = 130

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.PASS: "every gate passed",
    ExitCode.GATE_FAILED: "a gate failed",
    ExitCode.BAD_INPUT: "bad usage, configuration, fixture or baseline, or an output that can not be written",
    ExitCode.NOT_DETERMINISTIC: "the two runs differ",
    ExitCode.NOTHING_COMPARABLE: "nothing comparable: no baseline, nothing left to compare, nothing measured",
    ExitCode.RETRIEVER_FAILED: "the retriever failed",
    ExitCode.INTERNAL: "internal error: a bug in retrieval-gate",
    ExitCode.INTERRUPTED: "interrupted",
}

# When several hold the first of these is the exit code; all are printed (design §2).
PRECEDENCE = (
    ExitCode.INTERRUPTED,
    ExitCode.INTERNAL,
    ExitCode.BAD_INPUT,
    ExitCode.RETRIEVER_FAILED,
    ExitCode.NOT_DETERMINISTIC,
    ExitCode.GATE_FAILED,
    ExitCode.NOTHING_COMPARABLE,
)


def strongest(codes: Iterable[ExitCode]) -> ExitCode:
    """The exit code that wins; PASS where none holds."""
    holding = frozenset(codes)
    return next((code for code in PRECEDENCE if code in holding), ExitCode.PASS)
