"""Write every generated page and schema again: `python3 dev.py docs`. Tests hold each of them fresh."""

from __future__ import annotations

from pathlib import Path

from retrieval_gate.inputs.config import schema as config_schema
from retrieval_gate.inputs.fixture import schema as fixture_schema
from retrieval_gate.report import reference
from retrieval_gate.report import schema as report_schema
from tools import action_files

ROOT = Path(__file__).resolve().parents[1]
CONFIGURATION = "docs/configuration.md"
_BEGIN = "<!-- generated from src/retrieval_gate/inputs/config/model.py -->\n"
_END = "<!-- end of the generated part -->"


def generated() -> dict[str, str]:
    """The whole text of each generated file, by its path from the project's root."""
    return {
        "schemas/fixture-v1.schema.json": fixture_schema.schema_text(),
        "schemas/config-v1.schema.json": config_schema.schema_text(),
        "schemas/report-v1.schema.json": report_schema.schema_text(),
        "docs/reference.md": reference.reference(),
        CONFIGURATION: _configuration(),
        "action.yml": action_files.container_action(),
        "python/action.yml": action_files.python_action(),
    }


def _configuration() -> str:
    """The page, with the part between its two marks written from the model."""
    text = (ROOT / CONFIGURATION).read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{config_schema.reference_text().strip()}\n\n{_END}{after}"


def main() -> None:
    for path, text in generated().items():
        (ROOT / path).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
