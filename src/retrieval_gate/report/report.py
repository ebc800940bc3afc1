"""The Report: everything that is said about one evaluation, and the exit code that follows from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.errors import UsageError
from retrieval_gate.base.evaluation import Margin, RetrieverFailure
from retrieval_gate.base.exits import PRECEDENCE, ExitCode, strongest
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.places import Place
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.scores import Latency, Row
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.answers import StateCount, WaiverSummary
from retrieval_gate.verdict.kinds import kind_of

DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]{0,127}")


class Retrieval(StrEnum):
    """What the hits came from."""

    REAL = "real-retrieval"
    # Every answer was recorded before, or some ablations' were.
    RECORDED = "recorded-retrieval"
    PARTLY_RECORDED = "partly-recorded-retrieval"
    TRACE = "supplied-trace"
    # There are labels, and no hits for any of them.
    NEITHER = "neither"


class Unchecked(StrEnum):
    """What no run of this tool proves, and what this one does not."""

    CLAIM_SUPPORT = "claim-support"
    PRODUCTION_AUTHORISATION = "production-authorisation"
    # Both passes of an ablation are one recording: they are equal, whatever its retriever does.
    RECORDED_ONCE = "determinism-of-what-was-recorded-once"
    # A retriever takes no documents: that it holds the fixture's, and no other version of them, is taken on trust.
    UNSEEDED = "documents-expected-to-be-in-the-retriever-already"


# What no run of this tool proves.
NEVER_CHECKED = (Unchecked.CLAIM_SUPPORT, Unchecked.PRODUCTION_AUTHORISATION)


class BaselineStatus(StrEnum):
    """How much of the committed baseline could be compared."""

    MATCHED = "matched"
    PARTIAL = "partial"
    MISSING = "missing"
    # It asks for less than the base branch's does, and nobody has approved that.
    LOOSENED = "loosened"


class FailOn(StrEnum):
    """Which failed gates block; the others only warn. No other exit code than 1 hangs on it."""

    REGRESSION = "regression"
    VIOLATION = "violation"
    NEVER = "never"


class SetAside(StrEnum):
    """A part of the configuration that is not used, as the caller named another fixture than it does."""

    ALIASES = "alias table"
    HELD_OUT = "held-out file"
    BASELINE = "baseline"


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
    """The fixture's id, revision, and how much it holds; held-out queries are counted as queries too."""

    id: str
    version: int
    documents: int
    chunks: int
    queries: int
    answerable: int
    no_answer: int
    held_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineSummary:
    """`shared` counts the queries that were compared; the others name those that were not.

    `comparable` says whether anything was compared at all. `changed` lists the parts of the system that differ
    from the baseline's: they are judged in full. `names` are the ids that the file holds, some may be gone.
    `loosening_hash` stands for all that the file asks less of than the base branch's does, None where that is
    nothing; `loosening_approved` says whether the caller approved this hash.
    """

    status: BaselineStatus
    comparable: bool
    shared: int
    added: tuple[QueryId, ...]
    removed: tuple[QueryId, ...]
    edited: tuple[QueryId, ...]
    changed: tuple[Part, ...]
    names: frozenset[str]
    loosening_hash: str | None = None
    loosening_approved: bool = False


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
    """What the user typed, for the commands that reproduce and accept; None or () is left to the defaults.

    `set_aside` is what of the configuration was not used because of it.

    Not in the JSON: it is of the caller's machine.
    """

    fixture: str | None = None
    held_out: str | None = None
    config: str | None = None
    baseline: str | None = None
    ablations: tuple[str, ...] = ()
    abstention: bool = True
    today: date | None = None
    base_baseline: str | None = None
    reveal_held_out: bool = False
    set_aside: tuple[SetAside, ...] = ()


# One value of the committed baseline.
ValueKey = tuple[AblationId, SliceId, MetricId]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One evaluation, ready to be shown. No field can hold query or corpus text.

    `label` tells the legs of a matrix apart. `left_out` and `substituted` are ablations, see `Plan`. `records` and
    `margins` leave out held-out queries, which are reported as aggregates only, unless the caller asked for them.
    `verdicts` are worst first. `states` are the confusion tables, `waivers` all that the configuration has.
    `places` is filled for the queries of failures only, `value_places` for the values in the baseline that they
    are held against, `unit_places` for the chunks and documents of those without a query. `fail_on` says which
    failures block.
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
    value_places: tuple[tuple[ValueKey, Place], ...] = ()
    unit_places: tuple[tuple[UnitId, Place], ...] = ()
    fail_on: FailOn = FailOn.REGRESSION
    states: tuple[StateCount, ...] = ()
    margins: tuple[Margin, ...] = ()
    waivers: tuple[WaiverSummary, ...] = ()


def with_status(report: Report, status: Status) -> tuple[Verdict, ...]:
    """The verdicts of one status, worst first."""
    return tuple(verdict for verdict in report.verdicts if verdict.status is status)


def blocks(report: Report, verdict: Verdict) -> bool:
    """Whether this verdict alone makes the run exit 1."""
    if verdict.status is not Status.FAILED:
        return False
    match report.fail_on:
        case FailOn.REGRESSION:
            return True
        case FailOn.VIOLATION:
            return kind_of(verdict.kind).violation
        case FailOn.NEVER:
            return False


def blocking(report: Report) -> tuple[Verdict, ...]:
    """The failed verdicts that block, worst first."""
    return tuple(verdict for verdict in report.verdicts if blocks(report, verdict))


def warned(report: Report) -> tuple[Verdict, ...]:
    """The failed verdicts that only warn, worst first."""
    return tuple(verdict for verdict in with_status(report, Status.FAILED) if not blocks(report, verdict))


def red_differences(report: Report) -> tuple[Difference, ...]:
    """The differences between the two runs that are not tolerated."""
    return tuple(difference for difference in report.differences if not difference.tolerated)


def exit_codes(report: Report) -> tuple[ExitCode, ...]:
    """Every code that holds, the strongest first; PASS alone where none does."""
    holding = {
        ExitCode.RETRIEVER_FAILED: bool(report.failures),
        ExitCode.NOT_DETERMINISTIC: bool(red_differences(report)),
        ExitCode.GATE_FAILED: bool(blocking(report)),
        ExitCode.NOTHING_COMPARABLE: not (_comparable(report) and measured(report)),
    }
    return tuple(code for code in PRECEDENCE if holding.get(code)) or (ExitCode.PASS,)


def exit_code(report: Report) -> ExitCode:
    """The process's exit code: a pure function of the report."""
    return strongest(exit_codes(report))


def measured(report: Report) -> bool:
    """Whether any row has a value."""
    return any(row.value is not None and row.n > 0 for row in report.rows)


def bounded(report: Report) -> bool:
    """Whether any value was held against a bound; without one a run without a baseline has judged nothing."""
    judged = (Status.PASSED, Status.FAILED)
    return any(verdict.bound is not None and verdict.status in judged for verdict in report.verdicts)


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
        return report.allow_missing_baseline and bounded(report)
    return report.baseline.comparable
