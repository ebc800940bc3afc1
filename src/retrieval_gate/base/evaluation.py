"""What two runs of one plan gave: everything that verdicts and reports are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retrieval_gate.base.ids import AblationId, QueryId

if TYPE_CHECKING:  # a worker knows of failures, and of nothing else that stands here
    from retrieval_gate.base.difference import Difference
    from retrieval_gate.base.hashes import Definition
    from retrieval_gate.base.scenario import ScenarioResult
    from retrieval_gate.base.scores import Latency, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverFailure:
    """A retriever that died, hung or answered something that is not an answer.

    `run` is 1 or 2, or 3 for that of the scenarios; `ablation` is None where the failure came before the first
    question, or in a scenario. `code` is kebab-case; `detail` is made of field names, numbers and type names only.
    """

    run: int
    ablation: AblationId | None
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How far one query is from being decided the other way: a diagnostic, in no baseline.

    `evidence` is what the retriever decided by; `threshold` the least with which it answers, None where its
    threshold is not in force. `script` is the query's, by which thresholds are set; None where that is not known.
    """

    ablation: AblationId
    query: QueryId
    evidence: float
    threshold: float | None
    script: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """`scores` are run 1's. `margins` are run 1's too, of the queries that a retriever gives its evidence for.
    `scenarios` is empty where the fixture has nothing for them.

    `unseeded` are those whose retriever takes no documents: the fixture's are expected to be there already.

    `failures` is empty when both runs are complete; otherwise what was measured before is kept in `scores`
    and the evaluation never passes.
    """

    definition: Definition
    scores: Scores
    differences: tuple[Difference, ...]
    failures: tuple[RetrieverFailure, ...]
    latencies: tuple[Latency, ...]
    margins: tuple[Margin, ...] = ()
    scenarios: tuple[ScenarioResult, ...] = ()
    unseeded: tuple[AblationId, ...] = ()
