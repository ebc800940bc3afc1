"""Strict JSON Lines: every line that is not blank is one value, as strict as a JSON file of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from retrieval_gate.base.errors import InputError
from retrieval_gate.base.places import Place
from retrieval_gate.inputs.formats.json import locate, parse_json, parts_of, pointer_of
from retrieval_gate.inputs.formats.records import Records, Spot

# Each record costs some hundred bytes, whatever it holds.
MAX_LINES = 1_000_000
# Lines that can not be read, after which no more are tried: it is another kind of file.
MAX_REFUSED = 100

_BOM = b"\xef\xbb\xbf"
# What a line of a JSON file of several lines ends with, and no line of JSON Lines.
_CONTINUED = (b"[", b"{", b",", b":")
# How much of a file tells its format.
_HEAD = 1 << 16


def fits(data: bytes) -> bool:
    """Whether this begins as two or more objects, one a line."""
    lines = (line.strip() for line in data[:_HEAD].removeprefix(_BOM).split(b"\n"))
    first, second, *_ = [*(line for line in lines if line), b"", b""]
    if not first.startswith(b"{") or first.endswith(_CONTINUED):
        return False
    return second.startswith(b"{")


def read(data: bytes, file: str, member: str, error: type[InputError]) -> Records:
    """The value of each line, in file order, under `member`."""
    if data.count(b"\n") > MAX_LINES:
        much = error(
            "too-many-values",
            f"the file has more than {MAX_LINES} lines",
            fix="split it into several files",
            where=Place(file=file),
        )
        return Records(document={member: []}, locate=lambda _: {}, refused=(much,))
    values: list[object] = []
    numbers: list[int] = []
    refused: list[InputError] = []
    for number, line in lines_of(data):
        try:
            values.append(parse_line(line, number, file=file, error=error))
            numbers.append(number)
        except InputError as failure:
            refused.append(failure)
            if len(refused) == MAX_REFUSED:
                break
    return Records(
        document={member: values},
        locate=lambda pointers: _located(data, numbers, pointers),
        refused=tuple(refused),
    )


def parse_line(line: bytes, number: int, *, file: str, error: type[InputError]) -> object:
    """The value of one line; raises `error` as `parse_json` does, with the line's number."""
    try:
        return parse_json(line, file=file, error=error)
    except InputError as failure:
        raise _on_line(failure, number, file, error) from failure


def lines_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _on_line(failure: InputError, number: int, file: str, error: type[InputError]) -> InputError:
    pointer = None if failure.where is None else failure.where.pointer
    what = failure.what.replace("the file", "the line")
    return error(failure.code, what, fix=failure.fix, where=Place(file=file, line=number, pointer=pointer))


def _located(data: bytes, numbers: Sequence[int], pointers: Collection[str]) -> dict[str, Spot]:
    """The spots of pointers `/member/index/...`; those that lead to no value of their line are left out."""
    lines = dict(lines_of(data))
    wanted: dict[int, list[str]] = {}
    for pointer in pointers:
        index = _index(pointer)
        if index is not None and index < len(numbers):
            wanted.setdefault(index, []).append(pointer)
    spots = {pointer: Spot(1, "") for pointer in pointers if _index(pointer) is None}
    for index in sorted(wanted):
        inner = {pointer_of(parts_of(pointer)[2:]): pointer for pointer in wanted[index]}
        for found in locate(lines[numbers[index]], inner):
            spots[inner[found]] = Spot(numbers[index], found)
    return spots


def _index(pointer: str) -> int | None:
    parts = parts_of(pointer)
    return int(parts[1]) if len(parts) > 1 else None
