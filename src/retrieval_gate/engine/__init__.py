"""The embedded knowledge service on SQLite: text, store, lexical, vectors, fusion, rerank, context, access."""
