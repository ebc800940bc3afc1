"""Canonical bytes: different values never share them, equal values always do."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.base.canonical import digest, encode, json_line, rounded, text_digest

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner))


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int
    y: int


@dataclass(frozen=True)
class Renamed:
    x: int
    z: int


def test_text_can_not_slide_into_its_neighbour() -> None:
    assert encode(("ab", "c")) != encode(("a", "bc"))


def test_the_bytes_are_written_down() -> None:
    assert encode(("a", 1, None)) == b"l11:s1:ai1:1n0:"


@pytest.mark.parametrize(("one", "other"), [(1, "1"), (1, True), (0, None), (1, 1.0), ("", None), ((), "")])
def test_values_of_other_types_differ(one: object, other: object) -> None:
    assert encode(one) != encode(other)


def test_a_renamed_field_moves_the_hash() -> None:
    assert digest(Point(1, 2)) != digest(Renamed(1, 2))


def test_dict_order_does_not_move_the_hash_but_tuple_order_does() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest((1, 2)) != digest((2, 1))


def test_an_enum_is_its_value() -> None:
    assert encode(Colour.RED) == encode("red")


def test_the_same_instant_in_two_zones_is_the_same() -> None:
    plus_two = timezone(timedelta(hours=2))
    assert digest(datetime(2026, 1, 1, 2, tzinfo=plus_two)) == digest(datetime(2026, 1, 1, 0, tzinfo=UTC))


@pytest.mark.parametrize(
    "value",
    [{1, 2}, float("nan"), float("inf"), datetime(2026, 1, 1), object()],  # noqa: DTZ001 - refused on purpose
)
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no canonical form"):
        encode(value)


@given(VALUES, VALUES)
def test_equal_bytes_mean_equal_values(one: object, other: object) -> None:
    assert (encode(one) == encode(other)) == (repr(one) == repr(other) or _canonical(one) == _canonical(other))


def _canonical(value: object) -> object:
    """A value as plain nested tuples, dicts sorted: the slow definition of sameness."""
    if isinstance(value, dict):
        return ("dict", tuple((key, _canonical(value[key])) for key in sorted(value)))
    if isinstance(value, tuple):
        return ("tuple", tuple(_canonical(part) for part in value))
    return (type(value).__name__, repr(value + 0.0) if isinstance(value, float) else value)


def test_the_hash_seed_does_not_move_the_hash() -> None:
    program = "from retrieval_gate.base.canonical import digest; print(digest({'b': (1, 'x'), 'a': None}))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert printed == {digest({"a": None, "b": (1, "x")}).encode() + b"\n"}


def test_known_digests() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert text_digest("") == empty  # the SHA-256 of no bytes


def test_negative_zero_is_zero() -> None:
    assert str(rounded(-0.0)) == "0.0"
    assert rounded(0.12345678949) == 0.123456789


def test_json_refuses_what_is_not_a_number() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line(float("nan"))
