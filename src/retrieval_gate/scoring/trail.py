"""Where each judged unit stood after each stage, so that a later run can say which stage moved it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Stage

# A stage's name as it may stand in a baseline; a retriever's own words beyond that are not quoted.
_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}(:[A-Za-z0-9_][A-Za-z0-9._-]{0,63})?")
# Said in place of a stage, failure code or version that may not be quoted.
OTHER = "other"


def stage_names(stages: Sequence[Stage]) -> tuple[str, ...]:
    """The stages' names in order; `other` for one that is not a plain name."""
    return tuple([stage.name if _NAME.fullmatch(stage.name) else OTHER for stage in stages])


def trail(chunks: Collection[ChunkId], stages: Sequence[Stage]) -> tuple[int | None, ...]:
    """The unit's rank (from 1) at each stage, by the best of its `chunks`; None where none of them left it."""
    return tuple([_rank(chunks, stage.chunks) for stage in stages])


def _rank(chunks: Collection[ChunkId], ranking: Sequence[ChunkId]) -> int | None:
    return next((rank for rank, chunk in enumerate(ranking, start=1) if chunk in chunks), None)
