"""Two workers in fresh state: new process, other hash seed, other folder, documents in another order.

Importing this is quick, so that the command line can start both before it imports what takes longest.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.evaluation.child import REPORT_BUG, Child

if TYPE_CHECKING:
    from retrieval_gate.evaluation.plan import Plan
    from retrieval_gate.evaluation.wire import Message

# Each worker's hash seed: known and different, so that set order can not agree by luck in both runs.
HASH_SEEDS = {1: "1", 2: "2"}


class Worker(Child):
    """One run, in a process of its own."""

    def __init__(self, run: int) -> None:
        super().__init__("retrieval_gate.evaluation.worker", HASH_SEEDS[run])
        self.run = run
        self._plan: Plan | None = None

    def begin(self, plan: Plan) -> None:
        """Give the worker its order; where it has died, `messages` says how."""
        from retrieval_gate.evaluation.wire import order_for  # late: workers are started before all else is read

        self._plan = plan
        self.send(order_for(plan, self.run, self.folder))

    def messages(self) -> Iterator[Message]:
        """All messages up to, and without, the end.

        Raises InternalError for a bug in this project, or where the worker ended without saying why; where a
        retriever's own code ran in it, that is the retriever's failure.
        """
        from retrieval_gate.base.record import Observation
        from retrieval_gate.evaluation.serving import Crashed
        from retrieval_gate.evaluation.wire import Finished, from_line

        seen = 0
        for line in self.lines():
            match from_line(line):
                case Finished():
                    return
                case Crashed(trace=trace):
                    raise InternalError("worker-crash", f"run {self.run} met a bug:\n{trace}", fix=REPORT_BUG)
                case message:
                    seen += isinstance(message, Observation)
                    yield message
        died = self._died(seen)
        if died is not None:
            yield died
            return
        raise InternalError("worker-died", f"run {self.run} ended with status {self.wait()}", fix=REPORT_BUG)

    def _died(self, seen: int) -> RetrieverFailure | None:
        """The failure of whose turn it was behind `seen` answers; None where no retriever's code runs there."""
        from retrieval_gate.retrievers.table import runs_in_process

        if self._plan is None or not any(map(runs_in_process, self._plan.ablations)):
            return None
        turn = self._plan.ablations[min(seen // len(self._plan.fixture.queries), len(self._plan.ablations) - 1)]
        return RetrieverFailure(
            run=self.run,
            # Before the first answer it may have been any of them, while it was opened.
            ablation=turn.id if seen else None,
            code="process-died",
            detail=f"the process that ran the retriever's code ended with status {self.wait()}, "
            f"behind {seen} answers",
        )


class WorkerPair:
    """Both workers, started at once; leaving the context stops them and removes what they left.

    It may be left twice: by who started it, and by who uses it.
    """

    def __init__(self) -> None:
        self._waiting: Plan | None = None
        self.first = Worker(1)
        try:
            self.second = Worker(2)
        except BaseException:
            self.first.close()
            raise

    def begin(self, plan: Plan) -> None:
        """Give both workers their orders, the second where the first need not have ended before."""
        self.first.begin(plan)
        if plan.one_by_one:
            self._waiting = plan
        else:
            self.second.begin(plan)

    def messages(self) -> tuple[Iterator[Message], Iterator[Message]]:
        """What each run says, once `begin` was called; raises InternalError as `Worker.messages` does."""
        first = self.first.messages()
        if self._waiting is not None:
            first = iter(list(first))
            self.second.begin(self._waiting)
        return first, self.second.messages()

    def __enter__(self) -> WorkerPair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            self.first.close()
        finally:
            self.second.close()
