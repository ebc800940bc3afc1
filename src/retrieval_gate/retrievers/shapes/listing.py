"""A list of hits, or the list of one query's hits in a list of queries."""

from __future__ import annotations

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.shapes.hits import Body, listed_hits
from retrieval_gate.retrievers.shapes.members import as_items, is_number


def list_body(raw: object, fields: Fields) -> Body | None:
    items = as_items(raw)
    return None if items is None else listed_hits(_of_one_query(items), fields)


def _of_one_query(items: list[object]) -> list[object]:
    """The inner list where there is just one, and it is not an id with its score."""
    inner = as_items(items[0]) if len(items) == 1 and not isinstance(items[0], tuple) else None
    is_pair = inner is not None and len(inner) == 2 and is_number(inner[1])
    return items if inner is None or is_pair else inner
