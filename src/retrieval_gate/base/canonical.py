"""Canonical bytes and hashes: length-prefixed, typed, the same on every Python.

Every value is written as `<tag><length>:<payload>`, so that no two different values share their bytes and a
field can not slide into its neighbour. Dataclasses carry their field names, so that a new field moves the hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache

# Scores are compared and ordered after rounding to this many decimals (design §3).
SCORE_DECIMALS = 9


def rounded(score: float) -> float:
    """A score as it is ordered and reported; negative zero becomes zero."""
    return round(score, SCORE_DECIMALS) + 0.0


def encode(value: object) -> bytes:
    """Canonical bytes of None, bool, int, float, str, bytes, enum, datetime, tuple, list, mapping, dataclass.

    Mappings are sorted by key. Raises TypeError for anything without a canonical form, such as a set or NaN.
    """
    tag, payload = _payload(value)
    return b"%b%d:%b" % (tag, len(payload), payload)


def digest(value: object) -> str:
    """SHA-256 of the canonical bytes, 64 hex digits."""
    return hashlib.sha256(encode(value)).hexdigest()


def short_digest(value: object) -> str:
    """The first 16 hex digits of `digest`: for one line of a baseline, never for security."""
    return digest(value)[:16]


def text_digest(text: str) -> str:
    """SHA-256 of the text's UTF-8 bytes: what a document's `contentHash` and a chunk's tie-break are."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def json_line(value: object) -> str:
    """Compact JSON on one line: UTF-8 text, given key order, no NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _payload(value: object) -> tuple[bytes, bytes]:  # noqa: C901 - one line per type
    match value:
        case None:
            return b"n", b""
        case Enum():
            return _payload(value.value)
        case bool():
            return b"b", b"1" if value else b"0"
        case str():
            return b"s", value.encode("utf-8")
        case int():
            return b"i", b"%d" % value
        case float():
            return b"f", _float_text(value).encode("ascii")
        case bytes():
            return b"y", value
        case datetime():
            return b"t", _instant_text(value).encode("ascii")
        case date():
            return b"d", value.isoformat().encode("ascii")
        case tuple() | list():
            return b"l", _joined(value)
        case Mapping():
            return b"m", _joined([pair for key in sorted(value) for pair in (key, value[key])])
        case _ if is_dataclass(value) and not isinstance(value, type):
            return b"o", _joined([part for name in _names(type(value)) for part in (name, getattr(value, name))])
        case _:
            pass
    raise TypeError(f"no canonical form for {type(value).__name__}")


def _joined(parts: Iterable[object]) -> bytes:
    return b"".join(encode(part) for part in parts)


@cache
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _float_text(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        raise TypeError("no canonical form for a number that is not finite")
    return repr(value + 0.0)


def _instant_text(value: datetime) -> str:
    if value.tzinfo is None:
        raise TypeError("no canonical form for a time without an offset")
    return value.astimezone(UTC).isoformat(timespec="microseconds")
