"""`python:module:attr`: a retriever that is a Python object, run in the worker's own process."""

from __future__ import annotations

from collections.abc import Sequence
from keyword import iskeyword
from pathlib import Path

from retrieval_gate.base.config import AblationSpec
from retrieval_gate.base.errors import ConfigError
from retrieval_gate.base.transport import PythonSettings
from retrieval_gate.retrievers.port import Opening, Retriever


def check_python(spec: AblationSpec) -> None:
    """Raises ConfigError for an address that names no attribute, and for a folder that is not there.

    Whether it can be imported is seen when a worker does: to import it here would run it.
    """
    module, _, attribute = spec.address.partition(":")
    if not (_is_dotted(module) and _is_dotted(attribute)):
        raise ConfigError(
            "no-attribute",
            f"ablation {spec.id} does not name an attribute of a Python module",
            fix='write retriever = "python:module:attribute", e.g. "python:my_search:retriever"',
        )
    for folder in _folders(spec):
        if not Path(folder).is_dir():
            raise ConfigError(
                "no-folder",
                f"ablation {spec.id} names a folder in python.python-path that is not there",
                fix="name folders relative to the working folder",
            )


def open_python(specs: Sequence[AblationSpec], opening: Opening) -> tuple[Retriever, ...]:
    """One retriever per spec, all on the same threads: they may share what one module has opened."""
    # What speaks the contract needs pydantic and asyncio: only workers do, and the command line starts fast.
    from retrieval_gate.retrievers.foreign import open_foreign
    from retrieval_gate.retrievers.in_process.carrier import PythonCarrier
    from retrieval_gate.retrievers.in_process.home import Home

    home = Home(users=len(specs))
    return open_foreign(
        specs, opening, lambda spec, _: PythonCarrier(spec.address, spec.transport, _folders(spec), home)
    )


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() and not iskeyword(part) for part in name.split("."))


def _folders(spec: AblationSpec) -> list[str]:
    """The folders to import from, as absolute paths."""
    settings = spec.transport.settings
    named = settings.python_path if isinstance(settings, PythonSettings) else ()
    return [str(Path.cwd() / folder) for folder in named]
