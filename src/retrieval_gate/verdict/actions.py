"""The first corrective action for one verdict: its kind's, where what it is about asks for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from retrieval_gate.base.scenario import Unmet
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.scoring.slices import ALL, SPLIT
from retrieval_gate.verdict.accepted import HELD_OUT
from retrieval_gate.verdict.kinds import kind_of
from retrieval_gate.verdict.scenario_kinds import CHECKS

# Their n counts the chunks that a query must not be shown, which labels and the fixture's policy decide.
_BY_POLICY = ("permission-leaks", "stale-evidence")
_NO_HELD_OUT = "give the held-out queries: --held-out FILE, or heldout in the configuration; or accept that"


class _Instead(NamedTuple):
    """An action in place of the kind's own, where `about` says so."""

    about: Callable[[Verdict], bool]
    action: str


def _by_fixture(kind: str) -> Callable[[Verdict], bool]:
    return lambda verdict: verdict.kind == kind and verdict.detail == Unmet.FIXTURE


_INSTEAD = (
    _Instead(
        lambda verdict: verdict.kind == "query-missing" and verdict.slice == ALL,
        "repair what the retriever failed with: nothing behind it was asked",
    ),
    _Instead(
        lambda verdict: verdict.kind == "scenarios" and verdict.detail == Unmet.RUN,
        "repair the retriever first: scenarios wait for two whole runs",
    ),
    _Instead(
        lambda verdict: verdict.kind == "n-dropped" and verdict.metric in _BY_POLICY,
        "compare with --base-baseline: access or dates of documents, or labels, changed, and less is checked",
    ),
    _Instead(
        lambda verdict: verdict.kind == "slice-gone" and (verdict.slice or "").startswith(f"{SPLIT}="),
        _NO_HELD_OUT,
    ),
    _Instead(
        lambda verdict: verdict.kind == "label-edited" and verdict.slice == HELD_OUT and verdict.n == 0,
        _NO_HELD_OUT,
    ),
    *(_Instead(_by_fixture(row.id), row.fixture) for row in CHECKS if row.fixture),
)


def action_of(verdict: Verdict) -> str:
    """What to do first about this verdict; raises KeyError for a kind that no rule gives."""
    kind = kind_of(verdict.kind)
    action = next((row.action for row in _INSTEAD if row.about(verdict)), kind.action)
    return f"{action}; or waive the query until a date: [[waivers]]" if kind.waivable else action
