"""Supplied traces: schema, rules, and what they become. The door of this room."""

from __future__ import annotations

from retrieval_gate.inputs.traces.lesson import LESSON_FILE, load_lesson
from retrieval_gate.inputs.traces.load import TRACES_BYTE_LIMIT, LoadedTraces, load_traces
from retrieval_gate.inputs.traces.reading import Source

__all__ = ["LESSON_FILE", "TRACES_BYTE_LIMIT", "LoadedTraces", "Source", "load_lesson", "load_traces"]
