"""Identifiers are text with a type: a query id can never stand where a chunk id is meant."""

from __future__ import annotations

from typing import NewType

DocumentId = NewType("DocumentId", str)
ChunkId = NewType("ChunkId", str)
QueryId = NewType("QueryId", str)
PrincipalId = NewType("PrincipalId", str)
AblationId = NewType("AblationId", str)
# What a judgment is about: a chunk, or a whole document (see `JudgedLevel`).
UnitId = NewType("UnitId", str)
# A metric with its cut-off as users write it, e.g. "ndcg@10" or "context-recall".
MetricId = NewType("MetricId", str)
# A slice as users write it: "all", "language=en", "split=dev", "tag=near-miss".
SliceId = NewType("SliceId", str)
