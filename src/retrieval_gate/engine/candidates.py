"""Candidates of each channel, found once per query, principal and instant, and shared by all pipelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter_ns

from retrieval_gate.base.config import EngineSettings
from retrieval_gate.base.errors import InternalError
from retrieval_gate.base.fixture import Document, Principal
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.base.retrieval import Request
from retrieval_gate.engine.access import Directory, served
from retrieval_gate.engine.channels import ChannelRow
from retrieval_gate.engine.corpus import Corpus
from retrieval_gate.engine.providers import Provider
from retrieval_gate.engine.reading import Reader
from retrieval_gate.engine.view import Found, View

# Bounds of what is kept: chunks over all views (a few kilobytes each), and candidates (about a kilobyte each).
_MOST_CHUNKS = 1 << 17
_MOST_CANDIDATES = 1 << 16

_Audience = tuple[Principal | None, datetime | None]
# Everything that decides a channel's candidates, the settings aside: they never change within a service.
_Key = tuple[str, str, int, Principal | None, datetime | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Share:
    """Candidates with this query's share of the time that finding its batch's took, in nanoseconds."""

    found: Found
    elapsed_ns: int


class Views:
    """A view for each principal and instant; access is decided before anything else is looked at.

    Those who may see exactly the same documents share one view. `renew` must come first.
    """

    def __init__(self, directory: Directory, providers: Mapping[str, Provider], settings: EngineSettings) -> None:
        self._directory = directory
        self._providers = {name: Reader(provider) for name, provider in providers.items()}
        self._settings = settings
        self._documents: Sequence[Document] = ()
        self._corpus: Corpus | None = None
        self._served: dict[_Audience, frozenset[DocumentId]] = {}
        self._distinct: dict[frozenset[DocumentId], frozenset[DocumentId]] = {}
        # The view that was used last stands last.
        self._views: dict[frozenset[DocumentId], View] = {}

    def renew(self, documents: Sequence[Document], corpus: Corpus) -> None:
        """Decide anew who may see what; views of a corpus that is the same are kept."""
        self._served.clear()
        self._distinct.clear()
        if corpus is not self._corpus:
            self._views.clear()
        self._documents, self._corpus = documents, corpus

    def of(self, principal: Principal | None, as_of: datetime | None) -> View:
        """What the principal may see at that instant; nothing where the directory does not know the principal."""
        audience = (principal, as_of)
        if audience not in self._served:
            documents = self._documents_of(principal, as_of)
            self._served[audience] = self._distinct.setdefault(documents, documents)
        return self._view(self._served[audience])

    def _documents_of(self, principal: Principal | None, as_of: datetime | None) -> frozenset[DocumentId]:
        if not self._directory.knows(principal):
            return frozenset()
        return served(self._documents, principal, as_of)

    def _view(self, documents: frozenset[DocumentId]) -> View:
        view = self._views.pop(documents, None)
        if view is None:
            if self._corpus is None:
                raise InternalError("no-corpus", "views were asked for before `renew`", fix="call it first")
            corpus = self._corpus.visible_to(documents)
            self._make_room(len(corpus.chunks))
            view = View(corpus, self._providers, self._settings)
        self._views[documents] = view
        return view

    def _make_room(self, chunks: int) -> None:
        """Drops views until one of `chunks` more fits, the one whose last use is longest ago first."""
        for view in self._views.values():
            chunks += len(view.corpus.chunks)
        while self._views and chunks > _MOST_CHUNKS:
            chunks -= len(self._views.pop(next(iter(self._views))).corpus.chunks)


class Candidates:
    """Finds the candidates of requests, each distinct one once."""

    def __init__(self, views: Views, least_depth: int) -> None:
        self._views = views
        self._least_depth = least_depth
        self._known: dict[_Key, Share] = {}

    def clear(self) -> None:
        """Forget all: what was found before may not be there any more, or not for all."""
        self._known.clear()

    def find(self, channel: ChannelRow, requests: Sequence[Request]) -> list[Share]:
        """One channel's candidates for each request, in order."""
        if len(self._known) > _MOST_CANDIDATES:
            self._known.clear()
        keys = [self._key(channel, request) for request in requests]
        missing = [key for key in dict.fromkeys(keys) if key not in self._known]
        groups: dict[tuple[int, Principal | None, datetime | None], list[_Key]] = {}
        for key in missing:
            groups.setdefault(key[2:], []).append(key)
        for (depth, principal, as_of), group in groups.items():
            self._find_group(channel, group, depth, self._views.of(principal, as_of))
        return [self._known[key] for key in keys]

    def _find_group(self, channel: ChannelRow, keys: Sequence[_Key], depth: int, view: View) -> None:
        started = perf_counter_ns()
        found = view.find(channel, [key[1] for key in keys], depth)
        elapsed = (perf_counter_ns() - started) // len(keys)
        for key, each in zip(keys, found, strict=True):
            self._known[key] = Share(found=each, elapsed_ns=elapsed)

    def _key(self, channel: ChannelRow, request: Request) -> _Key:
        depth = max(self._least_depth, request.k)
        return (channel.name, request.query, depth, request.principal, request.as_of)
