"""Read the committed baseline, and refuse one that no single run has written."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

from retrieval_gate.base.errors import BaselineError, ConfigError
from retrieval_gate.base.hashes import Components, Definition
from retrieval_gate.base.ids import MetricId, QueryId, UnitId
from retrieval_gate.base.places import Place
from retrieval_gate.base.record import JudgedRank, QueryRecord
from retrieval_gate.scoring.metrics.table import METRIC_VERSION, Metric, parse_metric
from retrieval_gate.verdict.accepted import (
    Baseline,
    Bounds,
    LabelledUnit,
    allowance_identity,
    gate_identity,
    record_identity,
    row_identity,
)
from retrieval_gate.verdict.baseline_forms import FORMS, SealedQuery
from retrieval_gate.verdict.baseline_lines import COMPONENTS, FORMAT, definition_seal, query_seal
from retrieval_gate.verdict.torn_rows import torn_row

ACCEPT_AGAIN = (
    'run the gate on this commit and accept its candidate: retrieval-gate baseline accept --reason "..."'
)
# The format without its version.
_FORMAT_FAMILY = FORMAT.rpartition("/")[0]
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MARKERS = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")


class _Line(NamedTuple):
    number: int
    text: str
    value: Any


_Found = dict[str, dict[Hashable, _Line]]


def read_baseline(data: bytes, *, file: str) -> Baseline:
    """The baseline in `data`; `file` is its name as the user gave it. The order of lines does not matter.

    Raises BaselineError with the line for: a conflict marker, another format or version, a line that is
    malformed, unknown, missing or there twice, a number that is not finite, a metric that this version does not
    know, and lines that do not belong together (`baseline-torn`): a query whose seal does not fit its lines, a
    head whose seal does not fit, or a row that is not the recomputation from the records.
    """
    found = _found(data, file)
    baseline = _assemble(found, file)
    _check_metrics(found, file)
    _check_seals(baseline, found, file)
    _check_rows(baseline, found, file)
    return baseline


def is_baseline(data: bytes) -> bool:
    """Whether the file is a baseline, however torn, and not some other file: it is empty or names the format."""
    return not data.strip() or f'["{_FORMAT_FAMILY}'.encode() in data


def _found(data: bytes, file: str) -> _Found:
    found: _Found = {kind: {} for kind in FORMS}
    for number, kind, text, fields in _parsed(data, file):
        form = FORMS.get(kind)
        if form is None:
            _refuse(file, number, "baseline-malformed", "a line of a kind that this version does not know")
        try:
            value = form.decode(*fields)
            identity = form.identity(value)
        except (TypeError, ValueError) as failure:
            what = f"a '{kind}' line does not hold what such a line holds"
            _refuse(file, number, "baseline-malformed", what, cause=failure)
        if identity in found[kind]:
            first = found[kind][identity].number
            _refuse(file, number, "baseline-duplicate", f"the same '{kind}' line stands on line {first} already")
        found[kind][identity] = _Line(number, text, value)
    for kind, form in FORMS.items():
        if form.single and not found[kind]:
            _refuse(file, None, "baseline-malformed", f"there is no '{kind}' line")
    return found


def _parsed(data: bytes, file: str) -> Iterator[tuple[int, str, str, list[Any]]]:
    """Line number, kind, text and the elements after the kind, of every line after the first."""
    lines = data.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    _refuse_markers(lines, file)
    if not lines:
        _refuse(file, None, "baseline-malformed", "the file is empty")
    for number, line in enumerate(lines, start=1):
        text, value = _json(line, number, file)
        if number == 1:
            _check_format(value, file)
        else:
            yield number, value[0], text, value[1:]


def _refuse_markers(lines: list[bytes], file: str) -> None:
    for number, line in enumerate(lines, start=1):
        if line.startswith(_MARKERS):
            _refuse(file, number, "merge-conflict", "the baseline holds an unresolved merge conflict")


def _json(line: bytes, number: int, file: str) -> tuple[str, list[Any]]:
    """The text and value of one line: an array that begins with its kind, without objects."""
    try:
        text = line.decode("utf-8").rstrip("\r")
        value = _DECODER.decode(text)
    except UnicodeDecodeError as failure:
        _refuse(file, number, "baseline-malformed", "the line is not UTF-8", cause=failure)
    except (ValueError, RecursionError) as failure:
        _refuse(file, number, "baseline-malformed", "the line is not a JSON array", cause=failure)
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        _refuse(file, number, "baseline-malformed", "the line is not a JSON array that begins with its kind")
    return text, value


def _check_format(value: list[Any], file: str) -> None:
    if value == [FORMAT]:
        return
    if value[0].startswith(_FORMAT_FAMILY):
        what = f"the baseline has another version than {FORMAT}"
        _refuse(file, 1, "baseline-version", what)
    _refuse(file, 1, "baseline-malformed", f'the first line is not ["{FORMAT}"]')


def _refuse_constant(_name: str) -> NoReturn:
    raise ValueError("a number that is not finite")


def _refuse_object(_pairs: list[tuple[str, Any]]) -> NoReturn:
    raise ValueError("a baseline holds no JSON objects")


# One for all lines: to make one takes longer than most lines do.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_object)


def _assemble(found: _Found, file: str) -> Baseline:
    fixture_id, fixture_version = _one(found, "fixture")
    queries = tuple(sorted((item.query for item in _all(found, "query")), key=lambda query: query.id))
    evaluation, _ = _one(found, "evaluation")
    return Baseline(
        fixture_id=fixture_id,
        fixture_version=fixture_version,
        definition=Definition(
            evaluation=evaluation,
            components=_components(found, file),
            queries=tuple((query.id, query.labels) for query in queries),
        ),
        metric_version=_one(found, "metric-version"),
        metrics=tuple(MetricId(name) for name in sorted(_all(found, "metric"))),
        exempt=tuple(sorted(_all(found, "exempt"))),
        environment=tuple(sorted(_all(found, "environment"))),
        reason=_one(found, "reason"),
        bounds=_bounds(found),
        guards=tuple(sorted(_all(found, "guard"), key=lambda guard: (guard.subject, guard.id))),
        held_out=_one(found, "held-out"),
        queries=queries,
        rows=tuple(sorted(_all(found, "row"), key=row_identity)),
        records=tuple(sorted(_all(found, "record"), key=record_identity)),
    )


def _components(found: _Found, file: str) -> Components:
    hashes = dict(_all(found, "component"))
    for name in COMPONENTS:
        if name not in hashes:
            _refuse(file, None, "baseline-malformed", f"there is no 'component' line for {name}")
    if len(hashes) != len(COMPONENTS):
        _refuse(file, None, "baseline-malformed", "there is a 'component' line that this version does not know")
    return Components(**hashes)


def _bounds(found: _Found) -> Bounds:
    return Bounds(
        gates=tuple(sorted(_all(found, "gate"), key=gate_identity)),
        max_drop=_one(found, "max-drop"),
        slack=_one(found, "slack"),
        allowances=tuple(sorted(_all(found, "allowance"), key=allowance_identity)),
        waivers=tuple(sorted(_all(found, "waiver"))),
    )


def _check_metrics(found: _Found, file: str) -> None:
    for line in found["metric"].values():
        try:
            parse_metric(line.value)
        except ConfigError as failure:
            _refuse(
                file, line.number, "baseline-malformed", "a metric that this version does not know", cause=failure
            )


def _check_seals(baseline: Baseline, found: _Found, file: str) -> None:
    own: dict[QueryId, list[str]] = {item.query.id: [] for item in _all(found, "query")}
    labels = {item.query.id: _grades(item.query.judgments) for item in _all(found, "query")}
    for line in found["record"].values():
        record: QueryRecord = line.value
        if record.query not in own:
            _torn(file, line.number, "a record's query has no 'query' line")
        if _grades(record.judged) != labels[record.query]:
            _torn(file, line.number, f"a record of query {record.query} is of other judgments")
        own[record.query].append(line.text)
    ablations = len(baseline.ablations)
    for line in found["query"].values():
        sealed: SealedQuery = line.value
        lines = own[sealed.query.id]
        if sealed.seal != query_seal(sealed.query.labels, lines) or len(lines) != ablations:
            _torn(file, line.number, f"the lines of query {sealed.query.id} do not belong together")
    line = found["evaluation"][None]
    seal = definition_seal(
        fixture=(baseline.fixture_id, baseline.fixture_version),
        evaluation=baseline.definition.evaluation,
        components=baseline.definition.components,
        queries=baseline.queries,
        held_out=baseline.held_out,
    )
    if line.value[1] != seal:
        _torn(file, line.number, "fixture, hashes and the labels of the queries do not belong together")


def _grades(judged: Iterable[JudgedRank] | Iterable[LabelledUnit]) -> list[tuple[UnitId, int]]:
    return sorted((unit.unit, unit.grade) for unit in judged)


def _check_rows(baseline: Baseline, found: _Found, file: str) -> None:
    """Rows of another metric version can not be recomputed: they are not compared either, see `comparison`."""
    if baseline.metric_version != METRIC_VERSION:
        return
    metrics: tuple[Metric, ...] = tuple(parse_metric(metric) for metric in baseline.metrics)
    torn = torn_row(baseline, metrics)
    if torn is None:
        return
    line = found["row"].get(row_identity(torn))
    if line is None:
        what = f"there is no row of {torn.metric} for {torn.ablation} and slice {torn.slice}"
        _torn(file, None, what)
    _torn(file, line.number, f"the row of {torn.metric} is not what the records give")


def _one(found: _Found, kind: str) -> Any:
    return found[kind][None].value


def _all(found: _Found, kind: str) -> Iterator[Any]:
    return (line.value for line in found[kind].values())


def _torn(file: str, line: int | None, what: str) -> NoReturn:
    _refuse(file, line, "baseline-torn", f"{what}: a part is from another run, as after a merge")


def _refuse(file: str, line: int | None, code: str, what: str, *, cause: BaseException | None = None) -> NoReturn:
    raise BaselineError(code, what, fix=ACCEPT_AGAIN, where=Place(file=file, line=line)) from cause
