"""Rows of different length in one array: what term streams and sparse vectors are kept in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ragged:
    """Row i is `values[offsets[i]:offsets[i + 1]]`."""

    values: npt.NDArray[Any]
    offsets: Ints

    @classmethod
    def of(cls, rows: Sequence[bytes], dtype: npt.DTypeLike) -> Ragged:
        """From the raw bytes of each row."""
        size = np.dtype(dtype).itemsize
        lengths = np.fromiter((len(row) // size for row in rows), dtype=np.int64, count=len(rows))
        return cls(values=np.frombuffer(b"".join(rows), dtype=dtype), offsets=bounds(lengths))

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Ints:
        lengths: Ints = self.offsets[1:] - self.offsets[:-1]
        return lengths

    def row_numbers(self) -> Ints:
        """For each value, the row it stands in."""
        return np.arange(self.count, dtype=np.int64).repeat(self.lengths)

    def take(self, positions: Positions) -> Ragged:
        """The rows at `positions`, in that order."""
        offsets, places = gathered(self.offsets, positions)
        return Ragged(values=self.values[places], offsets=offsets)


def gathered(offsets: Ints, positions: Positions) -> tuple[Ints, Positions]:
    """Where the values of the rows at `positions`, in that order, stand; and the offsets of those rows alone."""
    starts = offsets[positions]
    lengths = offsets[positions + 1] - starts
    alone = bounds(lengths)
    places = np.arange(alone[-1], dtype=np.int64)
    places += (starts - alone[:-1]).repeat(lengths)
    return alone, places


def bounds(lengths: npt.NDArray[np.integer[Any] | np.bool_]) -> Ints:
    """Offsets of rows with these lengths: one more than there are rows, the first 0."""
    offsets = np.empty(len(lengths) + 1, dtype=np.int64)
    offsets[0] = 0
    np.add.accumulate(lengths, out=offsets[1:])
    return offsets
