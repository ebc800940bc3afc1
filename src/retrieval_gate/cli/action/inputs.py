"""The action's inputs: one row each, read from the environment by their exact names, without a shell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from retrieval_gate.base.errors import UsageError
from retrieval_gate.base.names import nearest
from retrieval_gate.cli.dates import parse_date
from retrieval_gate.report.outputs.table import OUTPUTS
from retrieval_gate.report.report import FailOn

PREFIX = "INPUT_"
_TRUE = ("true", "True", "TRUE")
_FALSE = ("false", "False", "FALSE")
MOST_ANNOTATIONS = 10
NO_REPORT = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The inputs of one step, parsed; None and empty mean the default of the command line."""

    config: str | None
    fixture: str | None
    held_out: str | None
    baseline: str | None
    base_baseline: str | None
    approve_loosening: str | None
    working_directory: str | None
    ablations: tuple[str, ...]
    fail_on: FailOn
    allow_missing_baseline: bool
    report_dir: str
    report_formats: tuple[str, ...]
    summary: bool
    annotations: int
    label: str | None
    today: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRow:
    """`default` is what an empty value means, as it is written in action.yml."""

    name: str
    default: str
    description: str
    parse: Callable[[str, str], Any]


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """All inputs of the step.

    An input may be spelt with hyphens, as the runner sets it, or with underscores. Raises UsageError for an
    unknown input, with the nearest name, and for a value of the wrong kind.
    """
    _check_names(environment)
    values = {row.name: _value(row, environment) for row in INPUTS}
    parsed = {row.name.replace("-", "_"): row.parse(row.name, values[row.name]) for row in INPUTS}
    return Inputs(**parsed)


def _value(row: InputRow, environment: Mapping[str, str]) -> str:
    given = {environment.get(name, "").strip() for name in (_variable(row.name), _underscored(row.name))} - {""}
    if len(given) > 1:
        raise UsageError(
            "input-twice", f"the input {row.name} is given twice, with two values", fix="give it once"
        )
    return given.pop() if given else row.default


def _check_names(environment: Mapping[str, str]) -> None:
    known = {_variable(row.name) for row in INPUTS} | {_underscored(row.name) for row in INPUTS}
    for variable in sorted(environment):
        if variable.startswith(PREFIX) and variable not in known:
            name = variable.removeprefix(PREFIX).lower()
            hint = nearest(name.replace("_", "-"), [row.name for row in INPUTS])
            raise UsageError(
                "unknown-input",
                "the step gives an input that the action does not have"
                + (f"; the nearest is {hint}" if hint else ""),
                fix=f"the inputs are {', '.join(row.name for row in INPUTS)}",
            )


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _underscored(name: str) -> str:
    return _variable(name).replace("-", "_")


def _text(_name: str, value: str) -> str | None:
    return value or None


def _path(name: str, value: str) -> str | None:
    if value.startswith("/") or value[1:3] in (":\\", ":/"):
        raise UsageError(
            "host-path",
            f"the input {name} is an absolute path: a path of the runner's host, which the container does not see",
            fix="give a path relative to the repository's root, e.g. fixtures/help.json",
        )
    return value or None


def _folder(name: str, value: str) -> str:
    return _path(name, value) or ""


def _names(_name: str, value: str) -> tuple[str, ...]:
    return tuple(part for part in (piece.strip() for piece in value.replace("\n", ",").split(",")) if part)


def _boolean(name: str, value: str) -> bool:
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise UsageError("bad-boolean", f"the input {name} is not a boolean", fix="write true or false")


def _choice(name: str, value: str) -> FailOn:
    try:
        return FailOn(value)
    except ValueError:
        known = [choice.value for choice in FailOn]
        hint = nearest(value, known)
        raise UsageError(
            "bad-choice",
            f"the input {name} is not one of its words" + (f"; the nearest is {hint}" if hint else ""),
            fix=f"choose from {', '.join(known)}",
        ) from None


def _formats(name: str, value: str) -> tuple[str, ...]:
    """The formats; `none` alone writes no report, and no candidate baseline."""
    if value == NO_REPORT:
        return ()
    known = [row.id for row in OUTPUTS]
    for form in _names(name, value):
        if form not in known:
            hint = nearest(form, known)
            raise UsageError(
                "bad-format",
                f"the input {name} names a format that does not exist"
                + (f"; the nearest is {hint}" if hint else ""),
                fix=f"choose from {', '.join(known)}",
            )
    return _names(name, value)


def _day(name: str, value: str) -> date | None:
    return parse_date(value, f"the input {name}") if value else None


def _count(name: str, value: str) -> int:
    if value.isascii() and value.isdigit() and int(value) <= MOST_ANNOTATIONS:
        return int(value)
    raise UsageError(
        "bad-count",
        f"the input {name} is not a number from 0 to {MOST_ANNOTATIONS}",
        fix=f"give at most {MOST_ANNOTATIONS}: the runner shows no more for one step",
    )


INPUTS = (
    InputRow(
        name="config",
        default="",
        description="The configuration. Default: retrieval-gate.toml, or [tool.retrieval-gate] in pyproject.toml.",
        parse=_path,
    ),
    InputRow(
        name="fixture",
        default="",
        description="The labelled fixture. Default: the configuration's.",
        parse=_path,
    ),
    InputRow(
        name="held-out",
        default="",
        description="The fixture's file of held-out queries. Default: the configuration's.",
        parse=_path,
    ),
    InputRow(
        name="baseline",
        default="",
        description="The committed baseline. Default: the configuration's, else beside the fixture.",
        parse=_path,
    ),
    InputRow(
        name="base-baseline",
        default="",
        description="The base branch's baseline file: what this change loosens is computed from it.",
        parse=_path,
    ),
    InputRow(
        name="approve-loosening",
        default="",
        description="The hash that the summary prints: accepts exactly those loosenings.",
        parse=_text,
    ),
    InputRow(
        name="working-directory",
        default="",
        description="The folder that all paths are relative to. Default: the repository's root.",
        parse=_path,
    ),
    InputRow(
        name="ablations",
        default="",
        description="Run these ablations only, separated by commas. Default: all that are configured.",
        parse=_names,
    ),
    InputRow(
        name="fail-on",
        default="regression",
        description="regression: any failed gate. violation: leak, stale evidence, wrong state, loosening. never.",
        parse=_choice,
    ),
    InputRow(
        name="allow-missing-baseline",
        default="false",
        description="Check the absolute gates alone where there is no baseline yet.",
        parse=_boolean,
    ),
    InputRow(
        name="report-dir",
        default="retrieval-gate-report",
        description="Where the reports and the candidate baseline are written, relative to the working directory.",
        parse=_folder,
    ),
    InputRow(
        name="report-formats",
        default="json",
        description=f"The reports to write, by commas: {', '.join(row.id for row in OUTPUTS)}; or {NO_REPORT}.",
        parse=_formats,
    ),
    InputRow(
        name="summary",
        default="true",
        description="Write the job summary.",
        parse=_boolean,
    ),
    InputRow(
        name="annotations",
        default="10",
        description="How many annotations at most, 0 to 10; the last says how many more there are.",
        parse=_count,
    ),
    InputRow(
        name="label",
        default="",
        description="A name for this run, e.g. of a matrix leg; it stands in the heading and in the file names.",
        parse=_text,
    ),
    InputRow(
        name="today",
        default="",
        description="The date, YYYY-MM-DD, that waivers are held against. Default: their dates are not checked.",
        parse=_day,
    ),
)
