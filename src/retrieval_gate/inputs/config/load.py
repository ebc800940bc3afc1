"""Find and read the configuration: bytes in, `Config` out, or every problem at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from pydantic import ValidationError

from retrieval_gate.base.config import Config
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.files import read_bounded
from retrieval_gate.base.places import Place, Problem, Severity
from retrieval_gate.inputs.config.convert import to_config
from retrieval_gate.inputs.config.model import ConfigFile
from retrieval_gate.inputs.config.problems import SchemaFinding, schema_finding, shown
from retrieval_gate.inputs.config.rules import CONFIG_RULES
from retrieval_gate.inputs.formats.json import pointer_of
from retrieval_gate.inputs.formats.toml import parse_toml
from retrieval_gate.inputs.formats.toml_lines import lines_of, nearest_line

CONFIG_NAME = "retrieval-gate.toml"
PYPROJECT = "pyproject.toml"
# The most bytes that a configuration may have.
CONFIG_BYTE_LIMIT = 1 << 20
_TABLE = ("tool", "retrieval-gate")


def find_config(folder: Path) -> str | None:
    """The name of the folder's configuration file; None where it has none.

    `retrieval-gate.toml` comes before a `[tool.retrieval-gate]` in `pyproject.toml`. A pyproject.toml that
    can not be read raises ConfigError if it names the table: its gates must not be replaced by the defaults.
    """
    # A link to nowhere is a configuration too: reading it tells what is wrong.
    if os.path.lexists(folder / CONFIG_NAME):
        return CONFIG_NAME
    if not os.path.lexists(folder / PYPROJECT):
        return None
    data = read_bounded(str(folder / PYPROJECT), limit=CONFIG_BYTE_LIMIT, error=ConfigError)
    if _TABLE[-1].encode() not in data:
        return None
    _, document = parse_toml(data, file=PYPROJECT, limit=CONFIG_BYTE_LIMIT, error=ConfigError)
    tool = document.get(_TABLE[0])
    return PYPROJECT if isinstance(tool, dict) and _TABLE[1] in tool else None


def load_config(data: bytes, *, file: str) -> Config:
    """The configuration in a TOML file; of a file named pyproject.toml, its `[tool.retrieval-gate]`.

    `file` is only named in messages. Raises ConfigError, with all problems in file order, or with the line of
    the first syntax error.
    """
    text, document = parse_toml(data, file=file, limit=CONFIG_BYTE_LIMIT, error=ConfigError)
    in_pyproject = PurePath(file).name == PYPROJECT
    raw = _table(document) if in_pyproject else document
    if raw is None:
        raise ConfigError(
            "no-table", "there is no [tool.retrieval-gate]", fix="add the table", where=Place(file=file)
        )
    model, findings = _validated(raw)
    if model is None or findings:
        raise _refusal(findings, text=text, file=file, prefix=_TABLE if in_pyproject else ())
    return to_config(model)


def _table(document: dict[str, object]) -> dict[str, object] | None:
    tool = document.get(_TABLE[0])
    table = tool.get(_TABLE[1]) if isinstance(tool, dict) else None
    return table if isinstance(table, dict) else None


def _validated(raw: dict[str, object]) -> tuple[ConfigFile | None, list[SchemaFinding]]:
    findings = list(_rule_findings(raw))
    try:
        return ConfigFile.model_validate(raw), findings
    except ValidationError as refused:
        errors = refused.errors(include_url=False, include_input=False)
        return None, [*map(schema_finding, errors), *findings]


def _rule_findings(raw: dict[str, object]) -> Iterator[SchemaFinding]:
    for rule in CONFIG_RULES:
        for path, message, fix in rule.check(raw):
            yield SchemaFinding(path, rule.id, message, fix)


def _refusal(findings: Iterable[SchemaFinding], *, text: str, file: str, prefix: tuple[str, ...]) -> ConfigError:
    lines = lines_of(text)
    problems = [
        Problem(
            rule=finding.rule,
            severity=Severity.ERROR,
            place=Place(
                file=file,
                line=nearest_line(lines, (*prefix, *finding.path)),
                pointer=pointer_of(shown((*prefix, *finding.path))) or None,
            ),
            message=finding.message,
            fix=finding.fix,
        )
        for finding in findings
    ]
    problems.sort(key=lambda problem: problem.place.line or 0)
    count = "one problem" if len(problems) == 1 else f"{len(problems)} problems"
    return ConfigError(
        "invalid-config",
        f"the configuration has {count}",
        fix="correct each place named",
        where=Place(file=file),
        problems=problems,
    )
