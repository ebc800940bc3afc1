"""The JSON Schema of traces v1, as it is published."""

from __future__ import annotations

import json

from retrieval_gate.inputs.fixture.refused import published
from retrieval_gate.inputs.traces.model import SCHEMA_ID, TracesModel


def schema_text() -> str:
    """The text of `schemas/traces-v1.schema.json`. It describes the object; an array or lines hold its records."""
    schema = published(TracesModel, schema_id=SCHEMA_ID, title="Retrieval Gate traces v1")
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
