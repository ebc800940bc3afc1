"""The version of how the engine ranks, assembles and abstains; part of the evaluation definition."""

from __future__ import annotations

# Move it whenever a formula or a constant of ranking, fusion, reranking, context or abstention changes.
ENGINE_VERSION = "engine/1"
