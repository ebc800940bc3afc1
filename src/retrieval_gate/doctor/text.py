"""Diagnoses for a terminal: per retriever a table, then what to fix first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from retrieval_gate.doctor.finding import Diagnosis, Finding, Health, exit_code, to_fix
from retrieval_gate.report.outputs.style import Style, Tone, plain, wrap
from retrieval_gate.report.summary import counted

_WORDS = {Health.OK: "ok", Health.FIX: "FIX", Health.NOTE: "note", Health.NOT_CHECKED: "not checked"}
_TONES = {Health.OK: Tone.GOOD, Health.FIX: Tone.BAD}
_INDENT = "   "


def render(diagnoses: Sequence[Diagnosis], style: Style) -> str:
    """The whole text, each line at most `style.width` cells (colour codes apart), no line end after the last."""
    blocks = ["\n".join(_diagnosis(diagnosis, style)) for diagnosis in diagnoses]
    code = int(exit_code(tuple(diagnoses)))
    end = "something must be fixed before the gate can judge" if code else "nothing needs fixing"
    return "\n\n".join([*blocks, f"exit code {code}: {end}"])


def _diagnosis(diagnosis: Diagnosis, style: Style) -> Iterator[str]:
    fixes = to_fix(diagnosis)
    word = f"FIX {len(fixes)}" if fixes else "READY"
    head = (
        f"{word}: {plain(diagnosis.ablation)} ({plain(diagnosis.kind)}), "
        f"{diagnosis.asked} of {counted(diagnosis.queries, 'query', 'queries')} asked"
    )
    for line in wrap(head, style.width, rest=_INDENT):
        yield style.paint(line, Tone.BAD if fixes else Tone.GOOD)
    yield ""
    label = max(len(name) for name, _ in diagnosis.findings)
    for name, finding in diagnosis.findings:
        yield from _row(name, finding, label, style)
    yield from _fixes("FIX FIRST, in this order", fixes, style, Tone.BAD)
    notes = [
        (name, finding) for name, finding in diagnosis.findings if finding.health is Health.NOTE and finding.fix
    ]
    yield from _fixes("WORTH DOING", notes, style, Tone.STRONG)


def _row(name: str, finding: Finding, label: int, style: Style) -> Iterator[str]:
    width = max(map(len, _WORDS.values()))
    status = f"{_WORDS[finding.health]:<{width}}"
    lead = f"{status}  {name:<{label}}  "
    first, *rest = wrap(plain(finding.what), style.width, first=lead, rest=" " * len(lead))
    tone = _TONES.get(finding.health)
    yield first if tone is None else style.paint(status, tone) + first[len(status) :]
    yield from rest


def _fixes(title: str, findings: Sequence[tuple[str, Finding]], style: Style, tone: Tone) -> Iterator[str]:
    if not findings:
        return
    yield from ("", style.paint(title, tone))
    for number, (name, finding) in enumerate(findings, start=1):
        what = finding.fix or finding.what
        yield from wrap(f"{number:>2}. {name}: {plain(what)}", style.width, rest=" " * 4)
        if finding.queries:
            queries = ", ".join(map(plain, finding.queries))
            yield from wrap(f"see {queries}", style.width, first=" " * 4, rest=" " * 7)
