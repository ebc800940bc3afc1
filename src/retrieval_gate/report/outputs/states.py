"""The confusion tables of answer states: one row per ablation and language, the wrong cells in the middle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from retrieval_gate.base.fixture import State
from retrieval_gate.base.ids import AblationId, SliceId
from retrieval_gate.report.outputs.markdown import code, table
from retrieval_gate.report.outputs.style import Style, Tone, cells, plain, wrap
from retrieval_gate.report.report import Report

# Expected and observed; the second is an abstention over good evidence, the third an answer without support.
_CELLS = tuple((expected, observed) for expected in State for observed in State)
_Row = tuple[AblationId, SliceId]
_GAP = "  "


def state_lines(report: Report, style: Style) -> Iterator[str]:
    """For a terminal; nothing where no state is expected."""
    rows = _rows(report)
    if not rows:
        return
    title = "ANSWER STATES: expected over observed; the two in the middle are wrong"
    yield from (style.paint(line, Tone.STRONG) for line in wrap(title, style.width, rest=_GAP))
    names = [_name(row) for row in rows]
    columns = (len(_CELLS) + 1) * (len(_GAP) + _WIDTH)
    label = max(0, min(max(map(cells, names)), style.width - columns))
    for heads in zip(*_heads(), strict=True):
        yield " " * label + "".join(f"{_GAP}{head:>{_WIDTH}}" for head in heads)
    for name, counts in zip(names, rows.values(), strict=True):
        fits = cells(name) <= label
        yield from () if fits else wrap(name, style.width)
        indent = name + " " * (label - cells(name)) if fits else " " * label
        yield indent + "".join(f"{_GAP}{count:>{_WIDTH}}" for count in counts)


def state_table(report: Report) -> Iterator[str]:
    """For markdown; nothing where no state is expected."""
    rows = _rows(report)
    if rows:
        titles = [f"{expected}, got {observed}" for expected, observed in _heads()]
        told = ((code(name), code(part), *map(str, counts)) for (name, part), counts in rows.items())
        yield from table(("Ablation", "Slice", *titles), told)


def _heads() -> list[tuple[str, str]]:
    return [*((expected.value, observed.value) for expected, observed in _CELLS), ("either", "no state")]


_WIDTH = max(len(state.value) for state in State)


def _rows(report: Report) -> Mapping[_Row, list[int]]:
    """The counts of each cell, then of the queries without a state, for each row of the table."""
    rows: dict[_Row, list[int]] = {}
    for count in report.states:
        counts = rows.setdefault((count.ablation, count.slice), [0] * (len(_CELLS) + 1))
        place = _CELLS.index((count.expected, count.observed)) if count.observed is not None else len(_CELLS)
        counts[place] += count.n
    return rows


def _name(row: _Row) -> str:
    return f"{plain(row[0])}, {plain(row[1])}"
