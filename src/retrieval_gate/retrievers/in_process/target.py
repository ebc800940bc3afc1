"""The object that `module:attr` names, and what of it answers."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from retrieval_gate.base.canonical import digest
from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.base.names import nearest
from retrieval_gate.base.retrieval import Hello
from retrieval_gate.retrievers.contract import CAPABILITIES, read_hello
from retrieval_gate.retrievers.in_process.binding import Binding
from retrieval_gate.retrievers.in_process.raised import Origin, not_importable, raised
from retrieval_gate.retrievers.port import ADMINISTERED
from retrieval_gate.retrievers.shapes.members import as_items, member
from retrieval_gate.retrievers.shapes.told import type_name

# The methods that may answer, the first that an object has.
METHODS = ("answer", "retrieve", "search", "invoke", "query", "get_relevant_documents", "__call__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """`value` is what the address names; `fingerprint` that of its module's file, empty where there is none."""

    value: Any
    name: str
    fingerprint: str
    origin: Origin


def load(address: str, folders: Sequence[str]) -> Target:
    """Import the module, from `folders` before all others, and find its attribute.

    Raises RetrieverError `module-collision`, `not-importable`, `retriever-raised` or `retriever-exited`.
    """
    module_name, _, name = address.partition(":")
    _put_first(folders)
    _refuse_collision(module_name, folders)
    module = _imported(module_name, tuple(folders))
    value: Any = module
    origin = Origin(file=getattr(module, "__file__", None), folders=tuple(folders))
    for part in name.split("."):
        value = _attribute(value, part, origin)
    fingerprint = "" if origin.file is None else _file_digest(Path(origin.file))
    return Target(value=value, name=name, fingerprint=fingerprint, origin=origin)


def _put_first(folders: Sequence[str]) -> None:
    """Before everything else on sys.path, in their order, and once."""
    sys.path[:] = [*folders, *(entry for entry in sys.path if entry not in folders)]


def _refuse_collision(name: str, folders: Sequence[str]) -> None:
    """A module that is loaded under the name of one in `folders` would be measured in its place."""
    importlib.invalidate_caches()
    looked_in = list(folders)
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        module = ".".join(parts[:depth])
        if module not in sys.modules or not looked_in:
            return
        spec = PathFinder.find_spec(module, looked_in)
        if spec is None:
            return
        if spec.origin is not None and not _is_file(spec.origin, sys.modules[module]):
            raise RetrieverError(
                "module-collision",
                "another module of that name is imported already",
                fix="give the modules of one run names of their own, or measure each in a run of its own",
            )
        # Where a folder without `__init__.py` is a package, several may make it up: the next part decides.
        looked_in = list(spec.submodule_search_locations or ())


def _is_file(origin: str, module: ModuleType) -> bool:
    loaded = getattr(module, "__file__", None)
    return isinstance(loaded, str) and os.path.realpath(loaded) == os.path.realpath(origin)


def _attribute(value: object, part: str, origin: Origin) -> Any:
    try:
        return getattr(value, part)
    except AttributeError:
        raise _no_attribute(value, part) from None
    except BaseException as error:  # noqa: BLE001 - a property, or a module that makes its names up
        raise raised(error, origin, "reading its attribute") from None


def _imported(name: str, folders: tuple[str, ...]) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise not_importable(error) from None
    except BaseException as error:  # noqa: BLE001 - whatever the user's module does is the retriever's failure
        raise raised(error, Origin(file=_file_of(name), folders=folders), "its import") from None


def _file_of(name: str) -> str | None:
    """The file of a module whose import failed."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__file__", None)
    try:
        spec = importlib.util.find_spec(name)
    except Exception:  # noqa: BLE001 - a package above it can not be imported either
        return None
    return None if spec is None else spec.origin


def _file_digest(file: Path) -> str:
    try:
        return digest(file.read_bytes())
    except OSError:
        return ""


def _no_attribute(value: object, part: str) -> RetrieverError:
    names = [name for name in dir(value) if not name.startswith("_")]
    hint = nearest(part, names)
    return RetrieverError(
        "not-importable",
        f"the module has no {part}" if isinstance(value, ModuleType) else f"{type_name(value)} has no {part}",
        fix=f"write {hint}" if hint else "name a function or an object of the module",
    )


def makes_it(value: Any) -> bool:
    """Whether calling it gives the retriever: a class, or a function that takes nothing, not even a question."""
    if inspect.isclass(value):
        return True
    try:
        return inspect.isroutine(value) and not inspect.signature(value).parameters
    except (TypeError, ValueError):  # a callable of C without a signature
        return False


def answering(value: Any) -> Callable[..., Any]:
    """The function, or the object's first method of `METHODS`. Raises RetrieverError `not-a-retriever`."""
    if inspect.isroutine(value) or isinstance(value, functools.partial):
        return value
    for name in METHODS:
        method = getattr(value, name, None)
        if callable(method):
            return method  # type: ignore[no-any-return] # callable, of any kind
    raise RetrieverError(
        "not-a-retriever",
        f"{type_name(value)} is no function and has none of the methods that answer",
        fix=f"name a function, or an object with one of {', '.join(METHODS)}",
    )


def hello_of(target: Target, answers: Binding | None) -> Hello:
    """What the object says of itself in its attributes, else what can be seen; `answers` None: it is a factory."""
    stated = as_items(member(target.value, "capabilities"))
    if stated is None and isinstance(member(target.value, "capabilities"), set | frozenset):
        stated = list(member(target.value, "capabilities"))
    capabilities = _seen(target.value, answers) if stated is None else stated
    hello = read_hello(
        {
            "name": target.name,
            "version": _text(target.value, "version"),
            "fingerprint": _text(target.value, "fingerprint") or target.fingerprint,
            "capabilities": sorted(map(str, capabilities)),
        }
    )
    missing = sorted(hello.capabilities & ADMINISTERED - _methods(target.value))
    if missing:
        raise RetrieverError(
            "bad-hello",
            f"capabilities has {', '.join(missing)}, and there is no such method",
            fix="give it the methods seed, update, delete and revoke, or take their names out",
        )
    return hello


def _seen(value: object, answers: Binding | None) -> frozenset[str]:
    asked = frozenset({"principals"}) if answers is None else _asked(answers)
    methods = _methods(value)
    return asked | (methods if methods == ADMINISTERED else frozenset())


def _asked(answers: Binding) -> frozenset[str]:
    said = {"principal": "principals", "asOf": "asOf"}
    return frozenset(said[name] for name in answers.asks_for if name in said) & CAPABILITIES


def _methods(value: object) -> frozenset[str]:
    return frozenset(name for name in ADMINISTERED if callable(getattr(value, name, None)))


def _text(value: object, name: str) -> str:
    found = member(value, name)
    return found if isinstance(found, str) else ""
