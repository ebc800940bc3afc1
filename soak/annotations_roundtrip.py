"""Random ids, paths and messages through the annotations and back through a model of the runner's parsing.

    python soak/annotations_roundtrip.py [COUNT [SEED]]

Run from the project's root, with the model that lies beside it. Prints counts; exits 1 where one text came back
other than it went, a line was read as another command than its own, or a line of another output was read as one.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from retrieval_gate.base.ids import AblationId, QueryId, SliceId, UnitId  # noqa: E402 - the project's root first
from retrieval_gate.base.places import Place  # noqa: E402 - as above
from retrieval_gate.report.outputs.annotations import annotate, workflow_command  # noqa: E402 - as above
from retrieval_gate.report.outputs.style import PLAIN, printable  # noqa: E402 - as above
from retrieval_gate.report.outputs.table import OUTPUTS  # noqa: E402 - as above
from retrieval_gate.report.places import repository_path  # noqa: E402 - as above
from retrieval_gate.report.report import Report  # noqa: E402 - as above
from tests.report.rich import FAILED  # noqa: E402 - as above
from tests.report.runner import MODEL, PIECES, Parse, runner_model  # noqa: E402 - as above
from tests.report.samples import a_report, rows  # noqa: E402 - as above

COUNT = 100_000
# The other outputs are rendered for one case in so many: they are some hundred times as long.
OTHERS_EVERY = 100
_BASE = a_report(FAILED[0])


def main(count: int = COUNT, seed: int = 1) -> int:
    path = ROOT.parent / "shared" / MODEL
    if not path.exists():
        print(f"the model of the runner is not there: ../shared/{MODEL}")
        return 2
    parse, chance, seen = runner_model(path), random.Random(seed), Counter[str]()
    for number in range(count):
        _raw(parse, chance, seen)
        query, ablation, file = (_text(chance) for _ in range(3))
        report = _report(query, ablation, file)
        _annotated(parse, report, (query, ablation, file), seen)
        if number % OTHERS_EVERY == 0:
            _printed(parse, report, _text(chance), seen)
    for name, times in sorted(seen.items()):
        print(f"{name}: {times}")
    return 1 if any(name.startswith("WRONG") for name in seen) else 0


def _text(chance: random.Random) -> str:
    """Signs of the syntax one time in two, else any characters that UTF-8 can hold."""
    if chance.random() < 0.5:
        return "".join(chance.choices(PIECES, k=chance.randint(1, 12)))
    points = (chance.choice((0x7F, 0x2FF, 0xFFFF, 0x10FFFF)) for _ in range(chance.randint(1, 40)))
    text = "".join(chr(chance.randint(0, point)) for point in points)
    return "".join(char for char in text if not "\ud800" <= char <= "\udfff") or "a"


def _raw(parse: Parse, chance: random.Random, seen: Counter[str]) -> None:
    """The escaping alone: no character is lost, whatever it is."""
    file, title, message = (_text(chance) for _ in range(3))
    line = workflow_command("error", [("file", file), ("title", title), ("line", "1")], message)
    came = parse(line) == ("error", {"file": file, "title": title, "line": "1"}, message)
    one = "\n" not in line and "\r" not in line
    seen["texts that came back whole" if came and one else "WRONG: texts that did not come back"] += 3


def _report(query: str, ablation: str, file: str) -> Report:
    verdict = replace(FAILED[0], query=QueryId(query), ablation=AblationId(ablation))
    places = ((QueryId(query), Place(file=file, line=1)),)
    return replace(_BASE, verdicts=(verdict,), ablations=(AblationId(ablation),), places=places, rows=rows()[:1])


def _annotated(parse: Parse, report: Report, texts: tuple[str, str, str], seen: Counter[str]) -> None:
    """The whole output: one line, one command, its own place, and the ids as they print."""
    query, ablation, file = texts
    lines = annotate(report, limit=10, prefix="").split("\n")
    parsed = parse(lines[0])
    about = f"query {printable(query)}, {printable(ablation)}"
    path = repository_path(file, "")
    right = (
        len(lines) == 1
        and parsed is not None
        and parsed[0] == "error"
        and parsed[1].get("file") == path
        and set(parsed[1]) <= {"file", "line", "title"}
        and parsed[2].split("\n")[0] == f"permission-leak: {about}"
    )
    seen["annotations read as they were meant" if right else "WRONG: annotations"] += 1
    seen["of them with a place" if path is not None else "of them without: not for sure in the repository"] += 1


def _printed(parse: Parse, report: Report, text: str, seen: Counter[str]) -> None:
    """No line of any other output is a command."""
    drop = replace(FAILED[-1], slice=SliceId(text), units=(UnitId(text),), stage=text, detail=text)
    report = replace(report, verdicts=(*report.verdicts, drop))
    for output in OUTPUTS:
        if output.id != "github":
            for line in output.render(report, PLAIN).replace("\r", "\n").split("\n"):
                forged = parse(line) is not None
                seen["WRONG: forged commands" if forged else "lines of other outputs that command nothing"] += 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
