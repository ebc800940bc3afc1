"""Supplied traces: their formats, and every problem of a file in one go."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no stubs

from retrieval_gate.base.errors import TraceError
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.trace import Trace, TraceSet
from retrieval_gate.inputs.formats.table import FORMATS
from retrieval_gate.inputs.traces import Source, load_lesson, load_traces
from retrieval_gate.inputs.traces.hints import HINTS
from retrieval_gate.inputs.traces.rules import TRACE_RULES
from retrieval_gate.inputs.traces.schema import judgments_schema_text, schema_text
from tests.e2e.gate import ROOT

Record = Mapping[str, object]
ONE: Record = {"id": "a", "relevant": ["x"], "hits": ["x", "y"]}
TWO: Record = {"id": "b", "relevant": [], "hits": [], "expected": "ABSTAINED", "observed": "ABSTAINED"}


def _loaded(text: str) -> tuple[Trace, ...]:
    return load_traces(Source(text.encode(), "t.json")).traces.traces


def _problems(text: str | bytes, judgments: str | None = None) -> list[tuple[str, int | None, str | None]]:
    data = text.encode() if isinstance(text, str) else text
    labels = None if judgments is None else Source(judgments.encode(), "j.json")
    with pytest.raises(TraceError) as caught:
        load_traces(Source(data, "t.json"), labels)
    return [(item.rule, item.place.line, item.place.pointer) for item in caught.value.problems]


def _lines(*records: Record) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([ONE, TWO]),
        json.dumps([ONE, TWO], indent=1),
        json.dumps({"traces": [ONE, TWO]}),
        json.dumps({"schema": "retrieval-gate/traces/v1", "traces": [ONE, TWO]}, indent=2),
        '{"traces": [\n' + json.dumps(ONE) + ",\n" + json.dumps(TWO) + "]}",
        _lines(ONE, TWO),
        "\ufeff" + _lines(ONE, TWO).replace("\n", "\r\n\r\n"),
        _lines(ONE, TWO).rstrip("\n"),
    ],
    ids=[
        "array",
        "pretty array",
        "object",
        "pretty object",
        "a line each in an object",
        "lines",
        "CRLF",
        "open end",
    ],
)
def test_every_format_gives_the_same_traces(text: str) -> None:
    first, second = _loaded(text)
    assert (first.id, first.relevant, first.hits) == ("a", ("x",), ("x", "y"))
    assert (first.expected, first.observed, first.forbidden, first.stale) == (None, None, (), ())
    assert (second.relevant, second.hits, second.expected) == ((), (), State.ABSTAINED)


@pytest.mark.parametrize("text", [json.dumps(ONE), json.dumps(ONE, indent=1), _lines(ONE)])
def test_one_trace_alone_is_a_file_of_one(text: str) -> None:
    assert [trace.id for trace in _loaded(text)] == ["a"]


def test_duplicate_hits_are_kept_for_scoring_to_drop() -> None:
    (trace,) = _loaded(json.dumps({**ONE, "hits": ["x", "x"]}))
    assert trace.hits == ("x", "x")


@pytest.mark.parametrize("text", ["q1 Q0 x 1 0.5 run\n", "id,hits\n"])
def test_a_format_that_is_not_known_is_an_error_that_lists_those_that_are(text: str) -> None:
    with pytest.raises(TraceError) as caught:
        load_traces(Source(text.encode(), "t.run"))
    assert caught.value.code == "unknown-format"
    for row in FORMATS:
        assert row.explanation in caught.value.fix


ROWS = json.dumps([ONE])


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (b"\xef\xbb\xbf \r\n", "empty-file"),
        (ROWS.encode("utf-16"), "not-utf-8"),
        (ROWS.encode("utf-16-be"), "nul"),
        (b"\x00", "nul"),
        ((ROOT / "fixtures/synthetic-bilingual-v1.json").read_bytes(), "fixture"),
        (b'{"schema": "retrieval-gate/fixture/v1"}', "fixture"),
        (b'{"id": "f", "documents": [], "queries": []}', "fixture"),
        (b'[{"documents": 1, "queries": 2}]', "fixture"),
    ],
    ids=[
        "nothing",
        "blank",
        "UTF-16",
        "UTF-16 without a mark",
        "NUL",
        "fixture",
        "by schema",
        "by lists",
        "inner",
    ],
)
def test_what_is_no_file_of_traces_is_told_what_it_is(data: bytes, code: str) -> None:
    for run, judgments in ((data, None), (data, b"[]"), (b"[]", data)):
        labels = None if judgments is None else Source(judgments, "j")
        with pytest.raises(TraceError) as caught:
            load_traces(Source(run, "t"), labels)
        assert caught.value.code == code


def test_utf_16_without_a_mark_that_begins_as_json_is_refused_as_fixtures_are() -> None:
    assert _problems(ROWS.encode("utf-16-le")) == [("nul", 1, None)]


def test_documents_without_queries_are_no_fixture() -> None:
    assert ("unknown-field", 1, "/0/documents") in _problems(json.dumps([{**ONE, "documents": []}]))


def test_all_problems_of_an_array_are_told_at_once_with_their_lines() -> None:
    text = """[
 {"id": "a", "relevant": ["x", "x"], "hits": 3},
 {"id": "a", "relevant": [], "forbiden": ["y"], "hits": ["not an id"],
  "expected": "MAYBE"},
 {"id": "c", "relevant": ["x"], "forbidden": ["x"], "stale": ["x"], "hits": []},
 7
]"""
    assert _problems(text) == [
        ("duplicate-label", 2, "/0/relevant/1"),
        ("wrong-type", 2, "/0/hits"),
        ("duplicate-id", 3, "/1/id"),
        ("unknown-field", 3, "/1/forbiden"),
        ("bad-id", 3, "/1/hits/0"),
        ("unknown-value", 4, "/1/expected"),
        ("contradictory-label", 5, "/2/forbidden/0"),
        ("contradictory-label", 5, "/2/stale/0"),
        ("wrong-type", 6, "/3"),
    ]


def test_a_line_that_can_not_be_read_does_not_hide_the_problems_of_others() -> None:
    text = (
        _lines({"id": "a", "relevant": [], "hits": 1}, ONE) + '\n{"id": oops}\n{"id": "c", "id": "c"}\n{"id": "d"}'
    )
    assert _problems(text) == [
        ("wrong-type", 1, "/hits"),
        ("duplicate-id", 2, "/id"),
        ("not-json", 4, None),
        ("duplicate-key", 5, "/id"),
        ("missing-field", 6, "/relevant"),
        ("missing-field", 6, "/hits"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", ("missing-field", 1, "/traces")),
        ("[]", ("out-of-bounds", 1, None)),
        ('{"traces": 1}', ("wrong-type", 1, "/traces")),
        ('{"schema": "retrieval-gate/traces/v2", "traces": []}', ("unknown-value", 1, "/schema")),
        ('[{"id": "a",}]', ("not-json", 1, None)),
    ],
)
def test_a_file_without_usable_traces_says_why(text: str, problem: tuple[str, int, str | None]) -> None:
    assert problem in _problems(text)


@pytest.mark.parametrize("field", ["id", "query", "hits", "relevant"])
def test_a_secret_is_refused_wherever_it_stands_and_never_quoted(field: str) -> None:
    secret = "ghp_" + "a1" * 18
    record = {**ONE, field: [secret] if field in ("hits", "relevant") else secret}
    with pytest.raises(TraceError) as caught:
        load_traces(Source(json.dumps([record, record]).encode(), "t.json"))
    assert "secret" in {problem.rule for problem in caught.value.problems}
    assert not any(secret in str(problem) for problem in caught.value.problems)


def test_no_problem_quotes_a_text_of_the_file() -> None:
    word = "kartoffel"
    record = {"id": f"{word} 1", "query": 7, f"{word} x": word, "relevant": [f"{word} 2"] * 2, "hits": word}
    with pytest.raises(TraceError) as caught:
        load_traces(Source(json.dumps([record]).encode(), "t.json"))
    assert len(caught.value.problems) >= 6
    assert not any(word in str(problem) for problem in caught.value.problems)


def test_labels_may_stand_in_a_file_of_their_own() -> None:
    run = _lines({"id": "a", "hits": ["x"], "observed": "ANSWERED"}, {"id": "z", "hits": []})
    labels = json.dumps(
        {"id": "set", "version": 3, "judgments": [{"id": "b", "relevant": ["y"]}, {"id": "a", "relevant": ["x"]}]}
    )
    loaded = load_traces(Source(run.encode(), "r"), Source(labels.encode(), "j"))
    missing, found = loaded.traces.traces
    assert (missing.id, missing.hits, missing.observed) == ("b", None, None)
    assert (found.id, found.hits, found.relevant, found.observed) == ("a", ("x",), ("x",), State.ANSWERED)
    assert (loaded.traces.id, loaded.traces.version, loaded.traces.unjudged) == ("set", 3, ("z",))
    places = loaded.places([QueryId("z"), missing.id, QueryId("nobody")])
    assert [(name, str(place)) for name, place in places] == [("b", "j:1"), ("z", "r:2")]


def test_labels_in_both_files_are_refused_and_the_problems_of_both_are_told() -> None:
    assert _problems(json.dumps([ONE]), json.dumps([{"id": "a"}])) == [
        ("unknown-field", 1, "/0/relevant"),
        ("missing-field", 1, "/0/relevant"),
    ]


def _fixes(run: str, judgments: str | None = None) -> dict[str, str]:
    """The fix of each problem, by the pointer's last part."""
    labels = None if judgments is None else Source(judgments.encode(), "j")
    with pytest.raises(TraceError) as caught:
        load_traces(Source(run.encode(), "t"), labels)
    return {(item.place.pointer or "").rpartition("/")[2]: item.fix for item in caught.value.problems}


def test_labels_that_are_nowhere_or_twice_lead_to_the_option_that_gives_them() -> None:
    run, labels = '[{"id": "a", "hits": []}]', '[{"id": "a", "relevant": []}]'
    assert "--judgments FILE" in _fixes(run)["relevant"]
    assert "leave out --judgments" in _fixes(json.dumps([ONE]), labels)["relevant"]
    assert "holds labels" in _fixes(run, json.dumps([ONE]))["hits"]
    assert "--judgments FILE" in _fixes('{"judgments": []}')["judgments"]
    assert "--judgments" not in _fixes('[{"id": "a", "relevant": [], "hits": [], "forbiden": []}]')["forbiden"]


def test_every_hint_is_for_a_rule_that_there_is() -> None:
    assert {refused.rule for refused in HINTS} <= {row.rule.id for row in TRACE_RULES}


def test_judgments_fit_their_published_schema_and_an_answer_among_them_does_not() -> None:
    validator = Draft202012Validator(json.loads(judgments_schema_text()))
    labels = {"schema": "retrieval-gate/judgments/v1", "judgments": [{"id": "a", "relevant": ["x"]}]}
    assert list(validator.iter_errors(labels)) == []
    run = Source(b'[{"id": "a", "hits": []}]', "r")
    assert load_traces(run, Source(json.dumps(labels).encode(), "j")).traces.unjudged == ()
    labels["judgments"] = [{"id": "a", "relevant": ["x"], "hits": []}]
    assert len(list(validator.iter_errors(labels))) == 1


@pytest.mark.parametrize("text", [json.dumps([ONE, TWO], indent=1), _lines(ONE, TWO)])
def test_a_trace_s_place_is_its_line_and_nothing_is_scanned_where_none_is_asked(text: str) -> None:
    loaded = load_traces(Source(text.encode(), "t"))
    names = [trace.id for trace in loaded.traces.traces]
    lines = {name: place.line for name, place in loaded.places(names)}
    for name, line in lines.items():
        assert line is not None
        assert name in "".join(text.split("\n")[line - 1 : line + 1])
    assert loaded.places(()) == ()


def test_the_lesson_in_the_package_is_the_committed_file() -> None:
    committed = (ROOT / "fixtures/lesson-traces-v1.json").read_bytes()
    assert load_traces(Source(committed, "f")).traces == load_lesson().traces
    content: dict[str, Any] = json.loads(committed)
    assert content["provenance"] == {"kind": "synthetic", "license": "CC0-1.0"}


def test_the_lesson_fits_the_published_schema_and_a_misspelt_field_does_not() -> None:
    content = json.loads((ROOT / "fixtures/lesson-traces-v1.json").read_text(encoding="utf-8"))
    validator = Draft202012Validator(json.loads(schema_text()))
    assert list(validator.iter_errors(content)) == []
    content["traces"][0]["forbiden"] = []
    assert len(list(validator.iter_errors(content))) == 1


def test_every_rule_is_there_once() -> None:
    names = [row.rule.id for row in TRACE_RULES]
    assert len(set(names)) == len(names)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_bytes_are_a_crash(data: bytes) -> None:
    loaded, refused = _tried(data)
    assert (loaded is None) != (refused is None)
    assert refused is None or refused.exit_code == 2


def _tried(data: bytes) -> tuple[TraceSet | None, TraceError | None]:
    try:
        return load_traces(Source(data, "t")).traces, None
    except TraceError as refused:
        return None, refused


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["a", "x", "ANSWERED"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "relevant", "hits", "traces", "stale"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.lists(_JSON, max_size=3), st.sampled_from(["array", "object", "lines"]))
def test_no_json_is_a_crash_and_every_problem_has_a_line(values: list[object], form: str) -> None:
    text = {
        "array": json.dumps(values, indent=1),
        "object": json.dumps({"traces": values}),
        "lines": "\n".join(map(json.dumps, values)),
    }[form]
    loaded, refused = _tried(text.encode())
    assert loaded is None or loaded.traces
    if refused is not None and refused.code not in ("unknown-format", "empty-file"):
        assert refused.problems
        assert all(problem.place.line for problem in refused.problems)
