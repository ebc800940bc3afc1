"""Whether the evidence is enough to answer.

The evidence of a query is the largest share (0..1) of its idf weight that stands together in one window of one of
the best candidates; terms that no visible chunk holds count with the largest idf. Each channel looks at its own
candidates through its own features, so that a concept found by an alias counts as much as a word; the pipeline's
evidence is that of its best channel.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from retrieval_gate.base.canonical import rounded
from retrieval_gate.base.config import EvidenceThreshold
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.fixture import State

# How many of a channel's candidates are looked at.
EVIDENCE_DEPTH = 3

# han and devanagari: calibrated with bench/abstention_curve.py on the even half of public questions, where those
# without an answer are questions whose article was left out of the corpus. latin: there the questions without an
# answer are adversarial, asked about the very passages, which word overlap can not tell; this value separates the
# natural near misses of the committed synthetic fixture. other: between them, not calibrated.
DEFAULT_THRESHOLDS = (
    EvidenceThreshold(script="han", value=0.22),
    EvidenceThreshold(script="latin", value=0.36),
    EvidenceThreshold(script="devanagari", value=0.36),
    EvidenceThreshold(script="other", value=0.3),
)


def evidence(windows: npt.NDArray[np.float64]) -> float:
    """Of the window shares of a channel's best candidates; 0 where there is none."""
    return rounded(float(windows.max())) if len(windows) else 0.0


def thresholds(overrides: Iterable[EvidenceThreshold]) -> dict[str, float]:
    """For each script of `text.SCRIPTS` the least evidence with which a query in it is answered.

    Raises ConfigError for a script that is not in the table: its threshold would never be used.
    """
    values = {row.script: row.value for row in DEFAULT_THRESHOLDS}
    for row in overrides:
        if row.script not in values:
            raise ConfigError(
                "unknown-script", "a threshold names a script that is not known", fix=f"use {', '.join(values)}"
            )
        values[row.script] = row.value
    return values


def decide(*, enough: bool, hits: int) -> State:
    """ABSTAINED where the evidence is below the threshold or nothing was found."""
    return State.ANSWERED if enough and hits else State.ABSTAINED
