from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.engine.later_characters import LATER_RANGES, is_later
from retrieval_gate.engine.text import SCRIPTS, normalise, script, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("USB-C接口", ["usb", "c", "接", "接口", "口"]),
        ("2019届", ["2019", "届"]),
        ("The Cat", ["the", "cat"]),
        ("Interfaces", ["interfaces", "inter*"]),
        ("plant plants", ["plant", "plant*", "plants", "plant*"]),
        ("12345 1234567", ["12345", "1234567"]),
        ("ＵＳＢ　１２", ["usb", "12"]),
        ("STRASSE Straße", ["strasse", "stras*", "strasse", "stras*"]),
        ("हिन्दी में", ["हिन्दी", "हिन्द*", "में"]),
        ("१२ किताब", ["12", "किताब", "किताब*"]),
        ("usbकेबल", ["usb", "केबल"]),
        ("ไทย", ["ไ", "ไท", "ท", "ทย", "ย"]),
        ("ที่", ["ที่"]),
        ("ひらカナ", ["ひ", "ひら", "ら", "らカ", "カ", "カナ", "ナ"]),
        ("Привет, МИР!", ["привет", "приве*", "мир"]),
        ("한국어 문서", ["한국어", "문서"]),
        ("don't", ["don", "t"]),
        ("…—!?", []),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_devanagari_vowel_signs_and_virama_are_part_of_the_word() -> None:
    assert terms("कि की क्") == ["कि", "की", "क्"]


def test_composed_and_decomposed_spellings_are_one_term() -> None:
    composed = "café"
    assert terms(unicodedata.normalize("NFD", composed)) == terms(composed) == ["café"]
    assert terms("cafe") != terms(composed)


def test_invisible_characters_do_not_split_a_word() -> None:
    assert terms("soft\u00adware zero\u200bwidth क्\u200dष") == terms("software zerowidth क्ष")


def test_an_unassigned_ideograph_is_han_on_every_python() -> None:
    assert terms("\U0002ebf0\U00031350") == ["\U0002ebf0", "\U0002ebf0\U00031350", "\U00031350"]


def test_a_character_that_only_newer_pythons_know_ends_a_word_on_all() -> None:
    # A Kawi letter and a Kaktovik digit of Unicode 15.0; a Lao mark that would swap places with the one after it.
    assert terms("a\U00011f04b") == ["a", "b"]
    assert terms("1\U0001d2c12") == ["1", "2"]
    assert terms("\u0e81\u0ece\u0e49\u0e81") == terms("\u0e81 \u0e49\u0e81")
    assert script("\U00011f04") == "other"


def test_its_neighbours_of_unicode_14_are_still_letters() -> None:
    # Telugu nakaara pollu and Ahom ca were new in 14.0.
    assert terms("\u0c5d \U00011740") == ["\u0c5d", "\U00011740"]
    assert not is_later(0)
    assert [first for first, _ in LATER_RANGES] == sorted({first for first, _ in LATER_RANGES})


def test_every_character_gives_the_same_terms_on_every_python() -> None:
    # Planes 0 to 3 and 14: the others hold no character but private ones. Marks after each show what composes.
    codes = [*range(0xD800), *range(0xE000, 0x40000), *range(0xE0000, 0xF0000)]
    text = "".join(f"a{chr(code)}\u0323\u0301{chr(code)}1 " for code in codes)
    digest = hashlib.sha256("\n".join(terms(text)).encode()).hexdigest()
    assert digest == "df63b9d55bf07504b6c4845943c9b36288d4f7bc8568bb88764cc4c5fae3551c"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How long is the warranty?", "latin"),
        ("ÉCOLE", "latin"),
        ("USB-C接口", "han"),
        ("iPhone 15 支持无线充电吗", "han"),
        ("How does Quillmere spell 保修 here", "latin"),
        ("संघीय सरकार", "devanagari"),
        ("Кто это", "other"),
        ("ひらがな", "other"),
        ("2019?", "other"),
        ("", "other"),
    ],
)
def test_script(text: str, expected: str) -> None:
    assert script(text) == expected


@given(st.text())
def test_any_text_has_terms_that_survive_folding_and_one_known_script(text: str) -> None:
    assert script(text) in SCRIPTS
    assert terms(normalise(text)) == terms(text)
    assert all(term and ":" not in term for term in terms(text))
