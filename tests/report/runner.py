"""How a hosted runner reads printed lines, from the model beside the project, and texts that try to command it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

from hypothesis import strategies as st

# What one line says to the runner: command, properties, message; None where it is only a line.
Parsed = tuple[str, dict[str, str], str] | None
Parse = Callable[[str], Parsed]

MODEL = "oracle/runner_commands.py"
PIECES = (
    *("::", ":", "##", "#", "[", "]", "##[", "##vso[", "##teamcity["),
    *("error", "set-output", "add-mask", "stop-commands", "group", "debug", "name=x", "file=", "title=", "task.x"),
    *("%", "%25", "%0A", "%0D", "%3A", "%2C", "0A", ",", ";", "=", " "),
    *("\n", "\r", "\t", "\x00", "\x1b[31m", "\u2028", "\u0085", "\u202e", "\ufeff", "\ufffe"),
    *("知识", "é", "e\u0301", "🚦", "a", "Z", "0", "-", "_", "/", "\\", "..", "C:", "'", '"', "<", "&", "]]>"),
)
hostile = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)


def runner_model(path: Path) -> Parse:
    """The parser of the model in the file at `path`."""
    spec = importlib.util.spec_from_file_location("runner_commands", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"not a module: {path.name}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    parse: Parse = module.parse_line
    return parse
