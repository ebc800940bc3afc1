"""The Report: everything that is said about one evaluation, and the exit code that follows from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.errors import UsageError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.exits import PRECEDENCE, ExitCode, strongest
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.ids import AblationId, QueryId
from retrieval_gate.base.places import Place
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Latency, Row
from retrieval_gate.base.verdict import Status, Verdict

LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]{0,127}")


class Retrieval(StrEnum):
    """What the hits came from."""

    REAL = "real-retrieval"
    TRACE = "supplied-trace"


class Unchecked(StrEnum):
    """What no run of this tool proves."""

    CLAIM_SUPPORT = "claim-support"
    PRODUCTION_AUTHORISATION = "production-authorisation"


class BaselineStatus(StrEnum):
    """How much of the committed baseline could be compared."""

    MATCHED = "matched"
    PARTIAL = "partial"
    MISSING = "missing"


class Part(StrEnum):
    """A part of the evaluated system, as `base.hashes.Components` names it."""

    CORPUS = "corpus"
    SETTINGS = "settings"
    ABLATIONS = "ablations"
    PROVIDERS = "providers"
    TOKENIZER = "tokenizer"
    ALIASES = "aliases"


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureSummary:
    """The fixture's id, revision, and how much it holds."""

    id: str
    version: int
    documents: int
    chunks: int
    queries: int
    answerable: int
    no_answer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSummary:
    """`shared` counts the queries that were compared; the others name those that were not.

    `comparable` says whether anything was compared at all. `changed` lists the parts of the system that differ
    from the baseline's: they are judged in full. `names` are the ids that the file holds, some may be gone.
    """

    status: BaselineStatus
    comparable: bool
    shared: int
    added: tuple[QueryId, ...]
    removed: tuple[QueryId, ...]
    edited: tuple[QueryId, ...]
    changed: tuple[Part, ...]
    names: frozenset[str]


NO_BASELINE = BaselineSummary(
    status=BaselineStatus.MISSING,
    comparable=False,
    shared=0,
    added=(),
    removed=(),
    edited=(),
    changed=(),
    names=frozenset(),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Versions of what a result can hang on; a note, never hashed."""

    tool: str
    python: str
    sqlite: str
    unicode: str
    numpy: str

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Name and version of each, in a fixed order."""
        return (
            ("tool", self.tool),
            ("python", self.python),
            ("sqlite", self.sqlite),
            ("unicode", self.unicode),
            ("numpy", self.numpy),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """What the user asked for, for the commands that reproduce and accept; not in the JSON."""

    fixture: str | None = None
    config: str | None = None
    baseline: str | None = None
    abstention: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One evaluation, ready to be shown. No field can hold query or corpus text.

    `label` tells the legs of a matrix apart. `left_out` and `substituted` are ablations, see `Plan`. `records`
    leave out held-out queries, which are reported as aggregates only. `verdicts` are worst first. `places` is
    filled for the queries of failures only.
    """

    label: str | None
    fixture: FixtureSummary
    definition: Definition
    retrieval: Retrieval
    unchecked: tuple[Unchecked, ...]
    ablations: tuple[AblationId, ...]
    left_out: tuple[AblationId, ...]
    substituted: tuple[AblationId, ...]
    rows: tuple[Row, ...]
    records: tuple[QueryRecord, ...]
    verdicts: tuple[Verdict, ...]
    differences: tuple[Difference, ...]
    failures: tuple[RetrieverFailure, ...]
    baseline: BaselineSummary
    allow_missing_baseline: bool
    latencies: tuple[Latency, ...]
    environment: Environment
    invocation: Invocation
    places: tuple[tuple[QueryId, Place], ...]


def with_status(report: Report, status: Status) -> tuple[Verdict, ...]:
    """The verdicts of one status, worst first."""
    return tuple(verdict for verdict in report.verdicts if verdict.status is status)


def red_differences(report: Report) -> tuple[Difference, ...]:
    """The differences between the two runs that are not tolerated."""
    return tuple(difference for difference in report.differences if not difference.tolerated)


def exit_codes(report: Report) -> tuple[ExitCode, ...]:
    """Every code that holds, the strongest first; PASS alone where none does."""
    holding = {
        ExitCode.RETRIEVER_FAILED: bool(report.failures),
        ExitCode.NOT_DETERMINISTIC: bool(red_differences(report)),
        ExitCode.GATE_FAILED: bool(with_status(report, Status.FAILED)),
        ExitCode.NOTHING_COMPARABLE: not (_comparable(report) and measured(report)),
    }
    return tuple(code for code in PRECEDENCE if holding.get(code)) or (ExitCode.PASS,)


def exit_code(report: Report) -> ExitCode:
    """The process's exit code: a pure function of the report."""
    return strongest(exit_codes(report))


def measured(report: Report) -> bool:
    """Whether any row has a value."""
    return any(row.value is not None and row.n > 0 for row in report.rows)


def check_label(label: str) -> str:
    """A label as it can stand in a heading and a file name; raises UsageError for anything else."""
    if LABEL.fullmatch(label) and ".." not in label and "::" not in label:
        return label
    raise UsageError(
        "bad-label",
        "the label is not a plain name of at most 128 characters",
        fix="use letters, digits and . _ : # @ + / ( ) , - only, e.g. python-3.12",
    )


def _comparable(report: Report) -> bool:
    if report.baseline.status is BaselineStatus.MISSING:
        return report.allow_missing_baseline
    return report.baseline.comparable
