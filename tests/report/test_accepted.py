"""What `baseline accept` says of a wrong state, which no baseline mends."""

from __future__ import annotations

from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.outputs.style import PLAIN
from retrieval_gate.report.outputs.text import render_accepted
from tests.report.samples import a_report


def accepted(kind: str) -> str:
    verdict = Verdict(kind=kind, status=Status.FAILED, query=QueryId("q-en-01"))
    return " ".join(render_accepted(a_report(verdict), "b.jsonl", PLAIN).split())


def test_an_acceptance_names_the_waiver_where_a_wrong_state_stands() -> None:
    assert "[[waivers]] in the configuration, with query, reason and expires" in accepted("over-abstention")
    assert "is accepted by a waiver" not in accepted("floor")
