"""The usual names of what an answer holds, the likeliest first, and where in a hit they may stand."""

from __future__ import annotations

# A chunk's own id. It wins over `IDS` where it is a text: an id beside it is often one that a store made up, and a
# number is often a place within the document.
CHUNK_IDS = ("chunk_id", "chunkId")
IDS = ("id", "_id", "id_", "node_id", "uuid")
DOCUMENT_IDS = ("document_id", "documentId", "doc_id", "docId", "ref_doc_id")
SCORES = ("score", "_score", "similarity", "relevance_score")
# Of these, the lower is the better.
DISTANCES = ("distance", "_distance")
TEXTS = ("text", "content", "page_content", "pageContent")

# What a hit may wrap: LlamaIndex's node, a document beside its score, a search engine's source or payload.
WRAPPED = ("node", "document", "chunk", "_source", "payload", "entity", "properties")
# What tells of a hit without being its text.
DESCRIBING = ("metadata", "meta")

# The list of hits in an answer that holds more.
HITS = (
    "hits",
    "results",
    "matches",
    "points",
    "documents",
    "docs",
    "source_documents",
    "source_nodes",
    "nodes",
    "chunks",
    "objects",
    "items",
    "data",
    "context",
    "result",
    "body",
)
# The lists of an answer that has one per member of its hits.
COLUMN_IDS = ("ids",)
COLUMN_SCORES = ("scores", "similarities")
COLUMN_DISTANCES = ("distances",)
COLUMN_TEXTS = ("documents", "texts", "contents")
COLUMN_DESCRIBING = ("metadatas", "metadata")

# All names that are looked for in a hit.
HIT_MEMBERS = CHUNK_IDS + IDS + DOCUMENT_IDS + SCORES + DISTANCES + TEXTS + WRAPPED + DESCRIBING
# Names that may be told: no retriever made them up.
USUAL = tuple(
    dict.fromkeys(
        HIT_MEMBERS + HITS + COLUMN_IDS + COLUMN_SCORES + COLUMN_DISTANCES + COLUMN_TEXTS + COLUMN_DESCRIBING
    )
)
