"""Names that users type, and the ones that they may have meant."""

from __future__ import annotations

from collections.abc import Sequence


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known name most like a misspelt one; None where nothing is near."""
    import difflib  # late: only a mistake needs it

    matches = difflib.get_close_matches(name, known, n=1)
    return matches[0] if matches else None
