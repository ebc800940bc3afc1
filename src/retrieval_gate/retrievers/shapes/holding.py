"""Something that holds the list of hits under a usual name: an answer of a search engine or a chain."""

from __future__ import annotations

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.shapes.hits import Body, listed_hits
from retrieval_gate.retrievers.shapes.members import as_items, is_scalar, member
from retrieval_gate.retrievers.shapes.names import HITS

# How deep the list may stand, e.g. at `hits.hits`.
_DEPTH = 3


def holder_body(raw: object, fields: Fields) -> Body | None:
    items = _list_in(raw, _DEPTH)
    return None if items is None else listed_hits(items, fields)


def _list_in(value: object, depth: int) -> list[object] | None:
    """The first list under a usual name, those at this level first."""
    if depth == 0 or is_scalar(value):
        return None
    found = [member(value, name) for name in HITS]
    for inner in found:
        if (items := as_items(inner)) is not None:
            return items
    for inner in found:
        if (items := _list_in(inner, depth - 1)) is not None:
            return items
    return None
