"""How much of a question chunks cover: against a plain reading of the definition, term by term."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from retrieval_gate.engine.coverage import BLOCK, REACH, Coverage, Question, question
from retrieval_gate.engine.lexical import inverse_frequency, postings
from retrieval_gate.engine.providers import providers
from retrieval_gate.engine.ragged import Ragged, bounds
from retrieval_gate.engine.reading import Reader

# Term ids of chunks, a few of them longer than a window.
CHUNKS = st.lists(st.lists(st.integers(0, 5), max_size=12), min_size=1, max_size=5)
LONG = st.lists(st.lists(st.integers(0, 2), min_size=2 * BLOCK, max_size=4 * BLOCK), min_size=1, max_size=2)
WORDS = ("red", "fox", "dog", "sky", "hat", "cat")
VOCABULARY = {word: number for number, word in enumerate(WORDS)}


def _stream(chunks: list[list[int]]) -> Ragged:
    values = [term for chunk in chunks for term in chunk]
    lengths = np.array([len(chunk) for chunk in chunks], dtype=np.int64)
    return Ragged(values=np.array(values, dtype=np.int32), offsets=bounds(lengths))


def _question(text: str, chunks: list[list[int]]) -> Question:
    index = postings(_stream(chunks), len(WORDS))
    return question(Reader(providers(None)[0]).read(text), VOCABULARY, index)


def _weights(asked: Question) -> dict[int, int]:
    return dict(zip(asked.terms.tolist(), asked.weights.tolist(), strict=True))


@given(CHUNKS | LONG, st.lists(st.sampled_from((*WORDS, "owl")), max_size=8))
def test_shares_are_those_of_a_plain_reading(chunks: list[list[int]], words: list[str]) -> None:
    asked = _question(" ".join(words), chunks)
    positions = np.arange(len(chunks), dtype=np.int64)[::-1]
    coverage = Coverage(_stream(chunks), len(WORDS))
    covered = coverage.measure(asked, positions)
    read = [chunks[position] for position in positions.tolist()]
    assert covered.anywhere.tolist() == [_share(asked, set(chunk)) for chunk in read]
    assert covered.window.tolist() == [_best_window(asked, chunk) for chunk in read]
    assert covered.ordered.tolist() == [_ordered(asked, words, chunk) for chunk in read]
    assert coverage.window(asked, positions).tolist() == covered.window.tolist()


def _share(asked: Question, held: set[int]) -> float:
    found = 0
    for term, weight in _weights(asked).items():
        found += weight if term in held else 0
    return found / asked.total if len(asked.terms) else 0.0


def _best_window(asked: Question, chunk: list[int]) -> float:
    starts = range(0, max(len(chunk), 1), BLOCK)
    return max(_share(asked, set(chunk[start : start + 2 * BLOCK])) for start in starts)


def _ordered(asked: Question, words: list[str], chunk: list[int]) -> float:
    weights = _weights(asked)
    order = [VOCABULARY.get(word, -1) for word in words]
    total = found = 0
    for before, after in _near(order) & {(one, other) for one in weights for other in weights}:
        weight = min(weights[before], weights[after])
        total += weight
        found += weight if (before, after) in _near(chunk) else 0
    return found / total if total else 0.0


def _near(terms: list[int]) -> set[tuple[int, int]]:
    """The pairs of which one stands at most `REACH` before the other."""
    return {
        (terms[first], terms[second])
        for first in range(len(terms))
        for second in range(first + 1, min(first + REACH + 1, len(terms)))
    }


def test_a_question_weighs_its_terms_by_hand() -> None:
    # Two chunks, one holds "red" twice: idf(red) = ln(1 + 1.5 / 1.5); nobody holds "owl": ln(1 + 2.5 / 0.5).
    asked = _question("owl red owl red", [[0, 0], [1]])
    red, owl = (round(1_000_000 * inverse_frequency(frequency, 2)) for frequency in (1, 0))
    assert (red, owl) == (693_147, 1_791_759)
    assert (asked.terms.tolist(), asked.weights.tolist(), asked.total) == ([0], [red], red + owl)
    assert asked.order.tolist() == [-1, 0, -1, 0]
