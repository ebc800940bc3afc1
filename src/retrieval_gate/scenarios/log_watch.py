"""What a retriever says outside its answers: this process's logging, standard output and standard error."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Set
from pathlib import Path
from typing import TypeVar

Named = TypeVar("Named", bound=str)

# What stands in an identifier (design §2); a word of the log ends where none of these follows.
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._:#@+/(),-]*")
# What may stand around an id in a list or at the end of a sentence.
_AROUND = ".,:()/-"


class LogWatch:
    """Sends everything to one file and reads what is new in it. Nothing of it leaves this process's folder."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("ab+", buffering=0)
        for stream in (1, 2):
            os.dup2(self._file.fileno(), stream)
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(message)s", force=True)
        self._read = 0

    def skip(self) -> None:
        """Pass over what is new: it belongs to a change, or to one who may see all."""
        self._new()

    def named(self, ids: Set[Named]) -> tuple[Named, ...]:
        """Which of `ids` were named since the last call of any kind, as whole words, sorted."""
        text = self._new()
        if not text:
            return ()
        words = set(_WORD.findall(text))
        words |= {word.strip(_AROUND) for word in words}
        words |= {part for word in words for part in word.split(",")}
        return tuple(sorted(name for name in ids if name in words))

    def _new(self) -> str:
        sys.stdout.flush()
        sys.stderr.flush()
        size = os.fstat(self._file.fileno()).st_size
        data = os.pread(self._file.fileno(), size - self._read, self._read)
        self._read = size
        return data.decode("utf-8", errors="replace")
