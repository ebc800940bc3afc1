"""Bytes to the records of a file of traces, or what the file is instead."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import NamedTuple

from retrieval_gate.base.errors import TraceError
from retrieval_gate.base.places import Place
from retrieval_gate.inputs.fixture.model import SCHEMA_ID as FIXTURE
from retrieval_gate.inputs.formats.json import parse_json
from retrieval_gate.inputs.formats.records import Records
from retrieval_gate.inputs.formats.table import read_records

# What the JSON reader says of bytes that are no text, whatever the format.
_NO_TEXT = ("not-utf-8", "nul")


class Source(NamedTuple):
    """The bytes of a file, and its name as the user gave it."""

    data: bytes
    file: str


def read(source: Source, member: str) -> Records:
    """The records, not yet checked by any schema; raises TraceError for a file that holds no records at all."""
    if not source.data.removeprefix(BOM_UTF8).strip():
        raise TraceError(
            "empty-file",
            "the file is empty",
            fix="check what should have written it: a file holds at least one record",
            where=Place(file=source.file),
        )
    try:
        records = read_records(source.data, file=source.file, member=member, error=TraceError)
    except TraceError as unknown:
        raise _no_text(source) or unknown from unknown
    if _is_fixture(records.document, member):
        raise TraceError(
            "fixture",
            "this is a fixture, not a file of traces",
            fix="judge it with 'retrieval-gate run --fixture FILE', or check it with 'retrieval-gate check FILE'",
            where=Place(file=source.file),
        )
    return records


def _no_text(source: Source) -> TraceError | None:
    """The refusal of bytes that are not UTF-8, as UTF-16 is not; None for a text in an unknown format."""
    try:
        parse_json(source.data, file=source.file, error=TraceError)
    except TraceError as refused:
        return refused if refused.code in _NO_TEXT else None
    return None


def _is_fixture(document: object, member: str) -> bool:
    """By its schema or by its two lists; one object with an id was read as the only record of `member`."""
    listed = document.get(member) if isinstance(document, dict) else None
    value = listed[0] if isinstance(listed, list) and len(listed) == 1 else document
    return isinstance(value, dict) and (value.get("schema") == FIXTURE or {"documents", "queries"} <= value.keys())
