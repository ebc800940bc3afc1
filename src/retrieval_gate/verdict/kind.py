"""The shape of a kind of verdict."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of verdict. Its place in `KINDS` is its severity.

    `blocking` kinds can fail; the others are notes, passes or not checked. `violation`: zero tolerance, without
    degree. `acceptable` says whether `baseline accept` may take a run in which this kind failed, `waivable`
    whether a waiver of the configuration takes it. `failures` are the kinds that stand in the place of a row of
    what was checked, where a check fails.
    """

    id: str
    title: str
    explanation: str
    action: str
    blocking: bool = True
    violation: bool = False
    acceptable: bool = True
    waivable: bool = False
    failures: tuple[str, ...] = ()
