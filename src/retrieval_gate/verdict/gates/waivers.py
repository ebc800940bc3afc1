"""Waivers end: their dates are held against the date that the caller gives, for there is no clock."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.case import Case
from retrieval_gate.verdict.gates.rule import HELD_OUT, GateRule


def _judge(case: Case) -> Iterator[Verdict]:
    if case.config.waivers and case.today is None:
        yield Verdict(kind="waiver-dates", status=Status.NOT_CHECKED, n=0)
    there = {query.id for query in case.plan.fixture.queries}
    for waiver in case.config.waivers:
        if waiver.query not in there:
            yield Verdict(kind="waiver-unknown", status=Status.NOTE, query=waiver.query)
        if case.today is not None and case.today > waiver.expires:
            hidden = waiver.query in case.unnamed
            yield Verdict(
                kind="waiver-expired",
                status=Status.NOTE,
                slice=HELD_OUT if hidden else None,
                query=None if hidden else waiver.query,
            )


WAIVERS = GateRule(
    id="waivers",
    explanation=(
        "A waiver holds until the end of its date, which is held against --today. Without --today the dates are "
        "not checked, every waiver holds, and the report says so. An expired waiver waives nothing and is noted, "
        "and so is one of a query that the fixture does not have. What is waived is left out of a configured gate "
        "on wrong-state too; the metric itself counts it."
    ),
    kinds=("waiver-dates", "waiver-expired", "waiver-unknown"),
    judge=_judge,
)
