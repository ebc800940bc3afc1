"""Building the index anew beside the one in use: nothing is served from a build before it is whole.

Each step is one transaction, so that updates, deletions and revocations take effect between two of them, in both
builds. A process that dies half way leaves the build in use as it was and the unfinished one beside it, which the
store names (`Condition.REINDEXING`) and the next reindex drops.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from retrieval_gate.engine.providers import Provider
from retrieval_gate.engine.rows import Rows

# Chunks of one step: what others who write wait for.
STEP = 64


def begin(connection: sqlite3.Connection, providers: Sequence[Provider]) -> int:
    """Drop what an earlier reindex left, and open a new build; its number."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        rows = Rows(connection, providers)
        rows.drop_builds(but=rows.active)
        number: int = rows.active + 1
        connection.execute("INSERT INTO builds VALUES (?, 0)", (number,))
        rows.finish(changed=False)
    return number


def step(connection: sqlite3.Connection, providers: Sequence[Provider], build: int) -> bool:
    """Index some chunks that the build lacks; where it lacks none, put it in use. True when that is done.

    Does nothing where another reindex has taken this build's place.
    """
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT 1 FROM builds WHERE number = ? AND active = 0", (build,)).fetchone() is None:
            return True
        lacking = connection.execute(
            "SELECT id, content FROM chunks WHERE NOT EXISTS "
            "(SELECT 1 FROM streams WHERE chunk = chunks.id AND build = ?) ORDER BY id LIMIT ?",
            (build, STEP),
        ).fetchall()
        rows = Rows(connection, providers)
        for chunk, content in lacking:
            rows.index(chunk, content, build)
        if not lacking:
            connection.execute("UPDATE builds SET active = (number = ?)", (build,))
            rows.active = build
            rows.drop_builds(but=build)
        rows.finish(changed=not lacking)
    return not lacking
