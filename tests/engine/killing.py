"""Kills the engine (kill -9) while it updates, deletes, revokes and reindexes, and looks at what is left.

After each kill the file is opened again and held against what was asked for: every change that had returned is
there, the one that was under way is there whole or not at all, no row is left of anything else, and every
principal gets the answers of a service that was seeded anew with the same documents.
"""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from retrieval_gate.base.config import Channel, EngineSettings
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.fixture import Access, Chunk, Document, IndexState, Principal
from retrieval_gate.base.ids import ChunkId, DocumentId, PrincipalId, QueryId
from retrieval_gate.base.retrieval import Request, Response
from retrieval_gate.engine.channels import Pipeline
from retrieval_gate.engine.schema import TERM
from retrieval_gate.engine.service import FILE_NAME, KnowledgeService

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SETTINGS = EngineSettings(abstention=False)
PIPELINE = Pipeline(
    channels=(Channel(name="lexical", weight=1.0), Channel(name="token-hash-vector", weight=1.0)), rerank=False
)
WORDS = ("key", "door", "fee", "lamp", "night", "book", "guest", "bus", "exam", "room", "cook", "rain")
TENANTS = (None, "north", "south")
# How many changes may have returned before a kill, and how far this process counts before it kills: a few
# milliseconds, in which a change or two are made, or a part of a reindex.
MOST_CHANGES = 24
LONGEST_COUNT = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change: `document` is put in place, `id` revoked, or the index built anew for so many steps (-1: to
    the end); where it is none of these `id` is deleted."""

    id: DocumentId
    document: Document | None = None
    revoked: bool = False
    reindex: int = 0


def made(name: str, dice: random.Random) -> Document:
    """A document of random words, tenant and revocation; its version is part of its text."""
    tenant = dice.choice(TENANTS)
    texts = [" ".join(dice.choices(WORDS, k=12)) + f" {name} {dice.randrange(10**6)}" for _ in range(3)]
    return Document(
        id=DocumentId(name),
        title=name,
        chunks=tuple(
            Chunk(id=ChunkId(f"{name}#{place}"), content=text, start=None) for place, text in enumerate(texts)
        ),
        language=None,
        source=None,
        owner=None,
        content_hash=None,
        effective_from=None,
        effective_to=None,
        index_state=IndexState.READY,
        revoked_at=NOW if dice.random() < 0.1 else None,
        version_label=str(dice.randrange(10**9)),
        access=None if tenant is None else Access(tenant=tenant, allow=()),
    )


def seeded(seed: int) -> tuple[Document, ...]:
    """What a round begins with."""
    dice = random.Random(f"seed {seed}")
    return tuple(made(f"d{number}", dice) for number in range(30))


def changes(seed: int) -> Iterator[Change]:
    """The same endless changes for parent and child."""
    dice = random.Random(f"changes {seed}")
    while True:
        name, kind = f"d{dice.randrange(40)}", dice.random()
        document = made(name, dice)
        if kind < 0.5:
            yield Change(id=document.id, document=document)
        elif kind < 0.65:
            yield Change(id=document.id)
        elif kind < 0.8:
            yield Change(id=document.id, revoked=True)
        else:
            yield Change(id=document.id, reindex=dice.choice((-1, 1)))


def child(folder: Path, seed: int) -> None:
    """Make the changes one after the other, saying each that has returned."""
    service = KnowledgeService(folder=folder, documents=None, settings=SETTINGS, aliases=None)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for number, change in enumerate(changes(seed)):
        make(service, change)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def make(service: KnowledgeService, change: Change) -> None:
    if change.reindex:
        for step, _ in enumerate(service.reindex()):
            if step == change.reindex:
                return
    elif change.document is not None:
        service.update(change.document)
    elif not change.revoked:
        service.delete(change.id)
    else:
        with suppress(RetrieverError):  # there may be no document of this id
            service.revoke(change.id, NOW)


def moment(seed: int) -> tuple[int, int]:
    """When to kill: after how many changes, and after counting how far then.

    Every other seed waits for a reindex to be next, which is a fifth of the changes only.
    """
    dice = random.Random(f"moment {seed}")
    first = enumerate(islice(changes(seed), MOST_CHANGES))
    places = [place for place, change in first if change.reindex or seed % 2] or [0]
    return dice.choice(places), dice.randrange(LONGEST_COUNT)


def killed(folder: Path, seed: int) -> int:
    """Let a process work on the index in `folder`, then kill it; how many changes had returned."""
    awaited, count = moment(seed)
    command = [sys.executable, "-m", "tests.engine.killing", str(folder), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as process:
        if process.stdout is None or process.stdout.readline() != b"ready\n":
            raise RuntimeError("the process did not start")
        for _ in range(awaited):
            process.stdout.readline()
        for _ in range(count):
            pass
        process.kill()
        said = process.stdout.read().splitlines(keepends=True)
    return awaited + len([line for line in said if line.endswith(b"\n")])


def in_reindex(seed: int, returned: int) -> bool:
    """Whether a reindex was under way after so many changes had returned."""
    return next(islice(changes(seed), returned, None)).reindex != 0


def expected(seed: int, returned: int) -> tuple[dict[DocumentId, Document], dict[DocumentId, Document]]:
    """The documents after the changes that had returned, and after the one that was under way too."""
    before = {document.id: document for document in seeded(seed)}
    after = before
    for number, change in zip(range(returned + 1), changes(seed), strict=False):
        before, after = after, _changed(after, change)
        if number == returned:
            return before, after
    raise RuntimeError("changes never end")


def _changed(documents: dict[DocumentId, Document], change: Change) -> dict[DocumentId, Document]:
    if change.reindex:
        return documents
    if change.revoked:
        return {
            name: replace(document, revoked_at=NOW) if name == change.id else document
            for name, document in documents.items()
        }
    kept = {name: document for name, document in documents.items() if name != change.id}
    return kept if change.document is None else {**kept, change.id: change.document}


def problems(folder: Path, seed: int, returned: int) -> list[str]:
    """Everything that is not as it must be in the file that a killed process has left."""
    service = KnowledgeService(folder=folder, documents=None, settings=SETTINGS, aliases=None)
    try:
        with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
            held = set(connection.execute("SELECT document, label, revoked_at IS NOT NULL FROM versions"))
            found = _ghosts(connection)
        for documents in expected(seed, returned):
            if held == {(item.id, item.version_label, item.revoked_at is not None) for item in documents.values()}:
                return [*found, *_wrong_answers(service, tuple(documents.values()))]
        return [*found, "the documents are neither those of before nor those of after the change"]
    finally:
        service.close()


def _ghosts(connection: sqlite3.Connection) -> list[str]:
    """Rows that belong to nothing, and what is missing; in every build."""
    found = [f"{table} holds a row of nothing" for table, *_ in connection.execute("PRAGMA foreign_key_check")]
    count = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
        for table in ("chunks", "streams", "vectors")
    }
    active = "JOIN builds ON number = build AND active = 1"
    for table in ("streams", "vectors"):
        (held,) = connection.execute(f"SELECT count(*) FROM {table} {active}").fetchone()  # noqa: S608 - as above
        if held != count["chunks"]:
            found.append(f"{held} {table} for {count['chunks']} chunks")
    if count["streams"] != count["vectors"]:
        found.append("streams and vectors differ")
    uses: Counter[int] = Counter()
    for (stream,) in connection.execute("SELECT terms FROM streams"):
        uses.update(np.unique(np.frombuffer(stream, dtype=TERM)).tolist())
    if dict(connection.execute("SELECT id, streams FROM terms").fetchall()) != dict(uses):
        found.append("the terms are not those of the streams")
    return found


def _wrong_answers(service: KnowledgeService, documents: tuple[Document, ...]) -> list[str]:
    """Where the answers are not those of a service that was seeded with these documents."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = KnowledgeService(folder=Path(folder), documents=documents, settings=SETTINGS, aliases=None)
        try:
            pairs = zip(_answers(service), _answers(fresh), strict=True)
            return [f"answer {number} differs" for number, (one, other) in enumerate(pairs) if one != other]
        finally:
            fresh.close()


def _answers(service: KnowledgeService) -> list[Response]:
    askers = [
        None if tenant is None else Principal(id=PrincipalId(tenant), tenant=tenant, attributes=())
        for tenant in TENANTS
    ]
    requests = [
        Request(id=QueryId("q"), query=f"{one} {two}", k=10, principal=asker, as_of=NOW, language="en", trace=True)
        for asker in askers
        for one, two in pairwise(WORDS)
    ]
    return [replace(response, elapsed_ns=0) for response in service.search(PIPELINE, requests)]


def round_of(seed: int) -> tuple[int, list[str]]:
    """One kill: how many changes had returned, and what is wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        KnowledgeService(folder=folder, documents=seeded(seed), settings=SETTINGS, aliases=None).close()
        returned = killed(folder, seed)
        return returned, problems(folder, seed, returned)


if __name__ == "__main__":
    child(Path(sys.argv[1]), int(sys.argv[2]))
