"""A difference between the two runs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from retrieval_gate.base.ids import AblationId, QueryId


class Cause(StrEnum):
    """The likely cause of a difference, most specific first."""

    TIE_ORDER = "tie-order"
    SCORE = "score"
    ORDER = "order"
    HITS = "hits"
    CONTEXT = "context"
    STATE = "state"
    EVIDENCE = "evidence"
    RECORD = "record"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where run 2 first differs from run 1 for one query. `rank` counts from 1, None where it is not a rank.

    `query` is None for a held-out query that is not named. `tolerated` is True for a swap inside a group whose
    scores are equal within the tolerance: reported, not red.
    """

    ablation: AblationId
    query: QueryId | None
    rank: int | None
    cause: Cause
    tolerated: bool
