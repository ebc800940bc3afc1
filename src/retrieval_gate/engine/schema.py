"""The tables of the service's SQLite file, and how numbers are packed in it: little-endian on every machine."""

from __future__ import annotations

import numpy as np

# Move it whenever a table or a packed value changes its meaning.
SCHEMA_VERSION = 1

TERM = np.dtype("<i4")
DIMENSION = np.dtype("<u2")
COUNT = np.dtype("i1")

# `documents` holds what a document is, `versions` what its life is made of (a fixture's document is one version),
# `streams` each chunk's term ids in reading order, `complete` what a whole file holds.
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
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
CREATE TABLE streams (
  provider TEXT NOT NULL REFERENCES providers (name), chunk TEXT NOT NULL REFERENCES chunks (id),
  terms BLOB NOT NULL, PRIMARY KEY (provider, chunk)
);
CREATE TABLE vectors (
  provider TEXT NOT NULL REFERENCES providers (name), chunk TEXT NOT NULL REFERENCES chunks (id),
  dimensions BLOB NOT NULL, counts BLOB NOT NULL, PRIMARY KEY (provider, chunk)
);
CREATE TABLE complete (
  documents INTEGER NOT NULL, chunks INTEGER NOT NULL, streams INTEGER NOT NULL, vectors INTEGER NOT NULL,
  terms INTEGER NOT NULL
);
"""
