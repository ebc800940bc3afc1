"""Strict TOML: bytes to tables, bounded, and syntax errors by line without a word of the file.

Lines are counted from 1 and end with a line feed. `toml_lines` finds the line of a key in a text that this
module has accepted.
"""

from __future__ import annotations

import re
import tomllib
from typing import NamedTuple

from retrieval_gate.base.errors import InputError
from retrieval_gate.base.places import Place
from retrieval_gate.inputs.formats.toml_lines import tokens

# Deeper than any table here needs. The standard library keeps every prefix of a dotted key, so that 400,000
# parts take more memory than a runner has.
MAX_KEY_PARTS = 32
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?:[ \r\n]|\Z)", re.MULTILINE)
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)\Z")
_TWICE = re.compile(r"twice|overwrite|mutate|redefine|duplicate", re.IGNORECASE)


class TomlRule(NamedTuple):
    """One reason to refuse the bytes before any schema is asked."""

    code: str
    what: str
    fix: str


# Ordered as the checks are made.
TOML_RULES = (
    TomlRule("too-large", "the file is over its size limit", "take out what does not belong in it"),
    TomlRule("not-utf-8", "the file is not UTF-8", "save it as UTF-8"),
    TomlRule("too-deep", f"a dotted key has more than {MAX_KEY_PARTS} parts", "check that this is the right file"),
    TomlRule("merge-conflict", "an unresolved merge conflict", "resolve the conflict, then remove its markers"),
    TomlRule("duplicate-key", "a key or table is set twice", "keep one of the two"),
    TomlRule("long-number", "a number has too many digits", "shorten the number"),
    TomlRule("not-toml", "the file is not TOML", "correct the TOML here; an editor with TOML support shows how"),
)
_BY_CODE = {rule.code: rule for rule in TOML_RULES}


def parse_toml(data: bytes, *, file: str, limit: int, error: type[InputError]) -> tuple[str, dict[str, object]]:
    """The text and the top-level table of a TOML file of at most `limit` bytes; one leading BOM is skipped.

    Raises `error` with a code of `TOML_RULES` and the line where it is known. No message quotes the file.
    """
    if len(data) > limit:
        raise _refusal("too-large", file, None, error)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise _refusal("not-utf-8", file, data.count(b"\n", 0, failure.start) + 1, error) from failure
    _refuse_long_keys(text, file, error)
    try:
        return text, tomllib.loads(text)
    except RecursionError as failure:
        raise _refusal("too-deep", file, None, error, what="brackets nest too deep") from failure
    except tomllib.TOMLDecodeError as failure:
        raise _syntax_error(text, str(failure), file, error) from failure
    except ValueError as failure:
        # int() takes no more digits than this, and names no place.
        raise _refusal("long-number", file, None, error) from failure


def _refuse_long_keys(text: str, file: str, error: type[InputError]) -> None:
    # Most files have no line with so many dots, and the tokens need not be looked at.
    if all(line.count(".") < MAX_KEY_PARTS for line in text.split("\n")):
        return
    dots = 0
    for token in tokens(text):
        if token.text == ".":
            dots += 1
        elif token.kind in {"mark", "break"}:
            dots = 0
        if dots >= MAX_KEY_PARTS:
            raise _refusal("too-deep", file, token.line, error)


def _syntax_error(text: str, message: str, file: str, error: type[InputError]) -> InputError:
    conflict = _CONFLICT.search(text)
    if conflict is not None:
        return _refusal("merge-conflict", file, text.count("\n", 0, conflict.start()) + 1, error)
    code = "duplicate-key" if _TWICE.search(message) else "not-toml"
    return _refusal(code, file, _line(text, message), error)


def _line(text: str, message: str) -> int:
    """The line in tomllib's message, or the last one: then something is left open at the end."""
    at = _AT_LINE.search(message)
    return text.rstrip("\n").count("\n") + 1 if at is None else int(at.group(1))


def _refusal(
    code: str, file: str, line: int | None, error: type[InputError], *, what: str | None = None
) -> InputError:
    rule = _BY_CODE[code]
    return error(rule.code, what or rule.what, fix=rule.fix, where=Place(file=file, line=line))
