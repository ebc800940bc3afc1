"""The failures as GitHub annotations: one workflow command a line, escaped exactly as the runner decodes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval_gate.base.errors import GateError, InputError, UsageError
from retrieval_gate.base.places import Place, Problem, Severity
from retrieval_gate.report.issues import Issue, Level, issues
from retrieval_gate.report.outputs.style import Style, printable
from retrieval_gate.report.places import located
from retrieval_gate.report.report import Report
from retrieval_gate.report.summary import counted

# The runner shows no more of one step, and tells nobody that it does not.
LIMIT = 10
# The runner's pages cut a longer title: it then names the kind alone, and the message has the rest.
TITLE_LENGTH = 200
_REST = "the report and the job summary list them"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One line to be. `path` is repository-relative, None for no place; `message` may have several lines."""

    severity: Severity
    path: str | None
    line: int | None
    title: str
    message: str


def render(report: Report, style: Style) -> str:
    """As many as the runner shows."""
    return annotate(report, limit=LIMIT, prefix=style.prefix)


def annotate(report: Report, *, limit: int, prefix: str) -> str:
    """At most `limit` (0 to 10) lines, worst first; where there is more, the last line says how much.

    `prefix` is the working directory, relative to the repository's root. A failure whose file is not for sure
    inside the repository is told without a place. Raises UsageError for another limit: the runner would drop what
    is beyond it.
    """
    leg = "" if report.label is None else f"{printable(report.label)}: "
    return _limited([_of_issue(issue, leg) for issue in issues(report, prefix=prefix)], limit, leg)


def error_annotations(error: GateError, *, limit: int, prefix: str) -> str:
    """As `annotate`, for an error that stopped the run: one for each problem that it lists, else one in all."""
    problems = error.problems if isinstance(error, InputError) else ()
    told = [_of_problem(problem, prefix) for problem in problems]
    told.sort(key=lambda annotation: annotation.severity is not Severity.ERROR)
    return _limited(told or [_of_error(error, prefix)], limit, "")


def workflow_command(name: str, properties: Sequence[tuple[str, str]], message: str) -> str:
    """One line that the runner reads back as these properties and this message, whatever they hold.

    It drops a property without a value, and white space behind the last one.
    """
    told = ",".join(f"{key}={_property(value)}" for key, value in properties)
    return f"::{name} {told}::{_data(message)}"


def _limited(found: Sequence[Annotation], limit: int, leg: str) -> str:
    if not 0 <= limit <= LIMIT:
        raise UsageError(
            "annotations-limit",
            f"a step shows from 0 to {LIMIT} annotations",
            fix=f"ask for at most {LIMIT}; the report has all",
        )
    shown = found if len(found) <= limit else found[: max(0, limit - 1)]
    left = found[len(shown) :] if limit else ()
    more = [_more(left, leg, first=not shown)] if left else []
    return "\n".join(map(_line, (*shown, *more)))


def _line(annotation: Annotation) -> str:
    where = []
    if annotation.path is not None:
        where = [("file", annotation.path)]
        where += [("line", str(annotation.line))] if annotation.line is not None else []
    return workflow_command(annotation.severity.value, [*where, ("title", annotation.title)], annotation.message)


def _more(left: Sequence[Annotation], leg: str, *, first: bool) -> Annotation:
    """How much is not shown, in the severity of the worst of it."""
    count = counted(len(left), "failure") if first else f"{len(left)} more"
    return Annotation(
        severity=left[0].severity,
        path=None,
        line=None,
        title=f"{leg}{count}, see the report",
        message=f"{leg}{count}, see the report: {_REST}",
    )


def _of_issue(issue: Issue, leg: str) -> Annotation:
    texts = (
        issue.headline,
        "; ".join(issue.found),
        f"first: {issue.action}",
        f"reproduce: {issue.reproduce}",
    )
    return Annotation(
        severity=Severity.WARNING if issue.level is Level.WARNING else Severity.ERROR,
        path=issue.path,
        line=issue.line,
        title=_title(f"{leg}{issue.kind.title}", issue.about),
        message="\n".join(text for text in texts if text),
    )


def _title(named: str, about: str) -> str:
    whole = f"{named} ({about})" if about else named
    return whole if len(whole) <= TITLE_LENGTH else named


def _of_problem(problem: Problem, prefix: str) -> Annotation:
    return _told(problem.rule, problem.severity, problem.message, problem.fix, problem.place, prefix)


def _of_error(error: GateError, prefix: str) -> Annotation:
    return _told(error.code, Severity.ERROR, error.what, error.fix, error.where, prefix)


def _told(code: str, severity: Severity, what: str, fix: str, place: Place | None, prefix: str) -> Annotation:
    path, line = located(place, prefix)
    return Annotation(
        severity=severity,
        path=path,
        line=line,
        title=printable(code),
        message=printable(what) + f"\nfix: {printable(fix)}",
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
