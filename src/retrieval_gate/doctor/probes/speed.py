"""How long an answer takes, and about how long the whole fixture would."""

from __future__ import annotations

from retrieval_gate.doctor.case import Case
from retrieval_gate.doctor.finding import Finding, Health, Timing
from retrieval_gate.doctor.probe import ANSWERED, Probe
from retrieval_gate.doctor.questions import RoundId
from retrieval_gate.retrievers.table import is_recorded
from retrieval_gate.scoring.latency import latency

_NS_PER_MS = 1_000_000


def timing(case: Case) -> Timing:
    """Of the sample as it was first asked."""
    times = [response.elapsed_ns for _, response in case.answers(RoundId.FIRST)]
    found = latency(case.spec.id, times)
    opening = None if case.first.hello is None else case.first.opening_ns / _NS_PER_MS
    return Timing(opening=opening, median=found.median, p95=found.p95)


def _recorded(case: Case) -> str | None:
    return "recorded answers take no time" if is_recorded(case.spec) else None


def _look(case: Case) -> Finding:
    times = [response.elapsed_ns for _, response in case.answers(RoundId.FIRST)]
    found, count = latency(case.spec.id, times), len(case.fixture.queries)
    mean = found.mean or 0.0
    once = mean * count / case.spec.transport.concurrency / 1_000
    what = (
        f"median {found.median:.2f} ms, p95 {found.p95:.2f} ms, opening {case.first.opening_ns / 1e6:.0f} ms; the "
        f"fixture's {count} queries twice would take about {2 * once:.1f} s"
    )
    if once > case.spec.transport.total_timeout:
        return Finding(
            health=Health.FIX,
            what=f"{what}, and one run may take {case.spec.transport.total_timeout:g} s",
            fix="raise total-timeout, set concurrency, or make it faster",
        )
    return Finding(health=Health.OK, what=what)


SPEED = Probe(
    id="speed",
    explanation="How long answers take; only a run that would not end in time must be mended.",
    look=_look,
    needs=(*ANSWERED, _recorded),
)
