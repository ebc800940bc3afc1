"""Which of a function's parameters gets what, by its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from retrieval_gate.base.errors import RetrieverError

# The parameters that are passed by name, and the member of the contract's request that each gets.
QUERY_PARAMETERS = {
    "k": "k",
    "top_k": "k",
    "limit": "k",
    "n_results": "k",
    "principal": "principal",
    "as_of": "asOf",
    "asOf": "asOf",
    "language": "language",
    "request": "request",
}
_VARIADIC = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A function and the values that it is called with: their names by place, and by the parameter's name."""

    function: Callable[..., Any]
    by_place: tuple[str, ...]
    by_name: tuple[tuple[str, str], ...] = ()

    def __call__(self, values: Mapping[str, object]) -> Any:
        return self.function(
            *[values[name] for name in self.by_place], **{key: values[name] for key, name in self.by_name}
        )

    @property
    def asks_for(self) -> frozenset[str]:
        """The names of the values that it gets."""
        return frozenset(self.by_place) | {name for _, name in self.by_name}


def bind(function: Callable[..., Any], first: str, parameters: Mapping[str, str]) -> Binding:
    """The first parameter that `parameters` does not have gets the value `first`.

    Raises RetrieverError `unknown-parameter` for one that must be given and is neither. A function without a
    signature, such as one written in C, gets `first` alone.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return Binding(function=function, by_place=(first,))
    by_place: list[str] = []
    by_name: list[tuple[str, str]] = []
    left: str | None = first
    for place, parameter in enumerate(signature.parameters.values()):
        name = parameters.get(parameter.name)
        if name is None and parameter.kind is not Parameter.VAR_KEYWORD:
            name, left = left, None
        if name is None:
            _refuse_required(parameter)
        elif parameter.kind in _BY_PLACE or (place == 0 and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD):
            by_place.append(name)
        else:
            by_name.append((parameter.name, name))
    if not by_place and not by_name:
        raise RetrieverError(
            "unknown-parameter", "the retriever takes no parameter", fix="let its first parameter take the query"
        )
    return Binding(function=function, by_place=tuple(by_place), by_name=tuple(by_name))


def bind_nothing(function: Callable[..., Any]) -> Binding:
    """Raises RetrieverError `unknown-parameter` for a parameter that must be given."""
    for parameter in inspect.signature(function).parameters.values():
        _refuse_required(parameter)
    return Binding(function=function, by_place=())


def _refuse_required(parameter: Parameter) -> None:
    """`parameter` gets nothing: it must have a default."""
    if parameter.default is not Parameter.empty or parameter.kind in _VARIADIC:
        return
    raise RetrieverError(
        "unknown-parameter",
        f"the retriever has a parameter {parameter.name} that nothing is known for",
        fix=f"give it a default, or name it one of {', '.join(QUERY_PARAMETERS)}",
    )
