"""`retrieval-gate explain NAME`: one topic of the tables, or the list of all."""

from __future__ import annotations

from collections.abc import Sequence

from retrieval_gate.base.errors import ConfigError, UsageError
from retrieval_gate.base.names import nearest
from retrieval_gate.report.outputs.style import PLAIN, wrap
from retrieval_gate.report.subjects import Topic
from retrieval_gate.report.topics import Group, fixture_rules, groups
from retrieval_gate.scoring.metrics.table import parse_metric

_INDENT = "  "


def explain(name: str | None = None) -> str:
    """What `name` means: a metric with or without its cut-off, a slice, a gate or finding, an exit code, a rule.

    Without a name, or with the title of a group such as `exit-codes`, the list. Raises UsageError for a name that
    no table has. What two tables use, as the metric and the finding `stale-evidence`, is explained twice.
    """
    known = groups()
    if name is None:
        return "\n\n".join(_listing(group) for group in known)
    wanted = name.strip().lower()
    for group in known:
        if wanted == _slug(group.title):
            return _listing(group)
    topics = [*(topic for group in known for topic in group.topics), *fixture_rules()]
    found = [topic for topic in topics if wanted in _keys(topic)]
    found = found or [topic for topic in topics if {_family(wanted), wanted.partition("=")[0]} & _keys(topic)]
    if not found:
        keys = [key for topic in topics for key in (topic.id, *topic.names)]
        raise _unknown(wanted, [*keys, *(_slug(group.title) for group in known)])
    return "\n\n".join(_topic(topic, wanted) for topic in found)


def _keys(topic: Topic) -> frozenset[str]:
    return frozenset({topic.id, *topic.names})


def _listing(group: Group) -> str:
    lines = [group.title, *wrap(group.text, PLAIN.width)]
    for topic in group.topics:
        lines += wrap(f"{topic.id}: {topic.text}", PLAIN.width, first=_INDENT, rest=_INDENT * 3)
    return "\n".join(lines)


def _topic(topic: Topic, wanted: str) -> str:
    title = wanted if _family(wanted) in topic.names else topic.id
    lines = [title, *wrap(topic.text, PLAIN.width, first=_INDENT, rest=_INDENT)]
    for label, value in topic.facts:
        lines += wrap(f"{label}: {value}", PLAIN.width, first=_INDENT, rest=_INDENT * 2)
    return "\n".join(lines)


def _family(name: str) -> str:
    """The family of a metric with a cut-off, e.g. `ndcg@10`; empty for anything else."""
    try:
        return parse_metric(name).family.id
    except ConfigError:
        return ""


def _unknown(name: str, known: Sequence[str]) -> UsageError:
    near = nearest(name, known)
    return UsageError(
        "unknown-name",
        "nothing of this name is explained" + (f"; the nearest is {near}" if near else ""),
        fix="run 'retrieval-gate explain' for the list",
    )


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")
