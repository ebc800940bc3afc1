"""What the schema refuses, in words: rule, message and fix from pydantic's error types."""

from __future__ import annotations

from typing import NamedTuple

from pydantic_core import ErrorDetails

from retrieval_gate.base.names import nearest
from retrieval_gate.inputs.config.model import TABLES, keys_of
from retrieval_gate.inputs.fixture.sensitive import is_secret
from retrieval_gate.inputs.fixture.shapes import is_id
from retrieval_gate.inputs.formats.toml_lines import Path

_DATE_FIX = "write a date without quotes, e.g. 2026-12-31"
_NUMBER_FIX = "correct the number"


class SchemaRule(NamedTuple):
    """A pydantic error type, the rule it breaks, and how that is said; `{…}` are the error's own bounds."""

    error: str
    rule: str
    message: str
    fix: str


class SchemaFinding(NamedTuple):
    path: Path
    rule: str
    message: str
    fix: str


# Ordered by rule, as they are documented. A text's own rules (bad-id, …) are raised by the model under their id.
SCHEMA_RULES = (
    SchemaRule("extra_forbidden", "unknown-key", "is not a key here", "remove it"),
    SchemaRule("missing", "missing-key", "is missing", "add it"),
    SchemaRule("string_type", "wrong-type", "is not a text", "write a text in quotes"),
    SchemaRule("int_type", "wrong-type", "is not a whole number", "write a whole number"),
    SchemaRule("int_parsing_size", "out-of-range", "is too large", _NUMBER_FIX),
    SchemaRule("float_type", "wrong-type", "is not a number", "write a number without quotes"),
    SchemaRule("bool_type", "wrong-type", "is neither true nor false", "write true or false without quotes"),
    SchemaRule("date_type", "wrong-type", "is not a date", _DATE_FIX),
    SchemaRule("list_type", "wrong-type", "is not a list", "write a list in [brackets]"),
    SchemaRule("dict_type", "wrong-type", "is not a table", "write a [table]"),
    SchemaRule("model_type", "wrong-type", "is not a table", "write a table"),
    SchemaRule("enum", "unknown-choice", "is not one of {expected}", "write one of them"),
    SchemaRule("finite_number", "not-finite", "is not a finite number", _NUMBER_FIX),
    SchemaRule("greater_than", "out-of-range", "is not above {gt}", _NUMBER_FIX),
    SchemaRule("greater_than_equal", "out-of-range", "is below {ge}", _NUMBER_FIX),
    SchemaRule("less_than_equal", "out-of-range", "is above {le}", _NUMBER_FIX),
    SchemaRule("string_too_long", "too-long", "has more than {max_length} characters", "shorten it"),
    SchemaRule("too_long", "too-long", "has more than {max_length} entries", "take some out"),
    SchemaRule("too_short", "too-short", "is empty", "add an entry, or remove the key"),
    SchemaRule(
        "bad-id",
        "bad-id",
        "is not an id",
        "use letters, digits and ._:#@+/(),- only, without two colons, slashes or dots in a row",
    ),
    SchemaRule("bad-metric", "bad-metric", "is not a metric", "write a name with its cut-off, e.g. ndcg@10"),
    SchemaRule("bad-slice", "bad-slice", "is not a slice", "write all, or a kind and a value, e.g. language=en"),
    SchemaRule("bad-script", "bad-script", "is not a script", "write its name in small letters, e.g. latin"),
    SchemaRule("bad-text", "bad-text", "is blank or holds control characters", "write one line of text"),
    SchemaRule(
        "unsafe-path",
        "unsafe-path",
        "is not a path inside the working folder",
        "write a relative path without '..'",
    ),
)
_BY_ERROR = {row.error: row for row in SCHEMA_RULES}
_OTHER = SchemaRule("", "wrong-type", "has a value that can not be used", "see docs/configuration.md")


def schema_finding(error: ErrorDetails) -> SchemaFinding:
    """The finding of one pydantic error; its path has no marks of pydantic's own."""
    # An error in a table's key is located at the key with this mark after it.
    path = tuple(part for part in error["loc"] if part != "[key]")
    row = _BY_ERROR.get(error["type"], _OTHER)
    message = row.message.format_map({key: _plain(bound) for key, bound in error.get("ctx", {}).items()})
    fix = _unknown_key_fix(path, row.fix) if row.error == "extra_forbidden" else row.fix
    return SchemaFinding(path, row.rule, f"{_subject(path)} {message}", fix)


def _plain(bound: object) -> object:
    """A bound without the `.0` that pydantic gives to the bounds of a float."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _subject(path: Path) -> str:
    """What the message is about: the last key, with the place in its list where there is one."""
    if not path:
        return "the configuration"
    last = path[-1]
    if isinstance(last, int):
        return f"entry {last + 1} of {_subject(path[:-1])}"
    return last if _is_shown(last) else "a key"


def shown(path: Path) -> Path:
    """The path up to the first key that may be private text rather than a name."""
    for place, part in enumerate(path):
        if isinstance(part, str) and not _is_shown(part):
            return path[:place]
    return path


def _is_shown(key: str) -> bool:
    return is_id(key) and not is_secret(key)


def _unknown_key_fix(path: Path, otherwise: str) -> str:
    table = TABLES.get(tuple(part for part in path[:-1] if isinstance(part, str)))
    name = path[-1]
    if table is None or not isinstance(name, str) or not _is_shown(name):
        return otherwise
    hint = nearest(name.replace("_", "-"), keys_of(table))
    return f"write {hint}" if hint else otherwise
