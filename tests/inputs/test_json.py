"""Strict JSON: what is refused, where, and the lines of pointers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval_gate.base.errors import BaselineError, ConfigError, FixtureError
from retrieval_gate.inputs.formats import json as strict
from retrieval_gate.inputs.formats.json import JSON_RULES, MAX_DEPTH, locate, parse_json, pointer_of

REFUSED = (
    ("latin-1", b'{"a":\n"\xe9"}', "not-utf-8", 2, None),
    ("a surrogate in the bytes", b'["\xed\xa0\x80"]', "not-utf-8", 1, None),
    ("UTF-16 with its mark", '{"a": 1}'.encode("utf-16"), "not-utf-8", 1, None),
    ("UTF-16 without a mark", '{"a": 1}'.encode("utf-16-le"), "nul", 1, None),
    ("a raw NUL", b'{"a":\n"\x00"}', "nul", 2, None),
    ("an escaped NUL", b'{"a":\n["\\u0000"]}', "nul", 2, "/a/0"),
    ("a duplicate key", b'{"a": {"b": 1,\n"b": 2}}', "duplicate-key", 2, "/a/b"),
    ("a duplicate key, once escaped", b'{"a": 1,\n"\\u0061": 2}', "duplicate-key", 2, "/a"),
    ("NaN", b'{"a":\n[1, NaN]}', "not-finite", 2, "/a/1"),
    ("Infinity", b"[-Infinity]", "not-finite", 1, "/0"),
    ("a number that becomes infinite", b"[1,\n1e999]", "not-finite", 2, "/1"),
    ("a number of 5,000 digits", b"[1,\n" + b"9" * 5000 + b"]", "long-number", 2, "/1"),
    ("a lone high surrogate", b'["x",\n"\\ud800x"]', "lone-surrogate", 2, "/1"),
    ("a lone low surrogate", b'["\\uDC00"]', "lone-surrogate", 1, "/0"),
    ("a lone surrogate in a key", b'{"a": {"\\ud800": 1}}', "lone-surrogate", 1, "/a"),
    ("nothing", b"", "not-json", 1, None),
    ("white space", b" \n ", "not-json", 1, None),
    ("a trailing comma in a list", b"[1,\n\n]", "not-json", 1, None),
    ("a trailing comma in an object", b'{"a": 1,\n}', "not-json", 1, None),
    ("an open string", b'[\n"abc', "not-json", 2, None),
    ("an open list", b"[1,\n2", "not-json", 2, None),
    ("two values", b"{}\n{}", "not-json", 2, None),
    ("single quotes", b"{'a': 1}", "not-json", 1, None),
    ("a comment", b"{\n// no\n}", "not-json", 2, None),
    ("a bad escape", b'["\\x41"]', "not-json", 1, None),
    ("a raw line end in a string", b'["a\nb"]', "not-json", 1, None),
    ("a merge conflict", b'{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> b\n}', "merge-conflict", 2, None),
    ("closing brackets only", b"]" * 1000, "not-json", 1, None),
    ("one level too deep", b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too-deep", None, None),
    ("deep objects", b'{"a":' * 500 + b"1" + b"}" * 500, "too-deep", None, None),
    ("deep and never closed", b"[" * 100_000, "too-deep", None, None),
)


@pytest.mark.parametrize(
    ("data", "code", "line", "pointer"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_what_is_not_strict_json_is_refused_at_its_place(
    data: bytes, code: str, line: int | None, pointer: str | None
) -> None:
    with pytest.raises(FixtureError) as caught:
        parse_json(data, file="x.json", error=FixtureError)
    where = caught.value.where
    assert where is not None
    assert (caught.value.code, where.line, where.pointer) == (code, line, pointer)
    assert caught.value.fix


ACCEPTED: tuple[tuple[str, bytes, object], ...] = (
    ("a surrogate pair", b'["\\ud83d\\ude00"]', ["😀"]),
    ("an escaped backslash before u", b'["\\\\ud800"]', ["\\ud800"]),
    ("a byte order mark", b"\xef\xbb\xbf[1]", [1]),
    ("brackets in a text", b'["[[[[{{{{", "\\"[["]', ["[[[[{{{{", '"[[']),
    ("the deepest allowed", b"[" * 3 + b"]" * 3, [[[]]]),
    ("the same key in two objects", b'[{"a": 1}, {"a": 2}, {"b": {"a": 1}, "a": 3}]', None),
    ("CRLF", b'{\r\n"a": 1\r\n}', {"a": 1}),
    ("NaN as a text", b'["NaN"]', ["NaN"]),
    ("a small float", b"[1e-999, 1.5]", [0.0, 1.5]),
    ("a scalar", b"3", 3),
)


@pytest.mark.parametrize(("data", "value"), [case[1:] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
def test_sound_json_is_read_as_it_is(data: bytes, value: object) -> None:
    expected = json.loads(data.decode("utf-8-sig")) if value is None else value
    assert parse_json(data, file="x.json", error=FixtureError) == expected


def test_the_deepest_allowed_nesting_is_read() -> None:
    data = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert parse_json(data, file="x.json", error=FixtureError) == json.loads(data)


@pytest.mark.parametrize(
    "data",
    [b"[" + b"[]," * 2_100_000 + b"[]]", b"[" + b"1," * 4_000_001 + b"1]", b'["' + b'","' * 4_100_000 + b'"]'],
    ids=["empty lists", "numbers", "empty texts"],
)
def test_too_many_values_are_refused_before_they_are_built(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_args: object, **_options: object) -> None:
        pytest.fail("the parser was asked")

    monkeypatch.setattr(strict, "MAX_VALUES", 2_000_000)
    monkeypatch.setattr(json, "loads", never)
    with pytest.raises(BaselineError) as caught:
        parse_json(data, file="x.json", error=BaselineError)
    assert caught.value.code == "too-many-values"


def test_the_error_is_of_the_kind_that_the_caller_asks_for() -> None:
    with pytest.raises(ConfigError):
        parse_json(b"[", file="x.json", error=ConfigError)


def test_a_key_that_could_be_private_is_not_shown() -> None:
    data = b'{"What is the salary of": {"a": 1, "a": 2}}'
    with pytest.raises(FixtureError) as caught:
        parse_json(data, file="x.json", error=FixtureError)
    assert "salary" not in str(caught.value)
    assert caught.value.where is not None
    assert caught.value.where.pointer is None


def test_every_code_has_one_row() -> None:
    codes = [rule.code for rule in JSON_RULES]
    assert sorted(set(codes)) == sorted(codes)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(alphabet='[]{},:"\\u0dD8a1e- \n', max_size=40).map(str.encode))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    outcome = _outcome(data)
    if outcome[0] == "read":
        assert outcome[1] == json.loads(data.decode("utf-8-sig"))
    else:
        assert outcome[1] in {rule.code for rule in JSON_RULES}


def _outcome(data: bytes) -> tuple[str, object]:
    try:
        return "read", parse_json(data, file="x.json", error=FixtureError)
    except FixtureError as refused:
        return "refused", refused.code


def test_lines_are_those_of_the_values_not_of_the_keys() -> None:
    data = b'{\n "a":\n  [\n   1,\n   {"b~/c": 2}\n  ]\n}'
    assert locate(data, ["", "/a", "/a/0", "/a/1/b~0~1c"]) == {"": 1, "/a": 3, "/a/0": 4, "/a/1/b~0~1c": 5}


def test_a_pointer_that_leads_nowhere_has_no_line() -> None:
    assert locate(b'{"a": [1]}', ["/a/1", "/b", "/a/0/x"]) == {}


def test_lines_come_in_file_order_whatever_order_is_asked() -> None:
    assert list(locate(b"[1,2,3]", ["/2", "/0", "/1"])) == ["/0", "/1", "/2"]


def test_escaped_keys_are_found_by_their_meaning() -> None:
    assert locate(b'\xef\xbb\xbf{\r\n"\\u0061\\"": 1,\r\n"\xe8\x8c\xb6": 2}', ['/a"', "/茶"]) == {
        '/a"': 2,
        "/茶": 3,
    }


_KEYS = st.text(alphabet='ab~/"\\\n茶😀0', max_size=4)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(alphabet='ab[]{},:"\\\n茶', max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(_JSON, st.booleans(), st.booleans(), st.sampled_from([None, 1]))
def test_each_line_is_where_the_value_begins(
    value: object, ascii_only: bool, crlf: bool, indent: int | None
) -> None:
    # A canary replaces one value at a time: its line in the written text is the expected line.
    for path in _paths(value, ()):
        marked = json.dumps(_replaced(value, path), ensure_ascii=ascii_only, indent=indent)
        expected = marked[: marked.index("987654321")].count("\n") + 1
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        data = (text.replace("\n", "\r\n") if crlf else text).encode("utf-8")
        pointer = pointer_of(path)
        assert locate(data, [pointer]) == {pointer: expected}


def _paths(value: object, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    yield path
    items: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, item in items:
        yield from _paths(item, (*path, key))


def _replaced(value: object, path: tuple[str | int, ...]) -> object:
    if not path:
        return 987654321
    if isinstance(value, dict):
        return {key: _replaced(item, path[1:]) if key == path[0] else item for key, item in value.items()}
    assert isinstance(value, list)
    return [_replaced(item, path[1:]) if index == path[0] else item for index, item in enumerate(value)]
