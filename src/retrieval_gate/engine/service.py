"""The embedded knowledge service: seeds, changes, and answers requests through any pipeline."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter_ns
from typing import TypeVar

from retrieval_gate.base.config import AliasTable, EngineSettings
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.fixture import Document, Principal, State
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Hit, Request, Response, Stage
from retrieval_gate.engine.abstention import decide, thresholds
from retrieval_gate.engine.access import Directory
from retrieval_gate.engine.candidates import Candidates, Share, Views
from retrieval_gate.engine.channels import ChannelRow, Pipeline, checked
from retrieval_gate.engine.corpus import ChunkRow
from retrieval_gate.engine.fusion import fuse
from retrieval_gate.engine.models import model_provider
from retrieval_gate.engine.providers import TOKEN_HASH, providers
from retrieval_gate.engine.ranking import Ranking, score_of
from retrieval_gate.engine.rerank import rerank
from retrieval_gate.engine.results import ResultCache, ResultKey
from retrieval_gate.engine.store import Condition, Snapshot, Store
from retrieval_gate.engine.text import script
from retrieval_gate.engine.view import View

# Ids and numbers only, and no id of what the asking principal may not see.
_LOG = logging.getLogger(__name__)

FILE_NAME = "knowledge.sqlite"

# Requests that are answered together: enough to share the work, few enough to stay lean.
_BATCH = 256

# A stage's name and its ranking, in the order the stages ran.
_Stages = tuple[tuple[str, Ranking], ...]

Answer = TypeVar("Answer")
# Answers requests of one audience, in order, from the store's state of a generation.
_Answering = Callable[[int, Sequence[Request]], Iterable[Answer]]


class KnowledgeService:
    """A small real knowledge service over one SQLite file in `folder`.

    Nothing but the given values and that file is read: no network, no environment, no user database. The order
    of documents influences no answer. The principal and the instant of each request are taken from the request's
    own fields, never from its text. A change is seen by the next answer, also one that another process has made.
    """

    def __init__(
        self,
        *,
        folder: Path,
        documents: Sequence[Document] | None,
        settings: EngineSettings,
        aliases: AliasTable | None,
        principals: Sequence[Principal] | None = None,
        models: Sequence[str] = (),
    ) -> None:
        """Seeds every provider that can run; without `aliases` regression-alias can not, and of the embedding
        models those in `models` alone.

        `documents` None: the index that the folder holds is opened as it is. `principals` are those who may ask
        (see `access.Directory`). Raises RetrieverError where `folder` holds an index already, or none to open that
        is whole; ConfigError for a bad threshold.
        """
        self._settings = settings
        self._thresholds = thresholds(settings.thresholds)
        available = (*providers(aliases), *map(model_provider, models))
        path = folder / FILE_NAME
        self._store = (
            Store.open(path, available) if documents is None else Store.create(path, documents, available)
        )
        by_name = {provider.name: provider for provider in available}
        self._providers = tuple(by_name)
        # Of each provider; private: only their hash is ever written.
        self.fingerprints = {provider.name: provider.fingerprint for provider in available}
        self._views = Views(Directory(principals), by_name, settings)
        self._candidates = Candidates(self._views, settings.candidates)
        self._results = ResultCache()
        self._snapshot: Snapshot | None = None

    def close(self) -> None:
        """Close the file; it is left in its folder."""
        self._store.close()

    def update(self, document: Document) -> None:
        """Put a version in the place of the one with its id, or beside all others where there is none.

        It is served once it is ready and its date has come. Raises RetrieverError, and changes nothing, where its
        content hash is not that of its chunks or a chunk's id is another document's.
        """
        self._store.update(document)

    def delete(self, document: DocumentId) -> None:
        """Remove a version with every trace of it; one that is not there is no error."""
        self._store.delete(document)

    def revoke(self, document: DocumentId, at: datetime) -> None:
        """From `at` on, and for every later question at once, the version is not served.

        Raises RetrieverError where there is none of this id.
        """
        self._store.revoke(document, at)

    def reindex(self) -> Iterator[None]:
        """Build the index anew, one step at a time; the old one is served, and may change, until that is whole."""
        return self._store.reindex()

    @property
    def condition(self) -> Condition:
        """Whether a reindex is pending or has died half way; what is served is whole in either case."""
        return self._store.condition

    def search(self, pipeline: Pipeline, requests: Sequence[Request]) -> Iterator[Response]:
        """Responses in request order. Raises ConfigError, at once, for a pipeline that can not run."""
        rows = checked(pipeline, self._providers)
        return self._each(requests, lambda generation, group: self._responses(pipeline, rows, generation, group))

    def evidence(self, pipeline: Pipeline, requests: Sequence[Request]) -> list[float]:
        """The evidence (0..1) that abstention compares with its threshold, for each request."""
        rows = checked(pipeline, self._providers)
        return list(self._each(requests, lambda _, group: map(_evidence, self._found(rows, group))))

    def _each(self, requests: Sequence[Request], answer: _Answering[Answer]) -> Iterator[Answer]:
        """`answer` of each request, in order; answers that a change has overtaken are computed again."""
        for first in range(0, len(requests), _BATCH):
            waiting = requests[first : first + _BATCH]
            while waiting:
                generation = self._renewed().generation
                answers = self._batch(waiting, partial(answer, generation))
                given = 0
                while given < len(waiting) and self._store.generation == generation:
                    yield answers[given]
                    given += 1
                waiting = waiting[given:]

    def _renewed(self) -> Snapshot:
        """The store's present state; everything that was kept of an earlier one is dropped."""
        if self._snapshot is None or self._snapshot.generation != self._store.generation:
            self._snapshot = self._store.snapshot(self._snapshot)
            self._views.renew(self._snapshot.policies, self._snapshot.corpus)
            self._candidates.clear()
            self._results.clear()
        return self._snapshot

    def _batch(
        self, batch: Sequence[Request], answer: Callable[[Sequence[Request]], Iterable[Answer]]
    ) -> list[Answer]:
        """`answer` is given the requests of one audience together.

        Else audiences that take turns could push each other's views out with every request.
        """
        answers: dict[int, Answer] = {}
        for places in _by_audience(batch):
            answers.update(zip(places, answer([batch[place] for place in places]), strict=True))
        return [answers[place] for place in range(len(batch))]

    def _responses(
        self, pipeline: Pipeline, rows: Sequence[ChannelRow], generation: int, group: Sequence[Request]
    ) -> Iterator[Response]:
        """From the cache where it holds the answer, else computed and kept."""
        keys = [self._key(pipeline, request, generation) for request in group]
        kept = {key: self._results.get(key) for key in keys}
        missing = {key: request for key, request in zip(keys, group, strict=True) if kept[key] is None}
        computed = dict(zip(missing, self._computed(pipeline, rows, tuple(missing.values())), strict=True))
        for key, response in computed.items():
            self._results.put(key, response)
        for key, request in zip(keys, group, strict=True):
            fresh = computed.get(key)
            if fresh is not None and fresh.id == request.id:
                yield fresh
            else:
                yield _again(kept[key] or fresh, request)

    def _key(self, pipeline: Pipeline, request: Request, generation: int) -> ResultKey:
        return ResultKey(
            pipeline=pipeline,
            query=request.query,
            k=request.k,
            principal=request.principal,
            as_of=request.as_of,
            trace=request.trace,
            settings=self._settings,
            generation=generation,
        )

    def _found(self, rows: Sequence[ChannelRow], group: Sequence[Request]) -> Iterator[tuple[Share, ...]]:
        """For each request its candidates, one share per channel."""
        by_channel = [self._candidates.find(row, group) for row in rows]
        return zip(*by_channel, strict=True)

    def _computed(
        self, pipeline: Pipeline, rows: Sequence[ChannelRow], group: Sequence[Request]
    ) -> Iterator[Response]:
        for request, shares in zip(group, self._found(rows, group), strict=True):
            started = perf_counter_ns()
            view = self._views.of(request.principal, request.as_of)
            stages = self._stages(pipeline, rows, request, shares, view)
            threshold = self._thresholds[script(request.query)] if self._settings.abstention else None
            elapsed = started
            for share in shares:
                elapsed -= share.elapsed_ns
            found = _evidence(shares)
            response = _response(request, view, stages, evidence=found, threshold=threshold, started=elapsed)
            _LOG.debug("query %s: %d hits of %d chunks", request.id, len(response.hits), len(view.corpus.chunks))
            yield response

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


def _again(response: Response | None, request: Request) -> Response:
    """A response that was computed for another request, under the id of this one; it took no time."""
    if response is None:
        raise InternalError("no-response", f"query {request.id} has no answer", fix="report this bug")
    return replace(response, id=request.id, elapsed_ns=0)


def _evidence(shares: Sequence[Share]) -> float:
    return max(share.found.evidence for share in shares)


def _response(
    request: Request, view: View, stages: _Stages, *, evidence: float, threshold: float | None, started: int
) -> Response:
    """`started` is the clock's reading, less what was spent on this request before."""
    final = stages[-1][1]
    returned = final.positions[: request.k].tolist()
    state = decide(enough=threshold is None or evidence >= threshold, hits=len(returned))
    answered = returned if state is State.ANSWERED else []
    chunks = view.corpus.chunks
    hits = _hits(chunks, stages, answered)
    return Response(
        id=request.id,
        hits=hits,
        context=view.context.assemble(answered),
        state=state,
        stages=_trace(chunks, stages, returned, answered) if request.trace else (),
        evidence=evidence,
        threshold=threshold,
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
