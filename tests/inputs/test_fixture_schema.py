"""The schema of fixture v1: every refusal in our words, at its place, with its fix, and without the value."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no stubs
import pytest

from retrieval_gate.base.places import Severity
from retrieval_gate.inputs.fixture import RULES, bounds, check_fixture, fixture_schema
from retrieval_gate.inputs.fixture.schema import schema_text
from tests.inputs.fixtures import checked, judgment, rules, sound

Change = Callable[[dict[str, Any]], object]

SCHEMA_FILE = Path(__file__).parents[2] / "schemas" / "fixture-v1.schema.json"


def _put(path: str, value: object) -> Change:
    """A change that writes one value at a pointer."""

    def change(fixture: dict[str, Any]) -> None:
        *parents, last = path.split("/")[1:]
        holder: Any = fixture
        for part in parents:
            holder = holder[int(part)] if isinstance(holder, list) else holder[part]
        holder[int(last) if isinstance(holder, list) else last] = value

    return change


REFUSED: tuple[tuple[str, object, str, str], ...] = (
    ("/version", True, "wrong-type", "/version"),
    ("/version", 1.0, "wrong-type", "/version"),
    ("/version", 0, "out-of-bounds", "/version"),
    ("/schema", "retrieval-gate/fixture/v2", "unknown-value", "/schema"),
    ("/id", "a b", "bad-id", "/id"),
    ("/id", "a::b", "bad-id", "/id"),
    ("/id", "a//b", "bad-id", "/id"),
    ("/id", "a..b", "bad-id", "/id"),
    ("/id", "-a", "bad-id", "/id"),
    ("/id", "", "bad-id", "/id"),
    ("/id", "a\n", "bad-id", "/id"),
    ("/id", "a" * 129, "bad-id", "/id"),
    ("/id", "é", "bad-id", "/id"),
    ("/documents", {}, "wrong-type", "/documents"),
    ("/documents/0/title", "x" * 301, "out-of-bounds", "/documents/0/title"),
    ("/documents/0/title", "", "out-of-bounds", "/documents/0/title"),
    ("/documents/0/Title", "x", "unknown-field", "/documents/0/Title"),
    ("/documents/0/indexState", "done", "unknown-value", "/documents/0/indexState"),
    ("/documents/0/contentHash", "A" * 64, "bad-hash", "/documents/0/contentHash"),
    ("/documents/0/access", {"allow": {"role": "x"}}, "wrong-type", "/documents/0/access/allow/role"),
    ("/documents/0/access", {"allow": {"role": []}}, "out-of-bounds", "/documents/0/access/allow/role"),
    ("/documents/0/chunks/1/content", "x" * 20_001, "out-of-bounds", "/documents/0/chunks/1/content"),
    ("/documents/0/chunks/1/start", -1, "out-of-bounds", "/documents/0/chunks/1/start"),
    ("/documents/0/chunks/1", "text", "wrong-type", "/documents/0/chunks/1"),
    ("/queries/1/language", "English language", "bad-language", "/queries/1/language"),
    ("/queries/1/query", "x" * 2_001, "out-of-bounds", "/queries/1/query"),
    ("/queries/1/noAnswer", 1, "wrong-type", "/queries/1/noAnswer"),
    ("/queries/1/split", "test", "unknown-value", "/queries/1/split"),
    ("/queries/1/expectedState", "answered", "unknown-value", "/queries/1/expectedState"),
    ("/queries/1/tags", ["a b"], "bad-id", "/queries/1/tags/0"),
    ("/queries/0/judgments/0/relevance", 0, "out-of-bounds", "/queries/0/judgments/0/relevance"),
    ("/queries/0/judgments/0/relevance", 4, "out-of-bounds", "/queries/0/judgments/0/relevance"),
    ("/queries/0/judgments/0/relevance", 3.0, "wrong-type", "/queries/0/judgments/0/relevance"),
    ("/queries/0/judgments/0/spans", [], "out-of-bounds", "/queries/0/judgments/0/spans"),
    ("/queries/0/judgments/0/documentId", "doc-tea", "one-unit", "/queries/0/judgments/0"),
    ("/exempt", ["secret"], "unknown-value", "/exempt/0"),
    ("/asOf", "2026-01-31T09:00:00", "bad-time", "/asOf"),
    ("/asOf", "2026-02-30T09:00:00Z", "bad-time", "/asOf"),
    ("/asOf", "2026-01-31 09:00:00Z", "bad-time", "/asOf"),
    ("/asOf", "0001-01-01T00:00:00+14:00", "bad-time", "/asOf"),
    ("/asOf", 1769850000, "wrong-type", "/asOf"),
)


@pytest.mark.parametrize(
    ("path", "value", "rule", "pointer"), REFUSED, ids=[f"{row[0]}-{index}" for index, row in enumerate(REFUSED)]
)
def test_a_value_outside_the_schema_is_refused_once_at_its_place(
    path: str, value: object, rule: str, pointer: str
) -> None:
    fixture = sound()
    _put(path, value)(fixture)
    found = [(problem.rule, problem.place.pointer) for problem in checked(fixture) if problem.rule == rule]
    assert found == [(rule, pointer)]


ACCEPTED: tuple[tuple[str, object], ...] = (
    ("/schema", "retrieval-gate/fixture/v1"),
    ("/version", 7),
    ("/id", "_a.b:c#d@e+f/g(h),i-j"),
    ("/documents/0/language", "zh-Hans-CN"),
    ("/documents/0/owner", None),
    ("/documents/0/access", {"tenant": "north", "allow": {"role": ["manager"], "campus": ["a", "b"]}}),
    ("/documents/0/access", {"tenant": "north", "allow": {}}),
    ("/asOf", "2026-01-31T09:00:00Z"),
    ("/asOf", "2026-01-31T09:00:00.123456+05:30"),
    ("/queries/1/expectedState", "ABSTAINED"),
    ("/queries/1/tags", ["near-miss"]),
    ("/queries/0/reviews", [{"reviewer": "r1", "chunkId": "tea-2", "relevance": 0}]),
    ("/queries/0/judgments/0", judgment("tea-1", "Green tea", relevance=1)),
    ("/documents/0/title", "x" * 300),
    ("/exempt", ["url", "email", "path"]),
)


@pytest.mark.parametrize(("path", "value"), ACCEPTED)
def test_a_value_within_the_schema_is_accepted(path: str, value: object) -> None:
    fixture = sound()
    _put(path, value)(fixture)
    about_access = ("label-against-policy", "unseen-document")
    assert [rule for rule in rules(fixture) if rule not in about_access] == []
    jsonschema.validate(fixture, fixture_schema())


def test_a_missing_field_is_reported_at_the_line_of_what_should_hold_it() -> None:
    fixture = sound()
    del fixture["documents"][1]["title"]
    (problem,) = checked(fixture)
    assert (problem.rule, problem.place.pointer) == ("missing-field", "/documents/1/title")
    assert problem.message == "title is missing"
    data = json.dumps(fixture, ensure_ascii=False, indent=1).split("\n")
    assert problem.place.line is not None
    assert data[problem.place.line - 1].strip() == "{"
    assert '"doc-cha"' in data[problem.place.line]


def test_an_unknown_field_comes_with_the_nearest_known_one() -> None:
    fixture = sound()
    fixture["queries"][0]["no_answer"] = False
    (problem,) = checked(fixture)
    assert problem.rule == "unknown-field"
    assert problem.fix == "write noAnswer, if that is what is meant; else remove it"


def test_an_unknown_field_that_could_be_private_is_not_named() -> None:
    fixture = sound()
    fixture["queries"][0]["What is the salary?"] = "CANARY"
    fixture["queries"][0]["AKIA" + "Q" * 16] = "CANARY"
    problems = checked(fixture)
    assert [problem.rule for problem in problems] == ["unknown-field", "unknown-field"]
    assert {problem.place.pointer for problem in problems} == {"/queries/0"}
    shown = "".join(map(str, problems))
    assert "salary" not in shown
    assert "AKIA" not in shown
    assert "CANARY" not in shown


@pytest.mark.parametrize("data", [b"[]", b"3", b"null", b'"text"'])
def test_a_file_that_is_no_object_is_refused(data: bytes) -> None:
    (problem,) = check_fixture(data, file="x.json")
    assert (problem.rule, problem.place.line, problem.place.pointer) == ("wrong-type", 1, None)


def test_a_file_that_is_not_json_is_one_problem_with_its_line() -> None:
    (problem,) = check_fixture(b'{"id": "a",\n"id": "b"}', file="x.json")
    assert str(problem).startswith("x.json:2: error [duplicate-key] /id ")


def test_all_problems_are_reported_at_once_in_file_order() -> None:
    fixture = sound()
    fixture["version"] = 0
    fixture["documents"][0]["chunks"][0]["content"] = 3
    fixture["queries"][2]["judgments"][0]["spans"][0]["text"] = "三分钟"
    fixture["queries"][2]["judgments"][0]["spans"].append({"text": "两分钟", "end": 3})
    fixture["queries"][3]["judgments"] = [judgment("nowhere", "x")]
    problems = checked(fixture)
    assert [problem.rule for problem in problems] == [
        "out-of-bounds",
        "wrong-type",
        "inexact-span",
        "unknown-field",
        "judged-no-answer",
        "dangling-reference",
    ]
    lines = [problem.place.line or 0 for problem in problems]
    assert lines == sorted(lines)
    assert all(problem.severity is Severity.ERROR for problem in problems)


def test_a_damaged_id_makes_nothing_else_dangle() -> None:
    fixture = sound()
    fixture["documents"][0]["chunks"][0]["id"] = 7
    assert rules(fixture) == ["wrong-type"]


def test_a_damaged_principal_makes_no_other_unknown() -> None:
    fixture = sound()
    fixture["principals"] = [{"id": 7}]
    fixture["queries"][0]["principal"] = "p1"
    assert rules(fixture) == ["wrong-type"]


def test_every_rule_has_one_row_with_its_texts() -> None:
    names = [rule.id for rule in RULES]
    assert sorted(set(names)) == sorted(names)
    assert all(rule.refuses and rule.fix and not rule.fix.endswith(".") for rule in RULES)


def test_the_committed_schema_is_the_generated_one() -> None:
    assert SCHEMA_FILE.read_text("utf-8") == schema_text()


def test_the_schema_is_a_json_schema_that_accepts_a_sound_fixture() -> None:
    jsonschema.Draft202012Validator.check_schema(fixture_schema())
    jsonschema.validate(sound(), fixture_schema())


# What a pattern can not say, or what JSON Schema calls an integer.
_BEYOND_SCHEMA = ("2026-02-30T09:00:00Z", "1.0", "3.0", "doc-tea", "a\n")


@pytest.mark.parametrize(
    ("path", "value"), [(path, value) for path, value, *_ in REFUSED if str(value) not in _BEYOND_SCHEMA]
)
def test_the_schema_refuses_what_the_loader_refuses(path: str, value: object) -> None:
    fixture = sound()
    _put(path, value)(fixture)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(fixture, fixture_schema())


def test_more_problems_than_anyone_reads_are_counted_and_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    fixture = sound()
    fixture["documents"][0]["chunks"] = [0] * 10
    assert rules(fixture).count("wrong-type") == 10
    monkeypatch.setattr(bounds, "LISTED_PROBLEMS", 9)
    problem = next(problem for problem in checked(fixture) if problem.rule == "too-many-problems")
    assert problem.message == "10 values are not what fixture v1 asks for"
    assert problem.place.line == 1
    assert "wrong-type" not in rules(fixture)
