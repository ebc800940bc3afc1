"""The shape of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval_gate.base.fixture import Fixture, IndexState
from retrieval_gate.base.ids import AblationId

if TYPE_CHECKING:  # the gate itself needs the two functions below, and not what the scenarios are made of
    from retrieval_gate.scenarios.bench import Bench
    from retrieval_gate.scenarios.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One row of the table.

    `applies` says whether the fixture has anything to check, `able` which ablations can be checked; `run` checks
    them, and leaves the documents as it found them. Its words are in `verdict.scenario_kinds`.
    """

    id: str
    applies: Callable[[Fixture], bool]
    able: Callable[[Bench], Sequence[AblationId]]
    run: Callable[[Bench, Tally, Sequence[AblationId]], None]


def has_access(fixture: Fixture) -> bool:
    """Whether anything is kept from anyone."""
    return bool(fixture.principals) or any(document.access is not None for document in fixture.documents)


def has_times(fixture: Fixture) -> bool:
    """Whether any document begins, ends or is revoked at a time, or is not ready yet."""
    return any(
        document.effective_from
        or document.effective_to
        or document.revoked_at
        or document.index_state is not IndexState.READY
        for document in fixture.documents
    )
