"""The published JSON Schema of the configuration, and the key tables of its documentation."""

from __future__ import annotations

import json
import re
from typing import Any

from retrieval_gate.inputs.config.model import TABLES, ConfigFile, keys_of
from retrieval_gate.inputs.config.problems import SCHEMA_RULES
from retrieval_gate.inputs.config.rules import CONFIG_RULES

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLACEHOLDER = re.compile(r"\{\w+\}")


def config_schema() -> dict[str, Any]:
    """The JSON Schema of a parsed configuration, for editors; `rules` asks for more than it can say."""
    schema = _for_toml(ConfigFile.model_json_schema(by_alias=True))
    return {
        "$schema": _DIALECT,
        "$id": "retrieval-gate/config/v1",
        **schema,
        "title": "retrieval-gate configuration v1",
    }


def schema_text() -> str:
    """The bytes of `schemas/config-v1.schema.json`, as text."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def reference_text() -> str:
    """The generated part of `docs/configuration.md`: every table with its keys, and every rule."""
    return "\n".join([*(_table_section(path) for path in TABLES), _rules_section()])


def _for_toml(node: Any) -> Any:
    """The schema without null, which TOML does not have, and without pydantic's made-up titles."""
    if isinstance(node, list):
        return [_for_toml(part) for part in node]
    if isinstance(node, float) and node.is_integer():
        # Versions of pydantic differ in whether a bound of a float is written 1 or 1.0.
        return int(node)
    if not isinstance(node, dict):
        return node
    kept = {key: _for_toml(value) for key, value in node.items() if not _is_noise(key, value)}
    if "patternProperties" in kept:
        kept["additionalProperties"] = False
    # pydantic 2.7 wraps a reference that has a default in an allOf of one.
    for union in ("anyOf", "allOf"):
        options = [option for option in kept.get(union, []) if option != {"type": "null"}]
        if len(options) == 1:
            del kept[union]
            kept = {**options[0], **kept}
    return kept


def _is_noise(key: str, value: object) -> bool:
    if key in ("additionalProperties", "propertyNames"):
        # pydantic 2.7 does not write that anything is allowed, nor bounds of keys.
        return value is True or key == "propertyNames"
    return value is None or (key == "title" and isinstance(value, str))


def _table_section(path: tuple[str, ...]) -> str:
    table = TABLES[path]
    schema = config_schema()
    # The root's own properties stand outside the definitions.
    own = schema["$defs"][table.__name__] if path else schema
    own = next((option for option in own.get("anyOf", []) if "properties" in option), own)
    rows = [_key_row(key, own["properties"][key], own.get("required", [])) for key in keys_of(table)]
    return "\n".join(
        [
            f"### {_heading(path)}",
            "",
            (table.__doc__ or "").strip(),
            "",
            "| key | value | default | meaning |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _heading(path: tuple[str, ...]) -> str:
    if not path:
        return "Top level"
    return f"`{'.'.join(path)}`"


def _key_row(key: str, schema: dict[str, Any], required: list[str]) -> str:
    default = "required" if key in required else _default(schema.get("default"))
    return f"| `{key}` | {_value_words(schema)} | {default} | {schema['description']} |"


def _default(value: object) -> str:
    # Tables and lists are described by their own sections.
    return "" if value is None or isinstance(value, dict | list) else f"`{json.dumps(value)}`"


_TYPE_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "table",
}

# A bound of JSON Schema and how it is said.
_BOUND_WORDS = (
    ("minimum", "from {}"),
    ("exclusiveMinimum", "above {}"),
    ("maximum", "to {}"),
    ("maxLength", "to {} characters"),
    ("maxItems", "to {} entries"),
    ("maxProperties", "to {} entries"),
)


def _value_words(schema: dict[str, Any]) -> str:
    kind = "date" if schema.get("format") == "date" else _TYPE_WORDS[schema.get("type", "object")]
    bounds = [words.format(schema[bound]) for bound, words in _BOUND_WORDS if bound in schema]
    return f"{kind}, {' '.join(bounds)}" if bounds else kind


def _rules_section() -> str:
    schema_rules = dict.fromkeys(row.rule for row in SCHEMA_RULES)
    said = {rule: [row.message for row in SCHEMA_RULES if row.rule == rule] for rule in schema_rules}
    return "\n".join(
        [
            "### Rules",
            "",
            "| rule | what it asks for, or what it says |",
            "| --- | --- |",
            *(f"| `{rule.id}` | {rule.asks} |" for rule in CONFIG_RULES),
            *(f"| `{rule}` | {_sentence(messages)} |" for rule, messages in said.items()),
            "",
        ]
    )


def _sentence(messages: list[str]) -> str:
    """The distinct messages of a rule, with N for the bounds that each error fills in."""
    plain = [_PLACEHOLDER.sub("N", message) for message in messages]
    return "The value " + "; ".join(dict.fromkeys(plain)) + "."
