"""Every rule of traces v1, in the order of the documentation. A new rule is one function and one row.

They look at the records as they were read, so that a file which the schema refuses is told all its problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from retrieval_gate.base.places import Severity
from retrieval_gate.inputs.fixture.rule import Finding, Noted, Rule
from retrieval_gate.inputs.fixture.rules import READING_RULES, SCHEMA_RULES
from retrieval_gate.inputs.fixture.sensitive import is_secret
from retrieval_gate.inputs.fixture.shown import quoted

LABELS = ("relevant", "forbidden", "stale")


class Draft(NamedTuple):
    """One record as it was read, and its pointer; fields of another type count as absent."""

    pointer: str
    fields: dict[str, object]

    @property
    def id(self) -> str | None:
        value = self.fields.get("id")
        return value if isinstance(value, str) else None

    def texts(self, field: str) -> Iterator[tuple[str, str]]:
        """The texts of a list, each with its pointer."""
        items = self.fields.get(field)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, str):
                yield f"{self.pointer}/{field}/{index}", item


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRule:
    """A rule, and what finds it; None where the reader or the schema does."""

    rule: Rule
    check: Callable[[Sequence[Draft]], Iterator[Noted]] | None = None


def drafted(document: object, member: str) -> list[Draft]:
    """The records of a document that are objects."""
    records = document.get(member) if isinstance(document, dict) else None
    listed = enumerate(records if isinstance(records, list) else ())
    return [Draft(f"/{member}/{index}", record) for index, record in listed if isinstance(record, dict)]


def lint(drafts: Sequence[Draft]) -> Iterator[Finding]:
    """What the rules find, rule by rule."""
    for row in TRACE_RULES:
        for noted in row.check(drafts) if row.check is not None else ():
            yield Finding(rule=row.rule.id, pointer=noted.pointer, message=noted.message)


def _duplicate_ids(drafts: Sequence[Draft]) -> Iterator[Noted]:
    seen: set[str] = set()
    for draft in drafts:
        if draft.id in seen:
            yield Noted(f"{draft.pointer}/id", f"{quoted(draft.id)} is the id of an earlier one")
        elif draft.id is not None:
            seen.add(draft.id)


def _duplicate_labels(drafts: Sequence[Draft]) -> Iterator[Noted]:
    for draft in drafts:
        for field in LABELS:
            seen: set[str] = set()
            for pointer, chunk in draft.texts(field):
                if chunk in seen:
                    yield Noted(pointer, f"{field} names {quoted(chunk)} a second time")
                seen.add(chunk)


def _contradictions(drafts: Sequence[Draft]) -> Iterator[Noted]:
    for draft in drafts:
        relevant = {chunk for _, chunk in draft.texts("relevant")}
        for field in LABELS[1:]:
            for pointer, chunk in draft.texts(field):
                if chunk in relevant:
                    yield Noted(pointer, f"{quoted(chunk)} is relevant and {field} for the same query")


def _secrets(drafts: Sequence[Draft]) -> Iterator[Noted]:
    for draft in drafts:
        for field, value in draft.fields.items():
            if isinstance(value, str) and is_secret(value):
                yield Noted(f"{draft.pointer}/{field}", "a text looks like a secret")
            for pointer, item in draft.texts(field):
                if is_secret(item):
                    yield Noted(pointer, "an id looks like a secret")


def _row(
    rule: str, refuses: str, fix: str, check: Callable[[Sequence[Draft]], Iterator[Noted]] | None = None
) -> TraceRule:
    return TraceRule(rule=Rule(id=rule, severity=Severity.ERROR, refuses=refuses, fix=fix), check=check)


TRACE_RULES: tuple[TraceRule, ...] = (
    *(TraceRule(rule=rule) for rule in (*READING_RULES, *SCHEMA_RULES)),
    _row("duplicate-id", "two records with the same id", "give each its own id", _duplicate_ids),
    _row("duplicate-label", "one list of labels that names a chunk twice", "name it once", _duplicate_labels),
    _row(
        "contradictory-label",
        "a chunk that is relevant, and forbidden or stale, for the same query",
        "keep the label that is right: what may not be shown, or is out of date, is not evidence",
        _contradictions,
    ),
    _row(
        "secret",
        "a key, token, password or other secret, in any field",
        "remove it, and replace it where it is in use",
        _secrets,
    ),
)
