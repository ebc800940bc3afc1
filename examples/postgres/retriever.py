"""Hybrid search in PostgreSQL: full text and vectors, fused; tenants kept apart by the database."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

import psycopg

DIMENSIONS = 256
# A run of Han characters; or a word, whose vowel signs are letters to its readers if not to Python's own \w.
WORD = re.compile(r"[\u4e00-\u9fff]+|(?:[^\W_\u4e00-\u9fff]|[\u0900-\u097f])+")
# The least cosine between a question and its nearest chunk that is worth an answer.
LEAST_COSINE = 0.2

SEARCH = """
WITH asked AS (
  SELECT replace(plainto_tsquery('simple', %(words)s)::text, '&', '|')::tsquery AS words,
    %(vector)s::vector AS point
), lexical AS (
  SELECT id, row_number() OVER (ORDER BY ts_rank_cd(chunks.words, asked.words, 1) DESC, id) AS rank
  FROM chunks, asked WHERE chunks.words @@ asked.words ORDER BY rank LIMIT 40
), nearest AS (
  SELECT id, row_number() OVER (ORDER BY embedding <=> point, id) AS rank
  FROM chunks, asked WHERE 1 - (embedding <=> point) >= %(least)s ORDER BY rank LIMIT 40
), fused AS (
  SELECT id, sum(1.0 / (60 + rank)) AS score
  FROM (SELECT * FROM lexical UNION ALL SELECT * FROM nearest) AS both_channels GROUP BY id
)
SELECT id, score FROM fused WHERE EXISTS (SELECT FROM nearest) ORDER BY score DESC, id LIMIT %(k)s
"""


class HelpDesk:
    """One connection for questions and, for the gate's own documents, one as the tables' owner."""

    capabilities = ("principals", "directory", "seed", "update", "delete", "revoke")

    def __init__(self, asking_role: str) -> None:
        dsn = os.environ["HELP_DESK_DSN"]
        self._owner = psycopg.connect(dsn, autocommit=True)
        self._asking = psycopg.connect(dsn, user=asking_role)

    def search(self, query: str, k: int, principal: dict[str, Any] | None) -> list[tuple[str, float]]:
        with self._asking.transaction():
            if not self._authenticate(principal):
                return []
            values = {"words": " ".join(terms(query)), "vector": vector(query), "least": LEAST_COSINE, "k": k}
            return [(chunk, float(score)) for chunk, score in self._asking.execute(SEARCH, values)]

    def _authenticate(self, principal: dict[str, Any] | None) -> bool:
        """Tell the database who asks, for this transaction; False for somebody who is not listed."""
        tenant, attributes = None, {}
        if principal is not None:
            listed = self._asking.execute(
                "SELECT tenant, attributes FROM principals WHERE id = %s", (principal["id"],)
            ).fetchone()
            if listed is None or listed != (principal["tenant"], principal["attributes"]):
                return False  # whoever claims more than is listed is not that one
            tenant, attributes = listed
        self._asking.execute(
            "SELECT set_config('app.tenant', %s, true), set_config('app.attributes', %s, true)",
            (tenant or "", json.dumps(attributes)),
        )
        return True

    def seed(self, documents: list[dict[str, Any]], principals: list[dict[str, Any]], reset: bool) -> None:
        with self._owner.transaction():
            if reset:
                self._owner.execute("TRUNCATE principals, documents CASCADE")
            for principal in principals:
                self._owner.execute(
                    "INSERT INTO principals VALUES (%s, %s, %s)",
                    (principal["id"], principal["tenant"], json.dumps(principal["attributes"])),
                )
            for document in documents:
                self._insert(document)

    def update(self, document: dict[str, Any]) -> None:
        with self._owner.transaction():
            self._owner.execute("DELETE FROM documents WHERE id = %s", (document["id"],))
            self._insert(document)

    def delete(self, document_id: str) -> None:
        self._owner.execute("DELETE FROM documents WHERE id = %s", (document_id,))

    def revoke(self, document_id: str, at: str) -> None:
        """This help desk knows no dates: what is revoked is gone at once."""
        self._owner.execute("UPDATE documents SET revoked = true WHERE id = %s", (document_id,))

    def close(self) -> None:
        self._asking.close()
        self._owner.close()

    def _insert(self, document: dict[str, Any]) -> None:
        access = document.get("access")
        self._owner.execute(
            "INSERT INTO documents VALUES (%s, %s, %s, %s, false)",
            (
                document["id"],
                document["title"],
                None if access is None else access.get("tenant"),
                None if access is None else json.dumps(access.get("allow", {})),
            ),
        )
        for chunk in document["chunks"]:
            self._owner.execute(
                "INSERT INTO chunks VALUES (%s, %s, %s, to_tsvector('simple', %s), %s)",
                (
                    chunk["id"],
                    document["id"],
                    chunk["content"],
                    " ".join(terms(chunk["content"])),
                    vector(chunk["content"]),
                ),
            )


def terms(text: str) -> list[str]:
    """Words, and for Han text its pairs of neighbours: PostgreSQL's parser takes a whole sentence for one word."""
    found: list[str] = []
    for word in WORD.findall(text.casefold()):
        if "\u4e00" <= word[0] <= "\u9fff":
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            found.append(word[:6])  # so that "ticket" and "tickets" meet
    return found


def vector(text: str) -> str:
    """Hashed terms as pgvector reads them; put your own embedding model here."""
    counts = [0] * DIMENSIONS
    for term in terms(text):
        place = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest(), "big")
        counts[place % DIMENSIONS] += 1 if place >> 31 else -1
    return str(counts if any(counts) else [1] * DIMENSIONS)


def help_desk() -> HelpDesk:
    return HelpDesk("app")


def as_superuser() -> HelpDesk:
    """Broken: row-level security does not apply to a superuser, so that every tenant sees all others."""
    return HelpDesk("postgres")
