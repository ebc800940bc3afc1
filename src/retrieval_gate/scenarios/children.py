"""All processes of a run beside the gate's own: both workers and, where it is needed, that of the scenarios.

Importing this is quick, so that the command line can start them before it imports what takes longest.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from types import TracebackType

from retrieval_gate.base.errors import InputError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.evaluation.pair import WorkerPair
from retrieval_gate.scenarios.process import Scenarios

_CONFIG = "retrieval-gate.toml"
_FIXTURE = re.compile(rb'^\s*fixture\s*=\s*"([^"\\\n]+)"', re.MULTILINE)
# Larger files than this are not looked into before they are read in earnest.
_GLIMPSE = 1 << 22


class Children:
    """Started at once; leaving the context stops all and removes what they left.

    It may be left twice: by who started them, and by who uses them.
    """

    def __init__(self, *, config: str | None = None, fixture: str | None = None) -> None:
        """`config` and `fixture` are what the caller names; None, or nothing, where he names none."""
        with ExitStack() as undo:
            self.workers = undo.enter_context(WorkerPair())
            self.scenarios = undo.enter_context(Scenarios())
            self.scenarios.expect(_glimpse(config, fixture))
            self._leaving = undo.pop_all()

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._leaving.close()


def _glimpse(config: str | None, fixture: str | None) -> bytes:
    """The bytes of what is likely the fixture, nothing where that can not be told.

    Only a matter of speed: nothing is refused or decided here, and the gate reads all of it again.
    """
    try:
        if not fixture:
            named = _FIXTURE.search(read_bounded(config or _CONFIG, limit=_GLIMPSE, error=InputError))
            fixture = None if named is None else named.group(1).decode("utf-8")
        return read_bounded(fixture, limit=_GLIMPSE, error=InputError) if fixture else b""
    except (InputError, ValueError):
        return b""
