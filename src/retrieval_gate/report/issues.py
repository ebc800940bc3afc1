"""What is wrong with a run, one issue each: the same list for every output that another tool reads."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.difference import Difference
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import AblationId
from retrieval_gate.base.verdict import Verdict
from retrieval_gate.report import phrases, summary
from retrieval_gate.report.next_steps import reproduce_command
from retrieval_gate.report.outputs.style import printable
from retrieval_gate.report.places import located, place_finder, repository_path
from retrieval_gate.report.report import Report, blocking, exit_codes, red_differences, warned
from retrieval_gate.verdict.actions import action_of
from retrieval_gate.verdict.kind import Kind
from retrieval_gate.verdict.kinds import kind_of

# Where an issue stands that has no place of its own, for formats that want one: the file that every run can have.
DEFAULT_CONFIG = "retrieval-gate.toml"


class Level(StrEnum):
    """ERROR: the run could not be judged. FAILURE: a gate failed. WARNING: one failed, and does not block."""

    ERROR = "error"
    FAILURE = "failure"
    WARNING = "warning"


# What can be wrong with a run besides its gates, called as `explain` knows the exit codes.
CAUSES = (
    Kind(
        id="retriever-failed",
        title="retriever failed",
        explanation="The retriever died, hung, or answered something that is not an answer.",
        action="repair the retriever first: the run is incomplete and can not pass",
        acceptable=False,
    ),
    Kind(
        id="not-deterministic",
        title="the two runs differ",
        explanation="The second of two runs, each in fresh state, gave another result than the first.",
        action="give the retriever a total order, and nothing that hangs on clock, process or seeding order",
        acceptable=False,
    ),
    Kind(
        id="nothing-comparable",
        title="nothing comparable",
        explanation="There is no baseline, nothing left to compare with it, or nothing was measured.",
        action="commit a baseline for this fixture, made in CI from the candidate beside the report",
        acceptable=False,
    ),
)
_RETRIEVER, _DIFFER, _NOTHING = CAUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """`about` is whom it concerns, empty for the whole run; `found` are sentences, `action` is what to do first.

    `path` is repository-relative; None where the issue has no place inside the repository. `fingerprint` is unique
    in a report, equal in another report of the same issue, and hangs on no line number.
    """

    kind: Kind
    level: Level
    about: str
    found: tuple[str, ...]
    action: str
    reproduce: str
    ablation: AblationId | None
    path: str | None
    line: int | None
    fingerprint: str

    @property
    def headline(self) -> str:
        """Its kind, and whom it concerns."""
        return f"{self.kind.id}: {self.about}" if self.about else self.kind.id


def issues(report: Report, *, prefix: str) -> tuple[Issue, ...]:
    """All that makes the run red, strongest cause first and worst first, then the failures that only warn.

    `prefix` is the working directory, relative to the repository's root. Every text is printable, and no more:
    what means something in a format is the format's affair.
    """
    found = (
        *_retriever_failures(report),
        *_differences(report),
        *_verdicts(blocking(report), Level.FAILURE, report, prefix),
        *_nothing_comparable(report),
        *_verdicts(warned(report), Level.WARNING, report, prefix),
    )
    return _unique(found)


def fallback_path(report: Report, prefix: str) -> str:
    """The file that stands for the run where a format wants a path: fixture, configuration, or its usual name."""
    asked = report.invocation
    named = (*(place.file for _, place in report.places[:1]), asked.fixture, asked.config)
    paths = (repository_path(file, prefix) for file in named if file is not None)
    return next((path for path in paths if path is not None), DEFAULT_CONFIG)


def _retriever_failures(report: Report) -> Iterator[Issue]:
    for failure in report.failures:
        yield replace(
            _of_run(_RETRIEVER, report, failure.ablation, str(failure.run), failure.code),
            about=phrases.retriever_subject(failure, printable),
            found=(phrases.retriever_finding(failure, printable),),
        )


def _differences(report: Report) -> Iterator[Issue]:
    """One per ablation: a lost order moves many queries, and must not crowd out what else is wrong."""
    by_ablation: dict[AblationId, list[Difference]] = {}
    for difference in red_differences(report):
        by_ablation.setdefault(difference.ablation, []).append(difference)
    for ablation, differences in by_ablation.items():
        yield replace(
            _of_run(_DIFFER, report, ablation),
            about=printable(ablation),
            found=(
                f"{summary.counted(len(differences), 'query differs', 'queries differ')}, first: "
                + phrases.difference_line(differences[0], printable),
            ),
        )


def _nothing_comparable(report: Report) -> Iterator[Issue]:
    if ExitCode.NOTHING_COMPARABLE in exit_codes(report):
        yield replace(_of_run(_NOTHING, report, None), found=(summary.nothing(report),))


def _of_run(kind: Kind, report: Report, ablation: AblationId | None, *more: str) -> Issue:
    """An issue of the run itself, still without words."""
    return Issue(
        kind=kind,
        level=Level.ERROR,
        about="",
        found=(),
        action=kind.action,
        reproduce=_reproduce(report),
        ablation=ablation,
        path=None,
        line=None,
        fingerprint=_identity(report.label, kind.id, ablation, *more),
    )


def _verdicts(verdicts: Sequence[Verdict], level: Level, report: Report, prefix: str) -> Iterator[Issue]:
    find, reproduce = place_finder(report), _reproduce(report)
    for verdict in verdicts:
        path, line = located(find(verdict), prefix)
        yield Issue(
            kind=kind_of(verdict.kind),
            level=level,
            about=phrases.subject(verdict, printable),
            found=phrases.expected_and_got(verdict, printable),
            action=action_of(verdict),
            reproduce=reproduce,
            ablation=verdict.ablation,
            path=path,
            line=line,
            fingerprint=_fingerprint(report, verdict),
        )


def _reproduce(report: Report) -> str:
    return printable(" ".join(reproduce_command(report)))


def _fingerprint(report: Report, verdict: Verdict) -> str:
    """The kind says which gate; `detail` tells apart two gates on one value."""
    where = (verdict.ablation, verdict.slice, verdict.metric, verdict.query)
    return _identity(report.label, verdict.kind, *where, *verdict.units, verdict.detail)


def _identity(*names: str | int | None) -> str:
    """A hash of names; ASCII JSON holds whatever they are."""
    return digest(json.dumps(names))


def _unique(found: Sequence[Issue]) -> tuple[Issue, ...]:
    """The issues, those with an equal fingerprint told apart by their order."""
    seen: Counter[str] = Counter()
    told: list[Issue] = []
    for issue in found:
        earlier = seen[issue.fingerprint]
        seen[issue.fingerprint] += 1
        told.append(replace(issue, fingerprint=_identity(issue.fingerprint, earlier)) if earlier else issue)
    return tuple(told)
