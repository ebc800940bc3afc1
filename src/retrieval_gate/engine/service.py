"""The embedded knowledge service: seeds once, then answers requests through any pipeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count
from pathlib import Path
from time import perf_counter_ns
from typing import TypeVar

from retrieval_gate.base.config import AliasTable, EngineSettings
from retrieval_gate.base.fixture import Document, Principal, State
from retrieval_gate.base.retrieval import Hit, Request, Response, Stage
from retrieval_gate.engine.abstention import decide, thresholds
from retrieval_gate.engine.candidates import Candidates, Share, Views
from retrieval_gate.engine.channels import ChannelRow, Pipeline, checked
from retrieval_gate.engine.corpus import ChunkRow
from retrieval_gate.engine.fusion import fuse
from retrieval_gate.engine.providers import TOKEN_HASH, providers
from retrieval_gate.engine.ranking import Ranking, score_of
from retrieval_gate.engine.rerank import rerank
from retrieval_gate.engine.store import Store
from retrieval_gate.engine.text import script
from retrieval_gate.engine.view import View

FILE_NAME = "knowledge.sqlite"

# Requests that are answered together: enough to share the work, few enough to stay lean.
_BATCH = 256

# A stage's name and its ranking, in the order the stages ran.
_Stages = tuple[tuple[str, Ranking], ...]

Answer = TypeVar("Answer")


class KnowledgeService:
    """A small real knowledge service over one SQLite file in `folder`.

    Nothing but the given values and that file is read: no network, no environment, no user database. The order
    of `documents` influences no answer. The principal and the instant of each request are taken from the request's
    own fields, never from its text.
    """

    def __init__(
        self, *, folder: Path, documents: Sequence[Document], settings: EngineSettings, aliases: AliasTable | None
    ) -> None:
        """Seeds every provider that can run; without `aliases` regression-alias can not.

        Raises RetrieverError where `folder` already holds an index, ConfigError for a bad threshold.
        """
        self._settings = settings
        self._thresholds = thresholds(settings.thresholds)
        available = providers(aliases)
        self._store = Store.create(folder / FILE_NAME, documents, available)
        self._providers = tuple(provider.name for provider in available)
        by_name = {provider.name: provider for provider in available}
        policies = tuple(replace(document, chunks=()) for document in documents)
        self._views = Views(policies, self._store.load(), by_name, settings)
        self._candidates = Candidates(self._views, settings.candidates)

    def close(self) -> None:
        """Close the file; it is left in its folder."""
        self._store.close()

    def search(self, pipeline: Pipeline, requests: Sequence[Request]) -> Iterator[Response]:
        """Responses in request order. Raises ConfigError, at once, for a pipeline that can not run."""
        rows = checked(pipeline, self._providers)
        return self._each(requests, lambda group: self._responses(pipeline, rows, group))

    def evidence(self, pipeline: Pipeline, requests: Sequence[Request]) -> list[float]:
        """The evidence (0..1) that abstention compares with its threshold, for each request."""
        rows = checked(pipeline, self._providers)
        return list(self._each(requests, lambda group: map(_evidence, self._found(rows, group))))

    def _each(
        self, requests: Sequence[Request], answer: Callable[[Sequence[Request]], Iterable[Answer]]
    ) -> Iterator[Answer]:
        """`answer` of each request, in order; it is given those of one audience together.

        Else audiences that take turns could push each other's views out with every request.
        """
        for first in range(0, len(requests), _BATCH):
            batch = requests[first : first + _BATCH]
            answers: dict[int, Answer] = {}
            for places in _by_audience(batch):
                answers.update(zip(places, answer([batch[place] for place in places]), strict=True))
            yield from (answers[place] for place in range(len(batch)))

    def _found(self, rows: Sequence[ChannelRow], group: Sequence[Request]) -> Iterator[tuple[Share, ...]]:
        """For each request its candidates, one share per channel."""
        by_channel = [self._candidates.find(row, group) for row in rows]
        return zip(*by_channel, strict=True)

    def _responses(
        self, pipeline: Pipeline, rows: Sequence[ChannelRow], group: Sequence[Request]
    ) -> Iterator[Response]:
        for request, shares in zip(group, self._found(rows, group), strict=True):
            started = perf_counter_ns()
            view = self._views.of(request.principal, request.as_of)
            stages = self._stages(pipeline, rows, request, shares, view)
            enough = not self._settings.abstention or _evidence(shares) >= self._thresholds[script(request.query)]
            elapsed = started
            for share in shares:
                elapsed -= share.elapsed_ns
            yield _response(request, view, stages, enough=enough, started=elapsed)

    def _stages(
        self,
        pipeline: Pipeline,
        rows: Sequence[ChannelRow],
        request: Request,
        shares: Sequence[Share],
        view: View,
    ) -> _Stages:
        """Every stage that ranks; a single channel needs no fusion."""
        rankings = [share.found.ranking for share in shares]
        stages = [(f"candidates:{row.name}", ranking) for row, ranking in zip(rows, rankings, strict=True)]
        if len(rows) > 1:
            weights = [channel.weight for channel in pipeline.channels]
            stages.append(("fusion", fuse(rankings, weights, self._settings.rrf_k)))
        if pipeline.rerank:
            stages.append(("rerank", self._rerank(rows, request, stages[-1][1], view)))
        return tuple(stages)

    def _rerank(self, rows: Sequence[ChannelRow], request: Request, ranking: Ranking, view: View) -> Ranking:
        """Measured on the plain terms, or on the stream with concepts where one of the channels reads that."""
        stream = view.stream(next((row.stream for row in rows if row.stream != TOKEN_HASH), TOKEN_HASH))
        return rerank(
            ranking,
            depth=self._settings.rerank_depth,
            asked=stream.ask(request.query),
            coverage=stream.coverage,
            chunks=view.corpus.chunks,
        )


def _by_audience(requests: Sequence[Request]) -> Iterable[list[int]]:
    """The places of requests of one principal and instant together, in order of first appearance."""
    groups: dict[tuple[Principal | None, datetime | None], list[int]] = {}
    for place, request in enumerate(requests):
        groups.setdefault((request.principal, request.as_of), []).append(place)
    return groups.values()


def _evidence(shares: Sequence[Share]) -> float:
    return max(share.found.evidence for share in shares)


def _response(request: Request, view: View, stages: _Stages, *, enough: bool, started: int) -> Response:
    """`started` is the clock's reading, less what was spent on this request before."""
    final = stages[-1][1]
    returned = final.positions[: request.k].tolist()
    state = decide(enough=enough, hits=len(returned))
    answered = returned if state is State.ANSWERED else []
    chunks = view.corpus.chunks
    hits = _hits(chunks, stages, answered)
    return Response(
        id=request.id,
        hits=hits,
        context=view.context.assemble(answered),
        state=state,
        stages=_trace(chunks, stages, returned, answered) if request.trace else (),
        elapsed_ns=perf_counter_ns() - started,
    )


def _hits(chunks: Sequence[ChunkRow], stages: _Stages, answered: Sequence[int]) -> tuple[Hit, ...]:
    if not answered:
        return ()
    ranks = [(name, dict(zip(ranking.positions.tolist(), count(1), strict=False))) for name, ranking in stages]
    scores = stages[-1][1].scores[: len(answered)].tolist()
    return tuple(
        Hit(
            chunk=chunks[position].id,
            score=score_of(score),
            document=chunks[position].document,
            ranks=tuple([(name, at[position]) for name, at in ranks if position in at]),
        )
        for position, score in zip(answered, scores, strict=True)
    )


def _trace(
    chunks: Sequence[ChunkRow], stages: _Stages, returned: Sequence[int], answered: Sequence[int]
) -> tuple[Stage, ...]:
    """The ids that left each stage, in order."""
    lists = [(name, ranking.positions.tolist()) for name, ranking in stages]
    return tuple(
        Stage(name=name, chunks=tuple(chunks[position].id for position in positions))
        for name, positions in (*lists, ("cut-off", returned), ("abstention", answered))
    )
