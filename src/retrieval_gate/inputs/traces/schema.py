"""The JSON Schemas of traces v1 and of judgments v1, as they are published."""

from __future__ import annotations

import json

from pydantic import BaseModel

from retrieval_gate.inputs.fixture.refused import published
from retrieval_gate.inputs.traces.model import JUDGMENTS_SCHEMA_ID, SCHEMA_ID, JudgmentsModel, TracesModel


def schema_text() -> str:
    """The text of `schemas/traces-v1.schema.json`. It describes the object; an array or lines hold its records."""
    return _text(TracesModel, SCHEMA_ID, "Retrieval Gate traces v1")


def judgments_schema_text() -> str:
    """The text of `schemas/judgments-v1.schema.json`, likewise."""
    return _text(JudgmentsModel, JUDGMENTS_SCHEMA_ID, "Retrieval Gate judgments v1")


def _text(root: type[BaseModel], schema_id: str, title: str) -> str:
    return json.dumps(published(root, schema_id=schema_id, title=title), indent=2, ensure_ascii=False) + "\n"
