"""The probes, in the order in which what they find should be mended."""

from __future__ import annotations

from retrieval_gate.doctor.probes.answers import ANSWERS
from retrieval_gate.doctor.probes.as_of import AS_OF
from retrieval_gate.doctor.probes.changes import CHANGES
from retrieval_gate.doctor.probes.found import FOUND
from retrieval_gate.doctor.probes.ids import IDS
from retrieval_gate.doctor.probes.parts import PARTS
from retrieval_gate.doctor.probes.principals import PRINCIPALS
from retrieval_gate.doctor.probes.reachable import REACHABLE
from retrieval_gate.doctor.probes.repeatable import REPEATABLE
from retrieval_gate.doctor.probes.scores import SCORES
from retrieval_gate.doctor.probes.speed import SPEED
from retrieval_gate.doctor.probes.stages import STAGES

PROBES = (
    REACHABLE,
    ANSWERS,
    IDS,
    FOUND,
    SCORES,
    PRINCIPALS,
    AS_OF,
    REPEATABLE,
    STAGES,
    PARTS,
    CHANGES,
    SPEED,
)
