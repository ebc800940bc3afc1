"""What a run stands for: real retrieval, or answers that were recorded before."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.scores import Latency
from retrieval_gate.report.report import NEVER_CHECKED, Retrieval, Unchecked
from retrieval_gate.retrievers.replay import recordings
from retrieval_gate.retrievers.table import is_recorded


def retrieval_of(ablations: Sequence[AblationSpec]) -> Retrieval:
    """What the hits of all ablations came from."""
    recorded = [is_recorded(spec) for spec in ablations]
    if not any(recorded):
        return Retrieval.REAL
    return Retrieval.RECORDED if all(recorded) else Retrieval.PARTLY_RECORDED


def unchecked(ablations: Sequence[AblationSpec], unseeded: Collection[AblationId]) -> tuple[Unchecked, ...]:
    """What the run does not prove, whatever its colour. `unseeded`: whose retriever takes no documents."""
    once = any(is_recorded(spec) and len(set(recordings(spec))) == 1 for spec in ablations)
    trusted = any(spec.id in unseeded and not is_recorded(spec) for spec in ablations)
    further = ((Unchecked.RECORDED_ONCE, once), (Unchecked.UNSEEDED, trusted))
    return (*NEVER_CHECKED, *(part for part, holds in further if holds))


def timed(ablations: Sequence[AblationSpec], latencies: Sequence[Latency]) -> tuple[Latency, ...]:
    """The latencies without those of recorded answers: no retriever took any time for them."""
    recorded = {spec.id for spec in ablations if is_recorded(spec)}
    return tuple(latency for latency in latencies if latency.ablation not in recorded)
