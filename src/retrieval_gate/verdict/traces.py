"""The gates of supplied traces: permission, freshness, answer state and evidence, each apart from relevance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import MetricId, QueryId, UnitId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.scoring.metrics.table import parse_metric
from retrieval_gate.verdict.kinds import severity
from retrieval_gate.verdict.trace_kinds import MISSING, TRACE_KINDS, UNLABELLED


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCheck:
    """One check of a trace at cut-off k. `kind` is of its verdict where nothing failed.

    `checked` counts the labels that were checked, `fields` are what a trace must have for that, and `unlabelled`
    says so at length. `units` names the chunks that fail it (none for a state), and `failure` is the kind of the
    failure, None where there is none. `metric` may name the cut-off by `{k}`.
    """

    id: str
    explanation: str
    fields: str
    unlabelled: str
    kind: str
    metric: str
    checked: Callable[[QueryRecord, int], int]
    units: Callable[[QueryRecord, int], Sequence[str]]
    failure: Callable[[QueryRecord, int], str | None]

    def status(self, record: QueryRecord, k: int) -> Status:
        """Whether one trace passes; not checked where it has no such label."""
        if not self.checked(record, k):
            return Status.NOT_CHECKED
        return Status.PASSED if self.failure(record, k) is None else Status.FAILED


def _state_checked(record: QueryRecord, _k: int) -> int:
    return int(record.expected_state is not None and record.state is not None)


def _wrong_state(record: QueryRecord, _k: int) -> str | None:
    if record.state is record.expected_state:
        return None
    return "over-abstention" if record.state is State.ABSTAINED else "unsupported-answer"


def _evidence_checked(record: QueryRecord, k: int) -> int:
    """0 of a trace that has a stale version in place of all evidence: freshness names its cause and its repair."""
    if record.missing or record.expected_state is not State.ANSWERED:
        return 0
    replaced = record.stale and len(_not_found(record, k)) == len(record.judged)
    return 0 if replaced else len(record.judged)


def _not_found(record: QueryRecord, k: int) -> list[str]:
    return [unit.unit for unit in record.judged if unit.rank is None or unit.rank > k]


def _incomplete(record: QueryRecord, k: int) -> str | None:
    lost = len(_not_found(record, k))
    if not lost:
        return None
    return "no-evidence" if lost == len(record.judged) else "incomplete-evidence"


TRACE_CHECKS: tuple[TraceCheck, ...] = (
    TraceCheck(
        id="permission",
        explanation="no chunk that is forbidden for the query is among its hits, at any depth",
        fields="forbidden",
        unlabelled="list in forbidden the chunks that a trace's hits may not hold",
        kind="permission-leak",
        metric="permission-leaks",
        checked=lambda record, _k: record.checked_forbidden,
        units=lambda record, _k: [leak.chunk for leak in record.leaks],
        failure=lambda record, _k: "permission-leak" if record.leaks else None,
    ),
    TraceCheck(
        id="freshness",
        explanation="no chunk that is out of date for the query is among its hits, at any depth",
        fields="stale",
        unlabelled="list in stale the chunks that are out of date for a trace",
        kind="stale-evidence",
        metric="stale-evidence",
        checked=lambda record, _k: record.checked_stale,
        units=lambda record, _k: [item.chunk for item in record.stale],
        failure=lambda record, _k: "stale-evidence" if record.stale else None,
    ),
    TraceCheck(
        id="state",
        explanation="the observed answer state is the expected one",
        fields="expected with observed",
        unlabelled="give each trace its expected and its observed answer state",
        kind="wrong-state",
        metric="wrong-state",
        checked=_state_checked,
        units=lambda _record, _k: (),
        failure=_wrong_state,
    ),
    TraceCheck(
        id="evidence",
        explanation="every relevant chunk of a query that is to be answered is among its first k hits",
        fields="relevant with expected ANSWERED",
        unlabelled="list the relevant chunks of traces whose expected answer state is ANSWERED",
        kind="incomplete-evidence",
        metric="recall@{k}",
        checked=_evidence_checked,
        units=_not_found,
        failure=_incomplete,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceGate:
    """What the reference says of these gates, as of every other."""

    id: str
    explanation: str
    kinds: tuple[str, ...]


TRACE_GATE = TraceGate(
    id="traces",
    explanation=(
        "A supplied trace shows no forbidden and no stale chunk, has the expected answer state and, where it is "
        "to be answered, all its evidence. Each is checked apart from relevance; without labels it says not "
        "checked, and where nothing at all was checked it is not green. No trace and no label is lost, and in a "
        "comparison no value of a trace falls. Needs no baseline."
    ),
    kinds=(
        "permission-leak",
        "stale-evidence",
        "unsupported-answer",
        "over-abstention",
        "wrong-state",
        "incomplete-evidence",
        "no-evidence",
        *(kind.id for kind in TRACE_KINDS),
    ),
)


def judge_traces(
    records: Sequence[QueryRecord], k: int, unlabelled: Sequence[QueryId] = ()
) -> tuple[Verdict, ...]:
    """Every failure, worst kind first and then in file order; after them one verdict per check that has none.

    `unlabelled` are traces of the run that have no record, for want of labels.
    """
    failed = [verdict for record in records for verdict in _failures(record, k)]
    failed += [Verdict(kind=UNLABELLED, status=Status.FAILED, query=name, n=0) for name in unlabelled]
    failed.sort(key=lambda verdict: severity(verdict.kind))
    return (*failed, *_without_failure(records, k))


def _failures(record: QueryRecord, k: int) -> Iterator[Verdict]:
    if record.missing:
        yield Verdict(kind=MISSING, status=Status.FAILED, query=record.query, n=0)
        return
    for check in TRACE_CHECKS:
        kind = check.failure(record, k) if check.checked(record, k) else None
        if kind is not None:
            yield _failure(check, kind, record, k)


def _failure(check: TraceCheck, kind: str, record: QueryRecord, k: int) -> Verdict:
    """The bound of a count is 0, that of a share is 1."""
    metric = parse_metric(check.metric.format(k=k))
    return Verdict(
        kind=kind,
        status=Status.FAILED,
        metric=metric.id,
        query=record.query,
        units=tuple(UnitId(unit) for unit in check.units(record, k)),
        value=metric.value(record),
        bound=0.0 if metric.k is None else 1.0,
        n=check.checked(record, k),
        detail=record.state.value if check.kind == "wrong-state" and record.state is not None else None,
    )


def _without_failure(records: Sequence[QueryRecord], k: int) -> Iterator[Verdict]:
    for check in TRACE_CHECKS:
        n = checked(check, records, k)
        metric = MetricId(check.metric.format(k=k))
        if n == 0:
            yield Verdict(kind=check.kind, status=Status.NOT_CHECKED, metric=metric, n=0)
        elif not failing(check, records, k):
            yield Verdict(kind=check.kind, status=Status.PASSED, metric=metric, n=n)


def checked(check: TraceCheck, records: Sequence[QueryRecord], k: int) -> int:
    """How many labels the check had, over all records."""
    n = 0
    for record in records:
        n += check.checked(record, k)
    return n


def failing(check: TraceCheck, records: Sequence[QueryRecord], k: int) -> int:
    """How many traces fail the check."""
    return len([record for record in records if check.status(record, k) is Status.FAILED])
