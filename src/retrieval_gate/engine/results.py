"""Results that were computed before, each under everything that decides it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.base.fixture import Principal
from retrieval_gate.base.retrieval import Response
from retrieval_gate.engine.channels import Pipeline

# How many results are kept: with their traces about ten kilobytes each.
_MOST = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultKey:
    """What decides a result: two requests with equal keys have equal answers, their ids aside.

    `generation` is the store's; it moves with every update, deletion and revocation.
    """

    pipeline: Pipeline
    query: str
    k: int
    principal: Principal | None
    as_of: datetime | None
    trace: bool
    settings: EngineSettings
    generation: int

    def __hash__(self) -> int:
        """Of what most often differs: a key is looked for several times for each answer."""
        return hash((self.query, self.k, self.principal, self.as_of))


class ResultCache:
    """The results used last; the one whose use is longest ago goes first."""

    def __init__(self) -> None:
        self._results: dict[ResultKey, Response] = {}

    def get(self, key: ResultKey) -> Response | None:
        """The result, which counts as used now; None where there is none."""
        found = self._results.pop(key, None)
        if found is not None:
            self._results[key] = found
        return found

    def put(self, key: ResultKey, response: Response) -> None:
        """Keep a result, in the place of the oldest where there is no room."""
        if len(self._results) >= _MOST:
            del self._results[next(iter(self._results))]
        self._results[key] = response

    def clear(self) -> None:
        """Forget all."""
        self._results.clear()
