"""The formats of files that hold records, and how each is told from the bytes. A new format is one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retrieval_gate.base.errors import InputError
from retrieval_gate.base.places import Place
from retrieval_gate.inputs.formats import json, jsonl
from retrieval_gate.inputs.formats.records import Records

# The bytes, the file's name, the member under which the document lists the records, and the class of errors.
Read = Callable[[bytes, str, str, type[InputError]], Records]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """`fits` looks at the beginning only; the first row that fits reads the file, and then it alone complains."""

    id: str
    explanation: str
    fits: Callable[[bytes], bool]
    read: Read


FORMATS = (
    Format(
        id="jsonl",
        explanation="JSON Lines: one object a line",
        fits=jsonl.fits,
        read=jsonl.read,
    ),
    Format(
        id="json",
        explanation="JSON: an array of records, an object that lists them, or one record",
        fits=json.fits,
        read=json.read,
    ),
)


def read_records(data: bytes, *, file: str, member: str, error: type[InputError]) -> Records:
    """The records of a file in any of the formats; raises `error` where none fits.

    Content that its format refuses is in the records' `refused`.
    """
    for row in FORMATS:
        if row.fits(data):
            return row.read(data, file, member, error)
    raise error(
        "unknown-format",
        "the format of this file is not known",
        fix=f"give one of: {'; '.join(row.explanation for row in FORMATS)}",
        where=Place(file=file),
    )
