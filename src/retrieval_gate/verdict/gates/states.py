"""The wrong answer states of one run, and those of them that a waiver takes."""

from __future__ import annotations

from retrieval_gate.base.ids import AblationId, SliceId
from retrieval_gate.base.record import QueryRecord
from retrieval_gate.verdict.case import Case


def has_state(record: QueryRecord) -> bool:
    """Whether a state is expected and one was observed."""
    return record.expected_state is not None and record.state is not None


def is_wrong(record: QueryRecord) -> bool:
    """Whether the observed state is another than the expected one."""
    return has_state(record) and record.state is not record.expected_state


def waived_states(case: Case, ablation: AblationId, part: SliceId) -> int:
    """How many wrong states of one ablation and slice are waived today."""
    if not case.config.waivers:
        return 0
    members = {query for group in case.plan.slices if group.id == part for query in group.queries}
    own = (record for record in case.evaluation.scores.records if record.ablation == ablation)
    wrong = (record.query for record in own if record.query in members and is_wrong(record))
    return len([query for query in wrong if case.waives(query)])
