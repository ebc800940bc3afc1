"""Canonical bytes and hashes: length-prefixed, typed, the same on every Python.

Every value is written as `<tag><length>:<payload>`, so that no two different values share their bytes and a
field can not slide into its neighbour. Dataclasses carry their field names, so that a new field moves the hash.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any

# Scores are compared and ordered after rounding to this many decimals (design §3).
SCORE_DECIMALS = 9


def rounded(score: float) -> float:
    """A score as it is ordered and reported; negative zero becomes zero."""
    return round(score, SCORE_DECIMALS) + 0.0


def encode(value: object) -> bytes:
    """Canonical bytes of None, bool, int, float, str, bytes, enum, date, datetime, tuple, list, dict, dataclass.

    Dicts are sorted by key. Raises TypeError for anything without a canonical form, such as a set or NaN.
    """
    tag, payload = _encoder(type(value))(value)
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


Encoded = tuple[bytes, bytes]
_ENCODERS: dict[type, Callable[[Any], Encoded]] = {
    type(None): lambda _: (b"n", b""),
    bool: lambda value: (b"b", b"1" if value else b"0"),
    str: lambda value: (b"s", value.encode("utf-8")),
    int: lambda value: (b"i", b"%d" % value),
    float: lambda value: (b"f", _float_text(value).encode("ascii")),
    bytes: lambda value: (b"y", value),
    datetime: lambda value: (b"t", _instant_text(value).encode("ascii")),
    date: lambda value: (b"d", value.isoformat().encode("ascii")),
    tuple: lambda value: (b"l", _joined(value)),
    list: lambda value: (b"l", _joined(value)),
    dict: lambda value: (b"m", _joined(part for key in sorted(value) for part in (key, value[key]))),
}


def _encoder(kind: type[Any]) -> Callable[[Any], Encoded]:
    if kind not in _ENCODERS:
        _ENCODERS[kind] = _derived(kind)
    return _ENCODERS[kind]


def _derived(kind: type[Any]) -> Callable[[Any], Encoded]:
    """The encoder of an enum or a dataclass."""
    if issubclass(kind, Enum):
        return _encode_enum
    if is_dataclass(kind):
        names = tuple(field.name for field in fields(kind))
        return lambda value: (b"o", _joined(part for name in names for part in (name, getattr(value, name))))
    raise TypeError(f"no canonical form for {kind.__name__}")


def _encode_enum(value: Enum) -> Encoded:
    return _encoder(type(value.value))(value.value)


def _joined(parts: Iterable[object]) -> bytes:
    return b"".join(map(encode, parts))


def _float_text(value: float) -> str:
    if not math.isfinite(value):
        raise TypeError("no canonical form for a number that is not finite")
    return repr(value + 0.0)


def _instant_text(value: datetime) -> str:
    if value.tzinfo is None:
        raise TypeError("no canonical form for a time without an offset")
    return value.astimezone(UTC).isoformat(timespec="microseconds")
