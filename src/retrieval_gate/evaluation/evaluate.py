"""Run the plan twice, side by side, and keep what both runs gave."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.evaluation import Evaluation, Margin, RetrieverFailure
from retrieval_gate.base.ids import AblationId, QueryId
from retrieval_gate.base.record import Observation, QueryRecord
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.base.scores import Scores
from retrieval_gate.engine.text import script
from retrieval_gate.evaluation.child import REPORT_BUG
from retrieval_gate.evaluation.definition import define
from retrieval_gate.evaluation.determinism import difference
from retrieval_gate.evaluation.pair import WorkerPair
from retrieval_gate.evaluation.plan import Plan
from retrieval_gate.evaluation.wire import Introduced, Message
from retrieval_gate.scoring.latency import latency
from retrieval_gate.scoring.rows import rows

# Called with how many (ablation, query) pairs both runs have answered, and how many there are.
Progress = Callable[[int, int], None]


def silent(_done: int, _total: int) -> None:
    """No progress is shown."""


@dataclass(slots=True, kw_only=True)
class _Seen:
    """What has been read from the workers so far. Metrics are functions of the records, so that equal records
    of both runs are equal metrics: only run 1's are kept. `scripts` are those of the queries."""

    scripts: dict[QueryId, str] = field(default_factory=dict)
    hellos: list[tuple[AblationId, Hello]] = field(default_factory=list)
    records: list[QueryRecord] = field(default_factory=list)
    times: dict[AblationId, list[int]] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    failures: list[RetrieverFailure] = field(default_factory=list)
    margins: list[Margin] = field(default_factory=list)


def evaluate(plan: Plan, pair: WorkerPair, progress: Progress = silent) -> Evaluation:
    """Both runs of `plan`, which `pair` has begun, compared query by query as they come.

    A retriever that fails ends its run: what was measured before is kept, every later query is scored as missing.
    Raises InternalError for a bug in a worker.
    """
    seen = _Seen()
    seen.scripts.update((query.id, script(query.text)) for query in plan.fixture.queries)
    total = len(plan.ablations) * len(plan.fixture.queries)
    first, second = pair.messages()
    while _step(seen, first, second):
        progress(len(seen.records), total)
    return _evaluation(plan, seen)


def _step(seen: _Seen, first: Iterator[Message], second: Iterator[Message]) -> bool:
    """Read the next message of each run; False at the end of both or at a failure."""
    one, other = next(first, None), next(second, None)
    match one, other:
        case Observation(), Observation():
            _compare(seen, one, other)
            return True
        case Introduced(), Introduced():
            seen.hellos.append((one.ablation, one.hello))
            return True
        case None, None:
            return False
        case _:
            failed = [message for message in (one, other) if isinstance(message, RetrieverFailure)]
            if not failed:
                raise InternalError("out-of-step", "the two runs sent messages of different kinds", fix=REPORT_BUG)
            seen.failures += failed
            return False


def _compare(seen: _Seen, one: Observation, other: Observation) -> None:
    found = difference(one, other)
    if found is not None:
        seen.differences.append(found)
    seen.records.append(one.record)
    if one.evidence is not None:
        seen.margins.append(
            Margin(
                ablation=one.record.ablation,
                query=one.record.query,
                evidence=one.evidence,
                threshold=one.threshold,
                script=seen.scripts.get(one.record.query),
            )
        )
    seen.times.setdefault(one.record.ablation, []).append(one.latency_ns)


def _evaluation(plan: Plan, seen: _Seen) -> Evaluation:
    records = _completed(plan, seen.records)
    return Evaluation(
        definition=define(plan, seen.hellos),
        scores=Scores(records=records, rows=rows(records, plan.metrics, plan.slices)),
        differences=tuple(seen.differences),
        failures=tuple(seen.failures),
        latencies=tuple(latency(spec.id, seen.times.get(spec.id, [])) for spec in plan.ablations),
        margins=tuple(seen.margins),
        unseeded=tuple(name for name, hello in seen.hellos if "seed" not in hello.capabilities),
    )


def _completed(plan: Plan, records: list[QueryRecord]) -> tuple[QueryRecord, ...]:
    """The records of the plan, in plan order; what a failed run did not reach is scored as missing."""
    if len(records) == len(plan.ablations) * len(plan.fixture.queries):
        return tuple(records)  # both runs are whole: they answer in plan order
    from retrieval_gate.scoring.observe import Observer  # late: as a rule only the workers need it

    known = {(record.ablation, record.query): record for record in records}
    observer = Observer(plan.fixture)
    return tuple(
        known.get((spec.id, query.id)) or observer.missing(spec.id, query)
        for spec in plan.ablations
        for query in plan.fixture.queries
    )
