"""docs/reference.md, from the tables: metrics, slices, gates and findings, exit codes, outputs."""

from __future__ import annotations

from collections.abc import Iterator

from retrieval_gate.report.outputs.table import OUTPUTS
from retrieval_gate.report.subjects import Topic
from retrieval_gate.report.topics import Group, groups

_HEAD = (
    "# Reference",
    "",
    "<!-- Generated from the tables in the code by `python dev.py docs`: change those, not this file. -->",
    "",
    "`retrieval-gate explain NAME` prints any entry of this page.",
)


def reference() -> str:
    """The page's whole text."""
    lines = [*_HEAD]
    for group in groups():
        lines += ["", *_group(group)]
    lines += ["", "## Outputs", ""]
    lines += [f"- `--format {row.id}`: {row.explanation}" for row in OUTPUTS]
    return "\n".join(lines) + "\n"


def _group(group: Group) -> Iterator[str]:
    yield from (f"## {group.title}", "", group.text)
    for topic in group.topics:
        yield from ("", *_topic(topic))


def _topic(topic: Topic) -> Iterator[str]:
    yield from (f"### `{topic.id}`", "", topic.text)
    if topic.facts:
        yield ""
        yield from (f"- {label}: {value}" for label, value in topic.facts)
