"""The report as JSON: the versioned view, one entry of a list a line: two reports can be compared by eye."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from retrieval_gate.base.canonical import json_line
from retrieval_gate.report.outputs.machine import safe_json
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.report import Report
from retrieval_gate.report.view import (
    DIAGNOSTICS,
    HASH,
    RECORDS,
    diagnostics_view,
    head_view,
    projection_hash,
    record_views,
)


def render(report: Report, _style: Style) -> str:
    """UTF-8 JSON without NaN, a line end after the last line; the style changes nothing.

    Equal to `to_json`, made without holding the view of every record at once.
    """
    head = head_view(report)
    records = [json_line(view) for view in record_views(report)]
    told = [f" {json_line(key)}: {_value(value, ' ')},\n" for key, value in head.items()]
    pieces = [
        "{\n",
        *told,
        f" {json_line(RECORDS)}: ",
        *_lines(records, " "),
        f",\n {json_line(HASH)}: {json_line(projection_hash(head, records))},\n",
        f" {json_line(DIAGNOSTICS)}: {_value(diagnostics_view(report), ' ')}\n",
        "}\n",
    ]
    return safe_json("".join(pieces))


def written(view: Mapping[str, object]) -> str:
    """The JSON of any view, laid out as a report's; a line end after the last line."""
    return safe_json(_object(view, "") + "\n")


def _object(value: Mapping[str, object], indent: str) -> str:
    inner = indent + " "
    parts = [f"{inner}{json_line(key)}: {_value(part, inner)}" for key, part in value.items()]
    return "{\n" + ",\n".join(parts) + f"\n{indent}}}"


def _value(value: object, indent: str) -> str:
    """Objects and lists of objects are broken into lines; all else stands on one."""
    if isinstance(value, dict):
        return _object(value, indent)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "".join(_lines([json_line(item) for item in value], indent))
    return json_line(value)


def _lines(items: Sequence[str], indent: str) -> Iterator[str]:
    """The pieces of a list with one item a line."""
    if not items:
        yield "[]"
        return
    for place, item in enumerate(items):
        yield f",\n{indent} " if place else f"[\n{indent} "
        yield item
    yield f"\n{indent}]"
