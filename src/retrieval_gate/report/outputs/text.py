"""The report for a terminal: the verdict first, then what to do, then the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.places import Place
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report import phrases, summary
from retrieval_gate.report.next_steps import MENDED_BY_ACCEPTING, Command, next_steps
from retrieval_gate.report.outputs.grid import grid_lines
from retrieval_gate.report.outputs.states import state_lines
from retrieval_gate.report.outputs.style import Style, Tone, cells, plain, wrap
from retrieval_gate.report.places import place_finder
from retrieval_gate.report.report import Report, blocking, exit_code, exit_codes, warned, with_status
from retrieval_gate.verdict.actions import action_of
from retrieval_gate.verdict.kinds import kind_of

# Longer lists are cut: the JSON report has them all.
FAILURES_SHOWN = 20
NOTES_SHOWN = 8
_INDENT = "   "


def render(report: Report, style: Style) -> str:
    """The whole text, each line at most `style.width` cells (colour codes apart), no line end after the last."""
    told = (_headline, _counts, _retriever_failures, _differences, _failures, _warnings)
    more = (_metrics, _states, _notes, _not_checked, _latency)
    sections = [*told, *(() if style.quiet else more), _next_steps, _exit]
    blocks = [lines for section in sections if (lines := list(section(report, style)))]
    return "\n\n".join("\n".join(lines) for lines in blocks)


def render_accepted(report: Report, path: str, style: Style) -> str:
    """What `baseline accept` has taken into the file at `path`, and what no baseline mends; as `render`."""
    failed = with_status(report, Status.FAILED)
    taken = [verdict for verdict in failed if verdict.kind in MENDED_BY_ACCEPTING]
    standing = [verdict for verdict in failed if verdict.kind not in MENDED_BY_ACCEPTING]
    written = f"ACCEPTED: {plain(path)} is written; review and commit it"
    blocks = (
        [style.paint(line, Tone.GOOD) for line in wrap(written, style.width, rest=_INDENT)],
        _taken_from(report, style),
        list(_verdicts("TAKEN IN, failures against the baseline before: {}", taken, report, style)),
        list(_verdicts("STILL FAILING, which no baseline mends: {}", standing, report, style)),
        list(_waivable(standing, style)),
    )
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def _waivable(standing: Sequence[Verdict], style: Style) -> Iterator[str]:
    """How a wrong state is accepted, where one stands."""
    if any(kind_of(verdict.kind).waivable for verdict in standing):
        text = (
            "A wrong state is accepted by a waiver, one query and until a date: [[waivers]] in the configuration, "
            "with query, reason and expires."
        )
        yield from wrap(text, style.width, rest=_INDENT)


def _taken_from(report: Report, style: Style) -> list[str]:
    texts = (summary.fixture_line(report, plain), summary.set_aside_line(report))
    return [line for text in texts if text for line in wrap(text, style.width, rest=_INDENT)]


def _headline(report: Report, style: Style) -> Iterator[str]:
    code = exit_code(report)
    word, tone = ("PASSED", Tone.GOOD) if code is ExitCode.PASS else ("FAILED", Tone.BAD)
    label = "" if report.label is None else f" [{plain(report.label)}]"
    text = f"{word}{label}: {summary.reason(report)} (exit code {int(code)})"
    yield from (style.paint(line, tone) for line in wrap(text, style.width, rest=_INDENT))


def _counts(report: Report, style: Style) -> Iterator[str]:
    for text in summary.count_lines(report, plain):
        yield from wrap(text, style.width, rest=_INDENT)


def _retriever_failures(report: Report, style: Style) -> Iterator[str]:
    texts = [phrases.retriever_line(failure, plain) for failure in report.failures]
    texts += ["first: retrieval-gate doctor asks it alone, and says what to mend"] * bool(texts)
    yield from _listed("RETRIEVER FAILED: the run is incomplete and can not pass", texts, FAILURES_SHOWN, style)


def _differences(report: Report, style: Style) -> Iterator[str]:
    found = sorted(report.differences, key=lambda difference: difference.tolerated)
    texts = [phrases.difference_line(difference, plain) for difference in found]
    yield from _listed(phrases.difference_title(report).upper(), texts, FAILURES_SHOWN, style)


def _failures(report: Report, style: Style) -> Iterator[str]:
    yield from _verdicts("FAILURES: {}, worst first", blocking(report), report, style)


def _warnings(report: Report, style: Style) -> Iterator[str]:
    yield from _verdicts("WARNINGS: {}, worst first; they do not block", warned(report), report, style)


def _verdicts(title: str, failed: Sequence[Verdict], report: Report, style: Style) -> Iterator[str]:
    """The title with the count in it, and the worst of the failures; nothing where there are none."""
    if failed:
        yield style.paint(title.format(len(failed)), Tone.STRONG)
        yield from wrap(phrases.kind_counts(failed, plain), style.width, first=_INDENT, rest=_INDENT)
    find = place_finder(report)
    shown = phrases.shown_failures(failed, FAILURES_SHOWN)
    for number, verdict in enumerate(shown, start=1):
        yield from _failure(number, verdict, find(verdict), style)
    yield from _more(len(failed) - len(shown), style)


def _failure(number: int, verdict: Verdict, place: Place | None, style: Style) -> Iterator[str]:
    """Two to five lines: what and about whom, what was found, where, and what to do first."""
    rest = " " * 4
    about = phrases.subject(verdict, plain)
    head = f"{number:>2}. {plain(verdict.kind)}" + (f": {about}" if about else "")
    yield from (style.paint(line, Tone.BAD) for line in wrap(head, style.width, rest=rest))
    found = "; ".join(phrases.finding(verdict, plain))
    if found:
        yield from wrap(found, style.width, first=rest, rest=rest)
    if place is not None:
        yield from wrap(f"at {plain(str(place))}", style.width, first=rest, rest=rest)
    yield from wrap(f"first: {action_of(verdict)}", style.width, first=rest, rest=rest)


def _metrics(report: Report, style: Style) -> Iterator[str]:
    yield from grid_lines(report, style)


def _states(report: Report, style: Style) -> Iterator[str]:
    yield from state_lines(report, style)


def _notes(report: Report, style: Style) -> Iterator[str]:
    notes = [phrases.note_line(verdict, plain) for verdict in with_status(report, Status.NOTE)]
    yield from _listed(f"NOTES: {len(notes)}, none of them blocks", notes, NOTES_SHOWN, style)


def _not_checked(report: Report, style: Style) -> Iterator[str]:
    unchecked = [phrases.unchecked_gate(verdict, plain) for verdict in with_status(report, Status.NOT_CHECKED)]
    texts = [summary.unchecked_line(report), *unchecked]
    yield from _listed("NOT CHECKED", texts, NOTES_SHOWN, style)


def _latency(report: Report, style: Style) -> Iterator[str]:
    texts = [line for latency in report.latencies if (line := summary.latency_line(latency, plain))]
    yield from _listed("LATENCY per query in ms, diagnostic only: median, p95, max", texts, len(texts), style)


def _next_steps(report: Report, style: Style) -> Iterator[str]:
    for word, command in next_steps(report):
        yield f"{word}:"
        yield from _command(command, style)


def _command(command: Command, style: Style) -> Iterator[str]:
    """The command as it can be pasted: broken between options only, with the shell's own line continuation."""
    pieces = [plain(piece) for piece in command]
    if cells(_INDENT + " ".join(pieces)) <= style.width:
        yield _INDENT + " ".join(pieces)
        return
    for place, piece in enumerate(pieces):
        end = " \\" if place < len(pieces) - 1 else ""
        yield from wrap(piece + end, style.width, first=_INDENT * (1 if place == 0 else 2), rest=_INDENT * 2)


def _exit(report: Report, style: Style) -> Iterator[str]:
    """Every code that holds, the strongest first, and why."""
    first, *others = exit_codes(report)
    also = "".join(f"; also {int(code)}: {code.meaning}" for code in others)
    yield from wrap(f"exit code {int(first)}: {summary.reason(report)}{also}", style.width, rest=_INDENT)


def _listed(title: str, texts: Sequence[str], most: int, style: Style) -> Iterator[str]:
    """A title and its lines, or nothing where there are none."""
    if not texts:
        return
    yield from (style.paint(line, Tone.STRONG) for line in wrap(title, style.width, rest=_INDENT))
    for text in texts[:most]:
        yield from wrap(text, style.width, first=_INDENT, rest=_INDENT * 2)
    yield from _more(len(texts) - most, style)


def _more(count: int, style: Style) -> Iterator[str]:
    if count > 0:
        yield from wrap(f"and {count} more: see the report (--report FILE)", style.width, first=_INDENT)
