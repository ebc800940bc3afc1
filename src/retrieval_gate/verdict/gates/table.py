"""The gates, in the order in which they are documented."""

from __future__ import annotations

from retrieval_gate.verdict.gates.ceiling import CEILING
from retrieval_gate.verdict.gates.completeness import COMPLETENESS
from retrieval_gate.verdict.gates.conflicts import CONFLICTS
from retrieval_gate.verdict.gates.floor import FLOOR
from retrieval_gate.verdict.gates.labels import LABELS
from retrieval_gate.verdict.gates.loosening import LOOSENING
from retrieval_gate.verdict.gates.max_below import MAX_BELOW
from retrieval_gate.verdict.gates.measured import MEASURED
from retrieval_gate.verdict.gates.no_drop import NO_DROP
from retrieval_gate.verdict.gates.notes import NOTES
from retrieval_gate.verdict.gates.per_query import PER_QUERY
from retrieval_gate.verdict.gates.rule import GateRule
from retrieval_gate.verdict.gates.scenarios import SCENARIOS_RULE
from retrieval_gate.verdict.gates.waivers import WAIVERS
from retrieval_gate.verdict.gates.zero_tolerance import ZERO_TOLERANCE_RULE

__all__ = ["GATES", "GateRule"]

GATES: tuple[GateRule, ...] = (
    ZERO_TOLERANCE_RULE,
    SCENARIOS_RULE,
    WAIVERS,
    CONFLICTS,
    LOOSENING,
    COMPLETENESS,
    MEASURED,
    LABELS,
    FLOOR,
    CEILING,
    MAX_BELOW,
    PER_QUERY,
    NO_DROP,
    NOTES,
)
