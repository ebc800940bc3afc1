"""Verdicts of any shape, with ids that no fixture would accept."""

from __future__ import annotations

from hypothesis import strategies as st

from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.verdict.kinds import KINDS

# Signs that mean something to a terminal, a runner, markdown, HTML or a table, and wide and combining letters.
HOSTILE = "|`<>&\n\r\x1b\x00\u202e\u2028\ud800*_[]()#@:!~\\\"' $知识é\u0301\t%a1-"
ids = st.text(alphabet=HOSTILE, min_size=1, max_size=160) | st.from_regex(
    r"[A-Za-z0-9._:#@+/(),-]{1,128}", fullmatch=True
)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False, width=32) | st.floats(0, 1)
counts = st.none() | st.integers(0, 10**7)


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    """Any combination of fields, kinds and statuses."""
    maybe = st.none() | ids
    return Verdict(
        kind=draw(st.sampled_from([kind.id for kind in KINDS])),
        status=draw(st.sampled_from(Status)),
        ablation=draw(maybe),  # type: ignore[arg-type]  # hostile text in an id's place is the point
        slice=draw(maybe),  # type: ignore[arg-type]  # as above
        metric=draw(maybe),  # type: ignore[arg-type]  # as above
        query=draw(maybe),  # type: ignore[arg-type]  # as above
        units=draw(st.lists(ids, max_size=8).map(tuple)),  # type: ignore[arg-type]  # as above
        value=draw(numbers),
        bound=draw(numbers),
        baseline=draw(numbers),
        n=draw(counts),
        baseline_n=draw(counts),
        old_rank=draw(counts),
        new_rank=draw(counts),
        stage=draw(maybe),
        detail=draw(maybe),
    )
