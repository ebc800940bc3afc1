"""Where a failure stands, as a path of the repository: a query or unit of the fixture, a value of the baseline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from retrieval_gate.base.ids import QueryId, UnitId
from retrieval_gate.base.places import Place
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.report import Report, ValueKey
from retrieval_gate.verdict.gates.rule import HELD_OUT

# A verdict's place; None where it has none.
Finder = Callable[[Verdict], Place | None]

_DRIVE = re.compile(r"[A-Za-z]:")
_ROW, _QUERY = b'["row"', b'["query"'


def place_finder(report: Report) -> Finder:
    """Finds the place of a verdict: its query's, else its value's, else that of the first unit that has one.

    Held-out failures have none.
    """
    queries, values, units = dict(report.places), dict(report.value_places), dict(report.unit_places)

    def find(verdict: Verdict) -> Place | None:
        if verdict.query is not None:
            return queries.get(verdict.query)
        key = value_key(verdict)
        if key is not None:
            return values.get(key)
        return next((units[unit] for unit in verdict.units if unit in units), None)

    return find


def failing_queries(verdicts: Sequence[Verdict]) -> tuple[QueryId, ...]:
    """The distinct queries of failed verdicts, worst first: those whose places a report needs."""
    failed = (verdict.query for verdict in verdicts if verdict.status is Status.FAILED)
    return tuple(dict.fromkeys(query for query in failed if query is not None))


def failing_units(verdicts: Sequence[Verdict]) -> tuple[UnitId, ...]:
    """The distinct units of failed verdicts that are about no query, worst first."""
    failed = (verdict for verdict in verdicts if verdict.status is Status.FAILED and verdict.query is None)
    return tuple(dict.fromkeys(unit for verdict in failed for unit in verdict.units))


def value_key(verdict: Verdict) -> ValueKey | None:
    """The value of the baseline that a verdict is about; None where it is about none, or held out."""
    if verdict.query is not None or verdict.slice == HELD_OUT:
        return None
    if verdict.ablation is None or verdict.slice is None or verdict.metric is None:
        return None
    return verdict.ablation, verdict.slice, verdict.metric


def baseline_places(
    data: bytes, file: str, verdicts: Iterable[Verdict]
) -> tuple[tuple[tuple[QueryId, Place], ...], tuple[tuple[ValueKey, Place], ...]]:
    """Where the baseline `data` holds what failed: removed queries, and the values that fell.

    The first part belongs to a report's `places`, behind those of the fixture; the second is its `value_places`.
    `data` is a baseline that was read before: its lines are what they must be.
    """
    failed = [verdict for verdict in verdicts if verdict.status is Status.FAILED]
    removed = {verdict.query for verdict in failed if verdict.kind == "query-removed"}
    wanted = {value_key(verdict) for verdict in failed if verdict.baseline is not None}
    queries: list[tuple[QueryId, Place]] = []
    values: list[tuple[ValueKey, Place]] = []
    for number, line in _lines(data, (_ROW if wanted else None, _QUERY if removed else None)):
        fields = json.loads(line)
        place = Place(file=file, line=number)
        if fields[0] == "query" and fields[1] in removed:
            queries.append((fields[1], place))
        elif fields[0] == "row" and (key := (fields[1], fields[2], fields[3])) in wanted:
            values.append((key, place))
    return tuple(queries), tuple(values)


def _lines(data: bytes, starts: tuple[bytes | None, ...]) -> Iterator[tuple[int, bytes]]:
    """The lines that begin in one of these ways, with their numbers from 1."""
    sought = tuple(start for start in starts if start is not None)
    if sought:
        for number, line in enumerate(data.split(b"\n"), start=1):
            if line.startswith(sought):
                yield number, line


def located(place: Place | None, prefix: str) -> tuple[str | None, int | None]:
    """The repository's path and the line of a place; None for both where it is not for sure inside."""
    path = None if place is None else repository_path(place.file, prefix)
    return (None, None) if place is None or path is None else (path, place.line)


def repository_path(file: str, prefix: str) -> str | None:
    """The path from the repository's root, with forward slashes; `prefix` is the working directory from there.

    None for whatever does not name a file inside the repository for sure: absolute paths, drive letters, `..`, and
    names with characters that do not print.
    """
    folder, name = _steps(prefix), _steps(file)
    if folder is None or not name:
        return None
    return "/".join((*folder, *name))


def _steps(path: str) -> list[str] | None:
    """The folders and the name of a relative path, `.` left out; None for one that may lead out of its folder."""
    path = path.replace("\\", "/")
    if path.startswith("/") or _DRIVE.match(path) or not path.isprintable():
        return None
    steps = [step for step in path.split("/") if step not in ("", ".")]
    return None if ".." in steps else steps
