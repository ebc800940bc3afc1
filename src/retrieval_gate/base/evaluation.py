"""What two runs of one plan gave: everything that verdicts and reports are made from."""

from __future__ import annotations

from dataclasses import dataclass

from retrieval_gate.base.difference import Difference
from retrieval_gate.base.hashes import Definition
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.scores import Latency, Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverFailure:
    """A retriever that died, hung or answered something that is not an answer.

    `run` is 1 or 2; `ablation` is None where the failure came before the first question. `code` is kebab-case;
    `detail` is made of field names, numbers and type names only.
    """

    run: int
    ablation: AblationId | None
    code: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """`scores` are run 1's; `rescored` says whether run 2's rows are equal to them.

    `failures` is empty when both runs are complete; otherwise what was measured before is kept in `scores`
    and the evaluation never passes.
    """

    definition: Definition
    scores: Scores
    differences: tuple[Difference, ...]
    failures: tuple[RetrieverFailure, ...]
    latencies: tuple[Latency, ...]
