"""Requests of a form that the user writes: JSON, or one text, with placeholders for what is asked.

A JSON text that is just one placeholder becomes the value itself: `"{k}"` is a number, `"{principal.tenant}"` may
be null, an attribute is the list of its values. Within a longer text a value is written as text: null as nothing,
a list with commas. `{{name}}` is the literal text `{name}`; braces around anything else are left as they are.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.names import nearest

# What can be asked for by name alone, and what has a name of its own behind a prefix.
ASKED = ("query", "k", "language", "asOf", "id", "principal.id", "principal.tenant")
ATTRIBUTE, ENVIRONMENT = "principal.attributes.", "env."
# What a header may hold: nothing that a user of the search wrote.
HEADER_SAFE = tuple(name for name in ASKED if name != "query")

_NAME = r"(?:principal\.attributes\.[^{}\s]+|[A-Za-z][A-Za-z0-9_.]*)"
_PLACEHOLDER = re.compile(rf"\{{\{{(?P<literal>{_NAME})\}}\}}|\{{(?P<name>{_NAME})\}}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

# The contract's request; `contract` itself is not imported, as checking a template must start fast.
Message = Mapping[str, Any]
Fill = Callable[[Message], object]


def fill(template: str, message: Message) -> object:
    """The value of the JSON text `template`, with what `message`, the contract's request, asks.

    Raises ConfigError as `check_template` does.
    """
    return _compiled(template)(message)


def fill_text(template: str, message: Message) -> str:
    """The text `template`, with what `message` asks; raises ConfigError as `check_text` does.

    The message may be one that asks nothing, such as `hello`: what it does not have is null.
    """
    return _text(_compiled_text(template)(message))


def check_template(template: str, what: str) -> None:
    """Raises ConfigError where the JSON text has an unknown placeholder or an unset variable; `what` names it."""
    _check_names(placeholders(template), ASKED, what)


def check_text(template: str, what: str) -> None:
    """The same for one text, such as a header, which must not hold the query."""
    _check_names(text_placeholders(template), HEADER_SAFE, what)


def placeholders(template: str) -> tuple[str, ...]:
    """The names of the placeholders in the JSON text, in its order."""
    return tuple(name for text in _texts(json.loads(template)) for name in text_placeholders(text))


def text_placeholders(template: str) -> tuple[str, ...]:
    return tuple(found["name"] for found in _PLACEHOLDER.finditer(template) if found["name"] is not None)


def variable(name: str) -> str:
    """The value of an environment variable; an empty one is what CI makes of a secret that does not exist.

    Raises ConfigError where it is unset or empty.
    """
    value = os.environ.get(name, "")
    if not value:
        raise ConfigError(
            "unset-variable",
            f"the environment variable {name} is not set, or is empty",
            fix="set it where the gate runs, e.g. from a secret of the repository",
        )
    return value


def variables(names: tuple[str, ...]) -> tuple[str, ...]:
    """The environment variables among the names of placeholders."""
    found = (name.removeprefix(ENVIRONMENT) for name in names if name.startswith(ENVIRONMENT))
    return tuple(dict.fromkeys(found))


def _check_names(names: tuple[str, ...], known: tuple[str, ...], what: str) -> None:
    for name in names:
        if not _is_known(name, known):
            hint = nearest(name, (*known, f"{ATTRIBUTE}NAME", f"{ENVIRONMENT}NAME"))
            raise ConfigError(
                "unknown-placeholder",
                f"{what} has a placeholder that does not exist" + (f"; the nearest is {{{hint}}}" if hint else ""),
                fix=f"choose from {', '.join(known)}, {ATTRIBUTE}NAME and {ENVIRONMENT}NAME, or double the braces "
                "around literal text",
            )
    for name in variables(names):
        variable(name)


def _is_known(name: str, known: tuple[str, ...]) -> bool:
    if name.startswith(ENVIRONMENT):
        return _VARIABLE.fullmatch(name.removeprefix(ENVIRONMENT)) is not None
    return name in known or name.startswith(ATTRIBUTE)


def _texts(value: object) -> Iterator[str]:
    """Every text of a JSON value but the names of members, in its order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


# A run has a handful of templates and fills them thousands of times.
@lru_cache(maxsize=64)
def _compiled(template: str) -> Fill:
    return _compile(json.loads(template))


@lru_cache(maxsize=256)
def _compiled_text(template: str) -> Fill:
    return _compile(template)


def _compile(value: Any) -> Fill:
    if isinstance(value, str):
        return _compile_text(value)
    if isinstance(value, list):
        parts = [_compile(part) for part in value]
        return lambda message: [part(message) for part in parts]
    if isinstance(value, dict):
        members = {name: _compile(part) for name, part in value.items()}
        return lambda message: {name: part(message) for name, part in members.items()}
    return lambda _: value


def _compile_text(text: str) -> Fill:
    only = _PLACEHOLDER.fullmatch(text)
    if only is not None and only["name"] is not None:
        return _getter(only["name"])
    parts = list(_parts(text))
    return lambda message: "".join(part if isinstance(part, str) else _text(part(message)) for part in parts)


def _parts(text: str) -> Iterator[str | Fill]:
    """Literal pieces and getters, in order."""
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        yield text[end : found.start()]
        yield f"{{{found['literal']}}}" if found["name"] is None else _getter(found["name"])
        end = found.end()
    yield text[end:]


def _getter(name: str) -> Fill:
    _check_names((name,), ASKED, "a template")
    if name.startswith(ENVIRONMENT):
        return lambda _: variable(name.removeprefix(ENVIRONMENT))
    if name.startswith(ATTRIBUTE):
        return lambda message: _of_principal(message, "attributes", name.removeprefix(ATTRIBUTE))
    head, _, member = name.partition(".")
    return (lambda message: _of_principal(message, member)) if member else (lambda message: message.get(head))


def _of_principal(message: Message, member: str, attribute: str | None = None) -> object:
    """Null for the public, and where nobody asks; a principal without the attribute has no values of it."""
    principal = message.get("principal")
    if principal is None:
        return None
    found = principal[member]
    if attribute is None or not isinstance(found, Mapping):
        return found
    return found.get(attribute, [])


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return value if isinstance(value, str) else json.dumps(value)
