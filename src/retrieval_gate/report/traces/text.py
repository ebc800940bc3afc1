"""Scored traces for a terminal: the verdict, each trace, what to do first, each check apart, the scope."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import MetricId, QueryId
from retrieval_gate.base.places import Place
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report import phrases
from retrieval_gate.report.outputs.style import Style, Tone, cells, plain, wrap
from retrieval_gate.report.report import Retrieval
from retrieval_gate.report.summary import counted
from retrieval_gate.report.traces.report import CheckCount, TraceReport, TraceResult, exit_code, failures
from retrieval_gate.verdict.kinds import kind_of

# Longer lists are cut: the JSON has them all.
TRACES_SHOWN = 40
FAILURES_SHOWN = 20
INDENT = "   "
_GAP = "  "
_TITLE = "trace"
# The table has no room for evidence: its failures say it, and recall does.
_IN_TABLE = ("permission", "freshness", "state")
_STATUS = {Status.PASSED: "pass", Status.FAILED: "FAIL", Status.NOT_CHECKED: "-", Status.NOTE: "-"}

Places = Sequence[tuple[QueryId, Place]]


def render(report: TraceReport, style: Style) -> str:
    """The whole text, each line at most `style.width` cells (colour codes apart), no line end after the last."""
    return joined(
        headline(exit_code(report), _outcome(report), style),
        described(report, style),
        table(report, style),
        failure_lines("FAILURES", failures(report), report.places, style),
        checks(report, style),
        relevance(report, style),
        scope(report, style),
    )


def joined(*sections: Iterable[str]) -> str:
    """The sections that are not empty, a blank line between them."""
    blocks = [lines for section in sections if (lines := list(section))]
    return "\n\n".join("\n".join(lines) for lines in blocks)


def _outcome(report: TraceReport) -> str:
    """Why the exit code is what it is."""
    code = exit_code(report)
    if code is ExitCode.NOTHING_COMPARABLE:
        return nothing_checked(report)
    if code is ExitCode.PASS:
        return "; ".join(passed(report)) if _gaps(report) else code.meaning
    failed = len([result for result in report.results if result.failed]) + len(report.unjudged)
    total = counted(len(report.results) + len(report.unjudged), "trace")
    return f"{failed} of {total} {'fails' if failed == 1 else 'fail'}"


def nothing_checked(report: TraceReport) -> str:
    """What the traces lack."""
    *fields, last = (check.fields for check in report.checks)
    return f"nothing was checked: a check needs {', '.join(fields)}, or {last}"


def passed(report: TraceReport, *also: str) -> Iterator[str]:
    """What a pass covers, `also` with it, and what it does not: a green headline must not hide it."""
    done = [check.id for check in report.checks if check.n]
    if done:
        yield ", ".join(done)
    yield from also
    yield from _gaps(report)


def _gaps(report: TraceReport) -> list[str]:
    """The checks that had no label, and how many traces had none of any."""
    left = [check.id for check in report.checks if not check.n]
    bare = len(_bare(report))
    return [
        *([f"not checked: {', '.join(left)}"] if left else []),
        *([f"nothing checked of {counted(bare, 'trace')}"] if bare else []),
    ]


def _bare(report: TraceReport) -> list[str]:
    return [plain(result.record.query) for result in report.results if result.unchecked]


def headline(code: ExitCode, said: str, style: Style) -> Iterator[str]:
    word, tone = ("PASSED", Tone.GOOD) if code is ExitCode.PASS else ("FAILED", Tone.BAD)
    for line in wrap(f"{word}: {said} (exit code {int(code)})", style.width, rest=INDENT):
        yield style.paint(line, tone)


def described(report: TraceReport, style: Style) -> Iterator[str]:
    """What was scored: the set's own name where it has one, how much it holds, the cut-off."""
    version = "" if report.version is None else f" version {report.version}"
    name = "" if report.id is None else f"{plain(report.id)}{version}: "
    text = f"{name}{counted(len(report.results), 'supplied trace')}, k = {report.k}"
    if report.unjudged:
        text += f", and {len(report.unjudged)} without labels"
    yield from wrap(text, style.width, rest=INDENT)


def table(report: TraceReport, style: Style) -> Iterator[str]:
    """One row per trace; a dash is "not applicable" for a metric and "not checked" for a check.

    Where not all are shown, those that fail come first.
    """
    shown = report.results
    if len(shown) > TRACES_SHOWN:
        shown = tuple(sorted(shown, key=lambda result: not result.failed)[:TRACES_SHOWN])
    columns = [_metric_head(metric) for metric in report.metrics] + [("", check) for check in _IN_TABLE]
    widths = [max(*map(len, head), phrases.DECIMALS + 2 if head[0] else 0) for head in columns]
    used = len(_GAP) * len(widths)
    for width in widths:
        used += width
    names = [cells(plain(result.record.query)) for result in shown]
    label = min(max([*names, len(_TITLE)]), style.width - used)
    for place, title in enumerate(("", _TITLE)):
        heads = [f"{head[place]:>{width}}" for head, width in zip(columns, widths, strict=True)]
        yield style.paint(_GAP.join([title.ljust(label), *heads]).rstrip(), Tone.STRONG)
    for result in shown:
        yield from _row(result, report, widths, label)
    if len(report.results) > len(shown):
        yield f"and {len(report.results) - len(shown)} more: see --format json"


def _metric_head(metric: MetricId) -> tuple[str, str]:
    name, at, k = metric.partition("@")
    return name, at + k


def _row(result: TraceResult, report: TraceReport, widths: Sequence[int], label: int) -> Iterator[str]:
    """A name that is too long stands on lines of its own above its values."""
    statuses = dict(zip([check.id for check in report.checks], result.checks, strict=True))
    values = ["-" if value is None else phrases.numbers(value)[0] for value in result.values]
    values += [_STATUS[statuses[check]] for check in _IN_TABLE]
    padded = [f"{value:>{width}}" for value, width in zip(values, widths, strict=True)]
    *above, last = wrap(plain(result.record.query), label)
    yield from above
    yield _GAP.join([last + " " * (label - cells(last)), *padded])


def failure_lines(title: str, failed: Sequence[Verdict], places: Places, style: Style) -> Iterator[str]:
    """Each failure with what was found, where, and the first corrective action; the count of each kind above."""
    if not failed:
        return
    yield style.paint(f"{title}: {len(failed)}, worst first; each blocks", Tone.STRONG)
    yield from wrap(phrases.kind_counts(failed, plain), style.width, first=INDENT, rest=INDENT)
    where = dict(places)
    shown = phrases.shown_failures(failed, FAILURES_SHOWN)
    for number, verdict in enumerate(shown, start=1):
        yield from _failure(number, verdict, where, style)
    if len(failed) > len(shown):
        yield f"{INDENT}and {len(failed) - len(shown)} more: see --format json"


def _failure(number: int, verdict: Verdict, where: dict[QueryId, Place], style: Style) -> Iterator[str]:
    rest = " " * 4
    trace = "" if verdict.query is None else f": trace {plain(verdict.query)}"
    head = f"{number:>2}. {plain(verdict.kind)}{trace}"
    yield from (style.paint(line, Tone.BAD) for line in wrap(head, style.width, rest=rest))
    texts = ["; ".join(phrases.finding(verdict, plain)) or kind_of(verdict.kind).title]
    if verdict.query in where:
        texts.append(f"at {plain(str(where[verdict.query]))}")
    texts.append(f"first: {kind_of(verdict.kind).action}")
    for text in texts:
        yield from wrap(text, style.width, first=rest, rest=rest)


def checks(report: TraceReport, style: Style) -> Iterator[str]:
    """Each check on its own, with the number of labels that it had."""
    yield style.paint("CHECKS, none of them averaged with another", Tone.STRONG)
    for check in report.checks:
        yield from wrap(_check(check), style.width, first=INDENT, rest=INDENT * 2)
    yield from named("nothing checked", _bare(report), style)


def _check(check: CheckCount) -> str:
    if check.n == 0:
        return f"{check.id}: not checked, n = 0; {check.needs}"
    state = f"{counted(check.failed, 'trace')} failed" if check.failed else "passed"
    return f"{check.id}: {state}, n = {check.n}"


def named(word: str, names: Sequence[str], style: Style) -> Iterator[str]:
    """Traces by name, the first of them where there are many; nothing where there is none."""
    if names:
        more = f" and {len(names) - TRACES_SHOWN} more" if len(names) > TRACES_SHOWN else ""
        listed = f"{word}: {', '.join(names[:TRACES_SHOWN])}{more}"
        yield from wrap(listed, style.width, first=INDENT, rest=INDENT * 2)


def relevance(report: TraceReport, style: Style) -> Iterator[str]:
    """The mean of each metric with its n; it excuses nothing above."""
    values = [
        f"{plain(row.metric)} {'-' if row.value is None else phrases.numbers(row.value)[0]} (n = {row.n})"
        for row in report.rows
    ]
    yield style.paint("RELEVANCE, the mean of the traces with relevant chunks", Tone.STRONG)
    yield from wrap("; ".join(values), style.width, first=INDENT, rest=INDENT)


_SCOPE: dict[Retrieval, Callable[[int], str]] = {
    Retrieval.TRACE: lambda n: (
        f"supplied trace: {counted(n, 'trace')} scored against labels; no retrieval was run"
    ),
    Retrieval.REAL: lambda n: f"real retrieval: {counted(n, 'query', 'queries')}",
    Retrieval.NEITHER: lambda _: "neither: the run holds none of these traces",
}


def scope(report: TraceReport, style: Style) -> Iterator[str]:
    """What the hits came from, and what nobody has checked."""
    yield style.paint("SCOPE", Tone.STRONG)
    unrun = [] if report.retrieval is Retrieval.REAL else [Retrieval.REAL.value]
    names = [name.replace("-", " ") for name in (*unrun, *(part.value for part in report.unchecked))]
    for text in (_SCOPE[report.retrieval](len(report.results)), f"not checked: {', '.join(names)}"):
        yield from wrap(text, style.width, first=INDENT, rest=INDENT * 2)
