"""wrong-state."""

from __future__ import annotations

from retrieval_gate.base.fixture import State
from tests.scoring.build import aggregate, record, value

ANSWERED, ABSTAINED = State.ANSWERED, State.ABSTAINED


def test_both_directions_are_wrong() -> None:
    assert value("wrong-state", record(expected_state=ANSWERED, state=ABSTAINED)) == 1
    assert value("wrong-state", record(expected_state=ABSTAINED, state=ANSWERED)) == 1


def test_the_expected_state_is_right() -> None:
    assert value("wrong-state", record(expected_state=ANSWERED, state=ANSWERED)) == 0
    assert value("wrong-state", record(expected_state=ABSTAINED, state=ABSTAINED)) == 0


def test_a_state_that_is_not_expected_or_not_given_is_not_checked() -> None:
    unlabelled, silent = record(state=ANSWERED), record(expected_state=ANSWERED)
    assert value("wrong-state", unlabelled) is None
    assert value("wrong-state", silent) is None
    assert aggregate("wrong-state", unlabelled, silent) == (None, 0)


def test_wrong_states_are_counted_and_not_averaged() -> None:
    wrong, right = (
        record(expected_state=ANSWERED, state=ABSTAINED),
        record(expected_state=ANSWERED, state=ANSWERED),
    )
    assert aggregate("wrong-state", wrong, right, wrong, record(state=ANSWERED)) == (2, 3)
