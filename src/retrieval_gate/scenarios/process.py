"""The scenarios' own process, beside the two runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from retrieval_gate.base.errors import InternalError
from retrieval_gate.evaluation.child import REPORT_BUG, Child

if TYPE_CHECKING:  # this is imported before the process is started: what is needed later is imported then
    from retrieval_gate.base.evaluation import Evaluation, RetrieverFailure
    from retrieval_gate.base.fixture import Fixture
    from retrieval_gate.base.scenario import ScenarioResult
    from retrieval_gate.evaluation.plan import Plan

_HASH_SEED = "3"
# Names of members without one of which no fixture has anything for a scenario.
_ANNOUNCED = (b'"principals"', b'"access"', b'"effectiveFrom"', b'"effectiveTo"', b'"revokedAt"', b'"indexState"')


class ScenarioProcess(Child):
    """Runs every scenario once, in fresh state; leaving the context stops it and removes what it left."""

    def __init__(self) -> None:
        super().__init__("retrieval_gate.scenarios.worker", _HASH_SEED)

    def begin(self, plan: Plan) -> None:
        """Give it its order."""
        from retrieval_gate.scenarios.wire import ScenarioOrder

        self.send(
            ScenarioOrder(
                folder=self.folder,
                fixture=plan.fixture,
                ablations=plan.ablations,
                engine=plan.engine,
                aliases=plan.aliases,
                k=plan.k,
            )
        )

    def results(self) -> Iterator[ScenarioResult | RetrieverFailure]:
        """All results; a retriever's failure is the last.

        Raises InternalError for a bug in this project, or where the process ended without saying why.
        """
        from retrieval_gate.base.evaluation import RetrieverFailure
        from retrieval_gate.base.scenario import ScenarioResult
        from retrieval_gate.evaluation.serving import Crashed
        from retrieval_gate.evaluation.wire import Finished
        from retrieval_gate.scenarios.wire import said_from

        for line in self.lines():
            match said_from(line):
                case ScenarioResult() | RetrieverFailure() as said:
                    yield said
                case Finished():
                    return
                case Crashed(trace=trace):
                    raise InternalError("worker-crash", f"the scenarios met a bug:\n{trace}", fix=REPORT_BUG)
                case _:
                    raise InternalError("out-of-step", "the scenarios sent a run's message", fix=REPORT_BUG)
        raise InternalError("worker-died", f"the scenarios ended with status {self.wait()}", fix=REPORT_BUG)


class Scenarios:
    """The process where there is one; leaving the context stops it and removes what it left."""

    def __init__(self) -> None:
        self._process: ScenarioProcess | None = None
        self._waiting: Plan | None = None
        self._begun = False

    def expect(self, fixture: bytes) -> None:
        """Start the process where the fixture's bytes announce something for it. Only a matter of speed."""
        if self._process is None and any(name in fixture for name in _ANNOUNCED):
            self._process = ScenarioProcess()

    def begin(self, plan: Plan) -> None:
        """Run the scenarios where the fixture has anything for them: now, or when both runs have ended."""
        if _needed(plan.fixture):
            self._process = self._process or ScenarioProcess()
            self._begun = True
            if plan.one_by_one:
                self._waiting = plan
            else:
                self._process.begin(plan)

    def added_to(self, evaluation: Evaluation) -> Evaluation:
        """The evaluation with what the scenarios found; as it is where a run failed already.

        Raises InternalError as `ScenarioProcess.results` does.
        """
        if self._process is None or not self._begun or evaluation.failures:
            return evaluation
        from retrieval_gate.base.evaluation import RetrieverFailure
        from retrieval_gate.base.scenario import ScenarioResult

        if self._waiting is not None:
            self._process.begin(self._waiting)
        said = list(self._process.results())
        return replace(
            evaluation,
            scenarios=tuple(result for result in said if isinstance(result, ScenarioResult)),
            failures=tuple(failure for failure in said if isinstance(failure, RetrieverFailure)),
        )

    def __enter__(self) -> Scenarios:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._process is not None:
            self._process.close()


def _needed(fixture: Fixture) -> bool:
    """Whether anything is kept from anyone, or has a time."""
    from retrieval_gate.scenarios.scenario import has_access, has_times

    return has_access(fixture) or has_times(fixture)
