"""The process that seeds the retrievers once more and runs every scenario that the fixture has something for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.evaluation import RetrieverFailure
from retrieval_gate.base.scenario import ScenarioResult
from retrieval_gate.evaluation.serving import serve
from retrieval_gate.evaluation.wire import Finished
from retrieval_gate.retrievers.port import Opening
from retrieval_gate.retrievers.table import open_retrievers
from retrieval_gate.scenarios.bench import Bench
from retrieval_gate.scenarios.log_watch import LogWatch
from retrieval_gate.scenarios.scenario import Scenario
from retrieval_gate.scenarios.table import SCENARIOS
from retrieval_gate.scenarios.tally import Tally
from retrieval_gate.scenarios.wire import Said, ScenarioOrder, said_line

# How a failure names this process, beside runs 1 and 2.
RUN = 3
LOG_OUTPUT = "log-output"


def main() -> None:
    """Read one order from stdin, write one JSON line per result to stdout (see `serving.serve`)."""
    serve(ScenarioOrder, lambda order: work(order, LogWatch(order.folder / "log")), said_line)


def work(order: ScenarioOrder, logs: LogWatch | None) -> Iterator[Said]:
    """One result per scenario and ablation, then what the log holds, then the end.

    A retriever that fails ends it: what it found before is kept.
    """
    try:
        with ExitStack() as closing:
            opening = Opening(
                run=RUN,
                folder=order.folder,
                documents=order.fixture.documents,
                engine=order.engine,
                aliases=order.aliases,
                principals=order.fixture.principals,
                fixture=(order.fixture.id, order.fixture.version),
            )
            retrievers = open_retrievers(order.ablations, opening)
            for retriever in retrievers.values():
                closing.callback(retriever.close)
            yield from _results(Bench(order.fixture, order.k, retrievers, logs))
    except RetrieverError as failure:
        yield RetrieverFailure(run=RUN, ablation=None, code=failure.code, detail=failure.what)
    yield Finished()


def _results(bench: Bench) -> Iterator[ScenarioResult]:
    for scenario in SCENARIOS:
        yield from results_of(scenario, bench)
    yield from bench.log_tally.results(LOG_OUTPUT, bench.able())


def results_of(scenario: Scenario, bench: Bench) -> tuple[ScenarioResult, ...]:
    """What a scenario finds; where the fixture has nothing for it, that is what it lacks, whoever may be asked."""
    everyone = bench.able()
    tally = Tally(everyone)
    if not scenario.applies(bench.fixture):
        return tally.results(scenario.id, everyone)
    able = scenario.able(bench)
    if able:
        scenario.run(bench, tally, able)
    return tally.results(scenario.id, able)
