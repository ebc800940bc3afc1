"""The generated part of `docs/fixture.md`: every rule of a fixture."""

from __future__ import annotations

from retrieval_gate.inputs.fixture.rules import RULES


def rules() -> str:
    """The rules as a table, in their order."""
    return "\n".join(
        [
            "| rule | severity | what it refuses | fix |",
            "| --- | --- | --- | --- |",
            *(f"| `{rule.id}` | {rule.severity.value} | {rule.refuses} | {rule.fix} |" for rule in RULES),
        ]
    )
