"""What each kind of baseline line must hold; see `baseline_lines` for the format."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from datetime import date
from typing import Any, Literal, NamedTuple

from retrieval_gate.base.config import Allowance, GateKind, GateSpec
from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, ChunkId, MetricId, QueryId, SliceId, UnitId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.record_json import record_from_json
from retrieval_gate.base.scores import Row
from retrieval_gate.base.strict import (
    as_count,
    as_list,
    as_number,
    as_number_or_none,
    as_text,
    as_text_or_none,
)
from retrieval_gate.inputs.fixture.shapes import is_hash, is_id
from retrieval_gate.verdict.accepted import (
    Guard,
    HeldOut,
    LabelledQuery,
    LabelledUnit,
    allowance_identity,
    gate_identity,
    record_identity,
    row_identity,
)

# A slice is shown as well: `all`, or a family and ids.
_SLICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:#@+/(),=-]{0,4095}")
_SHORT = re.compile(r"[0-9a-f]{16}")


class SealedQuery(NamedTuple):
    query: LabelledQuery
    seal: str


class Form(NamedTuple):
    """`decode` takes the elements after the kind; `identity` of what it gives may occur once in a file."""

    decode: Callable[..., Any]
    identity: Callable[[Any], Hashable]
    # Exactly one such line; else any number of them.
    single: bool = False


def _fixture(fixture_id: object, version: object) -> tuple[str, int]:
    return _id(fixture_id), as_count(version)


def _reason(reason: object) -> str | None:
    return as_text_or_none(reason)


def _component(name: object, value: object) -> tuple[str, str]:
    return as_text(name), _hash(value)


def _evaluation(value: object, seal: object) -> tuple[str, str]:
    return _hash(value), _short(seal)


def _note(name: object, version: object) -> tuple[str, str]:
    return as_text(name), as_text(version)


def _allowance(metric: object, ablation: object, group: object, max_drop: object) -> Allowance:
    return Allowance(
        metric=None if metric is None else _metric(metric),
        ablation=None if ablation is None else _ablation(ablation),
        slice=None if group is None else _slice(group),
        max_drop=as_number(max_drop),
    )


def _gate(
    kind: object, ablation: object, metric: object, group: object, reference: object, bound: object
) -> GateSpec:
    return GateSpec(
        kind=GateKind(as_text(kind)),
        ablation=_ablation(ablation),
        metric=_metric(metric),
        slice=_slice(group),
        bound=as_number(bound),
        reference=None if reference is None else _ablation(reference),
    )


def _waiver(query: object, expires: object) -> tuple[QueryId, date]:
    return _query_id(query), date.fromisoformat(as_text(expires))


def _guard(subject: object, guarded: object, tenant: object, attributes: object) -> Guard:
    return Guard(
        subject=_subject(subject),
        id=_id(guarded),
        tenant=as_text_or_none(tenant),
        attributes=tuple(_attribute(*as_list(pair)) for pair in as_list(attributes)),
    )


def _subject(value: object) -> Literal["document", "principal"]:
    if value == "document":
        return "document"
    if value == "principal":
        return "principal"
    raise ValueError("document or principal is expected")


def _attribute(name: object, values: object) -> tuple[str, tuple[str, ...]]:
    return as_text(name), tuple(as_text(value) for value in as_list(values))


def _held_out(labels: object, slices: object) -> HeldOut:
    return HeldOut(
        labels=tuple(_short(digest) for digest in as_list(labels)),
        slices=tuple(_slice(group) for group in as_list(slices)),
    )


def _row(ablation: object, group: object, metric: object, value: object, n: object) -> Row:
    return Row(
        ablation=_ablation(ablation),
        slice=_slice(group),
        metric=MetricId(as_text(metric)),
        value=as_number_or_none(value),
        n=as_count(n),
    )


def _query(
    query: object,
    labels: object,
    seal: object,
    slices: object,
    forbidden: object,
    stale: object,
    asked: object,
    expected_state: object,
    judgments: object,
) -> SealedQuery:
    labelled = LabelledQuery(
        id=_query_id(query),
        labels=_hash(labels),
        slices=tuple(_slice(group) for group in as_list(slices)),
        forbidden=tuple(ChunkId(_id(chunk)) for chunk in as_list(forbidden)),
        stale=tuple(ChunkId(_id(chunk)) for chunk in as_list(stale)),
        asked=_short(asked),
        expected_state=None if expected_state is None else State(as_text(expected_state)),
        judgments=tuple(_labelled_unit(*as_list(judgment)) for judgment in as_list(judgments)),
    )
    return SealedQuery(labelled, _short(seal))


def _labelled_unit(unit: object, grade: object, spans: object) -> LabelledUnit:
    return LabelledUnit(
        unit=UnitId(_id(unit)), grade=as_count(grade), spans=tuple(_short(span) for span in as_list(spans))
    )


def _record(value: object) -> QueryRecord:
    record = record_from_json(value)
    _id(record.ablation)
    return record


def _checked(value: object, accepts: Callable[[str], object]) -> str:
    text = as_text(value)
    if not accepts(text):
        raise ValueError("a name or hash of another form is expected")
    return text


def _id(value: object) -> str:
    """Names from a baseline are shown where the fixture no longer has them: they must be ids."""
    return _checked(value, is_id)


def _ablation(value: object) -> AblationId:
    return AblationId(_id(value))


def _metric(value: object) -> MetricId:
    return MetricId(_id(value))


def _query_id(value: object) -> QueryId:
    return QueryId(_id(value))


def _slice(value: object) -> SliceId:
    return SliceId(_checked(value, lambda text: _SLICE.fullmatch(text) and "::" not in text))


def _hash(value: object) -> str:
    return _checked(value, is_hash)


def _short(value: object) -> str:
    return _checked(value, _SHORT.fullmatch)


def _nothing(_value: object) -> Hashable:
    return None


def _itself(value: Hashable) -> Hashable:
    return value


def _first(value: tuple[str, object]) -> Hashable:
    return value[0]


FORMS: dict[str, Form] = {
    "fixture": Form(_fixture, _nothing, single=True),
    "reason": Form(_reason, _nothing, single=True),
    "component": Form(_component, _first),
    "evaluation": Form(_evaluation, _nothing, single=True),
    "metric-version": Form(as_text, _nothing, single=True),
    "metric": Form(as_text, _itself),
    "exempt": Form(as_text, _itself),
    "environment": Form(_note, _first),
    "max-drop": Form(as_number, _nothing, single=True),
    "slack": Form(as_number, _nothing, single=True),
    "allowance": Form(_allowance, allowance_identity),
    "gate": Form(_gate, gate_identity),
    "waiver": Form(_waiver, _first),
    "guard": Form(_guard, lambda item: (item.subject, item.id)),
    "held-out": Form(_held_out, _nothing, single=True),
    "row": Form(_row, row_identity),
    "query": Form(_query, lambda item: item.query.id),
    "record": Form(_record, record_identity),
}
