"""The lines of the baseline file: one JSON array a line, its first element says what it is.

    ["retrieval-gate/baseline/v1"]
    ["fixture", id, version]
    ["reason", text | null]
    ["component", name, hash]                                    one per component hash
    ["evaluation", hash, seal]                                   the seal covers fixture, components and labels
    ["metric-version", version]      ["metric", id]
    ["exempt", name]                 ["environment", name, version]
    ["max-drop", number]             ["slack", number]
    ["allowance", metric | null, ablation | null, slice | null, max-drop]
    ["gate", kind, ablation, metric, slice, reference | null, bound]
    ["waiver", query, expires]
    ["guard", "document" | "principal", id, tenant | null, [[attribute, [value, ..]], ..]]
    ["held-out", [digest, ..], [slice, ..]]
    ["row", ablation, slice, metric, value | null, n]
    ["query", id, labels hash, seal, [slice, ..], [forbidden, ..], [stale, ..], asked digest,
     expected state | null, [[unit, grade, [span digest, ..]], ..]]
    ["record", record]                                           as `base.record_json`, after its query

Lines are sorted within their kind, so that git merges disjoint changes and nothing moves that has not changed. The
seal of a query covers its label hash and its record lines: a line taken from the wrong side of a merge breaks it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import groupby

from retrieval_gate.base.canonical import json_line, short_digest
from retrieval_gate.base.hashes import Components
from retrieval_gate.base.ids import QueryId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.base.record_json import record_to_json
from retrieval_gate.verdict.accepted import (
    Baseline,
    Bounds,
    Guard,
    HeldOut,
    LabelledQuery,
    record_identity,
    row_identity,
)

FORMAT = "retrieval-gate/baseline/v1"
COMPONENTS = tuple(sorted(field.name for field in fields(Components)))


def render_lines(baseline: Baseline) -> Iterator[str]:
    """Every line of the file in its order, without line ends."""
    for head in _head(baseline):
        yield json_line(head)
    yield from sorted(_bounds(baseline.bounds))
    yield from sorted(json_line(_guard(guard)) for guard in baseline.guards)
    held = baseline.held_out
    yield json_line(["held-out", sorted(held.labels), sorted(held.slices)])
    for row in sorted(baseline.rows, key=row_identity):
        value = None if row.value is None else row.value + 0.0
        yield json_line(["row", row.ablation, row.slice, row.metric, value, row.n])
    yield from _queries(baseline)


def record_line(record: QueryRecord) -> str:
    return json_line(["record", record_to_json(record)])


def query_seal(labels: str, record_lines: Iterable[str]) -> str:
    """Binds the lines of one query; `record_lines` in any order."""
    return short_digest([labels, *sorted(record_lines)])


def definition_seal(
    *,
    fixture: tuple[str, int],
    evaluation: str,
    components: Components,
    queries: Iterable[LabelledQuery],
    held_out: HeldOut,
) -> str:
    """Binds the hashes at the head of the file to the label hashes of its queries."""
    labels = sorted((query.id, query.labels) for query in queries)
    return short_digest((fixture, evaluation, components, labels, sorted(held_out.labels)))


def _head(baseline: Baseline) -> Iterator[list[object]]:
    definition = baseline.definition
    fixture = (baseline.fixture_id, baseline.fixture_version)
    yield [FORMAT]
    yield ["fixture", *fixture]
    yield ["reason", baseline.reason]
    for name in COMPONENTS:
        yield ["component", name, getattr(definition.components, name)]
    seal = definition_seal(
        fixture=fixture,
        evaluation=definition.evaluation,
        components=definition.components,
        queries=baseline.queries,
        held_out=baseline.held_out,
    )
    yield ["evaluation", definition.evaluation, seal]
    yield ["metric-version", baseline.metric_version]
    for metric in sorted(baseline.metrics):
        yield ["metric", metric]
    for name in sorted(baseline.exempt):
        yield ["exempt", name]
    for note in sorted(baseline.environment):
        yield ["environment", *note]
    yield ["max-drop", baseline.bounds.max_drop]
    yield ["slack", baseline.bounds.slack]


def _bounds(bounds: Bounds) -> Iterator[str]:
    for allowance in bounds.allowances:
        yield json_line(["allowance", allowance.metric, allowance.ablation, allowance.slice, allowance.max_drop])
    for gate in bounds.gates:
        yield json_line(
            ["gate", gate.kind.value, gate.ablation, gate.metric, gate.slice, gate.reference, gate.bound]
        )
    for query, expires in bounds.waivers:
        yield json_line(["waiver", query, expires.isoformat()])


def _guard(guard: Guard) -> list[object]:
    attributes = [[name, list(values)] for name, values in guard.attributes]
    return ["guard", guard.subject, guard.id, guard.tenant, attributes]


def _queries(baseline: Baseline) -> Iterator[str]:
    records = sorted(baseline.records, key=record_identity)
    own: dict[QueryId, list[str]] = {
        query: [record_line(record) for record in group]
        for query, group in groupby(records, key=lambda record: record.query)
    }
    for query in sorted(baseline.queries, key=lambda query: query.id):
        lines = own.get(query.id, [])
        yield json_line(_query(query, query_seal(query.labels, lines)))
        yield from lines


def _query(query: LabelledQuery, seal: str) -> list[object]:
    judgments = sorted(query.judgments, key=lambda judgment: judgment.unit)
    return [
        "query",
        query.id,
        query.labels,
        seal,
        sorted(query.slices),
        sorted(query.forbidden),
        sorted(query.stale),
        query.asked,
        None if query.expected_state is None else query.expected_state.value,
        [[judgment.unit, judgment.grade, list(judgment.spans)] for judgment in judgments],
    ]
