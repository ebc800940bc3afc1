"""How an answer that can not be read is told: its types, counts and usual names, never anything that it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.retrievers.shapes.members import as_items
from retrieval_gate.retrievers.shapes.names import USUAL

# How many kinds of items are told apart.
_KINDS = 3


def unknown_shape(value: object, why: str) -> RetrieverError:
    """`why` says what is missing, in words and numbers of this project's own."""
    return RetrieverError(
        "unknown-shape",
        f"an answer can not be read, {why}: {told(value)}",
        fix="return ids, (id, score) pairs or dicts with an id; set fields.hits, fields.id and so on where they "
        "stand elsewhere; see docs/retriever.md",
    )


def told(value: object) -> str:
    """E.g. `list of 3 dict with 2 keys, score among them`."""
    items = as_items(value)
    if items is None or not isinstance(value, list | tuple):
        return _one(value)
    kinds = Counter(map(_one, items)).most_common()
    said = [f"{count} {kind}" for kind, count in kinds[:_KINDS]]
    rest = "" if len(kinds) <= _KINDS else " and others"
    return f"{type_name(value)} of {' and '.join(said) or '0'}{rest}"


def _one(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"{type_name(value)} of {len(value)}"
    if not isinstance(value, Mapping):
        return type_name(value)
    known = [name for name in USUAL if name in value]
    among = f", {' and '.join(known)} among them" if known else ""
    return f"{type_name(value)} with {len(value)} keys{among}"


def type_name(value: object) -> str:
    """The name of the value's class, where it is a name as source code has it."""
    name = type(value).__name__
    return name if name.isascii() and name.isidentifier() and len(name) <= 60 else "object"
