"""`action.yml` and `python/action.yml`, written from the action's own table of inputs."""

from __future__ import annotations

import json

from retrieval_gate.cli.action.inputs import INPUTS, InputRow
from retrieval_gate.cli.action.main import OUTPUTS

_HEAD = """\
# Written by `python3 dev.py docs` from src/retrieval_gate/cli/action/: edit it there.
name: "{name}"
description: "{description}"
author: The Retrieval Gate founders
branding:
  icon: shield
  color: green
"""
_CONTAINER = """\
runs:
  using: docker
  # The release workflow pins a published image here by its digest; a checkout builds it.
  image: Dockerfile
  entrypoint: /opt/gate/bin/retrieval-gate-action
"""
# Inputs reach the shell as variables only: no expression stands inside a script.
_COMPOSITE = """\
runs:
  using: composite
  steps:
    - id: gate
      shell: bash
      env:
        RETRIEVAL_GATE_ACTION: ${{ github.action_path }}
        RETRIEVAL_GATE_PYTHON: ${{ inputs.python }}
%s      run: '"${RETRIEVAL_GATE_PYTHON:-python3}" "$RETRIEVAL_GATE_ACTION/run.py"'
"""
_PYTHON = InputRow(
    name="python",
    default="python3",
    description="The interpreter whose packages the retriever needs, e.g. .venv/bin/python.",
    parse=lambda _name, value: value,
)


def container_action() -> str:
    """The root action: a container, for the embedded engine and recorded runs; Linux runners only."""
    head = _HEAD.format(
        name="Retrieval Gate",
        description="Blocks the merge when retrieval gets worse, and says where: query, chunk, rank, stage.",
    )
    return head + _inputs(INPUTS) + _outputs("") + _CONTAINER


def python_action() -> str:
    """The composite action: beside the caller's packages, in a virtual environment of its own."""
    head = _HEAD.format(
        name="Retrieval Gate (Python)",
        description="The same gate on any runner, beside the caller's own Python packages.",
    )
    variables = "".join(
        f"        INPUT_{row.name.upper().replace('-', '_')}: ${{{{ inputs.{row.name} }}}}\n" for row in INPUTS
    )
    value = "    value: ${{{{ steps.gate.outputs.{name} }}}}\n"
    return head + _inputs((*INPUTS, _PYTHON)) + _outputs(value) + _COMPOSITE % variables


def _inputs(rows: tuple[InputRow, ...]) -> str:
    return "inputs:\n" + "".join(
        f"  {row.name}:\n"
        f"    description: {json.dumps(row.description)}\n"
        f"    required: false\n"
        f"    default: {json.dumps(row.default)}\n"
        for row in rows
    )


def _outputs(value: str) -> str:
    return "outputs:\n" + "".join(
        f"  {row.name}:\n    description: {json.dumps(row.description)}\n{value.format(name=row.name)}"
        for row in OUTPUTS
    )


def reference() -> str:
    """Both tables for the documentation."""
    inputs = [
        f"| `{row.name}` | {f'`{row.default}`' if row.default else ''} | {row.description} |" for row in INPUTS
    ]
    outputs = [f"| `{row.name}` | {row.description} |" for row in OUTPUTS]
    return "\n".join(
        [
            "Every input is optional; an empty one means its default. Both actions have them.",
            "",
            "| input | default | meaning |",
            "| --- | --- | --- |",
            *inputs,
            "",
            "| output | meaning |",
            "| --- | --- |",
            *outputs,
        ]
    )
