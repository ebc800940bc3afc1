"""The service's SQLite file: documents, versions, chunks, terms, term streams and vectors of each provider.

A process killed at any point leaves each change made or not made, whole. SQLite stores and nothing more: it ranks
and tokenises nothing, so that its version decides no result.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from pathlib import Path

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Document
from retrieval_gate.base.ids import ChunkId, DocumentId
from retrieval_gate.engine import reindex
from retrieval_gate.engine.corpus import ChunkRow, Corpus
from retrieval_gate.engine.lexical import postings
from retrieval_gate.engine.policies import Policies
from retrieval_gate.engine.providers import TOKEN_HASH, Provider
from retrieval_gate.engine.ragged import Ragged
from retrieval_gate.engine.rows import Rows, instant_text
from retrieval_gate.engine.schema import COUNT, DIMENSION, SCHEMA_VERSION, TABLES, TERM
from retrieval_gate.engine.vectors import Vectors


class Condition(StrEnum):
    """Whether the file's index is the only one in it. In both states it is whole, and served."""

    WHOLE = "whole"
    # A new build is in the making, or was when its process died.
    REINDEXING = "reindexing"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """`policies` are the documents in id order, without chunks. `content` moves with the corpus, `generation` with
    both."""

    generation: int
    content: int
    policies: tuple[Document, ...]
    corpus: Corpus


class Store:
    """One open file. Use `create` for a new one, `open` for one that was seeded before.

    Every method raises RetrieverError where the file can not be used; what it was to change is then unchanged.
    """

    def __init__(self, connection: sqlite3.Connection, providers: Sequence[Provider]) -> None:
        self._connection = connection
        self._providers = tuple(providers)
        self._policies = Policies()

    @classmethod
    def create(cls, path: Path, documents: Iterable[Document], providers: Sequence[Provider]) -> Store:
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
            _seed(connection, documents, providers)
        return cls(connection, providers)

    @classmethod
    def open(cls, path: Path, providers: Sequence[Provider]) -> Store:
        """A file that was seeded before. Raises RetrieverError unless it is whole, of this schema and these
        providers."""
        if not path.is_file():
            raise RetrieverError("index-missing", "there is no index in the folder", fix="seed it")
        with _opened(path, _unusable("index-unreadable")) as connection:
            _check(connection, providers)
        return cls(connection, providers)

    def close(self) -> None:
        self._connection.close()

    def update(self, document: Document) -> None:
        """Put a document in the place of the one with its id, or beside all others where there is none."""
        with self._changing() as rows:
            rows.remove(document.id)
            rows.add(document)
            rows.finish()

    def delete(self, document: DocumentId) -> None:
        """Remove a document with all its rows; one that is not there is no error."""
        with self._changing() as rows:
            found = rows.remove(document)
            rows.finish(changed=found)

    def revoke(self, document: DocumentId, at: datetime) -> None:
        """From `at` on the document is not served. Raises RetrieverError where there is none of this id."""
        with self._changing() as rows:
            changed = self._connection.execute(
                "UPDATE versions SET revoked_at = ? WHERE document = ?", (instant_text(at), document)
            )
            if not changed.rowcount:
                raise RetrieverError(
                    "no-such-document",
                    f"there is no document {document} to revoke",
                    fix="name one that was seeded",
                )
            rows.finish(content=False)

    def reindex(self) -> Iterator[None]:
        """Build the index anew, yielding after each step; other changes may be made, here or elsewhere, between.

        Where it is not run to its end the index in use stays; see `reindex`.
        """
        with _guarded():
            build = reindex.begin(self._connection, self._providers)
        finished = False
        while not finished:
            yield
            with _guarded():
                finished = reindex.step(self._connection, self._providers, build)

    @property
    def condition(self) -> Condition:
        """Whether a reindex is pending or has died half way."""
        with _guarded():
            (builds,) = self._connection.execute("SELECT count(*) FROM builds").fetchone()
        return Condition.WHOLE if builds == 1 else Condition.REINDEXING

    @property
    def generation(self) -> int:
        """Moves with every change, whoever makes it: another process that writes the file is noticed too."""
        with _guarded():
            (generation,) = self._connection.execute("SELECT generation FROM state").fetchone()
        number: int = generation
        return number

    def snapshot(self, known: Snapshot | None = None) -> Snapshot:
        """What the file holds at one moment; the corpus is that of `known` where no chunk has changed since."""
        with _guarded():
            self._connection.execute("BEGIN")
            try:
                generation, content = self._connection.execute("SELECT generation, content FROM state").fetchone()
                same = known is not None and known.content == content
                return Snapshot(
                    generation=generation,
                    content=content,
                    policies=self._policies.read(self._connection),
                    corpus=known.corpus if known is not None and same else self._corpus(),
                )
            finally:
                self._connection.execute("ROLLBACK")

    def _corpus(self) -> Corpus:
        """All chunks as arrays, in (content hash, id) order: the order of seeding leaves no trace."""
        rows = self._connection.execute(
            "SELECT id, document, ordinal, length FROM chunks ORDER BY content_hash, id"
        ).fetchall()
        names = [chunk for chunk, *_ in rows]
        packed = self._packed("streams", "terms", names)
        dimensions, counts = (self._packed("vectors", column, names) for column in ("dimensions", "counts"))
        vocabulary: dict[str, int] = dict(self._connection.execute("SELECT term, id FROM terms"))
        terms = max(vocabulary.values(), default=-1) + 1
        streams = {name: Ragged.of(own, TERM) for name, own in packed.items()}
        return Corpus(
            chunks=_chunk_rows(rows, packed[TOKEN_HASH]),
            streams=streams,
            vectors={
                name: Vectors(
                    dimensions=Ragged.of(dimensions[name], DIMENSION), counts=Ragged.of(counts[name], COUNT)
                )
                for name in streams
            },
            vocabulary=vocabulary,
            terms=terms,
            postings=cache(lambda name: postings(streams[name], terms)),
        )

    def _packed(self, table: str, column: str, chunks: Sequence[str]) -> dict[str, list[bytes]]:
        """The packed rows of `chunks`, in that order, for each provider by name."""
        query = (
            f"SELECT provider, chunk, {column} FROM {table} "  # noqa: S608 - our own names
            "JOIN builds ON builds.number = build AND active = 1"
        )
        providers = self._connection.execute("SELECT name FROM providers ORDER BY name").fetchall()
        found: dict[str, dict[str, bytes]] = {name: {} for (name,) in providers}
        for provider, chunk, packed in self._connection.execute(query):
            found[provider][chunk] = packed
        return {name: [own[chunk] for chunk in chunks] for name, own in found.items()}

    @contextmanager
    def _changing(self) -> Iterator[Rows]:
        """One transaction; where the block fails nothing is changed."""
        with _guarded(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield Rows(self._connection, self._providers)


def _chunk_rows(rows: Sequence[tuple[str, str, int, int]], streams: Sequence[bytes]) -> tuple[ChunkRow, ...]:
    """`rows` are (id, document, ordinal, length), `streams` the packed plain terms of each."""
    twins: dict[bytes, int] = {}
    return tuple(
        ChunkRow(
            id=ChunkId(chunk),
            document=DocumentId(document),
            ordinal=ordinal,
            length=length,
            twin=twins.setdefault(stream, len(twins)),
        )
        for (chunk, document, ordinal, length), stream in zip(rows, streams, strict=True)
    )


def _seed(connection: sqlite3.Connection, documents: Iterable[Document], providers: Sequence[Provider]) -> None:
    """Write everything, or nothing."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO providers VALUES (?, ?)",
            [(provider.name, provider.fingerprint) for provider in providers],
        )
        connection.execute("INSERT INTO builds VALUES (1, 1)")
        connection.execute("INSERT INTO state VALUES (0, 0, 0, 0, 0, 0, 0)")
        rows = Rows(connection, providers)
        for document in documents:
            rows.add(document)
        rows.finish()


@contextmanager
def _opened(path: Path, otherwise: RetrieverError) -> Iterator[sqlite3.Connection]:
    """A connection that stays open unless the block fails.

    `otherwise` is the error for whatever is not two things of one id.

    Transactions are begun by hand. A killed process needs the journal, but no wait for the disk.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        with _guarded(otherwise):
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = OFF")
            yield connection
    except BaseException:
        connection.close()
        raise


@contextmanager
def _guarded(otherwise: RetrieverError | None = None) -> Iterator[None]:
    """SQLite's errors become RetrieverErrors; `otherwise` is for whatever is not two things of one id."""
    try:
        yield
    except sqlite3.IntegrityError as failure:
        raise RetrieverError(
            "duplicate-id", "two documents or two chunks share an id", fix="make every id unique"
        ) from failure
    except sqlite3.Error as failure:
        raise otherwise or _unusable("index-unusable") from failure


def _unusable(code: str) -> RetrieverError:
    return RetrieverError(code, "the index file can not be used", fix="give an empty folder")


def _check(connection: sqlite3.Connection, providers: Sequence[Provider]) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != SCHEMA_VERSION:
        raise RetrieverError(
            "index-schema", f"the index has schema {version}, not {SCHEMA_VERSION}", fix="seed it again"
        )
    promised = connection.execute("SELECT documents, chunks, streams, vectors, terms FROM state").fetchone()
    held = connection.execute(
        "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks), "
        "(SELECT count(*) FROM streams JOIN builds ON number = build AND active JOIN chunks ON id = chunk), "
        "(SELECT count(*) FROM vectors JOIN builds ON number = build AND active JOIN chunks ON id = chunk), "
        "(SELECT count(*) FROM terms)"
    ).fetchone()
    stored = connection.execute("SELECT name, fingerprint FROM providers ORDER BY name").fetchall()
    whole = promised is not None and promised[2] == promised[3] == promised[1] * len(stored)
    if promised != held or not whole:
        raise RetrieverError("index-incomplete", "the index was not written to its end", fix="seed it again")
    if stored != sorted((provider.name, provider.fingerprint) for provider in providers):
        raise RetrieverError(
            "index-foreign", "the index was made with other embedding providers", fix="seed it again"
        )
