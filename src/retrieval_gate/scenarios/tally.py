"""What one scenario has counted and found, ablation by ablation."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.scenario import ScenarioFinding, ScenarioResult, Unmet


class Tally:
    """Counts checks and keeps findings, each once, in the order in which they came."""

    def __init__(self, ablations: Sequence[AblationId]) -> None:
        self._checks = dict.fromkeys(ablations, 0)
        self._findings: dict[AblationId, dict[ScenarioFinding, None]] = {ablation: {} for ablation in ablations}

    def check(self, ablation: AblationId, finding: ScenarioFinding | None = None) -> None:
        """One check; `finding` says how it failed, None that it did not."""
        self._checks[ablation] += 1
        if finding is not None:
            self.found(ablation, finding)

    def found(self, ablation: AblationId, finding: ScenarioFinding) -> None:
        """A finding beside the checks that are counted."""
        self._findings[ablation].setdefault(finding)

    def results(self, scenario: str, able: Collection[AblationId]) -> tuple[ScenarioResult, ...]:
        """One per ablation; one without any check was not checked: not able, or the fixture had nothing for it."""
        return tuple(
            ScenarioResult(
                scenario=scenario,
                ablation=ablation,
                checks=checks,
                findings=tuple(self._findings[ablation]),
                checked=checks > 0,
                unmet=None if checks else Unmet.FIXTURE if ablation in able else Unmet.RETRIEVER,
            )
            for ablation, checks in self._checks.items()
        )
