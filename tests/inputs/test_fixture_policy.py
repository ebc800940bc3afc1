"""Labels against the policy: each contradiction is refused at its line, and its twin is not."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval_gate.base.errors import FixtureError
from retrieval_gate.base.places import Severity
from retrieval_gate.inputs.fixture import load_fixture
from tests.inputs.fixtures import checked, encoded, rules, sound

NORTH = {"id": "anna", "tenant": "north", "attributes": {"role": ["clerk"]}}
# So that each document may be seen by somebody.
OTHERS = [
    {"id": "sam", "tenant": "south"},
    {"id": "bess", "tenant": "north", "attributes": {"role": ["manager"]}},
    {"id": "carl", "tenant": "north", "attributes": {"role": ["clerk"]}},
]
RULE = "label-against-policy"


def guarded(**query: object) -> dict[str, Any]:
    """Anna of the north asks about tea; there is a leaflet of the south, and one that only managers may see."""
    fixture = sound() | {"principals": [NORTH, *OTHERS]}
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


def test_an_undated_document_is_always_current_where_the_fixture_tells_times() -> None:
    (problem,) = checked(dated(stale=["tea-2"]))
    assert (problem.rule, problem.place.pointer) == (RULE, "/queries/0/stale/0")
    assert "no dates" in problem.message


def test_a_fixture_that_tells_no_times_is_stale_by_labels_alone() -> None:
    fixture = sound()
    fixture["queries"][0]["stale"] = ["tea-2"]
    assert rules(fixture) == []


@pytest.mark.parametrize(
    ("chunk", "cause"),
    [
        ("building-1", "its indexState is not ready"),
        ("old-1", "superseded by doc-new"),
        ("over-1", "it is over: effectiveTo"),
        ("revoked-1", "it is over: revokedAt"),
        ("later-1", "it has not begun: effectiveFrom"),
        ("twin-1", "it conflicts with doc-twin2"),
        ("twin0-1", "superseded by doc-twin"),
    ],
)
def test_a_judged_chunk_that_is_not_current_is_told_with_its_cause(chunk: str, cause: str) -> None:
    fixture = dated(judgments=judges(chunk)) | {"conflicts": ["pair"]}
    begins = "2026-03-01T00:00:00Z"
    fixture["documents"] += [
        leaflet("later", effectiveFrom="2026-06-01T00:00:01Z"),
        leaflet("twin0", source="pair", effectiveFrom="2026-02-01T00:00:00Z"),
        leaflet("twin", source="pair", effectiveFrom=begins),
        leaflet("twin2", source="pair", effectiveFrom=begins),
    ]
    (problem,) = checked(fixture)
    assert (problem.rule, cause in problem.message) == (RULE, True), problem.message


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        ({"judgments": judges("south-1")}, "its tenant is not the principal's"),
        ({"judgments": judges("boss-1")}, "no value that is allowed for the attribute role"),
        ({"principal": None, "judgments": judges("clerk-1")}, "has no principal, and the document is not public"),
    ],
)
def test_a_judged_chunk_that_may_not_be_seen_is_told_with_its_cause(query: dict[str, Any], cause: str) -> None:
    (problem,) = checked(guarded(**query))
    assert (problem.rule, cause in problem.message) == (RULE, True), problem.message
    assert "manager" not in problem.message


@pytest.mark.parametrize("access", [{}, {"tenant": None}, {"allow": {}}, {"tenant": None, "allow": None}])
def test_an_access_that_names_nobody_is_refused(access: dict[str, Any]) -> None:
    fixture = guarded()
    fixture["documents"][2]["access"] = access
    (problem,) = checked(fixture)
    assert (problem.rule, problem.place.pointer) == ("empty-access", "/documents/2/access")


@pytest.mark.parametrize("access", [{"tenant": "south", "allow": {}}, {"allow": {"role": ["clerk"]}}, None])
def test_an_access_that_names_a_tenant_or_an_attribute_is_fine(access: dict[str, Any] | None) -> None:
    fixture = guarded()
    fixture["documents"][2]["access"] = access
    assert rules(fixture) == []


def test_a_document_that_nobody_may_see_is_a_warning_unless_a_query_forbids_it() -> None:
    fixture = guarded()
    fixture["documents"][3]["access"]["allow"]["role"] = ["janitor"]
    (problem,) = checked(fixture)
    assert (problem.rule, problem.severity, problem.place.pointer) == (
        "unseen-document",
        Severity.WARNING,
        "/documents/3/access",
    )
    assert "doc-boss" in problem.message
    fixture["queries"][0]["forbidden"] = ["boss-1"]
    assert rules(fixture) == []


@pytest.mark.parametrize("principal", [{"id": "anna", "tenant": "nowhere"}, {"id": "anna"}])
def test_an_unknown_tenant_or_a_missing_attribute_fails_closed(principal: dict[str, object]) -> None:
    fixture = guarded(judgments=judges("clerk-1"))
    fixture["principals"][0] = principal
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
