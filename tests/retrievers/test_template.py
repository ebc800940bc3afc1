"""Placeholders in a request that the user writes: values keep their type, nothing can be spelt wrong unseen."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.retrievers.contract import query_message
from retrieval_gate.retrievers.template import check_template, check_text, fill, fill_text, placeholders
from tests.retrievers.asking import request

ADA = query_message(replace(request("q1", 'a "quoted" {k} query'), as_of=datetime(2026, 3, 1, tzinfo=UTC)))
PUBLIC = query_message(replace(request("q2"), principal=None))


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{query}", 'a "quoted" {k} query'),
        ("{k}", 2),
        ("{language}", "en"),
        ("{asOf}", "2026-03-01T00:00:00Z"),
        ("{id}", "q1"),
        ("{principal.id}", "ada"),
        ("{principal.tenant}", "north"),
        ("{principal.attributes.role}", ["teacher"]),
        ("{principal.attributes.campus}", []),
    ],
)
def test_a_text_that_is_one_placeholder_becomes_the_value_with_its_type(template: str, filled: object) -> None:
    assert fill(json.dumps(template), ADA) == filled


@pytest.mark.parametrize(
    "template", ["{principal.id}", "{principal.tenant}", "{principal.attributes.role}", "{asOf}"]
)
def test_what_the_public_does_not_have_is_null(template: str) -> None:
    assert fill(json.dumps(template), PUBLIC) is None


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("top {k} for {principal.tenant}/{principal.attributes.role}", "top 2 for north/teacher"),
        ("[{query}]", '[a "quoted" {k} query]'),
        ("{{k}} is {k}", "{k} is 2"),
        ("{targetHits:100}near({k})", "{targetHits:100}near(2)"),
        ("{}", "{}"),
        ("no placeholder", "no placeholder"),
    ],
)
def test_within_a_longer_text_a_value_is_text_and_other_braces_stay(template: str, filled: str) -> None:
    assert fill(json.dumps(template), ADA) == filled
    assert fill_text(template, ADA) == filled


def test_null_within_a_longer_text_is_nothing() -> None:
    assert fill_text("tenant:{principal.tenant}", PUBLIC) == "tenant:"


def test_objects_and_lists_are_filled_and_all_else_is_left_as_it_is() -> None:
    template = json.dumps({"{k}": ["{k}", 3, None, True, {"q": "{query}"}], "x": 0.5})

    assert fill(template, ADA) == {"{k}": [2, 3, None, True, {"q": 'a "quoted" {k} query'}], "x": 0.5}
    assert placeholders(template) == ("k", "query")


def test_a_variable_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("one", "two"):
        monkeypatch.setenv("GATE_TEST_INDEX", value)
        assert fill('"{env.GATE_TEST_INDEX}"', ADA) == value
        assert fill_text("Bearer {env.GATE_TEST_INDEX}", ADA) == f"Bearer {value}"


@pytest.mark.parametrize("value", [None, ""])
def test_a_variable_that_is_unset_or_empty_is_named(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("GATE_TEST_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("GATE_TEST_KEY", value)

    with pytest.raises(ConfigError) as caught:
        check_template('{"key":"{env.GATE_TEST_KEY}"}', "http.body")

    assert caught.value.code == "unset-variable"
    assert "GATE_TEST_KEY" in caught.value.what


@pytest.mark.parametrize(
    ("template", "nearest"),
    [
        ("{querry}", "{query}"),
        ("{principal.tennant}", "{principal.tenant}"),
        ("{top.secret}", None),
        ("{env.not.a.name}", None),
    ],
)
def test_an_unknown_placeholder_is_refused_and_the_nearest_told(template: str, nearest: str | None) -> None:
    with pytest.raises(ConfigError, match="header x-test") as caught:
        check_text(template, "header x-test")
    assert caught.value.code == "unknown-placeholder"

    with pytest.raises(ConfigError, match=r"http\.body") as caught:
        check_template(json.dumps([template]), "http.body")
    assert caught.value.code == "unknown-placeholder"
    assert template not in str(caught.value)
    assert nearest is None or nearest in caught.value.what


def test_the_query_can_stand_in_a_body_and_in_no_header() -> None:
    check_template('{"q":"{query}"}', "http.body")

    with pytest.raises(ConfigError):
        check_text("{query}", "header x-query")
