"""The verdicts as JUnit XML, in the elements that Jenkins, GitLab, Azure, CircleCI and Buildkite all read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape  # what XML needs too; xml.sax.saxutils would bring a web client

from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report import phrases
from retrieval_gate.report.issues import Issue, Level, issues
from retrieval_gate.report.outputs.style import Style, broken_marks, printable
from retrieval_gate.report.report import Report, with_status

# The test case that stands in every file: some readers take a file without any for a broken build.
JUDGED = "the run can be judged"
_SUITE = "retrieval-gate"
_RUN = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One test case; `inside` are the elements that say how it ended, none where it passed."""

    group: str
    name: str
    inside: tuple[str, ...] = ()


def render(report: Report, style: Style) -> str:
    """One suite. An `error` says why the run could not be judged, a `failure` which gate failed.

    A failed gate that only warns is a passed case with the warning as its output.
    """
    found = issues(report, prefix=style.prefix)
    errors = [issue for issue in found if issue.level is Level.ERROR]
    failures = [issue for issue in found if issue.level is Level.FAILURE]
    unchecked = with_status(report, Status.NOT_CHECKED)
    cases = tuple(_cases(report, found, errors, unchecked))
    name = _SUITE if report.label is None else f"{_SUITE} {report.label}"
    counts = f'tests="{len(cases)}" failures="{len(failures)}" errors="{1 if errors else 0}"'
    suite = f'<testsuite name={_attribute(name)} {counts} skipped="{len(unchecked)}">'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites name={_attribute(name)} {counts}>",
        suite,
        *(line for case in _distinct(cases) for line in _lines(case)),
        "</testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _cases(
    report: Report, found: Sequence[Issue], errors: Sequence[Issue], unchecked: Sequence[Verdict]
) -> Iterator[_Case]:
    yield _Case(group=_RUN, name=JUDGED, inside=tuple(_ending("error", issue) for issue in errors))
    for issue in found:
        if issue.level is not Level.ERROR:
            yield _Case(group=issue.ablation or _RUN, name=issue.headline, inside=(_told(issue),))
    for verdict in unchecked:
        reason = f"<skipped>{_text(phrases.unchecked_gate(verdict, printable))}</skipped>"
        yield _of_verdict(verdict, (reason,))
    for verdict in with_status(report, Status.PASSED):
        yield _of_verdict(verdict, ())


def _of_verdict(verdict: Verdict, inside: tuple[str, ...]) -> _Case:
    about = phrases.subject(verdict, printable)
    name = f"{verdict.kind}: {about}" if about else verdict.kind
    return _Case(group=verdict.ablation or _RUN, name=name, inside=inside)


def _told(issue: Issue) -> str:
    if issue.level is Level.FAILURE:
        return _ending("failure", issue)
    return f"<system-out>{_text(f'warning: {_body(issue)}')}</system-out>"


def _ending(element: str, issue: Issue) -> str:
    message = "; ".join((issue.headline, *issue.found))
    attributes = f"type={_attribute(issue.kind.id)} message={_attribute(message)}"
    return f"<{element} {attributes}>{_text(_body(issue))}</{element}>"


def _body(issue: Issue) -> str:
    place = () if issue.path is None else (f"at {issue.path}" + (f":{issue.line}" if issue.line else ""),)
    found = ("; ".join((issue.headline, *issue.found)), *place)
    return "\n".join((*found, f"first: {issue.action}", f"reproduce: {issue.reproduce}"))


def _distinct(cases: Sequence[_Case]) -> Iterator[_Case]:
    """The cases, those of one name numbered: readers take two of one name for one that ran twice."""
    seen: Counter[tuple[str, str]] = Counter()
    for case in cases:
        key = (case.group, case.name)
        seen[key] += 1
        again = f" ({seen[key]})" if seen[key] > 1 else ""
        yield _Case(group=case.group, name=case.name + again, inside=case.inside)


def _lines(case: _Case) -> Iterator[str]:
    head = f"<testcase classname={_attribute(f'{_SUITE}.{case.group}')} name={_attribute(case.name)}"
    if not case.inside:
        yield f"{head}/>"
        return
    yield f"{head}>"
    yield from case.inside
    yield "</testcase>"


def _text(text: str) -> str:
    """Text of an element. It is printable but for our own line ends, so XML 1.0 can hold it."""
    return broken_marks(escape(text), "&#91;")


def _attribute(text: str) -> str:
    return f'"{_text(printable(text))}"'
