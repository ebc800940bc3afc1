"""Metrics as a table: one row per ablation and language, columns chosen to fit the width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from retrieval_gate.base.ids import AblationId, MetricId, SliceId
from retrieval_gate.base.scores import Row
from retrieval_gate.report.outputs.style import Style, Tone, cells, plain, wrap
from retrieval_gate.report.phrases import DECIMALS, is_count, numbers
from retrieval_gate.report.report import Report
from retrieval_gate.verdict.accepted import HELD_OUT

ALL = "all"
LANGUAGE = "language="
# Shown first where they are measured; the others follow in the order of the report while they fit.
PREFERRED = ("recall@5", "mrr@10", "ndcg@10", "context-precision", "context-recall", "no-answer-fpr")
_GAP = "  "
_TITLE = "ablation"

Cells = Mapping[tuple[AblationId, SliceId, MetricId], Row]


def grid_lines(report: Report, style: Style) -> Iterator[str]:
    """The table with its head and, for every slice, the n of each column; nothing where nothing was measured."""
    rows: Cells = {(row.ablation, row.slice, row.metric): row for row in report.rows}
    slices = shown_slices(report)
    names = [plain(name) for name in report.ablations] + [f"n, {plain(part)}" for part in slices]
    label = min(max(cells(name) for name in [*names, _TITLE]), style.width // 2)
    metrics = _fitting(ordered_metrics(report.rows), style.width - label)
    if not metrics:
        return
    yield from (style.paint(line, Tone.STRONG) for line in _head(metrics, label))
    for ablation in report.ablations:
        for part in slices:
            values = [shown(rows.get((ablation, part, metric))) for metric in metrics]
            yield from _line(ablation if part == ALL else f"  {part}", values, metrics, label)
    for part in slices:
        counts = [count_shown([rows.get((name, part, metric)) for name in report.ablations]) for metric in metrics]
        yield from (style.paint(line, Tone.QUIET) for line in _line(f"n, {part}", counts, metrics, label))


def ordered_metrics(rows: Sequence[Row]) -> list[MetricId]:
    """The measured metrics, preferred ones first, the rest as in the report."""
    found = list(dict.fromkeys(row.metric for row in rows))
    preferred = [metric for metric in map(MetricId, PREFERRED) if metric in found]
    return preferred + [metric for metric in found if metric not in preferred]


def shown_slices(report: Report) -> list[SliceId]:
    """`all`, then the languages, where the fixture has more than one, then the held-out queries."""
    found = list(dict.fromkeys(row.slice for row in report.rows))
    languages = [part for part in found if part.startswith(LANGUAGE)]
    return [SliceId(ALL), *(languages if len(languages) > 1 else []), *([HELD_OUT] if HELD_OUT in found else [])]


def shown(row: Row | None) -> str:
    """A value for a table; a dash where it does not apply."""
    if row is None or row.value is None:
        return "-"
    return numbers(row.value, counted=is_count(row.metric))[0]


def count_shown(rows: Sequence[Row | None]) -> str:
    """The n of one column, as a range where the ablations' differ."""
    counts = [row.n for row in rows if row is not None]
    if not counts:
        return "-"
    return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"


def _fitting(metrics: Sequence[MetricId], width: int) -> list[MetricId]:
    chosen: list[MetricId] = []
    for metric in metrics:
        width -= len(_GAP) + _width(metric)
        if width < 0:
            break
        chosen.append(metric)
    return chosen


def _head(metrics: Sequence[MetricId], label: int) -> Iterator[str]:
    """Two lines: a metric's name is split at its cut-off or last hyphen."""
    for title, half in (("", 0), (_TITLE, 1)):
        heads = [f"{_halves(metric)[half]:>{_width(metric)}}" for metric in metrics]
        yield _GAP.join([title.ljust(label), *heads])


def _halves(metric: MetricId) -> tuple[str, str]:
    name, at, cutoff = plain(metric).partition("@")
    if at:
        return name, at + cutoff
    first, _, last = name.rpartition("-")
    return first, last


def _width(metric: MetricId) -> int:
    return max(*(cells(half) for half in _halves(metric)), DECIMALS + 2)


def _line(name: str, values: Sequence[str], metrics: Sequence[MetricId], label: int) -> Iterator[str]:
    """One row; a name that is too long stands on lines of its own above its values. Leading spaces indent it."""
    indent = " " * (len(name) - len(name.lstrip(" ")))
    *above, last = wrap(plain(name.lstrip(" ")), label, first=indent, rest=indent)
    yield from above
    padded = [f"{value:>{_width(metric)}}" for value, metric in zip(values, metrics, strict=True)]
    yield _GAP.join([last + " " * (label - cells(last)), *padded])
