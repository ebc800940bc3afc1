"""No leak, no stale evidence, no wrong answer state; strong relevance excuses none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from retrieval_gate.base.fixture import Fixture, State
from retrieval_gate.base.ids import AblationId, ChunkId, DocumentId, MetricId, QueryId, UnitId
from retrieval_gate.base.record import QueryRecord, Where
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.scoring.policy import Audience, Policy
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import HELD_OUT, GateRule
from retrieval_gate.verdict.gates.states import has_state, is_wrong


class _Finding(NamedTuple):
    """What is wrong in one record, `number` times; see the fields of a verdict."""

    number: int
    units: tuple[UnitId, ...] = ()
    stage: str | None = None
    detail: str | None = None


_Findings = Callable[[QueryRecord, "_Successors"], Iterator[_Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """`found` and `checked` of one record; `failure` names the kind of a record that fails.

    `findings` tell what was found: as many of them as there are places, or versions, to name.
    """

    kind: str
    metric: MetricId | None
    found: Callable[[QueryRecord], int]
    findings: _Findings
    checked: Callable[[QueryRecord], int]
    failure: Callable[[QueryRecord], str]
    waivable: bool = False


class _Successors:
    """The version that is served in place of a stale chunk; nothing is looked up where none is stale."""

    def __init__(self, fixture: Fixture) -> None:
        self._fixture = fixture

    def of(self, query: QueryId, chunk: ChunkId) -> DocumentId | None:
        """None where no version is served, or the fixture does not know the chunk."""
        owner = self._owners.get(chunk)
        return None if owner is None else self._policy.successor(owner, self._audiences[query])

    @cached_property
    def _policy(self) -> Policy:
        return Policy(self._fixture)

    @cached_property
    def _audiences(self) -> dict[QueryId, Audience]:
        return {query.id: self._policy.audience(query) for query in self._fixture.queries}

    @cached_property
    def _owners(self) -> dict[ChunkId, DocumentId]:
        return {chunk.id: document.id for document in self._fixture.documents for chunk in document.chunks}


def _leaks(record: QueryRecord, _successors: _Successors) -> Iterator[_Finding]:
    """One for each place, the deepest first."""
    for where in Where:
        units = tuple(UnitId(chunk) for chunk, place in record.leaks if place is where)
        if units:
            yield _Finding(len(units), units, where.value)


def _stale(record: QueryRecord, successors: _Successors) -> Iterator[_Finding]:
    """One for each place and version that supersedes, the deepest place first."""
    groups: dict[tuple[str, str | None], list[UnitId]] = {}
    for where in Where:
        for chunk, place in record.stale:
            if place is where:
                key = (where.value, successors.of(record.query, chunk))
                groups.setdefault(key, []).append(UnitId(chunk))
    for (place_name, successor), units in groups.items():
        yield _Finding(len(units), tuple(units), place_name, successor)


def _citations(record: QueryRecord, _successors: _Successors) -> Iterator[_Finding]:
    """Those that the fixture does not know are counted, and never named."""
    units = tuple(UnitId(chunk) for chunk in record.bad_citations if chunk is not None)
    yield _Finding(len(record.bad_citations), units, Where.CITATIONS.value)


def _state(record: QueryRecord, _successors: _Successors) -> Iterator[_Finding]:
    yield _Finding(1, detail=None if record.state is None else record.state.value)


_CHECKS: tuple[_Check, ...] = (
    _Check(
        kind="permission-leak",
        metric=MetricId("permission-leaks"),
        found=lambda record: len(record.leaks),
        findings=_leaks,
        checked=lambda record: record.checked_forbidden,
        failure=lambda _record: "permission-leak",
    ),
    _Check(
        kind="stale-evidence",
        metric=MetricId("stale-evidence"),
        found=lambda record: len(record.stale),
        findings=_stale,
        checked=lambda record: record.checked_stale,
        failure=lambda _record: "stale-evidence",
    ),
    _Check(
        kind="bad-citation",
        metric=None,
        found=lambda record: len(record.bad_citations),
        findings=_citations,
        checked=lambda record: record.checked_citations,
        failure=lambda _record: "bad-citation",
    ),
    _Check(
        kind="wrong-state",
        metric=MetricId("wrong-state"),
        found=lambda record: int(is_wrong(record)),
        findings=_state,
        checked=lambda record: int(has_state(record)),
        failure=lambda record: "over-abstention" if record.state is State.ABSTAINED else "unsupported-answer",
        waivable=True,
    ),
)


def _judge(case: Case) -> Iterator[Verdict]:
    own: dict[AblationId, list[QueryRecord]] = {spec.id: [] for spec in case.plan.ablations}
    for record in case.evaluation.scores.records:
        own[record.ablation].append(record)
    for check in _CHECKS:
        yield from _checked(case, check, own)


def _checked(case: Case, check: _Check, own: dict[AblationId, list[QueryRecord]]) -> Iterator[Verdict]:
    unchecked: list[AblationId] = []
    for ablation, records in own.items():
        n = 0
        for record in records:
            n += check.checked(record)
        found = [record for record in records if check.found(record)]
        if n == 0 and not found:
            unchecked.append(ablation)
        else:
            yield from _ablation(case, check, ablation, found, n)
    yield from _unchecked(check, unchecked, everywhere=len(unchecked) == len(own))


def _ablation(
    case: Case, check: _Check, ablation: AblationId, found: Sequence[QueryRecord], n: int
) -> Iterator[Verdict]:
    """Failures and waivers, or that there is none among `n` checks."""
    waived = [record for record in found if check.waivable and case.waives(record.query)]
    failed = [record for record in found if record not in waived]
    yield from (_waiver(case, check, record) for record in waived)
    successors = _Successors(case.plan.fixture)
    for record in failed:
        if record.query not in case.unnamed:
            yield from _failures(check, record, successors)
    yield from _held_out(check, ablation, [record for record in failed if record.query in case.unnamed])
    if not failed:
        yield Verdict(
            kind=check.kind,
            status=Status.PASSED,
            ablation=ablation,
            metric=check.metric,
            value=float(len(waived)),
            bound=0.0,
            n=n,
        )


def _failures(check: _Check, record: QueryRecord, successors: _Successors) -> Iterator[Verdict]:
    for finding in check.findings(record, successors):
        yield Verdict(
            kind=check.failure(record),
            status=Status.FAILED,
            ablation=record.ablation,
            metric=check.metric,
            query=record.query,
            units=finding.units,
            value=float(finding.number),
            bound=0.0,
            n=check.checked(record),
            stage=finding.stage,
            detail=finding.detail,
        )


def _held_out(check: _Check, ablation: AblationId, failed: Sequence[QueryRecord]) -> Iterator[Verdict]:
    """Held-out failures as one verdict per kind, without ids."""
    for kind in sorted({check.failure(record) for record in failed}):
        value = n = 0
        for record in failed:
            if check.failure(record) == kind:
                value += check.found(record)
                n += check.checked(record)
        yield Verdict(
            kind=kind,
            status=Status.FAILED,
            ablation=ablation,
            slice=HELD_OUT,
            metric=check.metric,
            value=float(value),
            bound=0.0,
            n=n,
        )


def _unchecked(check: _Check, ablations: Sequence[AblationId], *, everywhere: bool) -> Iterator[Verdict]:
    """One line where no ablation was checked, else one for each that was not."""
    for ablation in (None,) if everywhere else ablations:
        yield Verdict(kind=check.kind, status=Status.NOT_CHECKED, ablation=ablation, metric=check.metric, n=0)


def _waiver(case: Case, check: _Check, record: QueryRecord) -> Verdict:
    hidden = record.query in case.unnamed
    return Verdict(
        kind="waived",
        status=Status.NOTE,
        ablation=record.ablation,
        slice=HELD_OUT if hidden else None,
        metric=check.metric,
        query=None if hidden else record.query,
        value=1.0,
        bound=0.0,
        n=1,
    )


ZERO_TOLERANCE_RULE = GateRule(
    id="zero-tolerance",
    explanation=(
        "No forbidden chunk, no stale chunk, no citation of what was not retrieved and no wrong answer state. "
        "Forbidden is what the fixture lists and what its policy keeps from the query's principal; stale is what "
        "it lists and what is not current at the query's time. Without labels and policy, or without citations or "
        "a state from the retriever, it says not checked. Held-out queries are judged as well, and told of "
        "together. Needs no baseline."
    ),
    kinds=(
        "permission-leak",
        "stale-evidence",
        "bad-citation",
        "unsupported-answer",
        "over-abstention",
        "wrong-state",
        "waived",
    ),
    judge=_judge,
)
