"""The process that asks one retriever every question once, in fresh state, and says its answers as a recording."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from retrieval_gate.base.canonical import json_line
from retrieval_gate.base.errors import InternalError, RetrieverError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.retrieval import Response
from retrieval_gate.base.strict import as_flag, as_list, as_text
from retrieval_gate.evaluation.child import REPORT_BUG, Child
from retrieval_gate.evaluation.pair import HASH_SEEDS
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.serving import Crashed, serve
from retrieval_gate.evaluation.wire import Finished, Order, from_line, order_for, to_line
from retrieval_gate.retrievers.table import open_retrievers, runs_in_process

_LINE = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedLine:
    """A line of a recording; `holds_text` where it has any of a context."""

    text: str
    holds_text: bool = False


Said = RecordedLine | RetrieverFailure | Crashed | Finished


def main() -> None:
    """Read one order from stdin, write one JSON line per message to stdout (see `serving.serve`)."""
    serve(Order, work, said_line)


def work(order: Order) -> Iterator[Said]:
    """The recording of the order's only ablation, line by line, then the end.

    A retriever that fails ends it: the lines before have been said.
    """
    # Late: the gate itself, which reads what is said here, needs none of it.
    from retrieval_gate.evaluation.requests import requests_of
    from retrieval_gate.evaluation.worker import opening_of, paired
    from retrieval_gate.retrievers.recording import MadeFor, answer_line, hello_line

    (spec,) = order.ablations
    fixture = order.fixture
    requests = requests_of(fixture, order.k)
    try:
        with closing(open_retrievers(order.ablations, opening_of(order))[spec.id]) as retriever:
            made_for = MadeFor(fixture=(fixture.id, fixture.version), k=order.k)
            yield RecordedLine(text=hello_line(retriever.hello(), made_for))
            answers = paired(retriever, fixture.queries, requests)
            for request, (_, response) in zip(requests, answers, strict=True):
                yield RecordedLine(text=answer_line(request, response), holds_text=_holds_text(response))
    except RetrieverError as failure:
        yield RetrieverFailure(run=order.run, ablation=spec.id, code=failure.code, detail=failure.what)
    yield Finished()


def _holds_text(response: Response) -> bool:
    return any(passage.text is not None for passage in response.context or ())


def said_line(said: Said) -> str:
    """One JSON line, without its line end."""
    return json_line([_LINE, said.text, said.holds_text]) if isinstance(said, RecordedLine) else to_line(said)


def _said_from(line: bytes) -> object:
    kind, *rest = as_list(json.loads(line))
    if kind != _LINE:
        return from_line(line)
    text, holds_text = rest
    return RecordedLine(text=as_text(text), holds_text=as_flag(holds_text))


class RecorderProcess(Child):
    """One pass, in a process of its own; `run` is 1 or 2, as in a pair of runs."""

    def __init__(self, run: int) -> None:
        super().__init__("retrieval_gate.evaluation.recorder", HASH_SEEDS[run])
        self._run = run

    def record(self, plan: Plan) -> tuple[tuple[RecordedLine, ...], RetrieverFailure | None]:
        """The recording of the plan's only ablation, as far as its retriever answered, and how it failed.

        Raises InternalError for a bug in this project, or where the process ended without saying why; where a
        retriever's own code ran in it, that is the retriever's failure.
        """
        self.send(order_for(plan, self._run, self.folder))
        recorded: list[RecordedLine] = []
        for line in self.lines():
            match _said_from(line):
                case RecordedLine() as said:
                    recorded.append(said)
                case RetrieverFailure() as failure:
                    return tuple(recorded), failure
                case Finished():
                    return tuple(recorded), None
                case Crashed(trace=trace):
                    raise InternalError("worker-crash", f"the recorder met a bug:\n{trace}", fix=REPORT_BUG)
                case _:
                    raise InternalError("out-of-step", "the recorder sent a run's message", fix=REPORT_BUG)
        return tuple(recorded), self._died(plan)

    def _died(self, plan: Plan) -> RetrieverFailure:
        ended = f"ended with status {self.wait()}"
        if not any(map(runs_in_process, plan.ablations)):
            raise InternalError("worker-died", f"the recorder {ended}", fix=REPORT_BUG)
        detail = f"the process that ran the retriever's code {ended}"
        return RetrieverFailure(run=self._run, ablation=None, code="process-died", detail=detail)
