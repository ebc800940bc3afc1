"""Text to terms: our own tokeniser, so that no library's or database's version decides a result.

A text is folded (NFKC, case folding, decimal digits to ASCII, invisible format characters removed) and cut into
runs. A run of a spaced script is one word; Latin letters and digits never share a run with another script. A word
of five characters or more is followed by its prefix, `interface` by `inter*`, so that inflected forms meet without
a dictionary (McNamee and Mayfield 2004, truncation). A run of an unspaced script (Han, Kana, Thai, ...) becomes
overlapping unigrams and bigrams of its characters, each with its combining marks. Marks (accents, matras, virama)
are never dropped. The characters are those of Unicode 14.0 on every Python (see `later_characters`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

from retrieval_gate.engine.later_characters import is_later

# Part of the evaluation definition: move it whenever `terms` could answer differently.
TOKENIZER_VERSION = "terms/1"

PREFIX_LENGTH = 5

# The script of a text, as thresholds are named.
SCRIPTS = ("han", "latin", "devanagari", "other")

# (first, last) code points of the scripts written without spaces between words.
_HAN_RANGES = (
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_OTHER_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3041, 0x312F),  # Hiragana, Katakana, Bopomofo
    (0x31A0, 0x31FF),
)
# No earlier character belongs to a script written without spaces.
_FIRST_UNSPACED = chr(min(first for first, _ in (*_HAN_RANGES, *_OTHER_UNSPACED_RANGES)))
_DEVANAGARI_RANGES = ((0x0900, 0x097F), (0xA8E0, 0xA8FF))
_LATIN_RANGES = ((0x0041, 0x024F), (0x1E00, 0x1EFF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF))

# One letter per character: what kind of run it can stand in; a space ends a run.
_LATIN, _DIGIT, _WORD, _DEVANAGARI, _HAN, _UNSPACED, _MARK, _BREAK = "ldwvhum "
_UNSPACED_KINDS = (_HAN, _UNSPACED)
_RUN = re.compile(r"(?:[hu]m*)+|[ld][ldm]*|[wv][wvm]*")
_ASCII_RUN = re.compile(r"[0-9a-z]+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_CHARACTER = re.compile(r"[hu]m*")


def normalise(text: str) -> str:
    """The folded text: equal for spellings that differ in width, case, composition or invisible characters."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text.translate(_FOLDS)).casefold()
    return unicodedata.normalize("NFKC", folded)


def terms(text: str) -> list[str]:
    """The terms of a text in reading order, repeats kept."""
    return terms_of_runs(runs(text))


def runs(text: str) -> list[str]:
    """The runs of the folded text: words, and stretches of unspaced script."""
    folded = normalise(text)
    if folded.isascii():
        return _ASCII_RUN.findall(folded)
    return [folded[match.start() : match.end()] for match in _RUN.finditer(folded.translate(_KINDS))]


def terms_of_runs(words: Iterable[str]) -> list[str]:
    """The terms of runs as `runs` gives them."""
    found: list[str] = []
    for word in words:
        if word[0] >= _FIRST_UNSPACED and unspaced(word[0]):
            found.extend(_grams(word))
        else:
            found.append(word)
            if len(word) >= PREFIX_LENGTH and not word.isdigit():
                found.append(word[:PREFIX_LENGTH] + "*")
    return found


def unspaced(character: str) -> bool:
    """Whether a folded character belongs to a script written without spaces."""
    return _KINDS[ord(character)] in _UNSPACED_KINDS


@lru_cache(maxsize=1024)
def script(text: str) -> str:
    """The script that most of the text's units are in: a Han character counts as much as a word.

    Ties go to the first of `SCRIPTS`; a text without letters is "other".
    """
    if text.isascii():
        return "latin" if _ASCII_LETTER.search(text) else "other"
    kinds = normalise(text).translate(_KINDS)
    counts = dict.fromkeys(SCRIPTS, 0)
    for match in _RUN.finditer(kinds):
        for name, units in _script_units(match.group()):
            counts[name] += units
    best = max(counts.values())
    return next(name for name in SCRIPTS if counts[name] == best) if best else "other"


def _script_units(run: str) -> Iterator[tuple[str, int]]:
    if run[0] in _UNSPACED_KINDS:
        yield "han", run.count(_HAN)
        yield "other", run.count(_UNSPACED)
    elif _LATIN in run:
        yield "latin", 1
    elif _DEVANAGARI in run:
        yield "devanagari", 1
    elif _WORD in run:
        yield "other", 1


def _grams(run: str) -> Iterator[str]:
    """Unigrams and bigrams of an unspaced run, interleaved: a, ab, b, bc, c."""
    kinds = run.translate(_KINDS)
    characters = [run[match.start() : match.end()] for match in _CHARACTER.finditer(kinds)]
    for here, after in pairwise(characters):
        yield here
        yield here + after
    yield characters[-1]


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _kind(code: int) -> str:
    """Han comes first, by code point alone: newer Pythons know more of its planes as letters than older ones."""
    if _within(code, _HAN_RANGES):
        return _HAN
    category = unicodedata.category(chr(code))[0]
    if category == "M":
        return _MARK
    if category == "N":
        return _DIGIT
    return _letter_kind(code) if category == "L" else _BREAK


def _letter_kind(code: int) -> str:
    return next((kind for kind, ranges in _LETTER_KINDS if _within(code, ranges)), _WORD)


_LETTER_KINDS = (
    (_LATIN, _LATIN_RANGES),
    (_DEVANAGARI, _DEVANAGARI_RANGES),
    (_UNSPACED, _OTHER_UNSPACED_RANGES),
)


class _Kinds(dict[int, str]):
    """Code point -> kind, filled as characters are met: classing all of Unicode at import would cost 100 ms."""

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, _kind(code))


class _Folds(dict[int, str]):
    """Code point -> itself, an ASCII digit for a decimal digit, nothing for an invisible character.

    A character that not every supported Python knows becomes a space, before anything composes with it.
    """

    def __missing__(self, code: int) -> str:
        return self.setdefault(code, _fold(chr(code)))


def _fold(character: str) -> str:
    if is_later(ord(character)):
        return " "
    if unicodedata.category(character) == "Cf" or "\ufe00" <= character <= "\ufe0f":
        return ""
    digit = unicodedata.decimal(character, None)
    return character if digit is None else str(digit)


_KINDS = _Kinds()
_FOLDS = _Folds()
