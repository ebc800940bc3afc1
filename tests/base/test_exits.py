"""Which exit code wins, and what each means."""

from __future__ import annotations

from itertools import combinations

import pytest

from retrieval_gate.base.exits import PRECEDENCE, ExitCode, strongest


def test_the_order_is_the_documented_one() -> None:
    assert [int(code) for code in PRECEDENCE] == [130, 70, 2, 5, 3, 1, 4]


def test_nothing_holding_is_a_pass() -> None:
    assert strongest([]) is ExitCode.PASS


@pytest.mark.parametrize("pair", list(combinations(PRECEDENCE, 2)))
def test_of_two_the_earlier_wins(pair: tuple[ExitCode, ExitCode]) -> None:
    assert strongest(pair) is pair[0]
    assert strongest(reversed(pair)) is pair[0]


def test_every_code_has_a_meaning() -> None:
    assert len({code.meaning for code in ExitCode}) == len(ExitCode)
