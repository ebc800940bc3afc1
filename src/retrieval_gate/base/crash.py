"""A traceback that can be printed anywhere: where the bug is, never the values that it stumbled over."""

from __future__ import annotations

import traceback
from pathlib import Path


def private_traceback(error: BaseException) -> str:
    """File name, line and function of each frame and the type of each error in the chain; no messages.

    The message of a foreign error may quote the text it failed on, so it is left out.
    """
    lines: list[str] = []
    current: BaseException | None = error
    while current is not None:
        lines.append(f"{type(current).__module__}.{type(current).__qualname__}")
        frames = traceback.extract_tb(current.__traceback__)
        lines += [f"  {Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in frames]
        current = current.__cause__ or current.__context__
    return "\n".join(lines)
