"""The line of each key in a TOML text, from one scan; only a problem needs it.

The text has been accepted by `parse_toml`, so the scan checks nothing; it needs no recursion.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

# Keys, and the index of an element in an array or array of tables, from 0.
Path = tuple[str | int, ...]

# An unclosed string reaches the end of its line or of the text, so that the scan stays linear on broken input.
_TOKEN = re.compile(
    r"""
      (?P<text>
          \"\"\" (?: [^\\"] | \\. | "(?!"") )*+ (?: "{3,5} | \\?\Z )
        | \'\'\' .*? (?: \'{3,5} | \Z )
        | " (?: [^"\\\n] | \\[^\n] )*+ (?: " | \\?(?=\n|\Z) )
        | \' [^'\n]*+ (?: \' | (?=\n|\Z) )
      )
    | (?P<break> \n )
    | (?P<mark>  [\[\]{}=,.] )
    | (?P<skip>  \#[^\n]*+ | [ \t\r]++ )
    | (?P<word>  [^\s\[\]{}=,."'#]++ )
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """`kind` is text (a quoted string), break, mark or word; `line` counts from 1."""

    kind: str
    text: str
    line: int


def lines_of(text: str) -> dict[Path, int]:
    """The line (from 1) on which each key, table and array element begins, by its path."""
    scan = _Scan(text)
    scan.run()
    return scan.lines


def nearest_line(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of the path, or of the nearest thing around it; None where nothing around it has a line."""
    for length in range(len(path), 0, -1):
        line = lines.get(path[:length])
        if line is not None:
            return line
    return None


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, as far as it is TOML; comments and blanks are left out."""
    line = 1
    for match in _TOKEN.finditer(text):
        token = match.group()
        kind = match.lastgroup or "skip"
        if kind != "skip":
            yield Token(kind, token, line)
        line += token.count("\n")


class _Container:
    """An array or inline table that is open; `member_next`: an element or key may begin."""

    __slots__ = ("index", "is_array", "member_next", "path")

    def __init__(self, path: Path, *, is_array: bool) -> None:
        self.path = path
        self.is_array = is_array
        self.index = 0
        self.member_next = True


class _Scan:
    """One pass: headers move the table, keys and elements record their line."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self._tokens = list(tokens(text))
        self._next = 0
        # Arrays of tables seen so far, with the index of their last table.
        self._last: dict[Path, int] = {}

    def run(self) -> None:
        table: Path = ()
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            if token.kind == "break":
                self._next += 1
            elif token.text == "[" and token.kind == "mark":
                table = self._header()
            else:
                self._value(self._key(table))

    def _header(self) -> Path:
        """`[a.b]` or `[[a.b]]`: the path of the table that begins here."""
        line = self._tokens[self._next].line
        ahead = self._tokens[self._next + 1]
        is_array = ahead.kind == "mark" and ahead.text == "["
        self._next += 2 if is_array else 1
        path = self._resolved(self._parts("]"), is_array=is_array)
        self._next += 1 if is_array else 0
        for length in range(1, len(path) + 1):
            self._record(path[:length], line)
        return path

    def _resolved(self, parts: list[str], *, is_array: bool) -> Path:
        """The path with, after each array of tables on the way, the index of its last table."""
        path: Path = ()
        for place, part in enumerate(parts):
            path = (*path, part)
            if is_array and place == len(parts) - 1:
                self._last[path] = self._last.get(path, -1) + 1
            if path in self._last:
                path = (*path, self._last[path])
        return path

    def _key(self, table: Path) -> Path:
        """`a.b =`: the key's path; it and the tables that its dots open are recorded."""
        line = self._tokens[self._next].line
        path = table
        for part in self._parts("="):
            path = (*path, part)
            self._record(path, line)
        return path

    def _parts(self, end: str) -> list[str]:
        """The parts of a key up to the mark `end`, which is passed."""
        parts: list[str] = []
        while True:
            token = self._tokens[self._next]
            self._next += 1
            if token.kind == "mark" and token.text == end:
                return parts
            if token.kind == "word":
                parts.append(token.text)
            elif token.kind == "text":
                parts.append(_unquoted(token.text))

    def _value(self, path: Path) -> None:
        """Pass the value of `path`, recording what is inside; open containers are a stack, not a recursion."""
        within: list[_Container] = []
        while self._next < len(self._tokens):
            token = self._tokens[self._next]
            if token.kind == "break" and not within:
                return
            if within and within[-1].member_next and token.kind != "break" and token.text not in {"]", "}"}:
                path = self._member(within[-1], token)
                continue
            self._next += 1
            _step(token, path, within)

    def _member(self, container: _Container, token: Token) -> Path:
        """The path of the element or key that begins at `token`; a key is passed, an element is not."""
        container.member_next = False
        if not container.is_array:
            return self._key(container.path)
        path = (*container.path, container.index)
        self._record(path, token.line)
        return path

    def _record(self, path: Path, line: int) -> None:
        self.lines.setdefault(path, line)


def _step(token: Token, path: Path, within: list[_Container]) -> None:
    if token.text in {"[", "{"}:
        within.append(_Container(path, is_array=token.text == "["))
    elif token.text in {"]", "}"}:
        within.pop()
    elif token.text == ",":
        within[-1].index += 1
        within[-1].member_next = True


def _unquoted(token: str) -> str:
    key: str = tomllib.loads(f"key = {token}")["key"]
    return key
