"""Where in a file something is, and what is wrong there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a file: `file` as the user gave it, `line` from 1, `pointer` an RFC 6901 JSON pointer."""

    file: str
    line: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong in an input file.

    `rule` is the kebab-case id of the rule; `message` says what happened and `fix` what to do next. Neither
    ever quotes a value from the file: ids, field names, numbers and code points only.
    """

    rule: str
    severity: Severity
    place: Place
    message: str
    fix: str

    def __str__(self) -> str:
        pointer = f" {self.place.pointer}" if self.place.pointer else ""
        return f"{self.place}: {self.severity} [{self.rule}]{pointer} {self.message}. Fix: {self.fix}."
