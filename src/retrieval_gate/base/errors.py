"""The error tree. An error means that the run could not be judged; a finding is data, not an error.

GateError
├── InputError (2)
│   ├── UsageError
│   ├── ConfigError
│   ├── FixtureError
│   ├── TraceError
│   ├── BaselineError
│   └── OutputError
├── NotDeterministicError (3)
├── NothingComparableError (4)
├── RetrieverError (5)
└── InternalError (70)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.places import Place, Problem


class GateError(Exception):
    """An error that a user reads: `code` (kebab-case), `what` happened, `where`, and the `fix` to try next.

    Texts quote ids, field names and numbers; never query text, corpus text or a secret.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL

    def __init__(self, code: str, what: str, *, fix: str, where: Place | None = None) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.fix = fix
        self.where = where

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}[{self.code}] {self.what}. Fix: {self.fix}."


class InputError(GateError):
    """The user's input can not be used. `problems` lists all that is wrong, in file order."""

    exit_code = ExitCode.BAD_INPUT

    def __init__(
        self, code: str, what: str, *, fix: str, where: Place | None = None, problems: Sequence[Problem] = ()
    ) -> None:
        super().__init__(code, what, fix=fix, where=where)
        self.problems = tuple(problems)


class UsageError(InputError):
    """A command-line option or argument is wrong."""


class ConfigError(InputError):
    """The configuration is wrong, or names something that does not exist."""


class FixtureError(InputError):
    """The fixture breaks a rule."""


class TraceError(InputError):
    """A file of supplied traces or of their judgments can not be used."""


class BaselineError(InputError):
    """The committed baseline can not be read."""


class OutputError(InputError):
    """An output can not be written where it was asked for."""


class NotDeterministicError(GateError):
    """The two runs differ, where only equal runs will do."""

    exit_code = ExitCode.NOT_DETERMINISTIC


class NothingComparableError(GateError):
    """There is nothing to compare or nothing was measured."""

    exit_code = ExitCode.NOTHING_COMPARABLE


class RetrieverError(GateError):
    """The retriever died, hung, or answered something that is not an answer.

    `ablation` is the one whose retriever it was, None where whoever catches it knows.
    """

    exit_code = ExitCode.RETRIEVER_FAILED
    ablation: AblationId | None = None


class InternalError(GateError):
    """A bug in retrieval-gate itself."""

    exit_code = ExitCode.INTERNAL
