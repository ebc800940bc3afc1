"""The reason of an acceptance is one public line."""

from __future__ import annotations

import pytest

from retrieval_gate.base.errors import UsageError
from retrieval_gate.verdict.reason import REASON_LIMIT, check_reason


@pytest.mark.parametrize(
    "reason",
    [
        "the second reviewer was right (#12)",
        "修正了同步文档的标注，见 https://example.org/pull/12",
        "task-scheduler: sk-learn style ids",
        "नया सूचकांक",
        "x" * REASON_LIMIT,
    ],
)
def test_a_plain_line_in_any_script_is_taken_as_it_is(reason: str) -> None:
    assert check_reason(f"  {reason} ") == reason


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        ("", "blank"),
        (" \u200b ", "blank"),
        ("x" * (REASON_LIMIT + 1), "500 characters"),
        ("two\nlines", "line end"),
        ("two\u2028lines", "line end"),
        ("\x1b[2Jcleared", "control"),
        ("half \ud83d of a sign", "control"),
        ("seen \u202ebackwards", "reorders"),
        ("key ghp_" + "a1B2c3D4e5" * 4, "secret"),
        ("https://user:hunter2hunter2@example.org/", "secret"),
    ],
)
def test_anything_else_is_refused_without_being_quoted(reason: str, named: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_reason(reason)
    assert refused.value.code == "bad-reason"
    assert named in str(refused.value)
    assert reason.strip() == "" or reason not in str(refused.value)
