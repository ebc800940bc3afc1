"""Labels against the policy: each contradiction is refused at its line, and its twin is not."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval_gate.base.errors import FixtureError
from retrieval_gate.inputs.fixture import load_fixture
from tests.inputs.fixtures import checked, encoded, rules, sound

NORTH = {"id": "anna", "tenant": "north", "attributes": {"role": ["clerk"]}}
RULE = "label-against-policy"


def guarded(**query: object) -> dict[str, Any]:
    """Anna of the north asks about tea; there is a leaflet of the south, and one that only managers may see."""
    fixture = sound() | {"principals": [NORTH]}
    fixture["documents"] += [
        leaflet("south", access={"tenant": "south"}),
        leaflet("boss", access={"tenant": "north", "allow": {"role": ["manager"]}}),
        leaflet("clerk", access={"tenant": "north", "allow": {"role": ["clerk"]}}),
    ]
    fixture["queries"][0] |= {"principal": "anna", **query}
    return fixture


def dated(**query: object) -> dict[str, Any]:
    """Two versions of one source, the second since February, and one that is over, revoked, or not ready."""
    fixture = sound() | {"asOf": "2026-06-01T00:00:00Z"}
    fixture["documents"] += [
        leaflet("old", source="mate", effectiveFrom="2026-01-01T00:00:00Z"),
        leaflet("new", source="mate", effectiveFrom="2026-02-01T00:00:00Z"),
        leaflet("over", effectiveTo="2026-06-01T00:00:00Z"),
        leaflet("revoked", revokedAt="2026-05-31T23:59:59Z"),
        leaflet("building", indexState="indexing"),
    ]
    fixture["queries"][0] |= query
    return fixture


def leaflet(name: str, **fields: object) -> dict[str, Any]:
    chunks = [{"id": f"{name}-1", "content": f"Leaflet {name} on tea."}]
    return {"id": f"doc-{name}", "title": "Leaflet", "chunks": chunks, **fields}


def judges(chunk: str) -> list[dict[str, Any]]:
    return [{"chunkId": chunk, "relevance": 3, "spans": [{"text": "tea"}]}]


@pytest.mark.parametrize("chunk", ["tea-2", "clerk-1"])
def test_a_forbidden_chunk_that_the_policy_shows_is_refused_at_its_line(chunk: str) -> None:
    (problem,) = checked(guarded(forbidden=["south-1", chunk]))
    assert (problem.rule, problem.place.pointer) == (RULE, "/queries/0/forbidden/1")
    line = encoded(guarded(forbidden=["south-1", chunk])).decode().split("\n")[(problem.place.line or 0) - 1]
    assert line.strip() == f'"{chunk}"'
    assert "anna" not in str(problem)


@pytest.mark.parametrize("chunk", ["south-1", "boss-1"])
def test_a_forbidden_chunk_that_the_policy_keeps_away_is_right(chunk: str) -> None:
    assert rules(guarded(forbidden=[chunk])) == []


def test_a_fixture_without_any_policy_is_forbidden_by_labels_alone() -> None:
    fixture = sound()
    fixture["queries"][0]["forbidden"] = ["tea-2"]
    assert rules(fixture) == []


@pytest.mark.parametrize("chunk", ["south-1", "boss-1"])
def test_a_judged_chunk_that_the_principal_may_not_see_is_refused(chunk: str) -> None:
    (problem,) = checked(guarded(judgments=judges(chunk)))
    assert (problem.rule, problem.place.pointer) == (RULE, "/queries/0/judgments/0/chunkId")
    assert "may not see" in problem.message


def test_a_judged_document_that_the_principal_may_not_see_is_refused() -> None:
    judgment = {"documentId": "doc-south", "relevance": 3, "spans": [{"text": "tea"}]}
    assert rules(guarded(judgments=[judgment])) == [RULE]
    assert rules(guarded(judgments=[judgment | {"documentId": "doc-clerk"}])) == []


def test_a_query_without_principal_is_held_to_public_documents() -> None:
    assert rules(guarded(principal=None, judgments=judges("clerk-1"))) == [RULE]
    assert rules(guarded(judgments=judges("clerk-1"))) == []


@pytest.mark.parametrize("chunk", ["old-1", "over-1", "revoked-1", "building-1"])
def test_a_judged_chunk_that_is_not_current_is_refused_and_may_be_called_stale(chunk: str) -> None:
    (problem,) = checked(dated(judgments=judges(chunk)))
    assert (problem.rule, "not current" in problem.message) == (RULE, True)
    assert rules(dated(stale=[chunk])) == []


def test_a_current_chunk_is_not_stale() -> None:
    (problem,) = checked(dated(stale=["old-1", "new-1"]))
    assert (problem.rule, problem.place.pointer) == (RULE, "/queries/0/stale/1")
    assert rules(dated(judgments=judges("new-1"))) == []


def test_a_query_s_own_time_decides_what_is_current() -> None:
    assert rules(dated(asOf="2026-01-31T23:59:59Z", judgments=judges("old-1"))) == []
    # One hour later in Delhi than in Zulu: the second version has begun.
    assert rules(dated(asOf="2026-02-01T05:30:00+05:30", judgments=judges("old-1"))) == [RULE]


def test_a_document_of_which_no_time_is_told_may_be_called_stale() -> None:
    assert rules(dated(stale=["tea-2"])) == []


@pytest.mark.parametrize("principal", [{"id": "anna", "tenant": "nowhere"}, {"id": "anna"}])
def test_an_unknown_tenant_or_a_missing_attribute_fails_closed(principal: dict[str, object]) -> None:
    fixture = guarded(judgments=judges("clerk-1"))
    fixture["principals"] = [principal]
    assert rules(fixture) == [RULE]


def test_an_unknown_principal_is_refused_and_is_not_the_public() -> None:
    assert rules(guarded(principal="nobody")) == ["unknown-principal"]
    with pytest.raises(FixtureError):
        load_fixture(encoded(guarded(principal="nobody")), file="small.json")


@pytest.mark.parametrize("access", [{"tenant": 1}, {"allow": {"role": ["clerk", 1]}}, "north"])
def test_a_policy_that_can_not_be_read_contradicts_no_label(access: object) -> None:
    fixture = guarded(forbidden=["south-1"], judgments=judges("clerk-1"))
    fixture["documents"][2]["access"] = fixture["documents"][4]["access"] = access
    assert RULE not in rules(fixture)
