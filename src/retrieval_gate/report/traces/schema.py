"""The JSON Schemas of the trace report and the comparison; what they share with report v1 is taken from there."""

from __future__ import annotations

import json

from retrieval_gate.base.fixture import State
from retrieval_gate.base.verdict import Status
from retrieval_gate.report.schema import Schema, report_schema
from retrieval_gate.report.traces.view import COMPARISON_SCHEMA, REPORT_SCHEMA
from retrieval_gate.verdict.kinds import KINDS
from retrieval_gate.verdict.traces import TRACE_CHECKS

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SIMULATED = (
    "What was returned or observed differs. Nothing was run: the change is simulated, unless both files were "
    "recorded from real retrieval."
)
_NULL: Schema = {"type": "null"}
_FLAG: Schema = {"type": "boolean"}


def report_schema_text() -> str:
    """The text of `schemas/trace-report-v1.schema.json`: what `score --format json` prints."""
    body = _object(**_head(REPORT_SCHEMA), **_scored(), verdicts=_list(_verdict()))
    return _text(REPORT_SCHEMA, "Supplied traces, scored by Retrieval Gate", body)


def comparison_schema_text() -> str:
    """The text of `schemas/trace-comparison-v1.schema.json`: what `compare --format json` prints."""
    ids = _list(_id())
    body = _object(
        **_head(COMPARISON_SCHEMA),
        before=_object(**_scored()),
        after=_object(**_scored()),
        changes=_list(_change()),
        added=ids,
        removed=ids,
        labelsEdited=ids,
        verdicts=_list(_verdict()),
    )
    return _text(COMPARISON_SCHEMA, "Two files of supplied traces, compared by Retrieval Gate", body)


def _text(name: str, title: str, body: Schema) -> str:
    said = "Every key is required, no other is allowed. null is 'not applicable'; numbers are not rounded."
    return (
        json.dumps({"$schema": _DRAFT, "$id": name, "title": title, "description": said} | body, indent=2) + "\n"
    )


def _head(name: str) -> dict[str, Schema]:
    shared: Schema = report_schema()["properties"]
    return {"schema": {"const": name}, "toolVersion": shared["toolVersion"], "exitCode": shared["exitCode"]}


def _scored() -> dict[str, Schema]:
    """One scored set: its metrics, checks and traces."""
    shared: Schema = report_schema()["properties"]
    row: Schema = shared["rows"]["items"]["properties"]
    count = row["n"]
    return {
        "traces": _object(
            id=_nullable(_id()),
            version=_nullable({"type": "integer", "minimum": 1}),
            count=count,
            unjudged=_list(_id()),
        ),
        "k": {"type": "integer", "minimum": 1},
        "scope": shared["scope"],
        "checks": _list(
            _object(
                check={"enum": [check.id for check in TRACE_CHECKS]},
                failed=count,
                n=count,
                needs={"enum": [*(check.unlabelled for check in TRACE_CHECKS), None]},
            )
        ),
        "rows": _list(_object(slice=row["slice"], metric=row["metric"], value=row["value"], n=count)),
        "results": _list(_result(count, row["value"])),
    }


def _result(count: Schema, value: Schema) -> Schema:
    state: Schema = {"enum": [*(state.value for state in State), None]}
    return _object(
        id=_id(),
        missing=_FLAG,
        returned=count,
        duplicates=count,
        expected=state,
        observed=state,
        metrics=_by_metric(value),
        checks=_object(**{check.id: _status() for check in TRACE_CHECKS}),
    )


def _change() -> Schema:
    """What moved in one trace; a metric or a check that did not is left out."""
    value: Schema = {"type": ["number", "null"]}
    moved = _object(before=_status(), after=_status())
    return _object(
        id=_id(),
        simulated=_FLAG | {"description": _SIMULATED},
        metrics=_by_metric(_object(before=value, after=value)),
        checks={
            "type": "object",
            "properties": {check.id: moved for check in TRACE_CHECKS},
            "additionalProperties": False,
        },
    )


def _verdict() -> Schema:
    """The fields that a verdict has in report v1, those of a run of ablations left out."""
    fields: Schema = _verdict_fields()
    kept = ("kind", "status", "query", "metric", "metrics", "units", "value", "bound", "baseline", "n", "detail")
    action: Schema = {"enum": [*dict.fromkeys(kind.action for kind in KINDS if kind.blocking), None]}
    return _object(**{name: fields[name] for name in kept}, firstAction=action)


def _verdict_fields() -> Schema:
    fields: Schema = report_schema()["properties"]["verdicts"]["items"]["properties"]
    return fields


def _id() -> Schema:
    """An id, as the units of a verdict are."""
    shape: Schema = _verdict_fields()["units"]["items"]
    return shape


def _status() -> Schema:
    return {"enum": [status.value for status in Status]}


def _by_metric(value: Schema) -> Schema:
    """Values by metric id, e.g. `recall@10`."""
    return {
        "type": "object",
        "patternProperties": {"^[a-z]+@[1-9][0-9]*$": value},
        "additionalProperties": False,
    }


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
    return {"anyOf": [schema, _NULL]}
