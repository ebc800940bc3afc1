"""A file's records as one document, whatever its format, and where each value of it stands."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from retrieval_gate.base.errors import InputError


class Spot(NamedTuple):
    """A line (from 1), and the pointer of the value within what is read there at once: a file, or a line of it.

    `file` is the one that the line stands in; None: the only one.
    """

    line: int
    pointer: str
    file: str | None = None


# The spots of those pointers that lead somewhere, in file order; of the root one, where the file is not empty.
Locate = Callable[[Collection[str]], Mapping[str, Spot]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """`document` is an object whose member of the asked name lists the records, not yet checked by any schema.

    Pointers are of that document. `locate` scans the bytes, so it is only for a problem. `refused` holds what
    could not be read at all, in file order: the records beside it are still there.
    """

    document: object
    locate: Locate
    refused: tuple[InputError, ...] = ()
