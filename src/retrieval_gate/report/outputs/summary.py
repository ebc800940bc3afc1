"""The report as a job summary: the verdict first, worst first, details collapsed, and never above its budget.

GitHub drops the summary of a step whole where it is above 1 MiB: the text is made as large as fits, in levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from retrieval_gate.base.errors import GateError, InputError
from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import AblationId, SliceId
from retrieval_gate.base.places import Problem
from retrieval_gate.base.scores import Row
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report import phrases
from retrieval_gate.report import summary as words
from retrieval_gate.report.next_steps import next_steps
from retrieval_gate.report.outputs.grid import ALL, count_shown, ordered_metrics, shown, shown_slices
from retrieval_gate.report.outputs.markdown import bullets, code, code_html, collapsed, more, prose, table
from retrieval_gate.report.outputs.states import state_table
from retrieval_gate.report.outputs.style import Style
from retrieval_gate.report.places import place_finder
from retrieval_gate.report.report import Report, blocking, exit_code, exit_codes, warned, with_status
from retrieval_gate.verdict.actions import action_of
from retrieval_gate.verdict.kinds import kind_of

# What leaves room for what other steps write to the same page.
BUDGET = 900 * 1024
IMPROVEMENTS = ("improved", "query-improved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How much is shown at most: rows of each table of failures, entries of each list, tables of values."""

    failures: int
    entries: int
    tables: int


# From the fullest to the counts alone.
LEVELS = (
    Level(failures=200, entries=50, tables=60),
    Level(failures=50, entries=20, tables=1),
    Level(failures=10, entries=5, tables=0),
    Level(failures=0, entries=0, tables=0),
)


def render(report: Report, _style: Style) -> str:
    """The summary with the whole budget; the style changes nothing."""
    return summary(report, budget=BUDGET)


def summary(report: Report, *, budget: int) -> str:
    """The fullest text of at most `budget` bytes of UTF-8, a line end after the last line.

    Where not even the counts fit it is the verdict alone, and where that does not, empty. No row, tag or table is
    ever cut: a level leaves whole ones out, and says how many.
    """
    levels = (_joined(section(report, level) for section in _SECTIONS) for level in LEVELS)
    return _first_fitting(levels, _joined([_headline(report, LEVELS[-1])]), budget)


def error_summary(error: GateError, *, budget: int) -> str:
    """As `summary`, for an error that stopped the run before there was a report."""
    problems = error.problems if isinstance(error, InputError) else ()
    head = (f"## ❌ Retrieval Gate could not judge this run: {code(error.code)}",)
    place = "" if error.where is None else f"{code(str(error.where))}: "
    what = (f"{place}{prose(error.what)}<br>", f"first: {prose(error.fix)}")
    exits = (f"<sub>exit code {int(error.exit_code)}: {error.exit_code.meaning}</sub>",)
    levels = (_joined([head, what, _problems(problems, level.failures), exits]) for level in LEVELS)
    return _first_fitting(levels, _joined([head]), budget)


def _problems(problems: Sequence[Problem], most: int) -> Iterator[str]:
    rows = [
        (code(problem.rule), code(str(problem.place)), prose(problem.message), prose(problem.fix))
        for problem in problems[:most]
    ]
    yield from _rows(("Rule", "Where", "What", "First action"), rows, len(problems))


def _joined(sections: Iterable[Iterable[str]]) -> str:
    blocks = ("\n".join(section) for section in sections)
    return "\n\n".join(block for block in blocks if block) + "\n"


def _first_fitting(texts: Iterable[str], least: str, budget: int) -> str:
    """The first text of at most `budget` bytes; else `least`; else nothing. What fits ends the making of texts."""
    fitting = (text for text in chain(texts, (least,)) if len(text.encode("utf-8")) <= budget)
    return next(fitting, "")


def _headline(report: Report, _level: Level) -> Iterator[str]:
    label = "" if report.label is None else f" {code(report.label)}"
    yield f"## {_word(report)}{label}: {words.reason(report)}"


def _word(report: Report) -> str:
    if exit_code(report) is not ExitCode.PASS:
        return "❌ Retrieval Gate failed"
    return "⚠️ Retrieval Gate passed with warnings" if warned(report) else "✅ Retrieval Gate passed"


def _counts(report: Report, _level: Level) -> Iterator[str]:
    yield "<br>\n".join(words.count_lines(report, code))


def _retriever_failures(report: Report, level: Level) -> Iterator[str]:
    texts = [phrases.retriever_line(failure, code) for failure in report.failures]
    yield from _listed("Retriever failed: the run is incomplete and can not pass", texts, level)


def _differences(report: Report, level: Level) -> Iterator[str]:
    found = sorted(report.differences, key=lambda difference: difference.tolerated)
    texts = [phrases.difference_line(difference, code) for difference in found]
    yield from _listed(phrases.difference_title(report), texts, level)


def _violations(report: Report, level: Level) -> Iterator[str]:
    """Without degree: what was found is all there is to say of the values."""
    failed = [verdict for verdict in blocking(report) if kind_of(verdict.kind).violation]
    if failed:
        yield from _failures_head(f"Violations: {len(failed)}, none is tolerated", failed)
        rows = [
            (
                _kind(verdict),
                _where(phrases.subject(verdict, code), place),
                "<br>".join(phrases.finding(verdict, code)),
                _action(verdict),
            )
            for verdict, place in _shown(failed, report, level)
        ]
        yield from _rows(("Failure", "Where", "Found", "First action"), rows, len(failed))


def _regressions(report: Report, level: Level) -> Iterator[str]:
    failed = [verdict for verdict in blocking(report) if not kind_of(verdict.kind).violation]
    if failed:
        yield from _failures_head(f"Regressions and missed bounds: {len(failed)}, worst first", failed)
        yield from _measured(failed, report, level)


def _warnings(report: Report, level: Level) -> Iterator[str]:
    failed = warned(report)
    if failed:
        yield from _failures_head(f"Warnings: {len(failed)}, worst first; they do not block", failed)
        yield from _measured(failed, report, level)


def _failures_head(title: str, failed: Sequence[Verdict]) -> Iterator[str]:
    yield from (f"### {title}", "", phrases.kind_counts(failed, code), "")


def _measured(failed: Sequence[Verdict], report: Report, level: Level) -> Iterator[str]:
    titles = ("Failure", "Where", "Baseline", "Now", "Delta", "Allowed", "n", "What moved, and what to do first")
    rows = [_measured_row(verdict, place) for verdict, place in _shown(failed, report, level)]
    yield from _rows(titles, rows, len(failed))


def _measured_row(verdict: Verdict, place: str | None) -> tuple[str, ...]:
    told = "<br>".join((*phrases.moved(verdict, code), f"first: {_action(verdict)}"))
    about = phrases.whole_subject(verdict, code)
    return (_kind(verdict), _where(about, place), *phrases.columns(verdict), told)


def _shown(failed: Sequence[Verdict], report: Report, level: Level) -> Iterator[tuple[Verdict, str | None]]:
    """The failures that there is room for, each with its place."""
    find = place_finder(report)
    for verdict in phrases.shown_failures(failed, level.failures):
        place = find(verdict)
        yield verdict, None if place is None else code(str(place))


def _rows(titles: Sequence[str], rows: Sequence[Sequence[str]], of: int) -> Iterator[str]:
    if rows:
        yield from table(titles, rows)
    yield from more(of - len(rows))


def _kind(verdict: Verdict) -> str:
    return f"{kind_of(verdict.kind).title}<br>{code(verdict.kind)}"


def _where(about: str, place: str | None) -> str:
    return "<br>".join(text for text in (about, place) if text)


def _action(verdict: Verdict) -> str:
    return action_of(verdict)


def _metrics(report: Report, level: Level) -> Iterator[str]:
    if report.rows and level.tables:
        yield from ("### Metrics", "", *_slice_table(report, SliceId(ALL)))


def _details(report: Report, level: Level) -> Iterator[str]:
    """Collapsed: one table per ablation with every language, then one per slice with every ablation."""
    names = _measured_names(report)
    parts = list(dict.fromkeys(row.slice for row in report.rows if row.slice != ALL))
    room = max(0, level.tables - 1)
    for name in names[:room]:
        yield from collapsed(code_html(name), _ablation_table(report, name))
    for part in parts[: max(0, room - len(names))]:
        yield from collapsed(code_html(part), _slice_table(report, part))
    if level.tables:
        yield from more(len(names) + len(parts) - room)


def _measured_names(report: Report) -> list[AblationId]:
    found = {row.ablation for row in report.rows}
    return [name for name in report.ablations if name in found]


def _slice_table(report: Report, part: SliceId) -> Iterator[str]:
    """One row per metric, so that any number of metrics stays readable, with its n."""
    found = {(row.metric, row.ablation): row for row in report.rows if row.slice == part}
    rows = []
    for metric in ordered_metrics(report.rows):
        values = [found.get((metric, name)) for name in report.ablations]
        rows.append((code(metric), count_shown(values), *map(shown, values)))
    yield from table(("Metric", "n", *map(code, report.ablations)), rows)


def _ablation_table(report: Report, name: AblationId) -> Iterator[str]:
    """One row per metric, one column per language, each value with its n."""
    found = {(row.metric, row.slice): row for row in report.rows if row.ablation == name}
    parts = shown_slices(report)
    rows = [
        (code(metric), *(_with_n(found.get((metric, part))) for part in parts))
        for metric in ordered_metrics(report.rows)
    ]
    yield from table(("Metric", *map(code, parts)), rows)


def _with_n(row: Row | None) -> str:
    return shown(row) if row is None else f"{shown(row)} (n {row.n})"


def _states(report: Report, level: Level) -> Iterator[str]:
    if report.states and level.tables:
        yield from collapsed("Answer states: expected, and got", state_table(report))


def _improvements(report: Report, level: Level) -> Iterator[str]:
    better = [verdict for verdict in with_status(report, Status.NOTE) if verdict.kind in IMPROVEMENTS]
    yield from _folded_notes(f"Improvements: {len(better)}, which no baseline protects yet", better, level)


def _notes(report: Report, level: Level) -> Iterator[str]:
    notes = [verdict for verdict in with_status(report, Status.NOTE) if verdict.kind not in IMPROVEMENTS]
    yield from _folded_notes(f"Notes: {len(notes)}, none of them blocks", notes, level)


def _folded_notes(title: str, notes: Sequence[Verdict], level: Level) -> Iterator[str]:
    if notes and level.entries:
        lines = [phrases.note_line(verdict, code) for verdict in notes[: level.entries]]
        yield from collapsed(title, (*bullets(lines, level.entries), *more(len(notes) - len(lines))))
    elif notes:
        yield title


def _not_checked(report: Report, level: Level) -> Iterator[str]:
    unchecked = [phrases.unchecked_gate(verdict, code) for verdict in with_status(report, Status.NOT_CHECKED)]
    yield from _listed("Not checked", [words.unchecked_line(report), *unchecked], level)


def _next_steps(report: Report, _level: Level) -> Iterator[str]:
    steps = next_steps(report)
    if steps:
        yield from ("### What to run next", "")
        yield from (f"- {word}: {code(' '.join(command))}" for word, command in steps)


def _provenance(report: Report, _level: Level) -> Iterator[str]:
    """What decided the result, and every exit code that holds."""
    codes = "; ".join(f"{int(held)}: {held.meaning}" for held in exit_codes(report))
    tool = ", ".join(f"{name} {version}" for name, version in report.environment.versions)
    parts = report.definition.components
    hashes = {"evaluation": report.definition.evaluation, "labels": parts.labels, "system": parts.system}
    told = ", ".join(f"{name} {code(value[:16])}" for name, value in hashes.items())
    yield f"<sub>exit code {codes} · {tool} · {told}</sub>"


def _listed(title: str, texts: Sequence[str], level: Level) -> Iterator[str]:
    if texts:
        yield from (f"### {title}", "")
        yield from bullets(texts, level.entries)


_SECTIONS = (
    _headline,
    _counts,
    _retriever_failures,
    _differences,
    _violations,
    _regressions,
    _warnings,
    _metrics,
    _details,
    _states,
    _improvements,
    _notes,
    _not_checked,
    _next_steps,
    _provenance,
)
