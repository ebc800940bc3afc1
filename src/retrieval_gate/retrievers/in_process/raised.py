"""What a retriever's own code raised, told by the exception's class and the line; its message may be private."""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from retrieval_gate.base.errors import RetrieverError
from retrieval_gate.retrievers.shapes.told import type_name

_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}(?:\.[A-Za-z_][A-Za-z0-9_]{0,63}){0,7}")
_FILE = re.compile(r"[A-Za-z0-9_-]{1,64}\.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the user's own code is: the file of the module that was named, None where unknown, and its folders."""

    file: str | None
    folders: tuple[str, ...] = ()


def raised(error: BaseException, origin: Origin, doing: str) -> RetrieverError:
    """The error as the gate tells it; `doing` says in what, e.g. `answering`. The gate's own stays as it is."""
    if isinstance(error, RetrieverError):
        return error
    line = _line(error, origin)
    at = "" if line is None else f" at {line}"
    if isinstance(error, SystemExit):
        return RetrieverError(
            "retriever-exited",
            f"{doing} ended the process{at}",
            fix="raise an error instead of calling sys.exit; run the code by hand with one of the queries",
        )
    return RetrieverError(
        "retriever-raised",
        f"{doing} raised {type_name(error)}{at}",
        fix="run the code by hand with that query: the error's own text is not shown, as it may be private",
    )


def not_importable(error: ModuleNotFoundError) -> RetrieverError:
    """A module is missing; its name is told where it is one."""
    name = error.name if error.name is not None and _DOTTED.fullmatch(error.name) else None
    return RetrieverError(
        "not-importable",
        f"the module {name} is missing" if name else "a module is missing",
        fix='name its folder, e.g. python.python-path = ["."], or install it where the gate runs',
    )


def _line(error: BaseException, origin: Origin) -> str | None:
    """E.g. `line 12 of search.py`: the innermost in the named module, else in its folders, else None."""
    if isinstance(error, SyntaxError) and error.filename is not None and error.lineno is not None:
        frames = [(error.filename, error.lineno)]
    else:
        frames = [
            (frame.filename, frame.lineno or 0) for frame in reversed(traceback.extract_tb(error.__traceback__))
        ]
    for wanted in (_in_file, _in_folders):
        for filename, line in frames:
            if wanted(filename, origin):
                name = Path(filename).name
                return f"line {line} of {name}" if _FILE.fullmatch(name) else f"line {line}"
    return None


def _in_file(filename: str, origin: Origin) -> bool:
    return origin.file is not None and filename == origin.file


def _in_folders(filename: str, origin: Origin) -> bool:
    path = Path(filename)
    return any(path.is_relative_to(folder) for folder in origin.folders) and not _is_installed(path.parts)


def _is_installed(parts: Sequence[str]) -> bool:
    """A package in an environment that lies in the user's folder is not the user's code."""
    return "site-packages" in parts
