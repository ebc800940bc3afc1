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
        return np.repeat(np.arange(self.count, dtype=np.int64), self.lengths)

    def take(self, positions: Positions) -> Ragged:
        """The rows at `positions`, in that order."""
        starts = self.offsets[positions]
        lengths = self.offsets[positions + 1] - starts
        offsets = bounds(lengths)
        shift = np.repeat(starts - offsets[:-1], lengths)
        return Ragged(values=self.values[shift + np.arange(offsets[-1], dtype=np.int64)], offsets=offsets)


def bounds(lengths: Ints) -> Ints:
    """Offsets of rows with these lengths: one more than there are rows, the first 0."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
