"""What the service's file records of each document, without its text: whom it is for, and when it is in force."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime
from functools import lru_cache
from typing import Any

from retrieval_gate.base.fixture import Access, Document, IndexState
from retrieval_gate.base.ids import DocumentId

_QUERY = (
    "SELECT documents.id, title, language, source, owner, access, label, content_hash, index_state, "
    "effective_from, effective_to, revoked_at "
    "FROM documents JOIN versions ON versions.document = documents.id ORDER BY documents.id"
)


class Policies:
    """Reads every document's policy; one whose row is as it was when it was last read is not made again."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Document] = {}

    def read(self, connection: sqlite3.Connection) -> tuple[Document, ...]:
        """Every document in id order, without chunks; times in UTC."""
        before = self._made
        self._made = {row: before.get(row) or _document(*row) for row in connection.execute(_QUERY)}
        return tuple(self._made.values())


def _document(
    name: str,
    title: str,
    language: str | None,
    source: str | None,
    owner: str | None,
    access: str | None,
    label: str | None,
    content_hash: str | None,
    state: str,
    begin: str | None,
    end: str | None,
    revoked: str | None,
) -> Document:
    """From a row of `_QUERY`."""
    return Document(
        id=DocumentId(name),
        title=title,
        chunks=(),
        language=language,
        source=source,
        owner=owner,
        content_hash=content_hash,
        effective_from=_instant(begin),
        effective_to=_instant(end),
        index_state=IndexState(state),
        revoked_at=_instant(revoked),
        version_label=label,
        access=_access(access),
    )


@lru_cache(maxsize=1024)
def _access(text: str | None) -> Access | None:
    if text is None:
        return None
    policy = json.loads(text)
    return Access(tenant=policy["tenant"], allow=tuple((name, tuple(values)) for name, values in policy["allow"]))


def _instant(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
