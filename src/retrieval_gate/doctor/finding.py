"""What the doctor found: one finding per probe, in the order in which things should be mended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import AblationId, QueryId


class Health(StrEnum):
    """Only FIX keeps the gate from judging the retriever, or makes it red for certain."""

    OK = "ok"
    FIX = "fix"
    NOTE = "note"
    NOT_CHECKED = "not-checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a probe found, in one sentence of ids and numbers; `fix` is None where there is nothing to do.

    `queries` are some for which it was found. Held-out ones are never asked, so never named.
    """

    health: Health
    what: str
    fix: str | None = None
    queries: tuple[QueryId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Milliseconds, diagnostic only; None where nothing was timed."""

    opening: float | None
    median: float | None
    p95: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Of one ablation: `kind` is its retriever's scheme, `asked` how many of the fixture's `queries` were asked,
    0 where it could not be opened.

    `findings` are named by their probe, in the order of the table.
    """

    ablation: AblationId
    kind: str
    asked: int
    queries: int
    findings: tuple[tuple[str, Finding], ...]
    timing: Timing


def to_fix(diagnosis: Diagnosis) -> tuple[tuple[str, Finding], ...]:
    """What must be mended, the first first."""
    return tuple((probe, finding) for probe, finding in diagnosis.findings if finding.health is Health.FIX)


def exit_code(diagnoses: tuple[Diagnosis, ...]) -> ExitCode:
    """A retriever that must be mended has failed; 1 is for failed gates alone."""
    return ExitCode.RETRIEVER_FAILED if any(map(to_fix, diagnoses)) else ExitCode.PASS
