"""The scenarios, in the order in which they run and are documented."""

from __future__ import annotations

from retrieval_gate.scenarios.cache_probe import CACHE_PROBE
from retrieval_gate.scenarios.fail_closed import FAIL_CLOSED
from retrieval_gate.scenarios.lifecycle import LIFECYCLE
from retrieval_gate.scenarios.non_interference import NON_INTERFERENCE
from retrieval_gate.scenarios.positive_controls import POSITIVE_CONTROLS
from retrieval_gate.scenarios.scenario import Scenario

SCENARIOS: tuple[Scenario, ...] = (
    NON_INTERFERENCE,
    CACHE_PROBE,
    LIFECYCLE,
    POSITIVE_CONTROLS,
    FAIL_CLOSED,
)
