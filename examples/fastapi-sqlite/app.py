"""A help desk's search: FastAPI over SQLite, access decided in the query itself.

`/retriever` speaks the retriever contract: the gate seeds it, asks it, and changes its documents. `/broken` is the
same without the tenants.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

Json = dict[str, Any]

# SQLite's own full text (FTS5) is not used: its bm25() counts the documents of all tenants, so that what one
# tenant writes reorders what another finds. Here a chunk's score is the share of the question's words it holds.
SEARCH = """
SELECT chunks.id, count(*) * 1.0 / :asked AS score
FROM words JOIN chunks ON chunks.id = words.chunk JOIN documents ON documents.id = chunks.document
WHERE words.word IN (SELECT value FROM json_each(:words))
  AND NOT documents.revoked
  AND may_read(documents.access, :principal)
GROUP BY chunks.id HAVING score >= 0.5
ORDER BY score DESC, chunks.id LIMIT :k
"""
IGNORING_TENANTS = SEARCH.replace("AND may_read(documents.access, :principal)", "")

# Every handler is a coroutine without an await: one after the other, on one connection.
database = sqlite3.connect(":memory:", check_same_thread=False)
database.executescript("""
CREATE TABLE principals (id TEXT PRIMARY KEY, tenant TEXT, attributes TEXT NOT NULL);
CREATE TABLE documents (id TEXT PRIMARY KEY, access TEXT, revoked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE chunks (id TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES documents ON DELETE CASCADE);
CREATE TABLE words (
  word TEXT, chunk TEXT REFERENCES chunks ON DELETE CASCADE, PRIMARY KEY (word, chunk)
) WITHOUT ROWID;
PRAGMA foreign_keys = ON;
""")
app = FastAPI()


def may_read(access: str | None, principal: str | None) -> bool:
    """`access` and `principal` as JSON: the tenant must be the same, and of each attribute one value."""
    if access is None:
        return True
    if principal is None:
        return False
    policy, asking = json.loads(access), json.loads(principal)
    return policy.get("tenant") in (None, asking["tenant"]) and all(
        set(values) & set(asking["attributes"].get(name, ())) for name, values in policy["allow"].items()
    )


database.create_function("may_read", 2, may_read, deterministic=True)


@app.post("/retriever")
async def retriever(message: Json) -> Json:
    return {"v": 1, "id": message["id"]} | OPERATIONS[message["op"]](message)


@app.post("/broken")
async def broken(message: Json) -> Json:
    """Broken on purpose: the query forgot who asks."""
    if message["op"] == "query":
        return {"v": 1, "id": message["id"]} | query(message, IGNORING_TENANTS)
    return await retriever(message)


def hello(_: Json) -> Json:
    can = ["principals", "directory", "seed", "update", "delete", "revoke"]
    return {"name": "fastapi-sqlite", "version": "1", "capabilities": can}


def query(message: Json, search: str = SEARCH) -> Json:
    principal = message["principal"]
    if principal is not None and not is_listed(principal):
        return {"hits": []}
    asked = words(message["query"])
    values = {
        "words": json.dumps(sorted(asked)),
        "asked": max(1, len(asked)),
        "principal": None if principal is None else json.dumps(principal),
        "k": message["k"],
    }
    return {"hits": [{"id": chunk, "score": score} for chunk, score in database.execute(search, values)]}


def is_listed(principal: Json) -> bool:
    """Whether it is who it says: a tenant that is only claimed opens nothing."""
    listed = database.execute("SELECT tenant, attributes FROM principals WHERE id = ?", (principal["id"],))
    return (principal["tenant"], json.dumps(principal["attributes"])) in listed.fetchall()


def seed(message: Json) -> Json:
    with database:
        if message["reset"]:
            database.execute("DELETE FROM principals")
            database.execute("DELETE FROM documents")
        for one in message["principals"]:
            values = (one["id"], one["tenant"], json.dumps(one["attributes"]))
            database.execute("INSERT INTO principals VALUES (?, ?, ?)", values)
        for document in message["documents"]:
            put(document)
    return {"ok": True}


def update(message: Json) -> Json:
    with database:
        put(message["document"])
    return {"ok": True}


def delete(message: Json) -> Json:
    with database:
        database.execute("DELETE FROM documents WHERE id = ?", (message["documentId"],))
    return {"ok": True}


def revoke(message: Json) -> Json:
    """This help desk knows no dates: what is revoked is gone at once."""
    with database:
        database.execute("UPDATE documents SET revoked = 1 WHERE id = ?", (message["documentId"],))
    return {"ok": True}


def put(document: Json) -> None:
    """In the place of the version before, whose chunks and words go with it."""
    access = document.get("access")
    database.execute("DELETE FROM documents WHERE id = ?", (document["id"],))
    database.execute(
        "INSERT INTO documents (id, access) VALUES (?, ?)",
        (document["id"], None if access is None else json.dumps(access)),
    )
    for chunk in document["chunks"]:
        database.execute("INSERT INTO chunks VALUES (?, ?)", (chunk["id"], document["id"]))
        rows = [(word, chunk["id"]) for word in words(chunk["content"])]
        database.executemany("INSERT INTO words VALUES (?, ?)", rows)


def words(text: str) -> set[str]:
    """Words; of Chinese, which is written without spaces, its characters."""
    return set(re.findall(r"[\u4e00-\u9fff]|[a-z0-9]+", text.casefold()))


OPERATIONS: dict[str, Callable[[Json], Json]] = {
    "hello": hello,
    "query": query,
    "seed": seed,
    "update": update,
    "delete": delete,
    "revoke": revoke,
}
