"""The JSON view of diagnoses, and its schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from retrieval_gate import __version__
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.fixture import Fixture
from retrieval_gate.doctor.finding import Diagnosis, Finding, Health, exit_code
from retrieval_gate.doctor.probes.table import PROBES

SCHEMA = "retrieval-gate/doctor/v1"
Json = dict[str, Any]


def view(diagnoses: Sequence[Diagnosis], fixture: Fixture) -> Json:
    """Times are in milliseconds, and no two examinations have the same."""
    return {
        "schema": SCHEMA,
        "toolVersion": __version__,
        "exitCode": int(exit_code(tuple(diagnoses))),
        "fixture": {"id": fixture.id, "version": fixture.version, "queries": len(fixture.queries)},
        "retrievers": [_diagnosis(diagnosis) for diagnosis in diagnoses],
    }


def _diagnosis(diagnosis: Diagnosis) -> Json:
    return {
        "ablation": diagnosis.ablation,
        "kind": diagnosis.kind,
        "asked": diagnosis.asked,
        "findings": [_finding(name, finding) for name, finding in diagnosis.findings],
        "timing": {
            "openingMs": diagnosis.timing.opening,
            "medianMs": diagnosis.timing.median,
            "p95Ms": diagnosis.timing.p95,
        },
    }


def _finding(name: str, finding: Finding) -> Json:
    return {
        "probe": name,
        "status": finding.health.value,
        "what": finding.what,
        "fix": finding.fix,
        "queries": list(finding.queries),
    }


def schema_text() -> str:
    """The text of `schemas/doctor-v1.schema.json`."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "What `retrieval-gate doctor` found",
        "description": "Findings are in the order in which they should be mended; null is 'nothing to do'.",
    }
    return json.dumps(head | _schema(), indent=2) + "\n"


def _schema() -> Json:
    finding = _object(
        probe={"enum": [probe.id for probe in PROBES]},
        status={"enum": [health.value for health in Health]},
        what=_TEXT,
        fix={"type": ["string", "null"]},
        queries={"type": "array", "items": _TEXT},
    )
    time = {"type": ["number", "null"], "minimum": 0}
    retriever = _object(
        ablation=_TEXT,
        kind=_TEXT,
        asked=_COUNT,
        findings={"type": "array", "items": finding},
        timing=_object(openingMs=time, medianMs=time, p95Ms=time),
    )
    return _object(
        schema={"const": SCHEMA},
        toolVersion=_TEXT,
        exitCode={"enum": [int(ExitCode.PASS), int(ExitCode.RETRIEVER_FAILED)]},
        fixture=_object(id=_TEXT, version=_COUNT, queries=_COUNT),
        retrievers={"type": "array", "items": retriever},
    )


_TEXT: Json = {"type": "string"}
_COUNT: Json = {"type": "integer", "minimum": 0}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
