"""The HTTP request of an ablation: where it goes and what it says, checked before anything runs.

No error quotes an address, a header's value or a variable's: names only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlencode, urlsplit

from retrieval_gate import __version__
from retrieval_gate.base.canonical import json_line
from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.transport import HttpSettings
from retrieval_gate.retrievers.presets import CONTRACT, PresetRow, preset_row
from retrieval_gate.retrievers.template import (
    Message,
    check_template,
    check_text,
    fill,
    fill_text,
    placeholders,
    text_placeholders,
    variable,
    variables,
)

_PORTS = {"http": 80, "https": 443}
_METHODS = ("POST", "GET")
_HEADERS = (
    ("accept", "application/json"),
    ("content-type", "application/json"),
    ("user-agent", f"retrieval-gate/{__version__}"),
)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Headers that say where a message ends, and for whom it is: the gate's own affair.
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "te"})
_SECRET_WORDS = ("authorization", "cookie", "api-key", "apikey", "token", "secret", "password")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_TARGET = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The one server that is contacted, and the path and query string there."""

    scheme: str
    host: str
    port: int
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One HTTP request: `target` is path and query string, `body` None with GET."""

    method: str
    target: str
    headers: Mapping[str, str | bytes]
    body: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What is the same in all requests. `body` None: the contract's message itself. `names`: all placeholders."""

    preset: PresetRow
    method: str
    target: str
    body: str | None
    headers: tuple[tuple[str, str], ...]
    names: tuple[str, ...]

    def asked(self, message: Message) -> Asked:
        """The request for one of the contract's messages."""
        said = message if self.body is None else fill(self.body, message)
        headers = {name: fill_text(value, message).encode("utf-8") for name, value in self.headers}
        if self.method == "GET":
            return Asked(method="GET", target=_with_parameters(self.target, said), headers=headers, body=None)
        return Asked(method=self.method, target=self.target, headers=headers, body=json_line(said).encode("utf-8"))

    def secrets(self) -> tuple[str, ...]:
        """The values of the environment variables that requests hold."""
        return tuple(map(variable, variables(self.names)))

    def header_secrets(self) -> tuple[str, ...]:
        """The same of the headers alone: what lets the gate in, and is no part of a question."""
        return tuple(map(variable, variables(_header_names(self.headers))))


def settings_of(spec: AblationSpec) -> HttpSettings:
    settings = spec.transport.settings
    return settings if isinstance(settings, HttpSettings) else HttpSettings()


def address_of(spec: AblationSpec) -> Address:
    """Raises ConfigError for an address that is none, or that holds credentials."""
    refuse = _refusal("bad-address", f"the address of ablation {spec.id}")
    if "{" in spec.retriever or "}" in spec.retriever:
        raise refuse(
            "holds braces, and nothing is filled in there",
            "give http.headers or http.body what belongs to each request or is a secret; else write %7B and %7D",
        )
    try:
        parts = urlsplit(spec.retriever)
        host, port = _host(parts), parts.port or _PORTS[spec.scheme]
    except ValueError:
        raise refuse("can not be read", "write http://host:port/path") from None
    if not host:
        raise refuse("names no host", "write http://host:port/path")
    if parts.username is not None or parts.password is not None:
        raise refuse(
            "holds credentials",
            "take them out of it, and give http.headers, e.g. authorization = 'Basic {env.NAME}'",
        )
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.fragment or _TARGET.fullmatch(target) is None:
        raise refuse("has a fragment, a space or a letter that is not ASCII", "percent-encode it")
    return Address(scheme=spec.scheme, host=host, port=port, target=target)


def form_of(spec: AblationSpec) -> Form:
    """Raises ConfigError for settings of `http` that can not be used."""
    settings = settings_of(spec)
    preset = preset_row(settings.preset)
    method = settings.method or preset.method
    if method not in _METHODS:
        raise _bad_form("http.method", "is neither POST nor GET", "choose one of them")
    body = settings.body or preset.body
    _check_body(preset, method, body, settings.body)
    headers = _headers(settings.headers)
    return Form(
        preset=preset,
        method=method,
        target=address_of(spec).target,
        body=body,
        headers=headers,
        names=(() if body is None else placeholders(body)) + _header_names(headers),
    )


def _refusal(code: str, what: str) -> Callable[[str, str], ConfigError]:
    return lambda why, fix: ConfigError(code, f"{what} {why}", fix=fix)


def _bad_form(what: str, why: str, fix: str) -> ConfigError:
    return _refusal("bad-request-form", what)(why, fix)


def _host(parts: SplitResult) -> str:
    """The host in ASCII; raises UnicodeError, which is a ValueError, for one that no name server can know."""
    host = parts.hostname or ""
    return host if host.isascii() else host.encode("idna").decode("ascii")


def _check_body(preset: PresetRow, method: str, body: str | None, own: str | None) -> None:
    if CONTRACT in preset.names:
        if own is not None or method != "POST":
            raise _bad_form(
                "http.preset", "contract has a body and a method of its own", 'remove them, or set preset = "json"'
            )
        return
    if body is None:
        raise _bad_form(
            "http.body", f"is missing, which preset {preset.names[0]} can not do without", preset.needs or ""
        )
    check_template(body, "http.body")
    members = json.loads(body)
    if method == "GET" and any(isinstance(value, dict) for value in members.values()):
        raise _bad_form(
            "http.body", "has an object within it, which no parameter of GET can be", 'set method = "POST"'
        )


def _with_parameters(target: str, said: object) -> str:
    """The members as parameters, lists repeated, null left out."""
    members = said.items() if isinstance(said, dict) else ()
    listed = [(name, value if isinstance(value, list) else [value]) for name, value in members]
    pairs = [
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, values in listed
        for value in values
        if value is not None
    ]
    return f"{target}{'&' if '?' in target else '?'}{urlencode(pairs)}" if pairs else target


def _headers(given: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """All headers by their names in small letters, the user's in the place of the gate's."""
    own: dict[str, str] = {}
    for name, value in given:
        _check_header(name, value)
        if name.lower() in own:
            raise _bad_form("http.headers", "has a header twice", "keep one of the two")
        own[name.lower()] = value
    return tuple((dict(_HEADERS) | own).items())


def _check_header(name: str, value: str) -> None:
    if _HEADER_NAME.fullmatch(name) is None or name.lower() in _OWN_HEADERS:
        raise _bad_form("http.headers", "has a name that is none, or that is the gate's own", "remove it")
    what = f"header {name.lower()}"
    check_text(value, what)
    names = variables(text_placeholders(value))
    if not names and any(word in name.lower() for word in _SECRET_WORDS):
        raise ConfigError(
            "secret-in-configuration",
            f"{what} is one that holds a secret, and names no environment variable",
            fix="write '{env.NAME}' in the place of the secret, and set that variable where the gate runs",
        )
    for found in names:
        if _CONTROL.search(variable(found)):
            raise ConfigError(
                "bad-variable",
                f"the environment variable {found} has a line break or a control character",
                fix="store it without the line break at its end",
            )


def _header_names(headers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple(name for _, value in headers for name in text_placeholders(value))
