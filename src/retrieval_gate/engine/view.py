"""What one principal may see at one instant, ready to be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.engine.abstention import EVIDENCE_DEPTH, evidence
from retrieval_gate.engine.channels import ChannelRow
from retrieval_gate.engine.context import ContextAssembly
from retrieval_gate.engine.corpus import Corpus
from retrieval_gate.engine.coverage import Coverage, Question, question
from retrieval_gate.engine.lexical import Lexical, Postings, postings
from retrieval_gate.engine.providers import TOKEN_HASH, Provider, embed
from retrieval_gate.engine.ranking import Ranking
from retrieval_gate.engine.vectors import Cosine, Vectors

# How many questions a stream remembers.
_QUESTIONS = 512


class StreamIndex:
    """One provider's term streams of the visible chunks: their statistics, and how questions are measured."""

    def __init__(self, corpus: Corpus, provider: Provider) -> None:
        self._vocabulary = corpus.vocabulary
        # A question is asked through several channels and the reranker: twice a batch of them is kept.
        self.features = lru_cache(maxsize=_QUESTIONS)(provider.features)
        self.ask = lru_cache(maxsize=_QUESTIONS)(self._ask)
        self.postings: Postings = postings(corpus.streams[provider.name], corpus.terms)
        self.coverage = Coverage(corpus.streams[provider.name], corpus.terms)

    def _ask(self, query: str) -> Question:
        return question(self.features(query), self._vocabulary, self.postings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """One channel's candidates for one query, and the evidence in the best of them."""

    ranking: Ranking
    evidence: float


class View:
    """Visible chunks with their own statistics; nothing in it depends on a chunk that is not visible."""

    def __init__(self, corpus: Corpus, providers: Mapping[str, Provider], settings: EngineSettings) -> None:
        self.corpus = corpus
        self._providers = providers
        self._streams: dict[str, StreamIndex] = {}
        self._cosines: dict[str, Cosine] = {}
        self.context = ContextAssembly(
            corpus.chunks, budget=settings.context_characters, neighbours=settings.neighbours
        )

    def stream(self, provider: str) -> StreamIndex:
        """Made when first needed."""
        if provider not in self._streams:
            self._streams[provider] = StreamIndex(self.corpus, self._providers[provider])
        return self._streams[provider]

    def find(self, channel: ChannelRow, queries: Sequence[str], depth: int) -> list[Found]:
        """At most `depth` candidates of a channel for each query."""
        stream = self.stream(channel.stream)
        asked = [stream.ask(query) for query in queries]
        if channel.provider is None:
            rankings = [self._lexical.rank(each.terms.tolist(), depth) for each in asked]
        else:
            rankings = self._nearest(channel.provider, queries, depth)
        return [
            Found(ranking=ranking, evidence=self._evidence(stream, each, ranking))
            for each, ranking in zip(asked, rankings, strict=True)
        ]

    @cached_property
    def _lexical(self) -> Lexical:
        return Lexical(self.stream(TOKEN_HASH).postings, self.corpus.streams[TOKEN_HASH].lengths)

    def _nearest(self, provider: str, queries: Sequence[str], depth: int) -> list[Ranking]:
        if provider not in self._cosines:
            self._cosines[provider] = Cosine(self.corpus.vectors[provider])
        features = self.stream(provider).features
        vectors = Vectors.of([embed(features(query)) for query in queries])
        return list(self._cosines[provider].rank(vectors, depth))

    def _evidence(self, stream: StreamIndex, asked: Question, ranking: Ranking) -> float:
        looked_at = ranking.positions[:EVIDENCE_DEPTH]
        return evidence(stream.coverage.window(asked, looked_at)) if len(looked_at) else 0.0
