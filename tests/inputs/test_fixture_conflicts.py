"""Versions of one source that conflict: asked of the policy for each asker, so that no view hides another's."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval_gate.base.places import Problem, Severity
from tests.inputs.fixtures import checked, rules, sound

RULE = "conflicting-versions"


def _only(fixture: object, rule: str) -> Problem:
    problems = [problem for problem in checked(fixture) if problem.rule == rule]
    assert len(problems) == 1
    return problems[0]


def _versions(**second: object) -> dict[str, Any]:
    """Two versions of one source that begin together; `second` is what else the second one has."""
    fixture = sound() | {"asOf": "2026-06-01T00:00:00Z"}
    begins = {"source": "tea", "effectiveFrom": "2026-01-01T00:00:00Z"}
    fixture["documents"] += [{**_leaflet("one"), **begins}, {**_leaflet("two"), **begins, **second}]
    return fixture


def _leaflet(name: str) -> dict[str, Any]:
    """A document that no query judges."""
    chunks = [{"id": f"{name}-1", "content": f"Tea, leaflet {name}."}]
    return {"id": f"doc-{name}", "title": "Tea", "chunks": chunks}


def test_versions_that_begin_together_are_called_a_conflict() -> None:
    problem = _only(_versions(), "conflicting-versions")
    assert (problem.severity, problem.place.pointer) == (Severity.ERROR, "/documents/3/source")
    assert "doc-one" in problem.message
    assert "doc-two" in problem.message
    undated = sound()
    undated["documents"] += [{**_leaflet(name), "source": "tea"} for name in ("one", "two")]
    assert rules(undated) == ["conflicting-versions"]


def test_a_conflict_that_is_declared_is_no_problem() -> None:
    assert rules(_versions() | {"conflicts": ["tea"]}) == []


@pytest.mark.parametrize(
    "second", [{"effectiveFrom": "2026-02-01T00:00:00Z"}, {"indexState": "indexing"}, {"source": "coffee"}]
)
def test_a_declared_conflict_that_is_not_there_is_refused(second: dict[str, object]) -> None:
    problem = _only(_versions(**second) | {"conflicts": ["tea"]}, "absent-conflict")
    assert (problem.severity, problem.place.pointer) == (Severity.ERROR, "/conflicts/0")


def test_a_conflict_is_declared_once() -> None:
    problem = _only(_versions() | {"conflicts": ["tea", "tea"]}, "absent-conflict")
    assert problem.place.pointer == "/conflicts/1"


@pytest.mark.parametrize(
    "second",
    [
        {"effectiveFrom": "2026-02-01T00:00:00Z"},
        {"source": "coffee"},
        {"indexState": "failed"},
        {"revokedAt": "2026-05-01T00:00:00Z"},
        {"effectiveTo": "2026-06-01T00:00:00Z"},
    ],
)
def test_versions_that_are_never_current_together_are_no_conflict(second: dict[str, object]) -> None:
    assert rules(_versions(**second)) == []


def test_versions_of_two_tenants_are_no_conflict_but_a_public_one_is() -> None:
    fixture = _versions(access={"tenant": "t2"})
    fixture["principals"] = [{"id": "p1", "tenant": "t1"}, {"id": "p2", "tenant": "t2"}]
    assert rules(fixture) == ["conflicting-versions"]
    fixture["documents"][2]["access"] = {"tenant": "t1"}
    assert rules(fixture) == []


def test_versions_that_a_newer_one_has_replaced_are_no_conflict() -> None:
    fixture = _versions()
    newest = {"id": "new", "title": "New", "chunks": [{"id": "new-1", "content": "Tea, newly."}], "source": "tea"}
    fixture["documents"].append(newest | {"effectiveFrom": "2026-03-01T00:00:00Z"})
    assert rules(fixture) == []
    fixture["documents"][4]["indexState"] = "indexing"
    assert rules(fixture) == ["conflicting-versions"]


def test_a_conflict_at_the_time_of_one_query_is_enough() -> None:
    fixture = _versions(revokedAt="2026-05-01T00:00:00Z")
    fixture["queries"][0]["asOf"] = "2026-04-01T00:00:00Z"
    assert rules(fixture) == ["conflicting-versions"]


A, B = {"tenant": "a"}, {"tenant": "b"}
X, Y = ({"tenant": "a", "allow": {"campus": [campus]}} for campus in ("x", "y"))
OF_A, OF_B = {"id": "pa", "tenant": "a"}, {"id": "pb", "tenant": "b"}
AT_X, AT_Y, AT_BOTH = (
    {"id": f"at-{'-'.join(campuses)}", "tenant": "a", "attributes": {"campus": campuses}}
    for campuses in (["x"], ["y"], ["x", "y"])
)


def _fees(principals: list[dict[str, Any]], *versions: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Versions of one source as (month of 2026 in which it begins, access), asked about in June."""
    fixture = sound() | {"asOf": "2026-06-01T00:00:00Z", "principals": principals}
    for place, (month, access) in enumerate(versions):
        begins = {"source": "fee", "effectiveFrom": f"2026-{month}-01T00:00:00Z"}
        fixture["documents"].append({**_leaflet(f"v{place}"), **begins, "access": access})
    return fixture


def test_another_tenant_s_newer_version_hides_no_conflict() -> None:
    problem = _only(_fees([OF_A, OF_B], ("01", A), ("01", A), ("02", B)), RULE)
    assert problem.place.pointer == "/documents/3/source"
    assert "doc-v0" in problem.message
    # The twin: the newer one is the same tenant's, and replaces both.
    assert rules(_fees([OF_A], ("01", A), ("01", A), ("02", A))) == []


def test_a_newer_version_of_another_campus_hides_no_conflict() -> None:
    versions = (("01", X), ("01", X), ("02", Y))
    assert rules(_fees([AT_X, AT_Y], *versions)) == [RULE]
    assert rules(_fees([AT_X, AT_Y], *versions) | {"conflicts": ["fee"]}) == []
    # Who sees all three is served the newest.
    assert RULE not in rules(_fees([AT_BOTH], *versions))


def test_versions_that_nobody_sees_together_do_not_conflict() -> None:
    versions = (("01", X), ("01", Y))
    assert rules(_fees([AT_X, AT_Y], *versions)) == []
    assert rules(_fees([AT_X, AT_Y], *versions) | {"conflicts": ["fee"]}) == ["absent-conflict"]
    assert rules(_fees([AT_X, AT_BOTH, AT_Y], *versions)) == [RULE]


def test_principals_that_can_not_be_read_make_no_declared_conflict_absent() -> None:
    fixture = _fees([AT_X, AT_Y], ("01", X), ("01", Y)) | {"conflicts": ["fee"]}
    fixture["principals"].append({"id": "both", "tenant": 7})
    assert "absent-conflict" not in rules(fixture)


def test_a_version_that_can_not_be_read_is_left_to_the_schema() -> None:
    fixture = _versions(access="everyone")
    assert rules(fixture) == ["wrong-type"]
    assert rules(fixture | {"conflicts": ["tea"]}) == ["wrong-type"]
