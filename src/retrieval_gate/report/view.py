"""Report v1: the versioned JSON view. Numbers are never rounded; null is "not applicable"."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from retrieval_gate.base.canonical import json_line, rounded
from retrieval_gate.base.difference import Difference
from retrieval_gate.base.evaluation import Margin, RetrieverFailure
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.record import JudgedRank, QueryRecord, Shown
from retrieval_gate.base.scores import Latency, Row
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report.answers import StateCount, WaiverSummary
from retrieval_gate.report.report import (
    BaselineSummary,
    FixtureSummary,
    Report,
    blocks,
    exit_code,
    exit_codes,
)

SCHEMA = "retrieval-gate/report/v1"
# The only part in which the reports of two equal runs may differ; it stands last.
DIAGNOSTICS = "diagnostics"
HASH = "projectionHash"
RECORDS = "queries"

Json = dict[str, Any]


def to_json(report: Report) -> Json:
    """The JSON view, keys in a fixed order, diagnostics last.

    `projectionHash` is the SHA-256 of the compact JSON (UTF-8, this key order) of all that stands before it.
    File names and places are left out: they are of the caller's machine, not of the result.
    """
    head = head_view(report)
    records = list(record_views(report))
    lines = map(json_line, records)
    return head | {RECORDS: records, HASH: projection_hash(head, lines), DIAGNOSTICS: diagnostics_view(report)}


def parts(report: Report) -> Iterator[Json]:
    """The view in pieces, for a reader that need not hold the whole of a large one: head, records, diagnostics."""
    yield head_view(report)
    yield from record_views(report)
    yield diagnostics_view(report)


def projection_hash(head: Json, record_lines: Iterable[str]) -> str:
    """The hash of head and records, given as the compact JSON of each record."""
    whole = hashlib.sha256(json_line(head)[:-1].encode("utf-8"))
    whole.update(f",{json_line(RECORDS)}:[".encode())
    for place, line in enumerate(record_lines):
        whole.update((f",{line}" if place else line).encode("utf-8"))
    whole.update(b"]}")
    return whole.hexdigest()


def diagnostics_view(report: Report) -> Json:
    """What may differ between two equal runs."""
    return {
        "latency": [_latency(latency) for latency in report.latencies],
        "environment": dict(report.environment.versions),
    }


def head_view(report: Report) -> Json:
    """All that stands before the records."""
    return {
        "schema": SCHEMA,
        "toolVersion": report.environment.tool,
        "label": report.label,
        "exitCode": int(exit_code(report)),
        "exitCodes": [int(code) for code in exit_codes(report)],
        "failOn": report.fail_on.value,
        "fixture": _fixture(report.fixture),
        "scope": {"retrieval": report.retrieval.value, "notChecked": [part.value for part in report.unchecked]},
        "definition": _definition(report.definition),
        "ablations": {
            "run": list(report.ablations),
            "leftOut": list(report.left_out),
            "substituted": list(report.substituted),
        },
        "baseline": _baseline(report.baseline) | {"missingAllowed": report.allow_missing_baseline},
        "retrieverFailures": [_failure(failure) for failure in report.failures],
        "differences": [_difference(difference) for difference in report.differences],
        "verdicts": [_verdict(verdict) | {"blocks": blocks(report, verdict)} for verdict in report.verdicts],
        "rows": [_row(row) for row in report.rows],
        "answerStates": [_state(count) for count in report.states],
        "waivers": [_waiver(waiver) for waiver in report.waivers],
    }


def _fixture(fixture: FixtureSummary) -> Json:
    return {
        "id": fixture.id,
        "version": fixture.version,
        "documents": fixture.documents,
        "chunks": fixture.chunks,
        "queries": fixture.queries,
        "answerable": fixture.answerable,
        "noAnswer": fixture.no_answer,
        "heldOut": fixture.held_out,
    }


def _definition(definition: Definition) -> Json:
    """The first three are the first seed's names."""
    parts = definition.components
    return {
        "corpusHash": parts.corpus,
        "evaluationDefinitionHash": definition.evaluation,
        "providerFingerprintHash": parts.providers,
        "labelsHash": parts.labels,
        "systemHash": parts.system,
        "settingsHash": parts.settings,
        "ablationsHash": parts.ablations,
        "tokenizerHash": parts.tokenizer,
        "aliasesHash": parts.aliases,
    }


def _baseline(baseline: BaselineSummary) -> Json:
    return {
        "status": baseline.status.value,
        "shared": baseline.shared,
        "added": list(baseline.added),
        "removed": list(baseline.removed),
        "edited": list(baseline.edited),
        "changedParts": [part.value for part in baseline.changed],
        "looseningHash": baseline.loosening_hash,
        "looseningApproved": baseline.loosening_approved,
    }


def _failure(failure: RetrieverFailure) -> Json:
    """Without the failure's detail, which is a sentence: the terminal shows it."""
    return {"run": failure.run, "ablation": failure.ablation, "code": failure.code}


def _difference(difference: Difference) -> Json:
    return {
        "ablation": difference.ablation,
        "query": difference.query,
        "rank": difference.rank,
        "cause": difference.cause.value,
        "tolerated": difference.tolerated,
    }


def _verdict(verdict: Verdict) -> Json:
    return {
        "kind": verdict.kind,
        "status": verdict.status.value,
        "ablation": verdict.ablation,
        "slice": verdict.slice,
        "metric": verdict.metric,
        "metrics": list(verdict.metrics),
        "query": verdict.query,
        "units": list(verdict.units),
        "value": verdict.value,
        "bound": verdict.bound,
        "baseline": verdict.baseline,
        "n": verdict.n,
        "baselineN": verdict.baseline_n,
        "oldRank": verdict.old_rank,
        "newRank": verdict.new_rank,
        "stage": verdict.stage,
        "detail": verdict.detail,
    }


def _row(row: Row) -> Json:
    return {"ablation": row.ablation, "slice": row.slice, "metric": row.metric, "value": row.value, "n": row.n}


def _state(count: StateCount) -> Json:
    return {
        "ablation": count.ablation,
        "slice": count.slice,
        "expected": count.expected.value,
        "observed": None if count.observed is None else count.observed.value,
        "n": count.n,
    }


def _waiver(waiver: WaiverSummary) -> Json:
    return {
        "query": waiver.query,
        "expires": waiver.expires.isoformat(),
        "expired": waiver.expired,
        "waived": waiver.waived,
    }


def record_views(report: Report) -> Iterator[Json]:
    """Every record in its order, with what its answer was decided by."""
    margins = {(margin.ablation, margin.query): margin for margin in report.margins}
    for record in report.records:
        yield record_view(record, margins.get((record.ablation, record.query)))


def record_view(record: QueryRecord, margin: Margin | None) -> Json:
    """One query under one ablation."""
    return {
        "ablation": record.ablation,
        "query": record.query,
        "noAnswer": record.no_answer,
        "missing": record.missing,
        "judged": [_judged(unit) for unit in record.judged],
        "returned": record.returned,
        "duplicates": record.duplicates,
        "unlocatable": record.unlocatable,
        "matchedCharacters": record.matched_characters,
        "returnedCharacters": record.returned_characters,
        "annotatedCharacters": record.annotated_characters,
        "leaks": [_shown(leak) for leak in record.leaks],
        "checkedForbidden": record.checked_forbidden,
        "stale": [_shown(stale) for stale in record.stale],
        "checkedStale": record.checked_stale,
        "badCitations": list(record.bad_citations),
        "checkedCitations": record.checked_citations,
        "expectedState": None if record.expected_state is None else record.expected_state.value,
        "state": None if record.state is None else record.state.value,
        "evidence": None if margin is None else margin.evidence,
        "threshold": None if margin is None else margin.threshold,
        "margin": None if margin is None else _margin(margin),
        "rankingDigest": record.ranking_digest,
    }


def _shown(shown: Shown) -> Json:
    return {"chunk": shown.chunk, "where": shown.where.value}


def _margin(margin: Margin) -> float | None:
    """How far above its threshold the evidence is; the query is answered from 0."""
    return None if margin.threshold is None else rounded(margin.evidence - margin.threshold)


def _judged(unit: JudgedRank) -> Json:
    return {
        "unit": unit.unit,
        "grade": unit.grade,
        "rank": unit.rank,
        "spans": list(unit.spans),
        "lostAt": unit.lost_at,
    }


def _latency(latency: Latency) -> Json:
    return {
        "ablation": latency.ablation,
        "count": latency.count,
        "minMs": latency.min,
        "medianMs": latency.median,
        "p95Ms": latency.p95,
        "maxMs": latency.max,
        "meanMs": latency.mean,
    }
