"""A failure that no query stands for is placed at the chunk or document that it names."""

from __future__ import annotations

from dataclasses import replace

from retrieval_gate.base.ids import QueryId, UnitId
from retrieval_gate.base.places import Place
from retrieval_gate.base.scenario import PROBE
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.places import failing_units, place_finder
from tests.report.rich import RICH

A, B = UnitId("a#0"), UnitId("b#0")
AT = Place(file="fixture.json", line=7, pointer="/documents/0/chunks/0")


def _failure(*units: UnitId, query: str | None = None) -> Verdict:
    asked = None if query is None else QueryId(query)
    return Verdict(kind="early-version", status=Status.FAILED, query=asked, units=units)


def test_the_first_unit_that_the_fixture_has_is_the_place() -> None:
    find = place_finder(replace(RICH, places=(), unit_places=((A, AT),)))
    assert find(_failure(PROBE, B, A)) == AT
    assert find(_failure(PROBE)) is None


def test_a_failure_of_a_query_stands_at_the_query_and_nowhere_else() -> None:
    find = place_finder(replace(RICH, places=(), unit_places=((A, AT),)))
    assert find(_failure(A, query="q")) is None


def test_only_units_of_failures_without_a_query_are_looked_for() -> None:
    note = replace(_failure(B), status=Status.NOTE)
    assert failing_units([_failure(A), _failure(PROBE, A), _failure(B, query="q"), note]) == (A, PROBE)
