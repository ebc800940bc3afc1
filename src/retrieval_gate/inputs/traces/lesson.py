"""The five traces of the lesson, which the package brings along."""

from __future__ import annotations

from importlib.resources import files

from retrieval_gate.inputs.traces.load import LoadedTraces, load_traces
from retrieval_gate.inputs.traces.reading import Source

LESSON_FILE = "lesson-traces-v1.json"


def load_lesson() -> LoadedTraces:
    """The traces of `fixtures/lesson-traces-v1.json`, from the copy that is installed."""
    return load_traces(Source(files(__package__).joinpath(LESSON_FILE).read_bytes(), LESSON_FILE))
