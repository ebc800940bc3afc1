"""The tables of the service's SQLite file, and how numbers are packed in it: little-endian on every machine."""

from __future__ import annotations

import numpy as np

# Move it whenever a table or a packed value changes its meaning.
SCHEMA_VERSION = 2

TERM = np.dtype("<i4")
DIMENSION = np.dtype("<u2")
COUNT = np.dtype("i1")

# `documents` holds what a document is, `versions` what its life is made of (a fixture's document is one version),
# `streams` each chunk's term ids in reading order. An index is a build: one is active, one more may be in the
# making. `terms.streams` counts the streams of all builds that hold the term: at none its row is removed.
# `state` says what a whole file holds; its `generation` moves with every change, `content` with every change of
# chunks.
TABLES = """
CREATE TABLE providers (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL);
CREATE TABLE documents (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, language TEXT, source TEXT, owner TEXT, access TEXT
);
CREATE TABLE versions (
  document TEXT PRIMARY KEY REFERENCES documents (id), label TEXT, content_hash TEXT, index_state TEXT NOT NULL,
  effective_from TEXT, effective_to TEXT, revoked_at TEXT
);
CREATE TABLE chunks (
  id TEXT PRIMARY KEY, document TEXT NOT NULL REFERENCES documents (id), ordinal INTEGER NOT NULL, start INTEGER,
  content TEXT NOT NULL, content_hash TEXT NOT NULL, length INTEGER NOT NULL
);
CREATE INDEX chunks_of_document ON chunks (document);
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE, streams INTEGER NOT NULL);
CREATE TABLE builds (number INTEGER PRIMARY KEY, active INTEGER NOT NULL);
CREATE TABLE streams (
  chunk TEXT NOT NULL REFERENCES chunks (id), build INTEGER NOT NULL REFERENCES builds (number),
  provider TEXT NOT NULL REFERENCES providers (name), terms BLOB NOT NULL, PRIMARY KEY (chunk, build, provider)
);
CREATE TABLE vectors (
  chunk TEXT NOT NULL REFERENCES chunks (id), build INTEGER NOT NULL REFERENCES builds (number),
  provider TEXT NOT NULL REFERENCES providers (name), dimensions BLOB NOT NULL, counts BLOB NOT NULL,
  PRIMARY KEY (chunk, build, provider)
);
CREATE TABLE state (
  generation INTEGER NOT NULL, content INTEGER NOT NULL, documents INTEGER NOT NULL, chunks INTEGER NOT NULL,
  streams INTEGER NOT NULL, vectors INTEGER NOT NULL, terms INTEGER NOT NULL
);
"""
