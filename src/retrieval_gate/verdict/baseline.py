"""The committed baseline file: read, written, and made from an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.base.config import Config
from retrieval_gate.base.evaluation import Evaluation
from retrieval_gate.base.fixture import Attributes, Fixture, Judgment, Query, Split
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.ids import ChunkId, QueryId, SliceId
from retrieval_gate.scoring.metrics.table import METRIC_VERSION
from retrieval_gate.verdict.accepted import (
    Baseline,
    Bounds,
    Guard,
    HeldOut,
    LabelledQuery,
    LabelledUnit,
    allowance_identity,
    gate_identity,
    record_identity,
    row_identity,
)
from retrieval_gate.verdict.baseline_lines import render_lines
from retrieval_gate.verdict.baseline_read import is_baseline, read_baseline

if TYPE_CHECKING:
    from retrieval_gate.evaluation.plan import Plan

__all__ = ["Baseline", "bounds_of", "candidate", "is_baseline", "read_baseline", "render_baseline"]


def render_baseline(baseline: Baseline) -> str:
    """The file's text: sorted, one fact a line, `\\n` at every line's end; the same bytes while nothing moves."""
    return "".join(f"{line}\n" for line in render_lines(baseline))


def candidate(
    plan: Plan,
    evaluation: Evaluation,
    config: Config,
    *,
    reason: str | None,
    environment: Iterable[tuple[str, str]],
) -> Baseline:
    """The baseline that accepts this evaluation. Held-out queries are in its rows, never in its records."""
    hidden = held_out_ids(plan.fixture)
    definition = evaluation.definition
    labels = tuple(pair for pair in definition.queries if pair[0] not in hidden)
    records = (record for record in evaluation.scores.records if record.query not in hidden)
    return Baseline(
        fixture_id=plan.fixture.id,
        fixture_version=plan.fixture.version,
        definition=Definition(
            evaluation=definition.evaluation, components=definition.components, queries=tuple(sorted(labels))
        ),
        metric_version=METRIC_VERSION,
        metrics=tuple(sorted(metric.id for metric in plan.metrics)),
        exempt=tuple(sorted(plan.fixture.exempt)),
        environment=tuple(sorted(environment)),
        reason=reason,
        bounds=bounds_of(config),
        guards=_guards(plan.fixture),
        held_out=held_out_of(plan, definition),
        queries=_labelled(plan, dict(labels)),
        rows=tuple(sorted(evaluation.scores.rows, key=row_identity)),
        records=tuple(sorted(records, key=record_identity)),
    )


def bounds_of(config: Config) -> Bounds:
    """The bounds that a configuration puts in force, in the order of the file."""
    return Bounds(
        gates=tuple(sorted(config.gates, key=gate_identity)),
        max_drop=float(config.max_drop),
        slack=float(config.slack),
        allowances=tuple(sorted(config.allowances, key=allowance_identity)),
        waivers=tuple(sorted((waiver.query, waiver.expires) for waiver in config.waivers)),
    )


def held_out_ids(fixture: Fixture) -> frozenset[QueryId]:
    """The queries that are reported as aggregates only."""
    return frozenset(query.id for query in fixture.queries if query.split is Split.HELDOUT)


def held_out_of(plan: Plan, definition: Definition) -> HeldOut:
    """The held-out queries of a plan, without their ids."""
    hidden = held_out_ids(plan.fixture)
    labels = (short_digest(pair) for pair in definition.queries if pair[0] in hidden)
    touched = (group.id for group in plan.slices if not hidden.isdisjoint(group.queries))
    return HeldOut(labels=tuple(sorted(labels)), slices=tuple(sorted(touched)))


def _labelled(plan: Plan, labels: dict[QueryId, str]) -> tuple[LabelledQuery, ...]:
    """The development queries, sorted by id."""
    member_of: dict[QueryId, list[SliceId]] = {}
    for group in plan.slices:
        for query in group.queries:
            member_of.setdefault(query, []).append(group.id)
    texts = {chunk.id: chunk.content for document in plan.fixture.documents for chunk in document.chunks}
    return tuple(
        LabelledQuery(
            id=query.id,
            labels=labels[query.id],
            slices=tuple(sorted(member_of.get(query.id, ()))),
            forbidden=tuple(sorted(query.forbidden)),
            stale=tuple(sorted(query.stale)),
            asked=_asked(query),
            expected_state=query.expected_state,
            judgments=_judgments(query, texts),
        )
        for query in sorted(plan.fixture.queries, key=lambda query: query.id)
        if query.id in labels
    )


def _asked(query: Query) -> str:
    """What is asked, and as whom; what the principal holds stands in the guards, the rest beside this digest."""
    return short_digest((query.text, query.language, query.no_answer, query.level, query.principal, query.as_of))


def _judgments(query: Query, texts: Mapping[ChunkId, str]) -> tuple[LabelledUnit, ...]:
    """Spans by their text, not their offset: an edit elsewhere in a chunk moves none. The query's text is in each
    digest, so that a short span can not be guessed from it."""

    def spans(judgment: Judgment) -> Iterator[str]:
        for span in judgment.spans:
            yield short_digest((query.text, span.chunk, texts.get(span.chunk, "")[span.start : span.end]))

    return tuple(
        LabelledUnit(unit=judgment.unit, grade=judgment.relevance, spans=tuple(spans(judgment)))
        for judgment in sorted(query.judgments, key=lambda judgment: judgment.unit)
        if judgment.relevance > 0
    )


def _guards(fixture: Fixture) -> tuple[Guard, ...]:
    documents = (
        Guard(
            subject="document",
            id=document.id,
            tenant=_hidden(document.access.tenant),
            attributes=_hidden_attributes(document.access.allow),
        )
        for document in fixture.documents
        if document.access is not None
    )
    principals = (
        Guard(
            subject="principal",
            id=principal.id,
            tenant=_hidden(principal.tenant),
            attributes=_hidden_attributes(principal.attributes),
        )
        for principal in fixture.principals
    )
    return tuple(sorted((*documents, *principals), key=lambda guard: (guard.subject, guard.id)))


def _hidden(value: str | None) -> str | None:
    return None if value is None else short_digest(value)


def _hidden_attributes(attributes: Attributes) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(
        sorted(
            (short_digest(name), tuple(sorted(short_digest(value) for value in values)))
            for name, values in attributes
        )
    )
