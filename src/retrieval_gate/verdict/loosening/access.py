"""Wider access: a document that more may see, a principal that holds more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from retrieval_gate.base.canonical import short_digest
from retrieval_gate.verdict.accepted import Guard
from retrieval_gate.verdict.loosening.finding import Loosening, Sides

_Guards = dict[str, Guard]


def document(sides: Sides) -> Iterator[Loosening]:
    """Documents with a guard that is gone, asks for less, or lets others in."""
    now = _guards(sides.now.guards, "document")
    for name, guard in _guards(sides.base.guards, "document").items():
        if name not in now or not _is_as_strict(now[name], guard):
            yield Loosening(rule="loosened-access", name=name, content=short_digest(now.get(name)))


def principal(sides: Sides) -> Iterator[Loosening]:
    """Principals of another tenant, or with an attribute or value that they did not hold."""
    now = _guards(sides.now.guards, "principal")
    for name, guard in _guards(sides.base.guards, "principal").items():
        if name in now and not _holds_no_more(now[name], guard):
            yield Loosening(rule="loosened-principal", name=name, content=short_digest(now[name]))


def _guards(guards: tuple[Guard, ...], subject: Literal["document", "principal"]) -> _Guards:
    return {guard.id: guard for guard in guards if guard.subject == subject}


def _is_as_strict(now: Guard, before: Guard) -> bool:
    """Whether all who pass `now` pass `before`: every condition of `before` is there, with no new value."""
    if before.tenant not in (None, now.tenant):
        return False
    asked = dict(now.attributes)
    return all(name in asked and set(asked[name]) <= set(values) for name, values in before.attributes)


def _holds_no_more(now: Guard, before: Guard) -> bool:
    if now.tenant not in (None, before.tenant):
        return False
    held = dict(before.attributes)
    return all(set(values) <= set(held.get(name, ())) for name, values in now.attributes)
