"""The rich Report is what every golden file shows: it must hold every kind of verdict."""

from __future__ import annotations

from retrieval_gate.base.verdict import Status
from retrieval_gate.verdict.kinds import KINDS, severity
from retrieval_gate.verdict.trace_kinds import TRACE_KINDS
from tests.report.rich import FAILED, RICH


def test_every_kind_of_verdict_is_in_the_rich_report() -> None:
    of_traces = {kind.id for kind in TRACE_KINDS}  # `score` and `compare` give these, and no run does
    assert {verdict.kind for verdict in RICH.verdicts} == {kind.id for kind in KINDS} - of_traces


def test_its_failures_are_worst_first_and_its_notes_block_nothing() -> None:
    places = [severity(verdict.kind) for verdict in FAILED]
    assert places == sorted(places)
    blocking = {kind.id for kind in KINDS if kind.blocking}
    assert [
        verdict.kind for verdict in RICH.verdicts if verdict.status is Status.NOTE and verdict.kind in blocking
    ] == []
