"""What the base branch's baseline asks for and a change does not: the door of this part of the room."""

from __future__ import annotations

from retrieval_gate.verdict.loosening.finding import Loosening
from retrieval_gate.verdict.loosening.table import (
    LOOSENINGS,
    LooseningRule,
    approval,
    approval_hash,
    loosenings,
    names,
)

__all__ = ["LOOSENINGS", "Loosening", "LooseningRule", "approval", "approval_hash", "loosenings", "names"]
