"""What one table of a configuration alone can not say: repeats, and names that must exist elsewhere.

The rules read the file as parsed, before or after the schema, and pass over whatever the schema refuses: so
all problems are told at once, and no value that is not an id is ever quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from retrieval_gate.base.config import ZERO_TOLERANCE
from retrieval_gate.base.names import nearest
from retrieval_gate.inputs.config.defaults import (
    ALL,
    BUILTIN,
    DEFAULT_ABLATIONS,
    DEFAULT_METRICS,
    WRONG_STATE,
)
from retrieval_gate.inputs.config.model import BOUNDS, MAX_ABLATIONS
from retrieval_gate.inputs.config.shapes import is_metric, is_slice
from retrieval_gate.inputs.config.transports import CONTRACT_SERVER, INERT, SCHEME_TABLES, TRANSPORT_KEYS
from retrieval_gate.inputs.fixture.shapes import is_id
from retrieval_gate.inputs.formats.toml_lines import Path

Table = Mapping[str, object]


class Finding(NamedTuple):
    """A broken rule: where, what happened and what to do next."""

    path: Path
    message: str
    fix: str


class ConfigRule(NamedTuple):
    """One rule: its id, what it asks for, and the check."""

    id: str
    asks: str
    check: Callable[[Table], Iterator[Finding]]


def _repeats(items: Iterable[tuple[Path, Hashable]], what: str) -> Iterator[Finding]:
    """A finding at each item whose key came before; None as a key is passed over."""
    seen: set[Hashable] = set()
    for path, key in items:
        if key is not None and key in seen:
            yield Finding(path, f"{what} is there twice", "keep one of the two")
        seen.add(key)


def _rows(table: Table, key: str) -> Iterator[tuple[int, Table]]:
    """The tables of an array of tables, with their index."""
    for index, row in enumerate(_elements(table, key)):
        if isinstance(row, dict):
            yield index, row


def _elements(table: Table, key: str) -> list[object]:
    value = table.get(key)
    return value if isinstance(value, list) else []


def _name(value: object) -> str | None:
    """The text if it may be quoted: an id, a metric or a slice."""
    return value if isinstance(value, str) and (is_id(value) or is_metric(value) or is_slice(value)) else None


def _repeated_metrics(file: Table) -> Iterator[Finding]:
    metrics = enumerate(_elements(file, "metrics"))
    return _repeats(((("metrics", index), _name(metric)) for index, metric in metrics), "a metric")


def _repeated_ablations(file: Table) -> Iterator[Finding]:
    ids = ((("ablations", index, "id"), _name(row.get("id"))) for index, row in _rows(file, "ablations"))
    return _repeats(ids, "an ablation id")


def _repeated_channels(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "ablations"):
        names = (
            (("ablations", index, "channels", place), _channel_name(channel))
            for place, channel in enumerate(_elements(row, "channels"))
        )
        yield from _repeats(names, "a channel of this ablation")


def _channel_name(channel: object) -> str | None:
    return _name(channel.get("name") if isinstance(channel, dict) else channel)


def _repeated_gates(file: Table) -> Iterator[Finding]:
    return _repeats(((("gates", index), _gate_key(row)) for index, row in _rows(file, "gates")), "a gate")


def _gate_key(row: Table) -> tuple[str | None, ...] | None:
    """What a gate judges, whatever its bound; None where the schema refuses the gate."""
    ablation, metric = _name(row.get("ablation")), _name(row.get("metric"))
    if ablation is None or metric is None:
        return None
    bounds = tuple(bound for bound in BOUNDS if bound in row)
    return (ablation, metric, _name(row.get("slice", ALL)), *bounds, _reference(row))


def _reference(row: Table) -> str | None:
    below = row.get("max-below")
    return _name(below.get("ablation")) if isinstance(below, dict) else None


def _repeated_allowances(file: Table) -> Iterator[Finding]:
    keys = (
        (("allowances", index), tuple(_name(row.get(key)) for key in ("metric", "ablation", "slice")))
        for index, row in _rows(file, "allowances")
    )
    return _repeats(keys, "an allowance")


def _repeated_waivers(file: Table) -> Iterator[Finding]:
    queries = ((("waivers", index), _name(row.get("query"))) for index, row in _rows(file, "waivers"))
    return _repeats(queries, "a waiver")


def _repeated_aliases(file: Table) -> Iterator[Finding]:
    aliases = file.get("aliases")
    concepts = aliases.get("concepts") if isinstance(aliases, dict) else None
    for concept, words in concepts.items() if isinstance(concepts, dict) else ():
        listed = enumerate(words if isinstance(words, list) else ())
        texts = (
            (("aliases", "concepts", concept, place), word) for place, word in listed if isinstance(word, str)
        )
        yield from _repeats(texts, "a word of this concept")


def _one_bound(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "gates"):
        given = [bound for bound in BOUNDS if bound in row]
        if len(given) != 1:
            said = f"{' and '.join(given)} together" if given else "no bound"
            yield Finding(("gates", index), f"a gate has {said}", f"give exactly one of {', '.join(BOUNDS)}")


def _channels(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "ablations"):
        path = ("ablations", index)
        is_builtin = row.get("retriever", BUILTIN) == BUILTIN
        if is_builtin and "channels" not in row:
            yield Finding(path, "a built-in ablation has no channels", 'name them, e.g. channels = ["lexical"]')
        if is_builtin and row.get("channels") == []:
            yield Finding((*path, "channels"), "the list of channels is empty", "name one or more")
        for key in ("channels", "rerank"):
            if not is_builtin and key in row:
                yield Finding((*path, key), f"{key} is a setting of the built-in retriever only", "remove it here")


def _transports(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "ablations"):
        retriever = row.get("retriever", BUILTIN)
        scheme = retriever.partition(":")[0] if isinstance(retriever, str) else ""
        for key in TRANSPORT_KEYS:
            schemes = SCHEME_TABLES.get(key)
            if key in row and scheme == BUILTIN:
                message = f"{key} is a setting of retrievers that are not built in"
                yield Finding(("ablations", index, key), message, "remove it here")
            elif key in row and schemes is not None and scheme not in schemes:
                message = f"{key} is for retrievers whose name begins with {schemes[0]}:"
                yield Finding(("ablations", index, key), message, "remove it, or name such a retriever")


def _without_effect(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "ablations"):
        kind = _kind(row)
        for inert in INERT:
            for key in inert.keys if kind in inert.schemes else ():
                path = tuple(key.split("."))
                if _is_there(row, path):
                    yield Finding(("ablations", index, *path), f"{key} {inert.why}", inert.fix)


def _kind(row: Table) -> str:
    """The scheme of an ablation; for a server that speaks the contract the word that stands for it."""
    retriever, http = row.get("retriever"), row.get("http", {})
    scheme = retriever.partition(":")[0] if isinstance(retriever, str) else ""
    preset = http.get("preset", CONTRACT_SERVER) if isinstance(http, dict) else None
    return CONTRACT_SERVER if scheme in SCHEME_TABLES["http"] and preset == CONTRACT_SERVER else scheme


def _is_there(row: object, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(row, dict) or key not in row:
            return False
        row = row[key]
    return True


def _known_ablations(file: Table) -> Iterator[Finding]:
    known = dict.fromkeys(_ablation_ids(file))
    for path, value in _ablation_names(file):
        name = _name(value)
        if name is not None and name not in known:
            hint = nearest(name, list(known)[:MAX_ABLATIONS])
            yield Finding(
                path,
                f"there is no ablation {name}",
                f"write {hint}" if hint else "name an ablation of this configuration",
            )


def _ablation_ids(file: Table) -> list[str]:
    if "ablations" not in file:
        return [spec.id for spec in DEFAULT_ABLATIONS]
    names = (_name(row.get("id")) for _, row in _rows(file, "ablations"))
    return [name for name in names if name is not None]


def _ablation_names(file: Table) -> Iterator[tuple[Path, object]]:
    for index, row in _rows(file, "gates"):
        yield ("gates", index, "ablation"), row.get("ablation")
        yield ("gates", index, "max-below", "ablation"), _reference(row)
    for index, row in _rows(file, "allowances"):
        yield ("allowances", index, "ablation"), row.get("ablation")


def _two_ablations(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "gates"):
        if _reference(row) is not None and _reference(row) == row.get("ablation"):
            yield Finding(
                ("gates", index, "max-below", "ablation"),
                "an ablation is compared with itself",
                "name another ablation",
            )


def _measured(file: Table) -> Iterator[Finding]:
    """A drop is allowed for a metric that nothing measures: most likely a slip. Zero tolerance has a rule."""
    listed = _elements(file, "metrics") if "metrics" in file else list(DEFAULT_METRICS)
    gated = (row.get("metric") for _, row in _rows(file, "gates"))
    measured = frozenset(map(_name, (*listed, *gated)))
    for index, row in _rows(file, "allowances"):
        metric = _name(row.get("metric"))
        if metric is not None and metric not in (*measured, *ZERO_TOLERANCE):
            path = ("allowances", index, "metric")
            yield Finding(path, f"{metric} is not measured", "add it to metrics, or remove the allowance")


def _zero_tolerance(file: Table) -> Iterator[Finding]:
    for index, row in _rows(file, "allowances"):
        metric = _name(row.get("metric"))
        if metric in ZERO_TOLERANCE:
            path = ("allowances", index, "metric")
            fix = "waive the query" if metric == WRONG_STATE else "remove the allowance"
            yield Finding(path, f"{metric} is held to zero", fix)


# Ordered as they are documented; the checks do not depend on each other.
CONFIG_RULES = (
    ConfigRule("duplicate-metric", "A metric is listed once.", _repeated_metrics),
    ConfigRule("duplicate-ablation", "Ablation ids are unique.", _repeated_ablations),
    ConfigRule("duplicate-channel", "An ablation names a channel once.", _repeated_channels),
    ConfigRule("channels", "Built-in ablations name channels, and only they do.", _channels),
    ConfigRule("transport", "Settings of a kind of retriever stand with a retriever of that kind.", _transports),
    ConfigRule("without-effect", "A setting does something for its kind of retriever.", _without_effect),
    ConfigRule("duplicate-gate", "One value has one bound of a kind.", _repeated_gates),
    ConfigRule("one-bound", "A gate has exactly one bound.", _one_bound),
    ConfigRule("unknown-ablation", "Gates and allowances name ablations that are there.", _known_ablations),
    ConfigRule("same-ablation", "`max-below` compares two ablations.", _two_ablations),
    ConfigRule("duplicate-allowance", "One value has one allowance.", _repeated_allowances),
    ConfigRule("zero-tolerance", "Leaks, stale evidence and wrong states have no allowance.", _zero_tolerance),
    ConfigRule("unmeasured-metric", "An allowance names a metric that is measured.", _measured),
    ConfigRule("duplicate-waiver", "A query has one waiver.", _repeated_waivers),
    ConfigRule("duplicate-alias", "A concept lists a word once.", _repeated_aliases),
)
