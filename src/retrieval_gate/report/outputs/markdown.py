"""The report as GitHub-flavoured markdown: safe against any id, the verdict first, details collapsed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from retrieval_gate.base.exits import ExitCode
from retrieval_gate.base.ids import MetricId, SliceId
from retrieval_gate.base.verdict import Status, Verdict
from retrieval_gate.report import phrases, summary
from retrieval_gate.report.next_steps import next_steps
from retrieval_gate.report.outputs.grid import ALL, count_shown, ordered_metrics, shown
from retrieval_gate.report.outputs.style import Style, plain
from retrieval_gate.report.report import Report, exit_code, exit_codes, with_status
from retrieval_gate.verdict.kinds import kind_of

FAILURES_SHOWN = 50
NOTES_SHOWN = 50
_HARMLESS_SIGN = re.compile(r"[A-Za-z0-9 .,/=+-]")
# Text that a code span shows as it is: no backtick, pipe, bracket or ampersand that could end it or its cell.
_HARMLESS = re.compile(r"""[A-Za-z0-9 ._:#@+/(),="'-]+""")


def render(report: Report, _style: Style) -> str:
    """The whole text; the style changes nothing."""
    sections = (
        _headline,
        _counts,
        _retriever_failures,
        _differences,
        _failures,
        _metrics,
        _details,
        _notes,
        _not_checked,
        _next_steps,
        _provenance,
    )
    blocks = [lines for section in sections if (lines := list(section(report)))]
    return "\n\n".join("\n".join(lines) for lines in blocks) + "\n"


def code(text: str) -> str:
    """An id, path or number that markdown, HTML and a table cell leave alone, shown as code."""
    if _HARMLESS.fullmatch(text) and text == text.strip():
        return f"`{text}`"
    return code_html(text)


def code_html(text: str) -> str:
    """As `code`, also where only HTML is read: every sign that could mean something is a reference."""
    signs = (char if _HARMLESS_SIGN.fullmatch(char) else f"&#{ord(char)};" for char in plain(text))
    return f"<code>{''.join(signs)}</code>"


def _headline(report: Report) -> Iterator[str]:
    strongest = exit_code(report)
    word = "✅ Retrieval Gate passed" if strongest is ExitCode.PASS else "❌ Retrieval Gate failed"
    label = "" if report.label is None else f" {code(report.label)}"
    yield f"## {word}{label}: {summary.reason(report)}"


def _counts(report: Report) -> Iterator[str]:
    yield "<br>\n".join(summary.count_lines(report, code))


def _retriever_failures(report: Report) -> Iterator[str]:
    texts = [phrases.retriever_line(failure, code) for failure in report.failures]
    yield from _listed("Retriever failed: the run is incomplete and can not pass", texts, FAILURES_SHOWN)


def _differences(report: Report) -> Iterator[str]:
    found = sorted(report.differences, key=lambda difference: difference.tolerated)
    texts = [phrases.difference_line(difference, code) for difference in found]
    yield from _listed(phrases.difference_title(report), texts, FAILURES_SHOWN)


def _failures(report: Report) -> Iterator[str]:
    failed = with_status(report, Status.FAILED)
    if not failed:
        return
    yield from (f"### Failures: {len(failed)}, worst first", "", phrases.kind_counts(failed, code), "")
    yield from _table_head(("Failure", "Where", "Found", "First action"))
    places = {query: code(str(place)) for query, place in report.places}
    for verdict in failed[:FAILURES_SHOWN]:
        place = places.get(verdict.query) if verdict.query is not None else None
        yield _table_row(_failure(verdict, place))
    yield from _more(len(failed) - FAILURES_SHOWN)


def _failure(verdict: Verdict, place: str | None) -> tuple[str, ...]:
    kind = kind_of(verdict.kind)
    where = [text for text in (phrases.subject(verdict, code), place) if text]
    return (
        f"{kind.title}<br>{code(verdict.kind)}",
        "<br>".join(where),
        "<br>".join(phrases.finding(verdict, code)),
        kind.action,
    )


def _metrics(report: Report) -> Iterator[str]:
    if report.rows:
        yield from ("### Metrics", "")
        yield from _metric_table(report, SliceId(ALL), ordered_metrics(report.rows))


def _details(report: Report) -> Iterator[str]:
    """One collapsed table per slice other than `all`."""
    for part in dict.fromkeys(row.slice for row in report.rows if row.slice != ALL):
        yield from (f"<details><summary>{code_html(part)}</summary>", "")
        yield from _metric_table(report, part, ordered_metrics(report.rows))
        yield from ("", "</details>")


def _metric_table(report: Report, part: SliceId, metrics: Sequence[MetricId]) -> Iterator[str]:
    """One row per metric, so that any number of metrics stays readable, with its n."""
    rows = {(row.metric, row.ablation): row for row in report.rows if row.slice == part}
    yield from _table_head(("Metric", "n", *(code(name) for name in report.ablations)))
    for metric in metrics:
        found = [rows.get((metric, name)) for name in report.ablations]
        yield _table_row((code(metric), count_shown(found), *map(shown, found)))


def _notes(report: Report) -> Iterator[str]:
    notes = [phrases.note_line(verdict, code) for verdict in with_status(report, Status.NOTE)]
    if notes:
        yield from (f"<details><summary>Notes: {len(notes)}, none of them blocks</summary>", "")
        yield from (f"- {note}" for note in notes[:NOTES_SHOWN])
        yield from _more(len(notes) - NOTES_SHOWN)
        yield from ("", "</details>")


def _not_checked(report: Report) -> Iterator[str]:
    unchecked = [phrases.unchecked_gate(verdict, code) for verdict in with_status(report, Status.NOT_CHECKED)]
    yield from _listed("Not checked", [summary.unchecked_line(report), *unchecked], NOTES_SHOWN)


def _next_steps(report: Report) -> Iterator[str]:
    steps = next_steps(report)
    if steps:
        yield from ("### What to run next", "")
        yield from (f"- {word}: {code(' '.join(command))}" for word, command in steps)


def _provenance(report: Report) -> Iterator[str]:
    """What decided the result, and every exit code that holds."""
    codes = "; ".join(f"{int(held)}: {held.meaning}" for held in exit_codes(report))
    tool = ", ".join(f"{name} {version}" for name, version in report.environment.versions)
    yield f"<sub>exit code {codes} · {tool} · evaluation {code(report.definition.evaluation[:16])}</sub>"


def _listed(title: str, texts: Sequence[str], most: int) -> Iterator[str]:
    if texts:
        yield from (f"### {title}", "")
        yield from (f"- {text}" for text in texts[:most])
        yield from _more(len(texts) - most)


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield from ("", f"and {count} more: see the JSON report")


def _table_head(titles: Sequence[str]) -> Iterator[str]:
    yield _table_row(titles)
    yield _table_row(["---"] * len(titles))


def _table_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
