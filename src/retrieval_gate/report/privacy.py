"""The proof that a report holds no private text: every string in it is on an allow-list, by field.

A field named in HASHES holds a digest, one in VERSIONS a version, `expires` a date, `label` what the user typed as
an option; every other string is an id of this evaluation or a word of a fixed table. Anything else, whatever it
is, stops the report from being made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from enum import StrEnum

from retrieval_gate.base.difference import Cause
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.fixture import State
from retrieval_gate.base.record import Where
from retrieval_gate.base.scenario import LOG, PROBE, Unmet
from retrieval_gate.base.verdict import Status
from retrieval_gate.report.names import FAILURE_CODES, STAGES
from retrieval_gate.report.report import DATE, LABEL, BaselineStatus, FailOn, Part, Report, Retrieval, Unchecked
from retrieval_gate.report.view import HASH, SCHEMA, parts
from retrieval_gate.scoring.metrics.table import FAMILIES
from retrieval_gate.scoring.trail import OTHER
from retrieval_gate.verdict.gates.rule import HELD_OUT
from retrieval_gate.verdict.kinds import KINDS
from retrieval_gate.verdict.label_parts import LabelPart

ENUMS: tuple[type[StrEnum], ...] = (
    Status,
    Cause,
    State,
    Where,
    Retrieval,
    Unchecked,
    BaselineStatus,
    FailOn,
    Part,
    LabelPart,
    Unmet,
)
WORDS = frozenset(
    {
        SCHEMA,
        OTHER,
        PROBE,
        LOG,
        *(word.value for words in ENUMS for word in words),
        *(kind.id for kind in KINDS),
        # The zero-tolerance gates name their metrics also where the configuration does not measure them.
        *(family.id for family in FAMILIES),
        HELD_OUT,
        *FAILURE_CODES,
        *STAGES,
    }
)
HASHES = frozenset(
    {
        HASH,
        "corpusHash",
        "evaluationDefinitionHash",
        "providerFingerprintHash",
        "labelsHash",
        "systemHash",
        "settingsHash",
        "ablationsHash",
        "tokenizerHash",
        "aliasesHash",
        "rankingDigest",
        "looseningHash",
    }
)
VERSIONS = frozenset({"toolVersion", "tool", "python", "sqlite", "unicode", "numpy"})
_HASH = re.compile(r"[0-9a-f]{16}|[0-9a-f]{64}")
# A public PEP 440 version; a local part such as "+internal-name" is text and stays out.
VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,4}((a|b|rc)\d{1,4})?(\.post\d{1,4})?(\.dev\d{1,8})?")


def check_report(report: Report, ids: Collection[str]) -> None:
    """`check_private` of the whole JSON view of a report."""
    names = WORDS.union(ids)
    for part in parts(report):
        _check(part, names)


def check_private(view: object, ids: Collection[str]) -> None:
    """Raise InternalError for the first string in `view` that is not allowed where it stands.

    `ids` are the names of this evaluation (see `names`); they and the words of the tables may stand in any other
    field. The error names the field and never quotes the text.
    """
    _check(view, WORDS.union(ids))


def _check(view: object, names: frozenset[str]) -> None:
    for field, text in _strings(view, ""):
        if not _allowed(field, text, names):
            raise InternalError(
                "text-in-report",
                f"the report's field '{field}' holds a text that is not on the allow-list; nothing was written",
                fix="report this bug with the field's name and the versions of tool and retriever",
            )


def _allowed(field: str, text: str, names: frozenset[str]) -> bool:
    if field in HASHES:
        return _HASH.fullmatch(text) is not None
    if field in VERSIONS:
        return text == OTHER or VERSION.fullmatch(text) is not None
    if field == "expires":
        return DATE.fullmatch(text) is not None
    if field == "label":
        return LABEL.fullmatch(text) is not None
    return text in names


def _strings(value: object, field: str) -> Iterator[tuple[str, str]]:
    """Every string with the name of the field it stands in; keys are the view's own."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _strings(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part, field)
