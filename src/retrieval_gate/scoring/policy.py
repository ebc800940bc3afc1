"""What a query must not be shown, derived from the fixture's policy beside the labels that it lists.

- forbidden: a document that the policy keeps from the query's principal, or that is revoked at its time
- stale: any other document that is not served at that time: superseded, over, not begun, not ready, in conflict

Documents are asked about one by one, so that a large fixture costs what was shown and not what it holds; how many
chunks there are of each kind is counted once for each principal and time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from retrieval_gate.base.access import permitted, visible
from retrieval_gate.base.fixture import Access, Document, Fixture, IndexState, Principal, Query
from retrieval_gate.base.ids import DocumentId

Audience = tuple[Principal | None, datetime | None]

# How many answers about one document and one audience are remembered.
_ANSWERS = 1 << 14


class Policy:
    """The policy of one fixture. Raises KeyError for a query of a principal that the fixture does not have."""

    def __init__(self, fixture: Fixture) -> None:
        self._as_of = fixture.as_of
        self._principals = {principal.id: principal for principal in fixture.principals}
        self._documents = {document.id: document for document in fixture.documents}
        self._versions = _versions(fixture.documents)
        self._chunks_by_access = _chunks_by_access(fixture.documents)
        self._revocable = [document for document in fixture.documents if document.revoked_at is not None]
        self._counts: dict[tuple[str, Audience], int] = {}
        # The same few documents are shown to an audience again and again.
        self.is_forbidden = lru_cache(maxsize=_ANSWERS)(self._is_forbidden)
        self.is_stale = lru_cache(maxsize=_ANSWERS)(self._is_stale)

    def audience(self, query: Query) -> Audience:
        """Who asks, None for the public, and when."""
        principal = None if query.principal is None else self._principals[query.principal]
        return principal, query.as_of or self._as_of

    def _is_forbidden(self, document: DocumentId, audience: Audience) -> bool:
        """Whether the policy keeps the document from the audience, or it is revoked."""
        found = self._documents[document]
        return not permitted(found.access, audience[0]) or _is_revoked(found, audience[1])

    def _is_stale(self, document: DocumentId, audience: Audience) -> bool:
        """Whether the audience may see the document and it is not served at this time."""
        if document not in self._versions or self.is_forbidden(document, audience):
            return False
        return document not in self._served_of(document, audience)

    def successor(self, document: DocumentId, audience: Audience) -> DocumentId | None:
        """The version of the same source that is served in the document's place; None where none is."""
        if document not in self._versions:
            return None
        return next((name for name in self._served_of(document, audience) if name != document), None)

    def forbidden_chunks(self, audience: Audience) -> int:
        """How many chunks are forbidden to the audience."""
        return self._counted("forbidden", audience, self._count_forbidden)

    def stale_chunks(self, audience: Audience) -> int:
        """How many chunks are stale for the audience."""
        return self._counted("stale", audience, self._count_stale)

    def _counted(self, kind: str, audience: Audience, count: Callable[[Audience], int]) -> int:
        key = (kind, audience)
        if key not in self._counts:
            self._counts[key] = count(audience)
        return self._counts[key]

    def _count_forbidden(self, audience: Audience) -> int:
        principal, time = audience
        chunks = 0
        for access, held in self._chunks_by_access.items():
            chunks += 0 if permitted(access, principal) else held
        for document in self._revocable:
            if permitted(document.access, principal) and _is_revoked(document, time):
                chunks += len(document.chunks)
        return chunks

    def _count_stale(self, audience: Audience) -> int:
        """All at once, and nothing of it kept: there may be many audiences."""
        dated = [self._documents[name] for name in self._versions]
        served = frozenset(visible(dated, *audience).documents)
        chunks = 0
        for document in dated:
            if document.id not in served and not self.is_forbidden(document.id, audience):
                chunks += len(document.chunks)
        return chunks

    def _served_of(self, document: DocumentId, audience: Audience) -> Sequence[DocumentId]:
        """The versions of the document's source that are served, sorted."""
        return visible(self._versions[document], *audience).documents


def _is_revoked(document: Document, time: datetime | None) -> bool:
    return document.revoked_at is not None and (time is None or document.revoked_at <= time)


def _versions(documents: Iterable[Document]) -> dict[DocumentId, list[Document]]:
    """All versions of its source, for each document that could be out of date."""
    groups: dict[tuple[str, str], list[Document]] = {}
    for document in documents:
        key = ("document", str(document.id)) if document.source is None else ("source", document.source)
        groups.setdefault(key, []).append(document)
    return {
        document.id: versions
        for versions in groups.values()
        if len(versions) > 1 or _is_dated(versions[0])
        for document in versions
    }


def _is_dated(document: Document) -> bool:
    dates = (document.effective_from, document.effective_to, document.revoked_at)
    return document.index_state is not IndexState.READY or any(date is not None for date in dates)


def _chunks_by_access(documents: Iterable[Document]) -> dict[Access, int]:
    """How many chunks stand under each access; a fixture has few distinct ones."""
    chunks: dict[Access, int] = {}
    for document in documents:
        if document.access is not None:
            chunks[document.access] = chunks.get(document.access, 0) + len(document.chunks)
    return chunks
