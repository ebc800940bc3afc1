"""One list per member in place of one hit after another, as Chroma answers: ids, distances and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrieval_gate.base.transport import Fields
from retrieval_gate.retrievers.shapes.hits import Body, listed_hits
from retrieval_gate.retrievers.shapes.members import as_items, first
from retrieval_gate.retrievers.shapes.names import (
    COLUMN_DESCRIBING,
    COLUMN_DISTANCES,
    COLUMN_IDS,
    COLUMN_SCORES,
    COLUMN_TEXTS,
)
from retrieval_gate.retrievers.shapes.told import unknown_shape

# The name that each column's values have in a hit.
_COLUMNS = (
    ("id", COLUMN_IDS),
    ("score", COLUMN_SCORES),
    ("distance", COLUMN_DISTANCES),
    ("text", COLUMN_TEXTS),
    ("metadata", COLUMN_DESCRIBING),
)


def columns_body(raw: object, fields: Fields) -> Body | None:
    """A mapping with a list of `ids`, nested once where it answers several queries: there must be one."""
    if not isinstance(raw, Mapping) or as_items(first(raw, COLUMN_IDS)) is None:
        return None
    columns = {name: column for name, names in _COLUMNS if (column := _column(raw, names)) is not None}
    if len({len(column) for column in columns.values()}) > 1:
        raise unknown_shape(raw, "its columns have different lengths")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return listed_hits(rows, fields)


def _column(raw: Mapping[str, object], names: Sequence[str]) -> list[object] | None:
    """The column of the one query; None where the answer does not have it."""
    column = as_items(first(raw, names))
    if not column or as_items(column[0]) is None:
        return column
    if len(column) > 1:
        raise unknown_shape(raw, f"it answers {len(column)} queries where one was asked")
    return as_items(column[0])
