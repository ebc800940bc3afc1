"""Strict JSON: bytes to values, and pointers to lines.

Stricter than the standard library, so that two readers of one file can not see two different things: UTF-8
only (one leading byte order mark is skipped), no duplicate keys, no NaN or Infinity (nor a number that becomes
one), no lone surrogate, no NUL, and no nesting or number of values that would exhaust memory.

Lines are counted from 1 and end with a line feed, as editors and code hosts count CRLF and LF files.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from retrieval_gate.base.errors import InputError
from retrieval_gate.base.places import Place
from retrieval_gate.inputs.formats.records import Records, Spot

MAX_DEPTH = 64
# Each value costs up to about 100 bytes once it is parsed.
MAX_VALUES = 4_000_000
# Field names of this shape may stand in a pointer or message; any other key could be private text.
SHOWN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]{0,39}")

_BOM = b"\xef\xbb\xbf"
# An unclosed string reaches the end of the file, so that the scan stays linear on broken input.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}:,]|[^\s\[\]{}:,"]++', re.DOTALL)
_BRACES_AS_BRACKETS = bytes.maketrans(b"{}", b"[]")
_NOT_STRUCTURE = bytes(byte for byte in range(256) if byte not in b"[]{},")
# A string escape that needs a closer look: NUL, or half of a surrogate pair.
_RISKY_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_NUMBER_LENGTH = 400
_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7})(?:[ \r\n]|\Z)", re.MULTILINE)

# What the standard library's messages begin with, and how we say it: its wording differs between versions.
_SYNTAX = (
    ("Unterminated string", "a string is not closed"),
    ("Invalid control character", "a control character stands in a string unescaped"),
    ("Invalid \\", "a backslash begins no valid escape"),
    ("Expecting property name", "a field name in double quotes is expected here"),
    ("Expecting ':'", "a ':' is expected here"),
    ("Expecting ','", "a ',' or a closing bracket is expected here"),
    ("Extra data", "something follows the end of the JSON value"),
    ("Expecting value", "a value is expected here"),
)


class JsonRule(NamedTuple):
    """One reason to refuse the bytes before any schema is asked."""

    code: str
    what: str
    fix: str


# Ordered as the checks are made.
JSON_RULES = (
    JsonRule("not-utf-8", "the file is not UTF-8", "save it as UTF-8"),
    JsonRule("nul", "a NUL character", "remove it; save the file as UTF-8, not UTF-16"),
    JsonRule("too-deep", f"brackets nested more than {MAX_DEPTH} deep", "check that this is the right file"),
    JsonRule("too-many-values", f"more than {MAX_VALUES} values", "split it into several files"),
    JsonRule("merge-conflict", "an unresolved merge conflict", "resolve the conflict, then remove its markers"),
    JsonRule("not-json", "the file is not JSON", "correct the JSON here; a linter or formatter shows the place"),
    JsonRule("duplicate-key", "one object has the same key twice", "keep one of the two"),
    JsonRule("not-finite", "a number is not finite", "JSON has no NaN or Infinity: give a number or leave it out"),
    JsonRule("long-number", "a number has too many digits", "shorten the number"),
    JsonRule("lone-surrogate", "half of a surrogate pair", "write the whole character, or both \\u escapes of it"),
)
_BY_CODE = {rule.code: rule for rule in JSON_RULES}


class _RefusedError(Exception):
    """Raised by the parser's hooks; the place is found afterwards by one scan."""


class _Culprit(NamedTuple):
    code: str
    position: int
    path: tuple[str, ...]


def parse_json(data: bytes, *, file: str, error: type[InputError]) -> object:
    """The value of a JSON file; raises `error` with a code of `JSON_RULES` and the place where it is known.

    Objects become dicts in file order. No message quotes a value.
    """
    text = _decoded(data, file, error)
    _refuse_exhaustion(data, file, error)
    try:
        value: object = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite
        )
    except json.JSONDecodeError as failure:
        _refuse_syntax(data, text, failure, file, error)
    except (_RefusedError, ValueError) as failure:
        # ValueError: more digits than int() takes.
        raise _at_culprit(data, file, error, default="long-number") from failure
    if _RISKY_ESCAPE.search(data) is not None and (culprit := _culprit(data)) is not None:
        raise _refusal(culprit, data, file, error)
    return value


def locate(data: bytes, pointers: Collection[str]) -> dict[str, int]:
    """The line (from 1) of the value at each RFC 6901 pointer, in file order, from one scan of the bytes.

    `data` has been accepted by `parse_json`. Pointers that lead nowhere are left out.
    """
    wanted = {parts_of(pointer): pointer for pointer in pointers}
    lines: dict[str, int] = {}
    line, counted = 1, 0
    for path, position, _ in _walk(data):
        if not wanted:
            break
        pointer = wanted.pop(tuple(path), None)
        if pointer is None:
            continue
        line += data.count(b"\n", counted, position)
        counted = position
        lines[pointer] = line
    return lines


def fits(data: bytes) -> bool:
    """Whether the bytes begin as a JSON array or object."""
    return data[: 1 << 16].removeprefix(_BOM).lstrip().startswith((b"[", b"{"))


def read(data: bytes, file: str, member: str, error: type[InputError]) -> Records:
    """The records of an array, of an object's `member`, or of an object with an `id` that is one record."""
    try:
        value = parse_json(data, file=file, error=error)
    except InputError as refused:
        return Records(document={member: []}, locate=lambda _: {}, refused=(refused,))
    if isinstance(value, list):
        return Records(document={member: value}, locate=lambda pointers: _spots(data, pointers, f"/{member}"))
    if isinstance(value, dict) and "id" in value and member not in value:
        return Records(document={member: [value]}, locate=lambda pointers: _spots(data, pointers, f"/{member}/0"))
    return Records(document=value, locate=lambda pointers: _spots(data, pointers, ""))


def _spots(data: bytes, pointers: Collection[str], root: str) -> dict[str, Spot]:
    """The spots of pointers, where the file's own value stands at `root` of the document."""
    inner = {pointer.removeprefix(root): pointer for pointer in sorted(pointers) if pointer.startswith(root)}
    spots = {inner[own]: Spot(line, own) for own, line in locate(data, inner).items()}
    # What holds the file's value is the file itself.
    return {pointer: Spot(1, "") for pointer in pointers if not pointer.startswith(root)} | spots


def pointer_of(parts: Iterable[str | int]) -> str:
    """The RFC 6901 pointer of a path of keys and indices."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def parts_of(pointer: str) -> tuple[str, ...]:
    """The path of keys and indices that an RFC 6901 pointer spells."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _shown_path(parts: Sequence[str | int]) -> tuple[str | int, ...]:
    """The path up to the first key that could be private text rather than a field name."""
    for place, part in enumerate(parts):
        if isinstance(part, str) and not part.isdigit() and SHOWN_NAME.fullmatch(part) is None:
            return tuple(parts[:place])
    return tuple(parts)


def _decoded(data: bytes, file: str, error: type[InputError]) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise _refusal(_Culprit("not-utf-8", failure.start, ()), data, file, error) from failure
    if (position := data.find(b"\0")) >= 0:
        raise _refusal(_Culprit("nul", position, ()), data, file, error)
    return text


def _refuse_exhaustion(data: bytes, file: str, error: type[InputError]) -> None:
    """Counts values and depth on the brackets and commas alone, before anything is built."""
    where = Place(file=file)
    too_many, too_deep = _BY_CODE["too-many-values"], _BY_CODE["too-deep"]
    # Raw counts first: they read brackets and quotes within texts too, but no real text has millions of them.
    if data.count(b"[") + data.count(b"{") > MAX_VALUES or data.count(b'"') > 3 * MAX_VALUES:
        raise error(too_many.code, too_many.what, fix=too_many.fix, where=where)
    structure = _STRING.sub(b"", data).translate(_BRACES_AS_BRACKETS, _NOT_STRUCTURE)
    if structure.count(b",") + structure.count(b"[") > MAX_VALUES:
        raise error(too_many.code, too_many.what, fix=too_many.fix, where=where)
    if _is_deep(structure.replace(b",", b"")):
        raise error(too_deep.code, too_deep.what, fix=too_deep.fix, where=where)


def _is_deep(brackets: bytes) -> bool:
    """Whether brackets nest over MAX_DEPTH; each round removes the innermost pairs, so rounds count levels."""
    for _ in range(MAX_DEPTH):
        smaller = brackets.replace(b"[]", b"")
        if len(smaller) == len(brackets):
            break
        brackets = smaller
    # What is left is deeper, or has no partner: a few of those are for the parser to name.
    return b"[]" in brackets or brackets.count(b"[") > MAX_DEPTH


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _RefusedError
    return value


def _refuse_constant(_name: str) -> NoReturn:
    raise _RefusedError


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _RefusedError
    return number


def _refuse_syntax(
    data: bytes, text: str, failure: json.JSONDecodeError, file: str, error: type[InputError]
) -> NoReturn:
    conflict = _CONFLICT.search(data)
    if conflict is not None:
        raise _refusal(_Culprit("merge-conflict", conflict.start(), ()), data, file, error) from failure
    what, position = _syntax(text, failure)
    rule = _BY_CODE["not-json"]
    line = text.count("\n", 0, position) + 1
    raise error(rule.code, f"{rule.what}: {what}", fix=rule.fix, where=Place(file=file, line=line)) from failure


def _syntax(text: str, failure: json.JSONDecodeError) -> tuple[str, int]:
    if not text.strip():
        return "it is empty", 0
    # Python 3.13 points at a trailing comma, older ones at the bracket after it.
    before = text[: failure.pos].rstrip()
    if failure.msg.startswith("Illegal trailing comma"):
        return "a ',' has nothing after it", failure.pos
    if before.endswith(",") and text[failure.pos : failure.pos + 1] in {"]", "}"}:
        return "a ',' has nothing after it", len(before) - 1
    said = (ours for theirs, ours in _SYNTAX if failure.msg.startswith(theirs))
    return next(said, "it can not be read here"), failure.pos


def _at_culprit(data: bytes, file: str, error: type[InputError], *, default: str) -> InputError:
    return _refusal(_culprit(data) or _Culprit(default, 0, ()), data, file, error)


def _refusal(culprit: _Culprit, data: bytes, file: str, error: type[InputError]) -> InputError:
    rule = _BY_CODE[culprit.code]
    where = Place(
        file=file,
        line=data.count(b"\n", 0, culprit.position) + 1,
        pointer=pointer_of(_shown_path(culprit.path)) or None,
    )
    return error(rule.code, rule.what, fix=rule.fix, where=where)


def _culprit(data: bytes) -> _Culprit | None:
    """The first value that the standard library reads and we refuse; None where there is none."""
    seen: dict[int, set[str]] = {}
    for path, position, token in _walk(data):
        depth = len(path)
        if path and path[-1] in seen[depth]:
            return _Culprit("duplicate-key", position, tuple(path))
        if path:
            seen[depth].add(path[-1])
        if token in {b"[", b"{"}:
            seen[depth + 1] = set()
        code = _text_code(path[-1]) if path else None
        code = code or _token_code(token)
        if code is not None:
            return _Culprit(code, position, tuple(path))
    return None


def _token_code(token: bytes) -> str | None:
    if token[:1] == b'"':
        return _text_code(json.loads(token)) if b"\\u" in token else None
    if token in {b"[", b"{", b"true", b"false", b"null"}:
        return None
    if len(token) > _MAX_NUMBER_LENGTH and token.lstrip(b"-").isdigit():
        return "long-number"
    return None if math.isfinite(float(token)) else "not-finite"


def _text_code(text: str) -> str | None:
    if "\0" in text:
        return "nul"
    return "lone-surrogate" if _SURROGATE.search(text) is not None else None


def _walk(data: bytes) -> Iterator[tuple[list[str], int, bytes]]:
    """Every value in file order: its path, byte position and first token; the path list is reused.

    Expects well-formed JSON, at least as far as it is consumed.
    """
    path: list[str] = []
    # One entry per open container: the index of the current element, or -1 in an object.
    indices: list[int] = []
    key_next = False
    for match in _TOKEN.finditer(data, len(_BOM) if data.startswith(_BOM) else 0):
        token = match.group()
        if token == b",":
            key_next = indices[-1] < 0
            if not key_next:
                indices[-1] += 1
                path[-1] = str(indices[-1])
        elif token in {b"]", b"}"}:
            key_next = False
            indices.pop()
            path.pop()
        elif key_next:
            key_next = False
            path[-1] = json.loads(token) if b"\\" in token else token[1:-1].decode("utf-8")
        elif token != b":":
            yield path, match.start(), token
            if token in {b"[", b"{"}:
                key_next = token == b"{"
                indices.append(-1 if key_next else 0)
                path.append("" if key_next else "0")
