"""The service's SQLite file: documents, versions, chunks, terms, term streams and vectors of each provider.

A process killed at any point leaves either the whole index or none (see `seeding`). SQLite stores and nothing
more: it ranks and tokenises nothing, so that its version decides no result.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.engine.corpus import ChunkRow, Corpus
from retrieval_gate.engine.providers import TOKEN_HASH, Provider
from retrieval_gate.engine.ragged import Ragged
from retrieval_gate.engine.schema import COUNT, DIMENSION, SCHEMA_VERSION, TABLES, TERM
from retrieval_gate.engine.seeding import seed
from retrieval_gate.engine.vectors import Vectors


class Store:
    """One open file. Use `create` for a new one, `open` for one that was seeded before."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def create(cls, path: Path, documents: Sequence[Document], providers: Sequence[Provider]) -> Store:
        """A new file with everything seeded.

        Raises RetrieverError where the file exists, can not be written, or an id comes twice.
        """
        if path.exists():
            raise RetrieverError("index-exists", "the folder already holds an index", fix="give an empty folder")
        unwritable = RetrieverError(
            "index-unwritable",
            "the index can not be written: the temporary folder is full, or gone",
            fix="give it more room; in a container with a read-only root, --tmpfs /tmp",
        )
        with _opened(path, unwritable) as connection:
            connection.executescript(TABLES)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            seed(connection, documents, providers)
        return cls(connection)

    @classmethod
    def open(cls, path: Path) -> Store:
        """A file that was seeded before. Raises RetrieverError unless it is whole and of this schema."""
        if not path.is_file():
            raise RetrieverError("index-missing", "there is no index in the folder", fix="seed it")
        unreadable = RetrieverError(
            "index-unreadable", "the index file can not be used", fix="give an empty folder"
        )
        with _opened(path, unreadable) as connection:
            _check(connection)
        return cls(connection)

    def close(self) -> None:
        self._connection.close()

    def load(self) -> Corpus:
        """All chunks as arrays, in (content hash, id) order: the order of seeding leaves no trace."""
        providers = [name for (name,) in self._connection.execute("SELECT name FROM providers ORDER BY name")]
        return Corpus(
            chunks=self._chunks(),
            streams={name: Ragged.of(self._packed("streams", "terms", name), TERM) for name in providers},
            vectors={
                name: Vectors(
                    dimensions=Ragged.of(self._packed("vectors", "dimensions", name), DIMENSION),
                    counts=Ragged.of(self._packed("vectors", "counts", name), COUNT),
                )
                for name in providers
            },
            vocabulary={term: number for number, term in self._connection.execute("SELECT id, term FROM terms")},
        )

    def _chunks(self) -> tuple[ChunkRow, ...]:
        twins: dict[bytes, int] = {}
        rows = self._connection.execute(
            "SELECT id, document, ordinal, length FROM chunks ORDER BY content_hash, id"
        ).fetchall()
        return tuple(
            ChunkRow(
                id=ChunkId(chunk),
                document=DocumentId(document),
                ordinal=ordinal,
                length=length,
                twin=twins.setdefault(stream, len(twins)),
            )
            for (chunk, document, ordinal, length), stream in zip(
                rows, self._packed("streams", "terms", TOKEN_HASH), strict=True
            )
        )

    def _packed(self, table: str, column: str, provider: str) -> list[bytes]:
        """One provider's packed rows in the order of chunks."""
        query = (
            f"SELECT {column} FROM {table} JOIN chunks ON chunks.id = {table}.chunk "  # noqa: S608 - our own names
            "WHERE provider = ? ORDER BY content_hash, chunks.id"
        )
        return [packed for (packed,) in self._connection.execute(query, (provider,))]


@contextmanager
def _opened(path: Path, otherwise: RetrieverError) -> Iterator[sqlite3.Connection]:
    """A connection that stays open unless the block fails; SQLite's errors become RetrieverErrors.

    `otherwise` is the error for whatever is not two things of one id.

    Transactions are begun by hand. A killed process needs the journal, but no wait for the disk.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = OFF")
        yield connection
    except sqlite3.IntegrityError as failure:
        connection.close()
        raise RetrieverError(
            "duplicate-id", "two documents or two chunks share an id", fix="make every id unique"
        ) from failure
    except sqlite3.Error as failure:
        connection.close()
        raise otherwise from failure
    except BaseException:
        connection.close()
        raise


def _check(connection: sqlite3.Connection) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise RetrieverError(
            "index-schema", f"the index has schema {version}, not {SCHEMA_VERSION}", fix="seed it again"
        )
    promised = connection.execute("SELECT documents, chunks, streams, vectors, terms FROM complete").fetchone()
    tables = ("documents", "chunks", "streams", "vectors", "terms")
    held = tuple(
        connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
        for table in tables
    )
    if promised != held:
        raise RetrieverError("index-incomplete", "the index was not written to its end", fix="seed it again")
