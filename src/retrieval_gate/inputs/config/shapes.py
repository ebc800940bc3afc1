"""The shapes in a configuration: texts that are ids, metrics, slices or paths, and strict tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError

from retrieval_gate.inputs.fixture.shapes import ID_PATTERN, is_id

_METRIC_PATTERN = r"^[a-z][a-z-]{0,63}(?:@[1-9][0-9]{0,3})?$"
_SLICE_PATTERN = r"^(?:all|[a-z][a-z-]{0,31}=[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]{0,127})$"
_SCRIPT_PATTERN = r"^[a-z][a-z-]{0,31}$"
_PATH_PATTERN = r"^(?![/\\~]|[A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))"
# Characters that break a line, drive a terminal or turn the reading direction; joiners are letters' own.
_UNSAFE = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
# Text that is one line and shows something.
_LINE_PATTERN = rf"^[^{_UNSAFE}]*[^\s{_UNSAFE}][^{_UNSAFE}]*$"


class _TextSchema:
    """The JSON Schema of a text; pydantic 2.7's WithJsonSchema shares one dict between all its fields."""

    def __init__(self, pattern: str, length: int | None) -> None:
        self._keywords = {"type": "string", "pattern": pattern}
        self._bounds = {} if length is None else {"maxLength": length}

    def __get_pydantic_json_schema__(self, _core: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**self._keywords, **self._bounds}


def _shape(
    rule: str, accepts: Callable[[str], object], pattern: str, length: int | None = None
) -> tuple[AfterValidator, _TextSchema]:
    """Validator and schema of a text with a shape; a text without it is a problem of `rule`."""

    def check(text: str) -> str:
        if not accepts(text):
            raise PydanticCustomError(rule, "the text has another shape")
        return text

    return AfterValidator(check), _TextSchema(pattern, length)


def is_metric(text: str) -> bool:
    """Whether the text has the shape of a metric id; whether there is such a metric is for the plan to say."""
    return re.fullmatch(_METRIC_PATTERN, text) is not None and not text.endswith("\n")


def is_slice(text: str) -> bool:
    """Whether the text has the shape of a slice id."""
    return re.fullmatch(_SLICE_PATTERN, text) is not None and not text.endswith("\n")


def is_inside(text: str) -> bool:
    """Whether the text is a relative path that stays in its folder, on POSIX and on Windows."""
    windows = PureWindowsPath(text)
    anchored = PurePosixPath(text).is_absolute() or windows.drive or windows.root or text.startswith("~")
    return not anchored and ".." not in windows.parts and _is_line(text)


def _is_line(text: str) -> bool:
    return re.search(f"[{_UNSAFE}]", text) is None and text.strip() != ""


def _is_script(text: str) -> bool:
    return re.fullmatch(_SCRIPT_PATTERN, text) is not None and not text.endswith("\n")


_ID, _ID_SCHEMA = _shape("bad-id", is_id, ID_PATTERN)
_METRIC, _METRIC_SCHEMA = _shape("bad-metric", is_metric, _METRIC_PATTERN)
_SLICE, _SLICE_SCHEMA = _shape("bad-slice", is_slice, _SLICE_PATTERN)
_SCRIPT, _SCRIPT_SCHEMA = _shape("bad-script", _is_script, _SCRIPT_PATTERN)
_PATH, _PATH_SCHEMA = _shape("unsafe-path", is_inside, _PATH_PATTERN, length=1_000)
_ALIAS, _ALIAS_SCHEMA = _shape("bad-text", _is_line, _LINE_PATTERN, length=100)
_LINE, _LINE_SCHEMA = _shape("bad-text", _is_line, _LINE_PATTERN, length=1_000)

Id = Annotated[str, _ID, _ID_SCHEMA]
Metric = Annotated[str, _METRIC, _METRIC_SCHEMA]
Slice = Annotated[str, _SLICE, _SLICE_SCHEMA]
Script = Annotated[str, _SCRIPT, _SCRIPT_SCHEMA]
RelativePath = Annotated[str, Field(max_length=1_000), _PATH, _PATH_SCHEMA]
Alias = Annotated[str, Field(max_length=100), _ALIAS, _ALIAS_SCHEMA]
Line = Annotated[str, Field(max_length=1_000), _LINE, _LINE_SCHEMA]
# Metrics are shares and rates, apart from the counts that are held to zero: a bound outside 0..1 could never
# fail, or never pass.
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


def kebab(name: str) -> str:
    return name.replace("_", "-")


class Table(BaseModel):
    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, alias_generator=kebab, hide_input_in_errors=True
    )
