"""The reason of an acceptance: one line for a reviewer, kept in the committed file."""

from __future__ import annotations

import re

from retrieval_gate.base.errors import UsageError
from retrieval_gate.inputs.fixture.sensitive import is_secret
from retrieval_gate.inputs.fixture.suspects import BIDI, is_blank

REASON_LIMIT = 500
# Control characters, line ends of every kind, and the halves of characters that undecodable arguments leave.
_NOT_ONE_LINE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def check_reason(text: str) -> str:
    """The reason without white space around it.

    Raises UsageError, which never quotes it, for a text that is blank, longer than REASON_LIMIT, not one line of
    plain text, or that holds what looks like a secret: the file is public.
    """
    reason = text.strip()
    for holds, what, fix in (
        (is_blank(reason), "is blank", "say in a few words why the change is right"),
        (
            len(reason) > REASON_LIMIT,
            f"is over {REASON_LIMIT} characters",
            "shorten it, or name the change request",
        ),
        (_NOT_ONE_LINE.search(reason), "holds a line end or control character", "write one line of plain text"),
        (BIDI.search(reason), "holds a character that reorders the text around it", "remove it"),
        (is_secret(reason), "holds what looks like a secret", "remove it: the baseline is committed"),
    ):
        if holds:
            raise UsageError("bad-reason", f"the reason {what}", fix=fix)
    return reason
