"""The rows that one transaction writes and removes; its caller commits or rolls back."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import numpy as np

from retrieval_gate.base.canonical import text_digest
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Access, Chunk, Document
from retrieval_gate.base.ids import DocumentId
from retrieval_gate.engine.providers import Provider
from retrieval_gate.engine.schema import COUNT, DIMENSION, TERM

# Terms that one statement asks for.
_ASKED = 500


class Rows:
    """Documents with their index rows, in one open transaction. `finish` must come last."""

    def __init__(self, connection: sqlite3.Connection, providers: Sequence[Provider]) -> None:
        self._connection = connection
        self._providers = providers
        self._terms = _Terms(connection)
        (self.active,) = connection.execute("SELECT number FROM builds WHERE active = 1").fetchone()

    def add(self, document: Document) -> None:
        """A document that is not there yet, with its chunks, indexed in the active build.

        Raises RetrieverError where its content hash is not that of its chunks, sqlite3.IntegrityError where its
        id or a chunk's is taken.
        """
        _check_hash(document)
        _write_document(self._connection, document)
        for ordinal, chunk in enumerate(document.chunks):
            _write_chunk(self._connection, document, ordinal, chunk)
            self.index(chunk.id, chunk.content, self.active)

    def index(self, chunk: str, content: str, build: int) -> None:
        """The terms and vectors of one chunk for every provider."""
        for provider in self._providers:
            features = provider.features(content)
            stream = np.array(self._terms.used(features), dtype=TERM)
            vector = provider.vector(content, features)
            dimensions = np.fromiter(vector.keys(), dtype=DIMENSION, count=len(vector))
            counts = np.fromiter(vector.values(), dtype=COUNT, count=len(vector))
            place = (chunk, build, provider.name)
            self._connection.execute("INSERT INTO streams VALUES (?, ?, ?, ?)", (*place, stream.tobytes()))
            self._connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?)", (*place, dimensions.tobytes(), counts.tobytes())
            )

    def remove(self, document: DocumentId) -> bool:
        """Every row of a document, in every build; False where there is none."""
        chunks = self._connection.execute("SELECT id FROM chunks WHERE document = ?", (document,)).fetchall()
        for chunk in chunks:
            self._unindex("chunk = ?", chunk)
        self._connection.execute("DELETE FROM chunks WHERE document = ?", (document,))
        self._connection.execute("DELETE FROM versions WHERE document = ?", (document,))
        return self._connection.execute("DELETE FROM documents WHERE id = ?", (document,)).rowcount > 0

    def drop_builds(self, *, but: int) -> None:
        """Every row of every other build."""
        self._unindex("build != ?", (but,))
        self._connection.execute("DELETE FROM builds WHERE number != ?", (but,))

    def _unindex(self, where: str, value: tuple[object, ...]) -> None:
        """Remove the index rows that a condition of our own names."""
        streams = self._connection.execute(f"SELECT terms FROM streams WHERE {where}", value)  # noqa: S608
        self._terms.unused(stream for (stream,) in streams.fetchall())
        self._connection.execute(f"DELETE FROM streams WHERE {where}", value)  # noqa: S608 - as above
        self._connection.execute(f"DELETE FROM vectors WHERE {where}", value)  # noqa: S608 - as above

    def finish(self, *, changed: bool = True, content: bool = True) -> None:
        """Settle the terms and say what the file holds now.

        `changed`: answers may differ from before; `content`: because of chunks, not of documents' policies alone.
        """
        self._terms.settle()
        self._connection.execute(
            "UPDATE state SET generation = generation + ?, content = content + ?, "
            "documents = (SELECT count(*) FROM documents), chunks = (SELECT count(*) FROM chunks), "
            "streams = (SELECT count(*) FROM streams WHERE build = ?), "
            "vectors = (SELECT count(*) FROM vectors WHERE build = ?), terms = (SELECT count(*) FROM terms)",
            (int(changed), int(changed and content), self.active, self.active),
        )


class _Terms:
    """The ids of terms, and how many streams have come to hold each or ceased to, until `settle` writes it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[str, int] = {}
        self._new: dict[str, int] = {}
        self._uses: Counter[int] = Counter()
        (self._next,) = connection.execute("SELECT coalesce(max(id) + 1, 0) FROM terms").fetchone()
        self._none = self._next == 0

    def used(self, features: Sequence[str]) -> list[int]:
        """The term ids of one stream, which counts as one more that holds them."""
        ids = self._ids
        unseen = [feature for feature in dict.fromkeys(features) if feature not in ids]
        if unseen:
            self._look_up(unseen)
        stream = [ids[feature] for feature in features]
        self._uses.update(set(stream))
        return stream

    def _look_up(self, features: Sequence[str]) -> None:
        """The ids of features not met in this transaction before; new ones where there is no row."""
        for first in range(0, 0 if self._none else len(features), _ASKED):
            asked = features[first : first + _ASKED]
            places = ", ".join("?" * len(asked))
            rows = self._connection.execute(f"SELECT term, id FROM terms WHERE term IN ({places})", asked)  # noqa: S608
            self._ids.update(rows)
        for feature in features:
            if feature not in self._ids:
                self._ids[feature] = self._new[feature] = self._next
                self._next += 1

    def unused(self, streams: Iterable[bytes]) -> None:
        """Streams that are removed."""
        for stream in streams:
            self._uses.subtract(np.unique(np.frombuffer(stream, dtype=TERM)).tolist())

    def settle(self) -> None:
        """Write what changed; a term that no stream holds any more is removed."""
        self._connection.executemany(
            "INSERT INTO terms VALUES (?, ?, 0)", [(number, term) for term, number in self._new.items()]
        )
        changes = [(change, number) for number, change in self._uses.items() if change]
        self._connection.executemany("UPDATE terms SET streams = streams + ? WHERE id = ?", changes)
        fewer = [(number,) for change, number in changes if change < 0]
        self._connection.executemany("DELETE FROM terms WHERE id = ? AND streams = 0", fewer)


def _check_hash(document: Document) -> None:
    """A document whose text is not the one that its owner signed is never served."""
    whole = "".join(chunk.content for chunk in document.chunks)
    if document.content_hash is not None and document.content_hash != text_digest(whole):
        raise RetrieverError(
            "content-hash",
            f"the content hash of document {document.id} is not that of its chunks",
            fix="give the document's own text, or the hash of this one",
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
            instant_text(document.effective_from),
            instant_text(document.effective_to),
            instant_text(document.revoked_at),
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


def _access_text(access: Access | None) -> str | None:
    """Canonical JSON of a policy; None is public."""
    if access is None:
        return None
    return json.dumps({"tenant": access.tenant, "allow": access.allow}, ensure_ascii=False, sort_keys=True)


def instant_text(value: datetime | None) -> str | None:
    """The instant in UTC, so that the text's order is the time's."""
    return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")
