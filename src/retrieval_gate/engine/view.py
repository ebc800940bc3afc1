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
from retrieval_gate.engine.lexical import Lexical, Postings
from retrieval_gate.engine.providers import TOKEN_HASH
from retrieval_gate.engine.ranking import Ranking
from retrieval_gate.engine.reading import Reader
from retrieval_gate.engine.vectors import Cosine, Vectors

# How many questions a stream remembers.
_QUESTIONS = 512


class StreamIndex:
    """One provider's term streams of the visible chunks: their statistics, and how questions are measured."""

    def __init__(self, corpus: Corpus, provider: str, reader: Reader) -> None:
        self._vocabulary = corpus.vocabulary
        self._reader = reader
        # A question is asked through several channels and the reranker: twice a batch of them is kept.
        self.ask = lru_cache(maxsize=_QUESTIONS)(self._ask)
        self.postings: Postings = corpus.postings(provider)
        self.coverage = Coverage(corpus.streams[provider], corpus.terms)

    def _ask(self, query: str) -> Question:
        return question(self._reader.read(query), self._vocabulary, self.postings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """One channel's candidates for one query, and the evidence in the best of them."""

    ranking: Ranking
    evidence: float


class View:
    """Visible chunks with their own statistics; nothing in it depends on a chunk that is not visible."""

    def __init__(self, corpus: Corpus, readers: Mapping[str, Reader], settings: EngineSettings) -> None:
        self.corpus = corpus
        self._readers = readers
        self._streams: dict[str, StreamIndex] = {}
        self._cosines: dict[str, Cosine] = {}
        self.context = ContextAssembly(
            corpus.chunks, budget=settings.context_characters, neighbours=settings.neighbours
        )

    def stream(self, provider: str) -> StreamIndex:
        """Made when first needed."""
        if provider not in self._streams:
            self._streams[provider] = StreamIndex(self.corpus, provider, self._readers[provider])
        return self._streams[provider]

    def find(self, channel: ChannelRow, queries: Sequence[str], depth: int) -> list[Found]:
        """At most `depth` candidates of a channel for each query."""
        stream = self.stream(channel.stream)
        asked = [stream.ask(query) for query in queries]
        if channel.provider is None:
            rankings = [self._lexical.rank(each.terms, depth) for each in asked]
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
        read = self._readers[provider].read
        vectors = Vectors.of([read(query).vector for query in queries])
        return list(self._cosines[provider].rank(vectors, depth))

    def _evidence(self, stream: StreamIndex, asked: Question, ranking: Ranking) -> float:
        looked_at = ranking.positions[:EVIDENCE_DEPTH]
        return evidence(stream.coverage.window(asked, looked_at)) if len(looked_at) else 0.0
