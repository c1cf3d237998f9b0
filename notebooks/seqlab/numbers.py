"""A second task for a translator: integers, written a digit at a time, into French number words.

It comes as a `Corpus`, so that the batches, the model and the decoding that translate sentences run on it unchanged. The
numbers below a hundred, from which all others are put together, are always among those to learn from.
"""

from __future__ import annotations

import random

from num2words import num2words

from seqlab.corpus import Corpus, Vocabulary
from seqlab.grammar import Pair

_ATOMS = 100
"""The numbers below this one are all in training."""
_FEWEST_DIGITS = 3
"""The digits of the shortest number that may be held out."""
_MOST_DIGITS = 9
_MOST_FAILURES = 1_000
"""Draws in a row without a new number before there count as too few."""


def number_words(number: int) -> tuple[str, ...]:
    """Spells a number in French.

    Args:
        number: The number, not negative.

    Returns:
        Its words, cut at spaces and before hyphens: 1997 becomes mille neuf cent quatre -vingt -dix -sept. So there are
        few words, and `join_words` can put them together again.

    Raises:
        ValueError: If the number is negative.
    """
    if number < 0:
        raise ValueError(f"number is {number}: only numbers from 0 on are spelled here")
    return tuple(str(num2words(number, lang="fr")).replace("-", " -").split())


def join_words(words: list[str] | tuple[str, ...]) -> str:
    """Writes cut number words as French does, with their hyphens in place.

    Args:
        words: What `number_words` returns, or a model's attempt at it.
    """
    return " ".join(words).replace(" -", "-")


def number_pair(number: int) -> Pair:
    """Makes a pair of a number: its digits, and its French words.

    Args:
        number: The number, not negative.

    Returns:
        The pair, without links.

    Raises:
        ValueError: If the number is negative.
    """
    target = number_words(number)
    return Pair(tuple(str(number)), target, frozenset(), frozenset())


def load_numbers(
    *, seed: int = 0, train: int = 2_000, valid: int = 250, test: int = 500, max_digits: int = 4
) -> Corpus:
    """Draws numbers, no number twice; each count of digits from three on is as likely as any other, while there are any left.

    Args:
        seed: The seed that determines the corpus.
        train: The numbers to learn from, including all those below a hundred.
        valid: The numbers to choose models by.
        test: The numbers to judge them by.
        max_digits: The most digits of a number.

    Returns:
        The corpus: digits as its source words, French number words as its target words, no links.

    Raises:
        ValueError: If `train` is below 100, another size negative, `max_digits` not from 3 to 9, or if there are too few
            numbers of so many digits.
    """
    for name, size, least in (("train", train, _ATOMS), ("valid", valid, 0), ("test", test, 0)):
        if size < least:
            raise ValueError(f"{name} is {size}: ask for at least {least}")
    if not _FEWEST_DIGITS <= max_digits <= _MOST_DIGITS:
        raise ValueError(f"max_digits is {max_digits}: ask for {_FEWEST_DIGITS} to {_MOST_DIGITS}")
    drawn = _draw(random.Random(seed), valid + test + train - _ATOMS, max_digits)
    pairs = [number_pair(number) for number in drawn]
    learnt = (*map(number_pair, range(_ATOMS)), *pairs[valid + test :])
    return Corpus(
        train=learnt,
        valid=tuple(pairs[:valid]),
        test=tuple(pairs[valid : valid + test]),
        source_vocab=Vocabulary(pair.source for pair in learnt),
        target_vocab=Vocabulary(pair.target for pair in learnt),
        has_links=False,
        name="numbers",
    )


def _draw(generator: random.Random, size: int, max_digits: int) -> list[int]:
    """Draws different numbers of three digits or more."""
    numbers: dict[int, None] = {}
    failures = 0
    while len(numbers) < size:
        digits = generator.randint(_FEWEST_DIGITS, max_digits)
        number = generator.randrange(10 ** (digits - 1), 10**digits)
        failures = failures + 1 if number in numbers else 0
        if failures == _MOST_FAILURES:
            raise ValueError(
                f"there are too few numbers of {_FEWEST_DIGITS} to {max_digits} digits: {len(numbers)} of {size} drawn; "
                "ask for fewer numbers or more digits"
            )
        numbers[number] = None
    return list(numbers)
