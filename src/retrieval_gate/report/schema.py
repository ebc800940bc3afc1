"""The JSON Schema of report v1, from the same enums that the view writes; `schemas/` holds its text."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from retrieval_gate.base.difference import Cause
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.fixture import State
from retrieval_gate.base.record import Where
from retrieval_gate.base.scenario import LOG
from retrieval_gate.base.verdict import Status
from retrieval_gate.report.names import FAILURE_CODES, STAGES
from retrieval_gate.report.report import DATE, LABEL, BaselineStatus, FailOn, Part, Retrieval, Unchecked
from retrieval_gate.report.view import DIAGNOSTICS, HASH, SCHEMA
from retrieval_gate.scoring.trail import OTHER
from retrieval_gate.verdict.kinds import KINDS

Schema = dict[str, Any]


def schema_text() -> str:
    """The file's whole text."""
    return json.dumps(report_schema(), indent=2) + "\n"


def report_schema() -> Schema:
    """JSON Schema 2020-12 of a report; every key is required, no other is allowed."""
    body = _object(
        schema={"const": SCHEMA},
        toolVersion=_TEXT,
        label=_nullable({"type": "string", "pattern": f"^{LABEL.pattern}$"}),
        exitCode=_CODE,
        exitCodes=_list(_CODE),
        failOn=_words(FailOn),
        fixture=_object(
            id=_ID,
            version=_COUNT,
            documents=_COUNT,
            chunks=_COUNT,
            queries=_COUNT,
            answerable=_COUNT,
            noAnswer=_COUNT,
            heldOut=_COUNT,
        ),
        scope=_object(retrieval=_words(Retrieval), notChecked=_list(_words(Unchecked))),
        definition=_object(**dict.fromkeys(_DEFINITION, _HASH)),
        ablations=_object(run=_list(_ID), leftOut=_list(_ID), substituted=_list(_ID)),
        baseline=_object(
            status=_words(BaselineStatus),
            shared=_COUNT,
            added=_list(_ID),
            removed=_list(_ID),
            edited=_list(_ID),
            changedParts=_list(_words(Part)),
            looseningHash=_nullable(_HASH),
            looseningApproved=_FLAG,
            missingAllowed=_FLAG,
        ),
        retrieverFailures=_list(_FAILURE),
        differences=_list(_DIFFERENCE),
        verdicts=_list(_verdict()),
        rows=_list(_object(ablation=_ID, slice=_SLICE, metric=_ID, value=_VALUE, n=_COUNT)),
        answerStates=_list(
            _object(
                ablation=_ID, slice=_SLICE, expected=_words(State), observed=_nullable(_words(State)), n=_COUNT
            )
        ),
        waivers=_list(
            _object(query=_nullable(_ID), expires=_DATE, expired={"type": ["boolean", "null"]}, waived=_COUNT)
        ),
        queries=_list(_RECORD),
        **{HASH: _HASH, DIAGNOSTICS: _object(latency=_list(_LATENCY), environment=_ENVIRONMENT)},
    )
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "A report of Retrieval Gate",
        "description": (
            "Two runs of one evaluation differ in diagnostics only; projectionHash is the SHA-256 of the compact "
            "UTF-8 JSON of all that stands before it. null is 'not applicable'."
        ),
    }
    return head | body


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _words(words: type[StrEnum]) -> Schema:
    return {"enum": [word.value for word in words]}


def _verdict() -> Schema:
    return _object(
        kind={"enum": [kind.id for kind in KINDS]},
        status=_words(Status),
        ablation=_nullable(_ID),
        slice=_nullable(_SLICE),
        metric=_nullable(_ID),
        metrics=_list(_ID),
        query=_nullable(_ID),
        units=_list(_ID),
        value=_VALUE,
        bound=_VALUE,
        baseline=_VALUE,
        n=_nullable(_COUNT),
        baselineN=_nullable(_COUNT),
        oldRank=_RANK,
        newRank=_RANK,
        stage=_nullable(_PLACE),
        detail=_nullable(_ID),
        blocks=_FLAG,
    )


_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
# The id alphabet of fixtures; languages, tags and roles, of which slices are made, may have other letters.
_ID: Schema = {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]*$"}
_SLICE: Schema = {"type": "string", "pattern": "^(all|[a-z-]+=.+)$"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_CODE: Schema = {"enum": [int(code) for code in ExitCode]}
_RANK: Schema = {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}
_VALUE: Schema = {"type": ["number", "null"]}
_HASH: Schema = {"type": "string", "pattern": "^([0-9a-f]{16}|[0-9a-f]{64})$"}
_DATE: Schema = {"type": "string", "pattern": f"^{DATE.pattern}$"}
_STAGE: Schema = {"enum": [*STAGES, OTHER]}
# A stage that lost a unit, or the place where a chunk was shown that must not be.
_PLACE: Schema = {"enum": [*STAGES, *(where.value for where in Where if where.value not in STAGES), LOG, OTHER]}
_DEFINITION = (
    "corpusHash",
    "evaluationDefinitionHash",
    "providerFingerprintHash",
    "labelsHash",
    "systemHash",
    "settingsHash",
    "ablationsHash",
    "tokenizerHash",
    "aliasesHash",
)
_FAILURE = _object(run={"enum": [1, 2, 3]}, ablation=_nullable(_ID), code={"enum": [*FAILURE_CODES, OTHER]})
_DIFFERENCE = _object(ablation=_ID, query=_nullable(_ID), rank=_RANK, cause=_words(Cause), tolerated=_FLAG)
_JUDGED = _object(
    unit=_ID,
    grade={"type": "integer", "minimum": 1, "maximum": 3},
    rank=_RANK,
    spans=_list(_COUNT),
    lostAt=_nullable(_STAGE),
)
_SHOWN = _object(chunk=_ID, where=_words(Where))
_RECORD = _object(
    ablation=_ID,
    query=_ID,
    noAnswer=_FLAG,
    missing=_FLAG,
    judged=_list(_JUDGED),
    returned=_COUNT,
    duplicates=_COUNT,
    unlocatable=_COUNT,
    matchedCharacters=_nullable(_COUNT),
    returnedCharacters=_nullable(_COUNT),
    annotatedCharacters=_nullable(_COUNT),
    leaks=_list(_SHOWN),
    checkedForbidden=_COUNT,
    stale=_list(_SHOWN),
    checkedStale=_COUNT,
    badCitations=_list(_nullable(_ID)),
    checkedCitations=_COUNT,
    expectedState=_nullable(_words(State)),
    state=_nullable(_words(State)),
    evidence=_VALUE,
    threshold=_VALUE,
    margin=_VALUE,
    rankingDigest=_HASH,
)
_LATENCY = _object(
    ablation=_ID, count=_COUNT, minMs=_VALUE, medianMs=_VALUE, p95Ms=_VALUE, maxMs=_VALUE, meanMs=_VALUE
)
_ENVIRONMENT = _object(tool=_TEXT, python=_TEXT, sqlite=_TEXT, unicode=_TEXT, numpy=_TEXT)
