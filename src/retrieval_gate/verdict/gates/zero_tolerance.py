"""No leak, no stale evidence, no wrong answer state; strong relevance excuses none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, MetricId, QueryId, UnitId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import HELD_OUT, GateRule


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """`found` and `checked` of one record; `failure` names the kind of a record that fails."""

    kind: str
    metric: MetricId
    found: Callable[[QueryRecord], int]
    units: Callable[[QueryRecord], Sequence[str]]
    checked: Callable[[QueryRecord], int]
    failure: Callable[[QueryRecord], str]
    waivable: bool = False


def _wrong(record: QueryRecord) -> int:
    return int(_state_checked(record) == 1 and record.state is not record.expected_state)


def _state_checked(record: QueryRecord) -> int:
    return int(record.expected_state is not None and record.state is not None)


_CHECKS: tuple[_Check, ...] = (
    _Check(
        kind="permission-leak",
        metric=MetricId("permission-leaks"),
        found=lambda record: len(record.leaks),
        units=lambda record: record.leaks,
        checked=lambda record: record.checked_forbidden,
        failure=lambda _record: "permission-leak",
    ),
    _Check(
        kind="stale-evidence",
        metric=MetricId("stale-evidence"),
        found=lambda record: len(record.stale),
        units=lambda record: record.stale,
        checked=lambda record: record.checked_stale,
        failure=lambda _record: "stale-evidence",
    ),
    _Check(
        kind="wrong-state",
        metric=MetricId("wrong-state"),
        found=_wrong,
        units=lambda _record: (),
        checked=_state_checked,
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
    waived = [record for record in found if check.waivable and _is_waived(case, record.query)]
    failed = [record for record in found if record not in waived]
    yield from (_waiver(case, check, record) for record in waived)
    yield from (_failure(check, record) for record in failed if record.query not in case.held_out)
    yield from _held_out(check, ablation, [record for record in failed if record.query in case.held_out])
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


def _failure(check: _Check, record: QueryRecord) -> Verdict:
    return Verdict(
        kind=check.failure(record),
        status=Status.FAILED,
        ablation=record.ablation,
        metric=check.metric,
        query=record.query,
        units=tuple(UnitId(chunk) for chunk in check.units(record)),
        value=float(check.found(record)),
        bound=0.0,
        n=check.checked(record),
        detail=record.state.value if check.waivable and record.state is not None else None,
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


def _is_waived(case: Case, query: QueryId) -> bool:
    """Whether a waiver holds today; its date is not checked where no date is given."""
    return any(
        waiver.query == query and (case.today is None or case.today <= waiver.expires)
        for waiver in case.config.waivers
    )


def _waiver(case: Case, check: _Check, record: QueryRecord) -> Verdict:
    hidden = record.query in case.held_out
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
        "No forbidden chunk, no stale chunk and no wrong answer state where the fixture carries such labels; "
        "without labels, or without a state from the retriever, it says not checked. Needs no baseline."
    ),
    kinds=("permission-leak", "stale-evidence", "unsupported-answer", "over-abstention", "wrong-state", "waived"),
    judge=_judge,
)
