"""Strict TOML: what is refused before any schema is asked, and where."""

from __future__ import annotations

import pytest

from retrieval_gate.base.errors import ConfigError, InputError
from retrieval_gate.inputs.formats.toml import MAX_KEY_PARTS, TOML_RULES, parse_toml

LIMIT = 100_000
DEEP = "a." * MAX_KEY_PARTS + "a"


def parse(data: bytes) -> dict[str, object]:
    return parse_toml(data, file="x.toml", limit=LIMIT, error=ConfigError)[1]


def refused(data: bytes) -> InputError:
    with pytest.raises(ConfigError) as caught:
        parse(data)
    return caught.value


REFUSED = (
    (b"#" * (LIMIT + 1), "too-large", None),
    (b"a = 1\nb = '\xff'\n", "not-utf-8", 2),
    (f"\n\n{DEEP} = 1".encode(), "too-deep", 3),
    (f"[{DEEP}]".encode(), "too-deep", 1),
    (b"a = " + b"[" * 50_000, "too-deep", None),
    (b"a = 1\n<<<<<<< ours\n", "merge-conflict", 2),
    (b"a = 1\na = 2\n", "duplicate-key", 2),
    (b"[a]\n[b]\n[a]\n", "duplicate-key", 3),
    (b"a = {b = 1, b = 2}\n", "duplicate-key", 1),
    (b"a = " + b"1" * 5_000, "long-number", None),
    (b"a = 1\nb = \n", "not-toml", 2),
    (b"a = 1\r\nb = \r\n", "not-toml", 2),
    (b"a = [1,\n2\n", "not-toml", 2),
    (b"a = 2026-02-30\n", "not-toml", 1),
    (b"a = 'x\0'\n", "not-toml", 1),
)


@pytest.mark.parametrize(("data", "code", "line"), REFUSED)
def test_bytes_that_are_refused(data: bytes, code: str, line: int | None) -> None:
    error = refused(data)
    assert (error.code, error.where and error.where.line) == (code, line)
    assert error.where is not None
    assert error.where.file == "x.toml"


def test_every_rule_is_tried_above() -> None:
    assert {code for _, code, _ in REFUSED} == {rule.code for rule in TOML_RULES}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbfa = 1\n",
        ("a." * (MAX_KEY_PARTS - 1) + "a = 1").encode(),
        ("a = '" + ". " * 200 + "'").encode(),
        ("# " + "a." * 200).encode(),
        ("a = '" + "a." * 200 + "'").encode(),
        ("a = [" + "1.5, " * 200 + "]").encode(),
        b'a = """\n<<<<<<< not a conflict, in a text\n"""\n',
        b"a = " + b"[" * 50 + b"]" * 50,
        b"#" * LIMIT,
    ],
)
def test_bytes_that_are_taken(data: bytes) -> None:
    assert isinstance(parse(data), dict)


def test_a_syntax_error_quotes_nothing_of_the_file() -> None:
    for data in (b"canary = canary\n", b"[canary]\n[canary]\n", b"a = 'canary\n", b"canary\n"):
        assert "canary" not in str(refused(data))


def test_many_long_keys_are_refused_before_they_fill_the_memory() -> None:
    assert refused(b"a." * 40_000 + b"a = 1").code == "too-deep"
