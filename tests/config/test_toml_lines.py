"""The line of a key, whatever way it is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.inputs.formats.toml_lines import Path, lines_of, nearest_line

TEXT = '''\
# a comment with [brackets] = and "quotes"
top = 1
"quoted.key" = 2
'literal' = "a # no comment"
a.b.c = { d = 1, e = { f = 2 } }
many = """
[not.a.table]
x = 1 \\""" still ""
"""
list = [
  1, # one
  [2, 3],

  { k = 4 },
  """x
  y""", 5,
]
[table] # here
when = 2026-01-02 03:04:05.5
[table."sub.x"]
number = 1.5
[[rows]]
id = 1
[rows.inner]
x = 1
[[rows]]
id = 2
  [[rows.deep]]
  y = 1
  [[rows.deep]]
  y = """a"""""
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("quoted.key",), 3),
        (("literal",), 4),
        (("a",), 5),
        (("a", "b", "c", "e", "f"), 5),
        (("many",), 6),
        (("list",), 10),
        (("list", 0), 11),
        (("list", 1, 1), 12),
        (("list", 2, "k"), 14),
        (("list", 3), 15),
        (("list", 4), 16),
        (("table",), 18),
        (("table", "when"), 19),
        (("table", "sub.x"), 20),
        (("table", "sub.x", "number"), 21),
        (("rows",), 22),
        (("rows", 0, "id"), 23),
        (("rows", 0, "inner", "x"), 25),
        (("rows", 1), 26),
        (("rows", 1, "id"), 27),
        (("rows", 1, "deep", 0, "y"), 29),
        (("rows", 1, "deep", 1), 30),
        (("rows", 1, "deep", 1, "y"), 31),
    ],
)
def test_the_line_on_which_a_key_begins(path: Path, line: int) -> None:
    assert lines_of(TEXT)[path] == line


def test_a_text_that_looks_like_a_table_is_none() -> None:
    assert ("not",) not in lines_of(TEXT)


def test_crlf_counts_as_one_line_end() -> None:
    assert lines_of("a = 1\r\n[b]\r\nc = 2\r\n") == {("a",): 1, ("b",): 2, ("b", "c"): 3}


def test_a_missing_key_is_placed_at_what_is_around_it() -> None:
    lines = lines_of(TEXT)
    assert nearest_line(lines, ("rows", 1, "name")) == 26
    assert nearest_line(lines, ("list", 9, "x")) == 10
    assert nearest_line(lines, ("nowhere",)) is None


def test_every_path_of_the_text_has_a_line_and_nothing_else_has() -> None:
    assert set(lines_of(TEXT)) == set(paths(tomllib.loads(TEXT), ()))


def test_ten_thousand_nested_brackets_need_no_recursion() -> None:
    assert lines_of("a = " + "[" * 10_000 + "]" * 10_000)[("a", *([0] * 9_999))] == 1


def paths(value: object, path: Path) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths(inner, (*path, index))


_QUOTED = st.text(st.characters(codec="ascii", exclude_categories=["Cc"], exclude_characters="'"), max_size=6)
_SCALARS = st.one_of(
    st.integers(-9, 9).map(str),
    st.sampled_from(["true", "1.5", "2026-01-02", "'''\n['''", '"""\n=}"""', '"\\"]"', '""', '"""a"""""']),
    _QUOTED.map(lambda text: f"'{text}'"),
)
_KEYS = st.one_of(st.sampled_from(["a", "b-c", "_1"]), _QUOTED.map(lambda text: f"'{text}'"))


def _array(items: list[str]) -> str:
    return "[\n" + " , # ] \n".join(items) + "\n]"


def _inline(items: dict[str, str]) -> str:
    pairs = {tomllib.loads(f"{key} = 0").popitem()[0]: (key, value) for key, value in items.items()}
    return "{" + ", ".join(f"{key} = {value}" for key, value in pairs.values()) + "}"


_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3).map(_array) | st.dictionaries(_KEYS, inner, max_size=3).map(_inline),
    max_leaves=8,
)


@given(st.lists(_VALUES, max_size=5), st.lists(_VALUES, max_size=3))
def test_the_scan_agrees_with_the_parser(values: list[str], rows: list[str]) -> None:
    keys = [f"k{index} = {value}" for index, value in enumerate(values)]
    tables = [f"[[rows]]\nx.y = {value}\n[rows.'z']" for value in rows]
    text = "\n".join([*keys, *tables, "[last.one]", ""])
    assert set(lines_of(text)) == set(paths(tomllib.loads(text), ()))
