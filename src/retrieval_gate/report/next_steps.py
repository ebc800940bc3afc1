"""The commands that a reader of a report can run next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report.report import BaselineStatus, FailOn, Report, exit_codes, red_differences, with_status
from retrieval_gate.verdict.kinds import kind_of

# A command in pieces that belong on one line each: an option with its value.
Command = tuple[str, ...]

# The failures that accepting the run as the new baseline mends: those that are held against the old one.
MENDED_BY_ACCEPTING = (
    "n-dropped",
    "ablation-gone",
    "metric-gone",
    "slice-gone",
    "query-removed",
    "label-edited",
    "relevant-left-cut-off",
    "span-lost",
    "false-positive",
    "rank-worsened",
    "query-value-fell",
    "no-drop",
)

# The failures of a bound in the configuration.
ABSOLUTE = ("floor", "ceiling", "max-below")


def next_steps(report: Report) -> tuple[tuple[str, Command], ...]:
    """What to run next, each with its command: explain, reproduce, then accept where accepting can help."""
    steps: list[tuple[str, Command]] = []
    failed = with_status(report, Status.FAILED)
    if failed:
        steps.append(("explain", (f"retrieval-gate explain {shlex.quote(failed[0].kind)}",)))
    complete = not (report.failures or red_differences(report))
    if failed or not complete:
        steps.append(("reproduce", reproduce_command(report)))
    if complete and ExitCode.NOTHING_COMPARABLE in exit_codes(report):
        missing = report.baseline.status is BaselineStatus.MISSING
        word = "make the first baseline" if missing else "replace the baseline, where it is the wrong one"
        steps.append((word, accept_command(report)))
    elif complete and report.invocation.abstention and _accepting_helps(failed):
        steps.append(("accept, where it is right", accept_command(report)))
    loosening = report.baseline.loosening_hash
    if loosening is not None and not report.baseline.loosening_approved:
        steps.append(("approve the loosening, where it is right", approve_command(report, loosening)))
    return tuple(steps)


def _accepting_helps(failed: Sequence[Verdict]) -> bool:
    """Whether some failure is mended by accepting, and none of them forbids it."""
    mended = any(verdict.kind in MENDED_BY_ACCEPTING for verdict in failed)
    return mended and all(kind_of(verdict.kind).acceptable for verdict in failed)


def reproduce_command(report: Report) -> Command:
    """The command that shows the same failures again, with what fails and what it is held against only.

    What an absolute gate names is run as well: a gate of the configuration that is not measured fails.
    """
    failed = with_status(report, Status.FAILED)
    needed = [*failed, *(verdict for verdict in report.verdicts if verdict.kind in ABSOLUTE)]
    failing: set[str | None] = {verdict.ablation for verdict in needed}
    failing |= {verdict.detail for verdict in needed if verdict.detail in report.ablations}
    failing |= {difference.ablation for difference in red_differences(report)}
    failing |= {failure.ablation for failure in report.failures}
    chosen = [name for name in report.ablations if name in failing]
    narrowed = None not in failing and 0 < len(chosen) < len(report.ablations)
    return _command("run", report, *_same_run(report), *_only(chosen if narrowed else report.invocation.ablations))


def approve_command(report: Report, loosening: str) -> Command:
    """The command that approves this loosening. It runs what this run did: the hash is of what it saw."""
    approval = f"--approve-loosening {shlex.quote(loosening)}"
    return _command("run", report, *_same_run(report), *_only(report.invocation.ablations), approval)


def _only(ablations: Sequence[str]) -> tuple[str, ...]:
    return (f"--ablations {shlex.quote(','.join(ablations))}",) if ablations else ()


def _same_run(report: Report) -> Iterator[str]:
    """The options of this run that another needs to judge the same."""
    asked = report.invocation
    base = asked.base_baseline
    options = (
        ("--no-abstention", not asked.abstention),
        (f"--today {asked.today}", asked.today is not None),
        ("--reveal-held-out", asked.reveal_held_out),
        ("--allow-missing-baseline", report.allow_missing_baseline),
        (f"--base-baseline {shlex.quote(base or '')}", base is not None),
        (f"--fail-on {report.fail_on.value}", report.fail_on is not FailOn.REGRESSION),
    )
    return (option for option, wanted in options if wanted)


def accept_command(report: Report) -> Command:
    """The command that makes this result the baseline, once someone has decided that it is right."""
    return _command("baseline accept", report, '--reason "..."')


def _command(name: str, report: Report, *more: str) -> Command:
    asked = report.invocation
    options = {
        "--config": asked.config,
        "--fixture": asked.fixture,
        "--held-out": asked.held_out,
        "--baseline": asked.baseline,
    }
    named = [f"{option} {shlex.quote(value)}" for option, value in options.items() if value is not None]
    return (f"retrieval-gate {name}", *named, *more)
