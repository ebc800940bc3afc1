"""The alias table's words found in a text: whole words in spaced scripts, substrings in unspaced ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from retrieval_gate.base.config import AliasTable
from retrieval_gate.engine.text import runs, terms_of_runs, unspaced

# No term holds a colon, so that a concept is never mistaken for a word.
CONCEPT_PREFIX = "concept:"


class AliasMatcher:
    """Replaces each alias in a text by its concept.

    Width, case and punctuation do not matter: `USB-C` is the two words `usb c`. The longest alias at the
    earliest place wins; an alias of several concepts gives all of them, in table order.
    """

    def __init__(self, table: AliasTable) -> None:
        concepts: dict[str, dict[str, None]] = {}
        for concept in table.concepts:
            for alias in concept.aliases:
                concepts.setdefault(" ".join(runs(alias)), {})[CONCEPT_PREFIX + concept.id] = None
        concepts.pop("", None)
        self._concepts = {alias: tuple(ids) for alias, ids in concepts.items()}
        self._starting: dict[str, list[str]] = {}
        for alias in sorted(concepts, key=lambda text: (-len(text), text)):
            self._starting.setdefault(alias[0], []).append(alias)
        self._beginning = _beginning(self._starting)

    def features(self, text: str) -> list[str]:
        """The terms of what no alias covers, and the concepts of each alias, in reading order."""
        spelled = f" {' '.join(runs(text))} "
        found: list[str] = []
        covered = 0
        for start, alias in self._matches(spelled):
            found.extend(terms_of_runs(spelled[covered:start].split()))
            found.extend(self._concepts[alias])
            covered = start + len(alias)
        found.extend(terms_of_runs(spelled[covered:].split()))
        return found

    def _matches(self, spelled: str) -> Iterator[tuple[int, str]]:
        """(start, alias) without overlap, in reading order."""
        free = 0
        for place in self._beginning.finditer(spelled):
            start = place.start()
            alias = self._alias_at(spelled, start, self._starting[place.group()]) if start >= free else None
            if alias is not None:
                yield start, alias
                free = start + len(alias)

    def _alias_at(self, spelled: str, start: int, longest_first: list[str]) -> str | None:
        for alias in longest_first:
            if spelled.startswith(alias, start) and _stands_alone(spelled, start, start + len(alias)):
                return alias
        return None


def _beginning(characters: Iterable[str]) -> re.Pattern[str]:
    """Where an alias that begins with one of `characters` may begin; in spaced scripts where a word does."""
    spaced = "".join(re.escape(first) for first in characters if not unspaced(first))
    within = "".join(re.escape(first) for first in characters if unspaced(first))
    places = (*([f"(?<= )[{spaced}]"] if spaced else ()), *([f"[{within}]"] if within else ()))
    return re.compile("|".join(places) or "(?!)")


def _stands_alone(spelled: str, start: int, end: int) -> bool:
    """Whether `[start, end)` cuts no word of a spaced script."""
    before, after = spelled[start - 1], spelled[end]
    return (before == " " or unspaced(spelled[start])) and (after == " " or unspaced(spelled[end - 1]))
