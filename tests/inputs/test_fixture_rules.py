"""Each lint rule: what it refuses, and the twin that must not fire."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import Any

import pytest

from retrieval_gate.base.places import Problem, Severity
from tests.inputs.fixtures import checked, judgment, query, rules, sound


def _only(fixture: object, rule: str) -> Problem:
    problems = [problem for problem in checked(fixture) if problem.rule == rule]
    assert len(problems) == 1
    return problems[0]


def test_a_sound_fixture_has_no_problem() -> None:
    assert rules(sound()) == []


# Ids


@pytest.mark.parametrize("kind", ["documents", "queries", "principals"])
def test_two_things_with_one_id_are_refused(kind: str) -> None:
    fixture = sound()
    fixture["principals"] = [{"id": "p1"}, {"id": "p2"}]
    fixture[kind][1]["id"] = fixture[kind][0]["id"]
    assert _only(fixture, "duplicate-id").place.pointer == f"/{kind}/1/id"


def test_chunk_ids_are_unique_over_the_whole_fixture() -> None:
    fixture = sound()
    fixture["documents"][1]["chunks"].append({"id": "tea-1", "content": "红茶。"})
    problem = _only(fixture, "duplicate-id")
    assert problem.place.pointer == "/documents/1/chunks/1/id"
    assert "tea-1" in problem.message


def test_a_query_may_have_the_id_of_a_chunk_or_document() -> None:
    fixture = sound()
    fixture["queries"][0]["id"], fixture["queries"][1]["id"] = "tea-1", "doc-tea"
    assert rules(fixture) == []


@pytest.mark.parametrize("field", ["forbidden", "stale"])
def test_a_label_of_a_chunk_that_is_not_there_is_refused(field: str) -> None:
    fixture = sound()
    fixture["queries"][1][field] = ["tea-1", "tea-9"]
    assert _only(fixture, "dangling-reference").place.pointer == f"/queries/1/{field}/1"


def test_a_judgment_of_a_chunk_or_document_that_is_not_there_is_refused() -> None:
    fixture = sound()
    fixture["queries"][0]["judgments"].append(judgment("doc-tea", "x"))
    fixture["queries"][2]["judgments"] = [{"documentId": "cha-1", "relevance": 1, "spans": [{"text": "茶"}]}]
    found = [problem.place.pointer for problem in checked(fixture) if problem.rule == "dangling-reference"]
    assert found == ["/queries/0/judgments/1/chunkId", "/queries/2/judgments/0/documentId"]


def test_a_review_of_a_chunk_that_is_not_there_is_refused() -> None:
    fixture = sound()
    fixture["queries"][0]["reviews"] = [{"reviewer": "r1", "chunkId": "tea-9", "relevance": 0}]
    assert _only(fixture, "dangling-reference").place.pointer == "/queries/0/reviews/0/chunkId"


def test_an_unknown_principal_is_refused_and_a_known_one_is_not() -> None:
    fixture = sound()
    fixture["principals"] = [{"id": "p1", "tenant": "north", "attributes": {"role": ["clerk"]}}]
    fixture["queries"][0]["principal"] = "p1"
    fixture["queries"][1]["principal"] = "p2"
    assert rules(fixture) == ["unknown-principal"]


def test_one_chunk_judged_twice_is_refused() -> None:
    fixture = sound()
    fixture["queries"][0]["judgments"].append(judgment("tea-1", "Green tea", relevance=1))
    assert _only(fixture, "duplicate-reference").place.pointer == "/queries/0/judgments/1/chunkId"


def test_one_chunk_reviewed_by_two_people_is_fine_and_twice_by_one_is_not() -> None:
    fixture = sound()
    reviews = [{"reviewer": name, "chunkId": "tea-1", "relevance": 2} for name in ("r1", "r2")]
    fixture["queries"][0]["reviews"] = reviews
    assert rules(fixture) == []
    fixture["queries"][0]["reviews"] = [*reviews, {**reviews[0], "relevance": 3}]
    assert rules(fixture) == ["duplicate-reference"]


@pytest.mark.parametrize("field", ["forbidden", "stale", "tags"])
def test_a_list_with_one_name_twice_is_refused(field: str) -> None:
    fixture = sound()
    fixture["queries"][1][field] = ["tea-1", "tea-1"]
    assert rules(fixture) == ["duplicate-reference"]


def test_a_query_that_judges_chunks_and_documents_is_refused() -> None:
    fixture = sound()
    by_document = {"documentId": "doc-tea", "relevance": 1, "spans": [{"text": "Black tea"}]}
    fixture["queries"][0]["judgments"].append(by_document)
    assert _only(fixture, "mixed-units").place.pointer == "/queries/0/judgments/1/documentId"
    fixture["queries"][0]["judgments"] = [by_document]
    assert rules(fixture) == []


# Label sets


def test_a_no_answer_query_with_judgments_is_refused() -> None:
    fixture = sound()
    fixture["queries"][1]["judgments"] = [judgment("tea-1", "tea")]
    assert "judged-no-answer" in rules(fixture)


def test_an_answerable_query_without_judgments_is_refused() -> None:
    fixture = sound()
    fixture["queries"][0]["judgments"] = []
    assert rules(fixture) == ["unjudged-answerable"]


def test_each_language_needs_both_kinds_of_query() -> None:
    fixture = sound()
    fixture["queries"][1]["language"] = "en-GB"
    found = {problem.rule: problem for problem in checked(fixture)}
    assert found["language-without-no-answer"].place.pointer == "/queries/0/language"
    assert found["language-without-no-answer"].message == "language en has no query with noAnswer true"
    assert found["language-without-answerable"].place.pointer == "/queries/1/language"
    assert len(found) == 2


@pytest.mark.parametrize(("field", "rule"), [("forbidden", "judged-forbidden"), ("stale", "judged-stale")])
def test_a_judged_chunk_is_never_forbidden_or_stale_for_its_own_query(field: str, rule: str) -> None:
    fixture = sound()
    fixture["queries"][0][field] = ["tea-2"]
    assert rules(fixture) == []
    fixture["queries"][0][field] = ["tea-1"]
    assert _only(fixture, rule).place.pointer == f"/queries/0/{field}/0"
    fixture["queries"][0][field] = ["tea-2"]
    by_document = {"documentId": "doc-tea", "relevance": 1, "spans": [{"text": "Black tea"}]}
    fixture["queries"][0]["judgments"] = [by_document]
    assert _only(fixture, rule).place.pointer == f"/queries/0/{field}/0"


def test_one_query_text_with_other_labels_is_a_warning() -> None:
    fixture = sound()
    again = query("q-en-2", "en", "How long is green tea steeped?", [judgment("tea-2", "four minutes")])
    fixture["queries"].append(again)
    problem = _only(fixture, "same-query-different-labels")
    assert problem.severity is Severity.WARNING
    assert problem.place.pointer == "/queries/4/query"
    again["judgments"] = [judgment("tea-1", "Green tea")]
    assert rules(fixture) == []


def test_one_query_text_of_two_principals_may_differ() -> None:
    fixture = sound()
    fixture["principals"] = [{"id": "p1"}]
    again = query("q-en-2", "en", "How long is green tea steeped?", [judgment("tea-2", "four minutes")])
    fixture["queries"].append(again | {"principal": "p1"})
    assert rules(fixture) == []


def test_one_chunk_text_under_two_ids_with_other_labels_is_a_warning() -> None:
    fixture = sound()
    copy = {"id": "tea-3", "content": fixture["documents"][0]["chunks"][0]["content"]}
    fixture["documents"][0]["chunks"].append(copy)
    problem = _only(fixture, "same-chunk-different-labels")
    assert problem.severity is Severity.WARNING
    assert problem.place.pointer == "/queries/0/judgments/0/chunkId"
    fixture["queries"][0]["judgments"].append(judgment("tea-3", "two minutes"))
    assert rules(fixture) == []
    fixture["queries"][0]["judgments"][1]["relevance"] = 1
    assert rules(fixture) == ["same-chunk-different-labels"] * 2


def test_a_copy_that_is_stale_on_purpose_is_no_warning() -> None:
    fixture = sound()
    copy = {"id": "tea-3", "content": fixture["documents"][0]["chunks"][0]["content"]}
    fixture["documents"][0]["chunks"].append(copy)
    fixture["queries"][0]["stale"] = ["tea-3"]
    assert rules(fixture) == []


# Spans


def _with_span(content: str, span: dict[str, Any]) -> dict[str, Any]:
    fixture = sound()
    fixture["documents"][0]["chunks"][0]["content"] = content
    fixture["queries"][0]["judgments"] = [{"chunkId": "tea-1", "relevance": 3, "spans": [span]}]
    return fixture


CAUSES = (
    ("a wrong case", "Steep Green Tea twice.", {"text": "green tea"}, "upper and lower case", "offset 6"),
    ("NFD for NFC", "Le café noir", {"text": unicodedata.normalize("NFD", "café")}, "NFC against NFD", "offset 3"),
    (
        "NFC for NFD",
        unicodedata.normalize("NFD", "né au café noir"),
        {"text": "café"},
        "NFC against NFD",
        "offset 7",
    ),
    ("CRLF in the chunk", "one\r\ntwo\r\nthree", {"text": "two\nthree"}, "CRLF", "offset 5"),
    ("two blanks", "one  two three", {"text": "one two"}, "white space differs", "offset 0"),
    ("a blank before it", "one two three", {"text": " one"}, "white space around", "offset 0"),
    ("typographic quotes", "He said “tea”.", {"text": '"tea"'}, "quotation marks", "offset 8"),
    ("full-width digits", "泡１２分钟", {"text": "12分钟"}, "full-width", "offset 1"),
    ("a zero-width space", "green\u200btea is", {"text": "greentea"}, "invisible", "offset 0"),
    ("several at once", "He said “GREEN  tea”.", {"text": '"green tea"'}, "case, spacing", "offset 8"),
    ("a wrong start", "tea and tea and tea", {"text": "tea", "start": 9}, "start is 9", "offset 8"),
    ("a start in UTF-16 units", "😀😀 tea", {"text": "tea", "start": 5}, "UTF-16 units", "offset 3"),
    ("a start in UTF-8 bytes", "绿茶 tea", {"text": "tea", "start": 7}, "UTF-8 bytes", "offset 3"),
    ("a start beyond the end", "tea", {"text": "tea", "start": 900}, "start is 900", "offset 0"),
    ("other words", "steep it for two minutes", {"text": "for three minutes"}, "8 of its 17", "offset 16"),
    ("nothing in common", "abc", {"text": "xyz"}, "no character of it", "chunk tea-1"),
)


@pytest.mark.parametrize(
    ("content", "span", "cause", "place"), [case[1:] for case in CAUSES], ids=[case[0] for case in CAUSES]
)
def test_an_inexact_span_is_refused_with_its_cause_and_nearest_place(
    content: str, span: dict[str, Any], cause: str, place: str
) -> None:
    problem = _only(_with_span(content, span), "inexact-span")
    assert problem.place.pointer == "/queries/0/judgments/0/spans/0"
    assert cause in problem.message
    assert place in problem.message
    assert span["text"].strip() not in problem.message.replace("chunk tea-1", "")


@pytest.mark.parametrize(
    ("content", "span"),
    [
        ("tea and tea", {"text": "tea", "start": 8}),
        ("tea and tea", {"text": "tea", "start": 0}),
        ("😀 tea", {"text": "tea", "start": 2}),
        ("one\r\ntwo", {"text": "one\r\ntwo"}),
    ],
)
def test_a_verbatim_span_is_accepted(content: str, span: dict[str, Any]) -> None:
    assert rules(_with_span(content, span)) == []


def test_a_span_that_stands_twice_without_start_is_a_warning() -> None:
    problem = _only(_with_span("tea and tea", {"text": "tea"}), "ambiguous-span")
    assert problem.severity is Severity.WARNING
    assert "offset 0 is taken, offset 8 is the next" in problem.message


def test_a_span_that_overlaps_itself_is_ambiguous() -> None:
    assert rules(_with_span("aaa", {"text": "aa"})) == ["ambiguous-span"]


def test_a_span_of_a_document_stands_in_one_of_its_chunks() -> None:
    fixture = sound()
    spans: list[dict[str, Any]] = [{"text": "four minutes"}]
    fixture["queries"][0]["judgments"] = [{"documentId": "doc-tea", "relevance": 3, "spans": spans}]
    assert rules(fixture) == []
    spans[0]["text"] = "minutes."
    assert "offset 21 of chunk tea-2 is the next" in _only(fixture, "ambiguous-span").message
    spans[0]["text"] = "FOUR minutes"
    assert "offset 16 of chunk tea-2" in _only(fixture, "inexact-span").message


@pytest.mark.parametrize(
    ("place", "unlikely", "likely"), [(0, "ABSTAINED", "ANSWERED"), (1, "ANSWERED", "ABSTAINED")]
)
def test_a_state_that_the_judgments_speak_against_is_a_warning(place: int, unlikely: str, likely: str) -> None:
    fixture = sound()
    fixture["queries"][place]["expectedState"] = unlikely
    problem = _only(fixture, "state-against-judgments")
    assert (problem.severity, problem.place.pointer) == (Severity.WARNING, f"/queries/{place}/expectedState")
    fixture["queries"][place]["expectedState"] = likely
    assert rules(fixture) == []


# Times and hashes


def _leaflet(name: str) -> dict[str, Any]:
    """A document that no query judges."""
    chunks = [{"id": f"{name}-1", "content": f"Tea, leaflet {name}."}]
    return {"id": f"doc-{name}", "title": "Tea", "chunks": chunks}


def test_documents_with_times_need_as_of() -> None:
    fixture = sound()
    fixture["documents"][0]["effectiveFrom"] = "2026-01-01T00:00:00Z"
    assert _only(fixture, "missing-as-of").place.pointer == "/documents/0/effectiveFrom"
    assert rules(fixture | {"asOf": "2026-06-01T00:00:00Z"}) == []
    for asked in fixture["queries"]:
        asked["asOf"] = "2026-06-01T00:00:00Z"
    assert rules(fixture) == []


def test_an_end_is_after_its_start_as_an_instant() -> None:
    fixture = sound() | {"asOf": "2026-06-01T00:00:00Z"}
    times = {"effectiveFrom": "2026-01-01T08:00:00+08:00", "effectiveTo": "2026-01-01T00:00:00Z"}
    fixture["documents"].append({**_leaflet("one"), **times})
    assert _only(fixture, "ends-before-start").place.pointer == "/documents/2/effectiveTo"
    fixture["documents"][2]["effectiveTo"] = "2026-01-01T00:00:01Z"
    assert rules(fixture) == []


def test_a_document_that_is_revoked_before_it_begins_is_a_warning() -> None:
    fixture = sound() | {"asOf": "2026-06-01T00:00:00Z"}
    times = {"effectiveFrom": "2026-01-01T00:00:00Z", "revokedAt": "2026-01-01T00:00:00Z"}
    fixture["documents"].append({**_leaflet("one"), **times})
    problem = _only(fixture, "revoked-before-start")
    assert (problem.severity, problem.place.pointer) == (Severity.WARNING, "/documents/2/revokedAt")
    fixture["documents"][2]["revokedAt"] = "2026-01-01T00:00:01Z"
    assert rules(fixture) == []


def test_a_content_hash_is_that_of_the_chunks_one_after_the_other() -> None:
    fixture = sound()
    text = "Green tea is steeped for two minutes.Black tea takes four minutes."
    fixture["documents"][0]["contentHash"] = hashlib.sha256(text.encode("utf-8")).hexdigest()
    assert rules(fixture) == []
    fixture["documents"][0]["chunks"][1]["content"] += " "
    assert rules(fixture) == ["wrong-content-hash"]


# Texts


@pytest.mark.parametrize("text", [" ", "\n\t", "\u200b\u200d", "\u00a0", "\u3000", "\ufeff "])
@pytest.mark.parametrize("field", ["title", "content", "query"])
def test_a_text_without_a_visible_character_is_refused(field: str, text: str) -> None:
    fixture = sound()
    _holder(fixture, field)[field] = text
    assert "blank-text" in rules(fixture)


@pytest.mark.parametrize("character", ["\x01", "\x1b", "\x7f", "\x85", "\x9f"])
@pytest.mark.parametrize("field", ["title", "content", "query", "owner", "source"])
def test_a_control_character_is_refused(field: str, character: str) -> None:
    fixture = sound()
    _holder(fixture, field)[field] = f"ab{character}c"
    assert f"{field} has U+{ord(character):04X} at offset 2" in _only(fixture, "control-character").message


def test_line_ends_are_fine_in_contents_and_queries_but_not_in_titles() -> None:
    fixture = sound()
    fixture["documents"][0]["chunks"][1]["content"] = "one\r\n\ttwo\n"
    fixture["queries"][1]["query"] = "one\ntwo?"
    assert rules(fixture) == []
    fixture["documents"][0]["title"] = "one\ntwo"
    assert rules(fixture) == ["control-character"]


@pytest.mark.parametrize("character", ["\u202a", "\u202e", "\u2066", "\u2069"])
def test_a_bidirectional_override_is_refused(character: str) -> None:
    fixture = sound()
    fixture["queries"][1]["query"] = f"a{character}b"
    assert _only(fixture, "bidi-control").place.pointer == "/queries/1/query"


@pytest.mark.parametrize("text", ["a\u200eb", "שלום\u200f!", "क्\u200dष", "👩\u200d👩"])
def test_direction_marks_and_joiners_are_fine(text: str) -> None:
    fixture = sound()
    fixture["queries"][1]["query"] = text
    assert rules(fixture) == []


def _holder(fixture: dict[str, Any], field: str) -> dict[str, Any]:
    """The object of the sound fixture that has such a field."""
    found = {"content": fixture["documents"][0]["chunks"][1], "query": fixture["queries"][1]}
    holder: dict[str, Any] = found.get(field, fixture["documents"][0])
    return holder


LEAKS = (
    ("url", "see http" + "://example.com"),
    ("email", "alice" + "@example.com"),
    ("path", "at /home" + "/alice"),
    ("secret", "AKIA" + "Q7WD2KX9LM4TZ8RB"),
)


@pytest.mark.parametrize(("rule", "text"), LEAKS)
@pytest.mark.parametrize("field", ["title", "content", "query", "owner", "source"])
def test_sensitive_text_is_refused_in_every_field_and_never_shown(field: str, rule: str, text: str) -> None:
    fixture = sound()
    _holder(fixture, field)[field] = text
    problem = _only(fixture, rule)
    assert text not in str(problem)
    assert field in (problem.place.pointer or "")


@pytest.mark.parametrize(("rule", "text"), LEAKS)
def test_an_exemption_is_for_corpus_text_and_never_for_secrets(rule: str, text: str) -> None:
    fixture = sound() | {"exempt": ["url", "email", "path"]}
    fixture["documents"][0]["chunks"][0]["content"] = f"Note: {text}."
    fixture["queries"][0]["judgments"] = [judgment("tea-1", text)]
    assert rules(fixture) == (["secret", "secret"] if rule == "secret" else [])
    fixture["queries"][1]["query"] = text
    assert _only_at(fixture, rule, "/queries/1/query")


def test_an_exemption_lifts_only_what_it_names() -> None:
    fixture = sound() | {"exempt": ["url"]}
    fixture["documents"][0]["chunks"][1]["content"] = " ".join(text for _, text in LEAKS[:3])
    assert sorted(rules(fixture)) == ["email", "path"]


def test_a_secret_as_an_id_is_refused_and_not_quoted() -> None:
    fixture = sound()
    secret = LEAKS[3][1]
    fixture["queries"][0]["judgments"].append(judgment(secret, "x"))
    problems = checked(fixture)
    assert sorted(problem.rule for problem in problems) == ["dangling-reference", "secret"]
    assert secret not in "".join(map(str, problems))


def test_a_secret_as_an_attribute_is_refused_and_not_quoted() -> None:
    fixture = sound()
    fixture["documents"].append({**_leaflet("one"), "access": {"allow": {LEAKS[3][1]: ["x"]}}})
    problem = _only(fixture, "secret")
    assert LEAKS[3][1] not in str(problem)


def _only_at(fixture: object, rule: str, pointer: str) -> bool:
    return any(problem.rule == rule and problem.place.pointer == pointer for problem in checked(fixture))
