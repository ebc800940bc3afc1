"""Held-out queries in a file of their own."""

from __future__ import annotations

from typing import Any

import pytest

from retrieval_gate.base.errors import FixtureError
from retrieval_gate.base.fixture import Split
from retrieval_gate.base.places import Severity
from retrieval_gate.inputs.fixture import HeldOutFile, check_fixture, load_fixture
from tests.inputs.fixtures import encoded, judgment, query, sound


def held(*queries: object, **more: object) -> HeldOutFile:
    return HeldOutFile(data=encoded({"queries": list(queries), **more}), file="held.json")


def hidden(**fields: object) -> dict[str, Any]:
    return query("h-1", "en", "How long does black tea take?", [judgment("tea-2", "four minutes")]) | fields


def test_the_queries_are_taken_in_behind_the_fixture_s_own_and_are_held_out() -> None:
    loaded = load_fixture(
        encoded(sound()), file="small.json", held_out=held(hidden(), hidden(id="h-2", split="heldout"))
    )
    assert [item.id for item in loaded.fixture.queries][-2:] == ["h-1", "h-2"]
    assert {item.split for item in loaded.fixture.queries[4:]} == {Split.HELDOUT}
    assert {item.split for item in loaded.fixture.queries[:4]} == {Split.DEV}
    assert (loaded.own_queries, loaded.warnings) == (4, ())


def test_both_places_give_the_same_fixture() -> None:
    whole = sound()
    whole["queries"].append(hidden(split="heldout"))
    apart = load_fixture(encoded(sound()), file="small.json", held_out=held(hidden()))
    assert apart.fixture == load_fixture(encoded(whole), file="small.json").fixture


def test_a_problem_is_told_with_the_file_and_line_it_stands_in() -> None:
    broken = sound()
    broken["queries"][0]["forbidden"] = ["nothing"]
    other = held(hidden(), hidden(id="q-en", forbidden=["nowhere"]))
    first, *rest = check_fixture(encoded(broken), file="small.json", held_out=other)
    assert (first.place.file, first.place.pointer) == ("small.json", "/queries/0/forbidden/0")
    assert [(item.rule, item.place.file, item.place.pointer) for item in rest] == [
        ("duplicate-id", "held.json", "/queries/1/id"),
        ("dangling-reference", "held.json", "/queries/1/forbidden/0"),
    ]
    line = other.data.decode().split("\n")[(rest[1].place.line or 0) - 1]
    assert line.strip() == '"nowhere"'


def test_a_missing_field_is_told_at_its_query() -> None:
    lacking = hidden()
    del lacking["language"]
    (problem,) = check_fixture(encoded(sound()), file="small.json", held_out=held(lacking))
    assert (problem.rule, problem.place.file) == ("missing-field", "held.json")
    assert problem.place.pointer == "/queries/0/language"


def test_a_development_query_is_refused_there() -> None:
    (problem,) = check_fixture(encoded(sound()), file="small.json", held_out=held(hidden(split="dev")))
    assert (problem.rule, problem.place.file, problem.place.pointer) == (
        "held-out-split",
        "held.json",
        "/queries/0/split",
    )


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"{", "bad-json"),
        (b"[]", "wrong-type"),
        (b"{}", "missing-field"),
        (b'{"queries": 1}', "wrong-type"),
        (b'{"queries": [], "documents": []}', "unknown-field"),
        (b'{"queries": [1]}', "wrong-type"),
    ],
)
def test_a_file_that_is_something_else_is_refused(data: bytes, rule: str) -> None:
    other = HeldOutFile(data=data, file="held.json")
    problems = check_fixture(encoded(sound()), file="small.json", held_out=other)
    assert [(item.place.file, item.rule) for item in problems][-1][0] == "held.json"
    if rule != "bad-json":
        assert problems[-1].rule == rule
    with pytest.raises(FixtureError):
        load_fixture(encoded(sound()), file="small.json", held_out=other)


@pytest.mark.parametrize("own", [{}, None])
def test_a_fixture_without_a_list_of_queries_is_not_mended_by_them(own: object) -> None:
    broken = sound() | {"queries": own}
    assert [item.rule for item in check_fixture(encoded(broken), file="small.json", held_out=held(hidden()))] == [
        "wrong-type"
    ]


def test_a_file_without_any_query_is_a_warning_in_its_own_place() -> None:
    (problem,) = check_fixture(encoded(sound()), file="small.json", held_out=held())
    assert (problem.rule, problem.severity) == ("no-held-out", Severity.WARNING)
    assert (problem.place.file, problem.place.pointer) == ("held.json", "/queries")
    assert load_fixture(encoded(sound()), file="small.json", held_out=held()).warnings == (problem,)


def test_a_fixture_all_of_whose_queries_are_held_out_is_a_warning() -> None:
    fixture = sound()
    for asked in fixture["queries"]:
        asked["split"] = "heldout"
    (problem,) = check_fixture(encoded(fixture), file="small.json")
    assert (problem.rule, problem.severity, problem.place.pointer) == (
        "only-held-out",
        Severity.WARNING,
        "/queries",
    )
    fixture["queries"][0]["split"] = "dev"
    assert check_fixture(encoded(fixture), file="small.json") == ()
