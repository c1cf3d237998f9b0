"""How varied a model's sentences are: a sentence's template, and its verb.

Two sentences that differ in a noun are different strings. Whether a model says the same thing again and again is seen only when the
words that a question asks for, and others of their kind, are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from seqlab import lexicon


@cache
def _slots() -> dict[str, str]:
    """The part of speech of each noun, adjective, name and pronoun of the grammar."""
    nouns = {
        word: "NOUN" for noun in lexicon.NOUNS for word in (noun.english, noun.english_plural or noun.english + "s")
    }
    adjectives = {adjective.english: "ADJECTIVE" for adjective in lexicon.ADJECTIVES}
    people = {name.text: "NAME" for name in lexicon.NAMES} | {"he": "NAME", "she": "NAME"}
    return nouns | adjectives | people


def template(words: Sequence[str]) -> tuple[str, ...]:
    """A sentence with a slot for each noun, adjective, name and pronoun: NAME sees the ADJECTIVE NOUN.

    Args:
        words: The words of the sentence.
    """
    return tuple(_slots().get(word, word) for word in words)


def verb_of(words: Sequence[str]) -> str:
    """The verb of a short sentence: its first word that is neither an article nor a slot of its template.

    Args:
        words: The words of the sentence.

    Returns:
        The verb, or an empty string where there is no such word.
    """
    slots = {*_slots().values(), "the", "a", "an"}
    return next((word for word in template(words) if word not in slots), "")
