"""Write every generated page and schema again: `python3 dev.py docs`. Tests hold each of them fresh."""

from __future__ import annotations

from pathlib import Path

from retrieval_gate.doctor import view as doctor_view
from retrieval_gate.inputs.config import schema as config_schema
from retrieval_gate.inputs.fixture import schema as fixture_schema
from retrieval_gate.inputs.traces import LESSON_FILE
from retrieval_gate.inputs.traces import schema as traces_schema
from retrieval_gate.report import reference
from retrieval_gate.report import schema as report_schema
from retrieval_gate.report.traces import schema as trace_report_schema
from tools import action_files, fixture_page

ROOT = Path(__file__).resolve().parents[1]
CONFIGURATION = "docs/configuration.md"
CI = "docs/ci.md"
FIXTURE = "docs/fixture.md"
_MODEL = "<!-- generated from src/retrieval_gate/inputs/config/model.py -->\n"
_ACTION = "<!-- generated from src/retrieval_gate/cli/action -->\n"
_RULES = "<!-- generated from src/retrieval_gate/inputs/fixture/rules.py -->\n"
_END = "<!-- end of the generated part -->"


def generated() -> dict[str, str]:
    """The whole text of each generated file, by its path from the project's root."""
    return {
        "schemas/fixture-v1.schema.json": fixture_schema.schema_text(),
        "schemas/config-v1.schema.json": config_schema.schema_text(),
        "schemas/report-v1.schema.json": report_schema.schema_text(),
        "schemas/traces-v1.schema.json": traces_schema.schema_text(),
        "schemas/doctor-v1.schema.json": doctor_view.schema_text(),
        "schemas/judgments-v1.schema.json": traces_schema.judgments_schema_text(),
        "schemas/trace-report-v1.schema.json": trace_report_schema.report_schema_text(),
        "schemas/trace-comparison-v1.schema.json": trace_report_schema.comparison_schema_text(),
        # What `retrieval-gate demo` shows where there is no repository.
        f"src/retrieval_gate/inputs/traces/{LESSON_FILE}": _text(f"fixtures/{LESSON_FILE}"),
        "docs/reference.md": reference.reference(),
        CONFIGURATION: _between(CONFIGURATION, _MODEL, config_schema.reference_text()),
        CI: _between(CI, _ACTION, action_files.reference()),
        FIXTURE: _between(FIXTURE, _RULES, fixture_page.rules()),
        "action.yml": action_files.container_action(),
        "python/action.yml": action_files.python_action(),
    }


def _between(path: str, begin: str, text: str) -> str:
    """The page, with `text` in place of what stands between its two marks."""
    page = _text(path)
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(_END)
    return f"{before}{begin}\n{text.strip()}\n\n{_END}{after}"


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def main() -> None:
    for path, text in generated().items():
        (ROOT / path).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
