"""A pull request can not approve itself: what the base branch asks for is asked for still."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date

from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.accepted import HELD_OUT
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import GateRule
from retrieval_gate.verdict.loosening import LOOSENINGS, Loosening


def _judge(case: Case) -> Iterator[Verdict]:
    if case.base is None:
        return
    approval = case.approval
    if approval is None:
        yield Verdict(kind="loosening", status=Status.PASSED, n=len(case.base.queries))
        return
    status = Status.NOTE if approval.approved else Status.FAILED
    hidden = case.unnamed.difference(query.id for query in case.base.queries)
    yield from (_verdict(item, status, hidden) for item in case.loosenings)
    if approval.approved:
        yield Verdict(kind="loosening-approved", status=Status.NOTE, n=approval.count)
    if approval.stale:
        yield Verdict(kind="approval-stale", status=Status.NOTE)


def _verdict(item: Loosening, status: Status, hidden: Collection[QueryId]) -> Verdict:
    """`baseline` is the base branch's value, `value` is now's; dates are left out, and a held-out query's id."""
    is_hidden = item.query in hidden
    return Verdict(
        kind=item.rule,
        status=status,
        ablation=item.ablation,
        slice=HELD_OUT if is_hidden else item.slice,
        metric=item.metric,
        query=None if is_hidden else item.query,
        units=item.units,
        value=_number(item.now),
        baseline=_number(item.before),
        detail=item.name or item.reference,
    )


def _number(value: float | date | None) -> float | None:
    return None if isinstance(value, date) else value


LOOSENING = GateRule(
    id="loosening",
    explanation=(
        "Against the base branch's baseline, where one is given: no bound is looser, nothing that is measured, "
        "labelled or guarded there is gone, no access is wider and no query worse, in this run or in the "
        "committed baseline, unless --approve-loosening gives the hash of exactly these loosenings. Whatever asks "
        "for more is no loosening."
    ),
    kinds=(*(rule.id for rule in LOOSENINGS), "loosening", "loosening-approved", "approval-stale"),
    judge=_judge,
)
