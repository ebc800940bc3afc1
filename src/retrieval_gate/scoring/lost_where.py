"""Where a relevant unit that was not returned went missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from retrieval_gate.base.ids import ChunkId
from retrieval_gate.base.retrieval import Stage

CANDIDATES = "candidates"
# The unit left the last traced stage and still was not returned.
UNATTRIBUTED = "unattributed"

# The context is assembled from the hits: it can not lose one.
_AFTER_THE_HITS = "context"


def lost_at(chunks: Collection[ChunkId], stages: Sequence[Stage]) -> str | None:
    """The first stage from which none of the unit's `chunks` came out again; for a unit that is not a hit.

    All channels count as one stage, `candidates`: a unit is lost there only where no channel found it. None
    where the retriever gives no stages; `unattributed` where the unit left the last one.
    """
    steps = _steps(stages)
    if not steps:
        return None
    names = list(steps)
    present = [index for index, lists in enumerate(steps.values()) if _is_in(chunks, lists)]
    after = present[-1] + 1 if present else 0
    return names[after] if after < len(names) else UNATTRIBUTED


def _steps(stages: Sequence[Stage]) -> dict[str, list[tuple[ChunkId, ...]]]:
    """The lists of each stage, in stage order, with the channels of `candidates:` as one."""
    steps: dict[str, list[tuple[ChunkId, ...]]] = {}
    for stage in stages:
        head = stage.name.partition(":")[0]
        name = CANDIDATES if head == CANDIDATES else stage.name
        if name != _AFTER_THE_HITS:
            steps.setdefault(name, []).append(stage.chunks)
    return steps


def _is_in(chunks: Collection[ChunkId], lists: Sequence[tuple[ChunkId, ...]]) -> bool:
    return any(chunk in chunks for ids in lists for chunk in ids)
