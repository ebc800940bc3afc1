"""What a value of another library holds, by name: keys of a mapping, attributes of an object; never its class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any
from uuid import UUID

from retrieval_gate.retrievers.shapes.names import HIT_MEMBERS

# More hits than any k; what has no end must not be read to it.
_MOST = 100_000
# Made once: a union of types takes longer to make than to ask for.
_IDS = (int, UUID)
_NO_NUMBERS = (bool, str, bytes)
_NONE: Mapping[str, Any] = {}
_SCALARS = (str, bytes, bytearray, int, float, complex, UUID, type(None))


def member(value: Any, name: str) -> Any:
    """The key or attribute `name`; None where there is none, or where reading it raises.

    Classes that make up attributes as they are asked for are not believed.
    """
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, _SCALARS):
        return None
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict) and name in own:
        return own[name]
    if name not in declared(value):
        return None
    try:
        return getattr(value, name)
    except Exception:  # noqa: BLE001 - another library's property, such as the text of an image
        return None


def declared(value: object) -> frozenset[str]:
    """The names that a value's class has; asking it for those that it has not is slow in many libraries."""
    kind: Any = type(value)
    return _names(kind)


@lru_cache(maxsize=256)
def _names(kind: Any) -> frozenset[str]:
    return frozenset(dir(kind))


def lead(value: object, path: str) -> Any:
    """What stands at the end of a dotted path, whose numbers are places in lists; None where it leads nowhere."""
    found: Any = value
    for name in path.split("."):
        found = (
            member(found, name) if isinstance(found, Mapping) or not name.isdecimal() else _at(found, int(name))
        )
    return found


def _at(value: object, place: int) -> Any:
    items = as_items(value)
    return items[place] if items is not None and place < len(items) else None


def hit_members(value: Any) -> Mapping[str, Any]:
    """All members of `HIT_MEMBERS` at once, maybe with others. Empty for a text, a number or a list."""
    if isinstance(value, dict):
        return value
    if isinstance(value, (list, tuple, *_SCALARS)):
        return _NONE
    if isinstance(value, Mapping):
        return value
    found = dict(getattr(value, "__dict__", _NONE))
    kind: Any = type(value)
    for name in _looked_for(kind):
        if name not in found:
            found[name] = member(value, name)
    return found


@lru_cache(maxsize=256)
def _looked_for(kind: Any) -> tuple[str, ...]:
    names = _names(kind)
    return tuple(name for name in HIT_MEMBERS if name in names)


def first(members: Mapping[str, Any], names: Iterable[str]) -> Any:
    """The first member that is there and not None."""
    for name in names:
        found = members.get(name)
        if found is not None:
            return found
    return None


def as_items(value: Any) -> list[Any] | None:
    """The items of a list, a tuple, an iterator or an array; None for anything else, such as a text."""
    if isinstance(value, list):
        return value
    if isinstance(value, (Mapping, *_SCALARS)):
        return None
    if isinstance(value, tuple | Iterator) or {"__len__", "__getitem__", "__iter__"} <= declared(value):
        return list(islice(value, _MOST))
    return None


def is_scalar(value: object) -> bool:
    """Whether the value can hold nothing else."""
    return isinstance(value, _SCALARS)


def as_id(value: object) -> str | None:
    """A text, a whole number or a UUID as an id; None for anything else."""
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return None
    return str(value) if isinstance(value, _IDS) or "__index__" in declared(value) else None


def as_score(value: Any) -> object:
    """A number of any library as a float; what is none is left for the contract to refuse."""
    if value is None or type(value) is float or isinstance(value, int) or not is_number(value):
        return value
    try:
        return float(value)
    except Exception:  # noqa: BLE001 - such as an array of several numbers
        return value


def is_number(value: object) -> bool:
    return type(value) is float or (not isinstance(value, _NO_NUMBERS) and "__float__" in declared(value))
