"""Latency of one ablation: diagnostic, never gated, never compared."""

from __future__ import annotations

import math
from collections.abc import Sequence

from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.scores import Latency

_NS_PER_MS = 1_000_000


def latency(ablation: AblationId, nanoseconds: Sequence[int]) -> Latency:
    """Milliseconds of the answers' times. p95 is the nearest rank: the smallest time with 95 % at or below it.

    All values are None where there is no time.
    """
    times = sorted(nanoseconds)
    count = len(times)
    if not count:
        return Latency(ablation=ablation, count=0, min=None, median=None, p95=None, max=None, mean=None)
    return Latency(
        ablation=ablation,
        count=count,
        min=times[0] / _NS_PER_MS,
        median=(times[(count - 1) // 2] + times[count // 2]) / 2 / _NS_PER_MS,
        p95=times[(95 * count + 99) // 100 - 1] / _NS_PER_MS,
        max=times[-1] / _NS_PER_MS,
        mean=math.fsum(times) / count / _NS_PER_MS,
    )
