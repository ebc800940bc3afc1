"""Bytes to supplied traces, or to every problem of the files at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import BaseModel

from retrieval_gate.base.errors import TraceError
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import ChunkId, QueryId, UnitId
from retrieval_gate.base.order import first_occurrences
from retrieval_gate.base.places import Place, Problem
from retrieval_gate.base.trace import Trace, TraceSet
from retrieval_gate.inputs.fixture.placed import placed, unread
from retrieval_gate.inputs.fixture.refused import Door, validated
from retrieval_gate.inputs.formats.records import Locate
from retrieval_gate.inputs.traces.hints import hinted
from retrieval_gate.inputs.traces.model import (
    JUDGMENTS,
    JUDGMENTS_DOOR,
    RUN_DOOR,
    TRACES,
    TRACES_DOOR,
    AnswerModel,
    LabelsModel,
    TraceModel,
)
from retrieval_gate.inputs.traces.reading import Source, read
from retrieval_gate.inputs.traces.rules import TRACE_RULES, drafted, lint

# What `base.files.read_bounded` is to be called with, for each file.
TRACES_BYTE_LIMIT = 64 * 1024 * 1024

_RULES = {row.rule.id: row.rule for row in TRACE_RULES}
Root = TypeVar("Root", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A file that lists traces or labels; `pointers` and `locate` lead to each of them."""

    file: str
    pointers: Mapping[QueryId, str] = field(repr=False)
    locate: Locate = field(repr=False)

    def places(self, ids: Collection[QueryId]) -> tuple[tuple[QueryId, Place], ...]:
        """Where these stand, in file order: one scan of the bytes, none where nothing is asked."""
        wanted = {self.pointers[name]: name for name in first_occurrences(ids) if name in self.pointers}
        spots = self.locate(wanted) if wanted else {}
        return tuple((wanted[pointer], Place(file=self.file, line=spot.line)) for pointer, spot in spots.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedTraces:
    """Traces without problems; `listings` lead to their labels, and to the traces that have none."""

    traces: TraceSet
    listings: tuple[Listing, ...]

    def places(self, ids: Collection[QueryId]) -> tuple[tuple[QueryId, Place], ...]:
        """Where these traces stand, listing by listing; see `Listing.places`."""
        return tuple(place for listing in self.listings for place in listing.places(ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Examined(Generic[Root]):
    """`model` is None where the schema refuses the file; the problems are in file order."""

    model: Root | None
    problems: tuple[Problem, ...]
    locate: Locate


def load_traces(run: Source, judgments: Source | None = None) -> LoadedTraces:
    """The traces of `run` with the labels in it, or with those of `judgments`; the formats are detected.

    Raises TraceError with all problems of both files, each in file order.
    """
    return _labelled(run) if judgments is None else _joined(run, judgments)


def _labelled(run: Source) -> LoadedTraces:
    found = _examined(run, TRACES, TRACES_DOOR)
    if found.model is None or found.problems:
        raise _refused(run.file, found.problems)
    model = found.model
    traces = tuple(_trace(record, record) for record in model.traces)
    return LoadedTraces(
        traces=TraceSet(id=model.id, version=model.version, traces=traces),
        listings=(_listing(run, TRACES, [trace.id for trace in traces], found.locate),),
    )


def _joined(run: Source, judgments: Source) -> LoadedTraces:
    """The order, the name and the places are those of the judgments."""
    answers, labels = _examined(run, TRACES, RUN_DOOR), _examined(judgments, JUDGMENTS, JUDGMENTS_DOOR)
    problems = (*answers.problems, *labels.problems)
    if answers.model is None or labels.model is None or problems:
        raise _refused(run.file if answers.problems else judgments.file, problems)
    model = labels.model
    given = {record.id: record for record in answers.model.traces}
    traces = tuple(_trace(record, given.get(record.id)) for record in model.judgments)
    judged = [trace.id for trace in traces]
    names, known = [QueryId(name) for name in given], frozenset(judged)
    unjudged = tuple(name for name in names if name not in known)
    return LoadedTraces(
        traces=TraceSet(id=model.id, version=model.version, traces=traces, unjudged=unjudged),
        # The judgments first: the run is only looked at for what they do not name.
        listings=(
            _listing(judgments, JUDGMENTS, judged, labels.locate),
            _listing(run, TRACES, names, answers.locate, unjudged),
        ),
    )


def _examined(source: Source, member: str, door: Door[Root]) -> _Examined[Root]:
    """The model and the problems; raises TraceError only where no format fits."""
    records = read(source, member)
    problems = [unread(refused, source.file) for refused in records.refused]
    drafts = drafted(records.document, member)
    if problems and not drafts:
        return _Examined(model=None, problems=tuple(problems), locate=records.locate)
    model, findings = validated(records.document, door)
    problems += placed([*hinted(findings, door.name), *lint(drafts)], records.locate, _RULES, source.file)
    problems.sort(key=lambda problem: problem.place.line or 0)
    return _Examined(model=model, problems=tuple(problems), locate=records.locate)


def _refused(file: str, problems: Sequence[Problem]) -> TraceError:
    return TraceError(
        "bad-traces",
        f"the traces have {len(problems)} problem{'' if len(problems) == 1 else 's'}",
        fix="correct each problem that is listed; nothing was scored",
        where=Place(file=file),
        problems=problems,
    )


def _listing(
    source: Source, member: str, ids: Sequence[QueryId], locate: Locate, kept: Collection[QueryId] | None = None
) -> Listing:
    """The listing of all `ids` that `member` holds in this order, or of those `kept`."""
    wanted = frozenset(ids if kept is None else kept)
    pointers = {name: f"/{member}/{index}" for index, name in enumerate(ids) if name in wanted}
    return Listing(file=source.file, pointers=pointers, locate=locate)


def _trace(labels: TraceModel | LabelsModel, answer: TraceModel | AnswerModel | None) -> Trace:
    return Trace(
        id=QueryId(labels.id),
        relevant=tuple(UnitId(chunk) for chunk in labels.relevant),
        forbidden=tuple(ChunkId(chunk) for chunk in labels.forbidden or ()),
        stale=tuple(ChunkId(chunk) for chunk in labels.stale or ()),
        expected=None if labels.expected is None else State(labels.expected),
        observed=None if answer is None or answer.observed is None else State(answer.observed),
        hits=None if answer is None else tuple(ChunkId(hit) for hit in answer.hits),
    )
