"""The process that asks, from the side that is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.retrieval import Hello, Response
from retrieval_gate.base.transport import UnknownIds
from retrieval_gate.doctor.questions import Question, Round, RoundId
from retrieval_gate.doctor.wire import ExamOrder, Failed, Fault, Heard, Opened, Replied, Said, said_from
from retrieval_gate.evaluation.child import REPORT_BUG, Child
from retrieval_gate.evaluation.pair import HASH_SEEDS
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.serving import Crashed
from retrieval_gate.evaluation.wire import Finished
from retrieval_gate.report.build import NO_DETAIL
from retrieval_gate.report.names import FAILURE_CODES
from retrieval_gate.retrievers.known import Mapping
from retrieval_gate.retrievers.table import is_recorded, runs_in_process
from retrieval_gate.scoring.trail import OTHER

# Which run a retriever is told that it serves: one that stands alone. A recording may have another for run 2.
ALONE = 4


@dataclass(slots=True, kw_only=True)
class Seen:
    """What one process has seen. `hello` is None where the retriever could not be opened.

    `replies` are in the order of their round's questions, as far as they came. `failure` ended it; `during` is the
    round in which it did, None: before the first.
    """

    hello: Hello | None = None
    opening_ns: int = 0
    replies: dict[RoundId, list[tuple[Question, Response | Fault]]] = field(default_factory=dict)
    mapping: Mapping | None = None
    failure: Fault | None = None
    during: RoundId | None = None


class Examiner(Child):
    """Asks one retriever; `number` is 1 or 2, which tells the two processes of one examination apart."""

    def __init__(self, number: int) -> None:
        super().__init__("retrieval_gate.doctor.worker", HASH_SEEDS[number])
        self._number = number

    def examine(self, plan: Plan, spec: AblationSpec, rounds: Sequence[Round]) -> Seen:
        """What came of the questions.

        Raises InternalError for a bug in this project, or where the process ended without saying why; where a
        retriever's own code ran in it, that is the retriever's failure.
        """
        self.send(order_for(plan, spec, rounds, self._number, self.folder))
        seen = Seen()
        if not gather(seen, map(said_from, self.lines()), rounds):
            seen.failure, seen.during = self._died(spec), _under_way(seen, rounds)
        return seen

    def _died(self, spec: AblationSpec) -> Fault:
        ended = f"ended with status {self.wait()}"
        if not runs_in_process(spec):
            raise InternalError("worker-died", f"the doctor's process {ended}", fix=REPORT_BUG)
        return Fault(
            code="process-died",
            what=f"the process that ran the retriever's code {ended}",
            fix="run the code by hand with one of the queries",
        )


def order_for(plan: Plan, spec: AblationSpec, rounds: Sequence[Round], number: int, folder: Path) -> ExamOrder:
    """What the process of this number is to do, in an empty folder of its own."""
    again = number == 2
    return ExamOrder(
        run=2 if again and is_recorded(spec) else ALONE,
        backwards=again,
        folder=folder,
        fixture=plan.fixture,
        spec=_patient(spec, len(rounds)),
        engine=plan.engine,
        aliases=plan.aliases,
        rounds=tuple(rounds),
    )


def gather(seen: Seen, says: Iterable[Said], rounds: Sequence[Round]) -> bool:
    """Put what is said into `seen`; whether the end was said too. Raises InternalError for a bug."""
    for said in says:
        match said:
            case Opened(hello=hello, elapsed_ns=elapsed):
                seen.hello, seen.opening_ns = hello, elapsed
            case Replied():
                _keep(seen, rounds[said.place], said)
            case Failed(fault=fault):
                seen.failure, seen.during = _known(fault), _under_way(seen, rounds)
            case Heard(mapping=mapping):
                seen.mapping = mapping
            case Crashed(trace=trace):
                raise InternalError("worker-crash", f"the doctor met a bug:\n{trace}", fix=REPORT_BUG)
            case Finished():
                return True
            case _:
                assert_never(said)
    return False


def examine(plan: Plan, spec: AblationSpec, rounds: Sequence[Round], number: int) -> Seen:
    """Ask in a process of its own, which has ended when this returns."""
    with closing(Examiner(number)) as examiner:
        return examiner.examine(plan, spec, rounds)


def _patient(spec: AblationSpec, rounds: int) -> AblationSpec:
    """Ids that the fixture does not have are counted, not refused; the time for all is for each round."""
    transport = replace(
        spec.transport,
        unknown_ids=UnknownIds.UNJUDGED,
        total_timeout=spec.transport.total_timeout * max(1, rounds),
    )
    return replace(spec, transport=transport)


def _keep(seen: Seen, part: Round, said: Replied) -> None:
    reply = _known(said.reply) if isinstance(said.reply, Fault) else said.reply
    seen.replies.setdefault(part.id, []).append((part.questions[said.number], reply))


def _under_way(seen: Seen, rounds: Sequence[Round]) -> RoundId | None:
    """The first round that is not whole; None where nothing was asked yet."""
    if seen.hello is None:
        return None
    return next((part.id for part in rounds if len(seen.replies.get(part.id, ())) < len(part.questions)), None)


def _known(fault: Fault) -> Fault:
    """What this project did not write is not told."""
    if fault.code in FAILURE_CODES:
        return fault
    return Fault(code=OTHER, what=NO_DETAIL, fix="look into the retriever's own log")
