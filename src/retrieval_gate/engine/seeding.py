"""Writing documents into the service's file: one transaction, the count of what it holds last."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from retrieval_gate.base.canonical import text_digest
from retrieval_gate.base.fixture import Access, Chunk, Document
from retrieval_gate.engine.providers import Provider, embed
from retrieval_gate.engine.schema import COUNT, DIMENSION, TERM


def seed(connection: sqlite3.Connection, documents: Sequence[Document], providers: Sequence[Provider]) -> None:
    """Write everything, or nothing. Raises sqlite3.IntegrityError where two documents or chunks share an id."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO providers VALUES (?, ?)",
            [(provider.name, provider.fingerprint) for provider in providers],
        )
        vocabulary: dict[str, int] = {}
        for document in documents:
            _write_document(connection, document)
            for ordinal, chunk in enumerate(document.chunks):
                _write_chunk(connection, document, ordinal, chunk)
                for provider in providers:
                    _write_features(connection, provider, chunk, vocabulary)
        connection.executemany(
            "INSERT INTO terms VALUES (?, ?)", [(number, term) for term, number in vocabulary.items()]
        )
        connection.execute(
            "INSERT INTO complete SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), "
            "(SELECT count(*) FROM streams), (SELECT count(*) FROM vectors), (SELECT count(*) FROM terms)"
        )


def _write_document(connection: sqlite3.Connection, document: Document) -> None:
    connection.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
        (
            document.id,
            document.title,
            document.language,
            document.source,
            document.owner,
            _access_text(document.access),
        ),
    )
    connection.execute(
        "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            document.id,
            document.version_label,
            document.content_hash,
            document.index_state.value,
            _instant(document.effective_from),
            _instant(document.effective_to),
            _instant(document.revoked_at),
        ),
    )


def _write_chunk(connection: sqlite3.Connection, document: Document, ordinal: int, chunk: Chunk) -> None:
    connection.execute(
        "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            chunk.id,
            document.id,
            ordinal,
            chunk.start,
            chunk.content,
            text_digest(chunk.content),
            len(chunk.content),
        ),
    )


def _write_features(
    connection: sqlite3.Connection, provider: Provider, chunk: Chunk, vocabulary: dict[str, int]
) -> None:
    features = provider.features(chunk.content)
    stream = [vocabulary.setdefault(feature, len(vocabulary)) for feature in features]
    connection.execute(
        "INSERT INTO streams VALUES (?, ?, ?)", (provider.name, chunk.id, np.array(stream, dtype=TERM).tobytes())
    )
    vector = embed(features)
    dimensions = np.fromiter(vector.keys(), dtype=DIMENSION, count=len(vector))
    counts = np.fromiter(vector.values(), dtype=COUNT, count=len(vector))
    connection.execute(
        "INSERT INTO vectors VALUES (?, ?, ?, ?)",
        (provider.name, chunk.id, dimensions.tobytes(), counts.tobytes()),
    )


def _access_text(access: Access | None) -> str | None:
    """Canonical JSON of a policy; None is public."""
    if access is None:
        return None
    return json.dumps({"tenant": access.tenant, "allow": access.allow}, ensure_ascii=False, sort_keys=True)


def _instant(value: datetime | None) -> str | None:
    """The instant in UTC, so that the text's order is the time's."""
    return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")
