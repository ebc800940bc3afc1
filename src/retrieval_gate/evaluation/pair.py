"""Two workers in fresh state: new process, other hash seed, other folder, documents in another order.

Importing this is quick, so that the command line can start both before it imports what takes longest.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from retrieval_gate.base.errors import InternalError
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

    def begin(self, plan: Plan) -> None:
        """Give the worker its order; where it has died, `messages` says how."""
        from retrieval_gate.evaluation.wire import order_for  # late: workers are started before all else is read

        self.send(order_for(plan, self.run, self.folder))

    def messages(self) -> Iterator[Message]:
        """All messages up to, and without, the end.

        Raises InternalError for a bug in this project, or where the worker ended without saying why.
        """
        from retrieval_gate.evaluation.wire import Crashed, Finished, from_line

        for line in self.lines():
            match from_line(line):
                case Finished():
                    return
                case Crashed(trace=trace):
                    raise InternalError("worker-crash", f"run {self.run} met a bug:\n{trace}", fix=REPORT_BUG)
                case message:
                    yield message
        raise InternalError("worker-died", f"run {self.run} ended with status {self.wait()}", fix=REPORT_BUG)


class WorkerPair:
    """Both workers, started at once; leaving the context stops them and removes what they left.

    It may be left twice: by who started it, and by who uses it.
    """

    def __init__(self) -> None:
        self.first = Worker(1)
        try:
            self.second = Worker(2)
        except BaseException:
            self.first.close()
            raise

    def begin(self, plan: Plan) -> None:
        """Give both workers their orders; `evaluate` reads what they answer."""
        self.first.begin(plan)
        self.second.begin(plan)

    def __enter__(self) -> WorkerPair:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        try:
            self.first.close()
        finally:
            self.second.close()
