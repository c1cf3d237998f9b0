"""What is asked of `interpolated_trigram`.

The text is drawn, of few words, so that some pairs are seen and others are not; each probe then chooses contexts of one kind.
Every word is asked for after each context, so that a judge sees what becomes of the whole.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import MisuseError, plain_number

_WORDS = ("pie", "he", "hit", "me", "with", "a")
_START, _END, _NEVER = "<s>", "</s>", "zebra"
VOCABULARY = (*_WORDS, _END, _NEVER)
"""All words of the text, its end, and one word that is not in it."""

Context = tuple[str, str]


class Counts(Counter[tuple[str, ...]]):
    """A Counter that says so when it is asked for what can be no key of it.

    Raises:
        MisuseError: What it has not, and is asked for, is no tuple of words.
    """

    def __missing__(self, key: Any) -> int:
        if not isinstance(key, tuple) or not all(isinstance(word, str) for word in key):
            raise MisuseError(
                f"counts was asked for {key!r:.80}, expected a tuple of words; a tuple of one word, such as "
                f"{(VOCABULARY[0],)}, is written with a comma"
            )
        return 0


def counted(draw: Draw) -> Counts:
    """How often each tuple of up to three words is in a text that is drawn, counted as in the chapter; no word is missing."""
    ids = torch.minimum(draw.integers(0, len(_WORDS), 9, 4), draw.integers(1, len(_WORDS), 9, 4))
    sentences = [list(_WORDS), *([_WORDS[i] for i in sentence] for sentence in ids.tolist())]
    counts = Counts()
    for sentence in sentences:
        row = [_START, _START, *sentence, _END]
        counts.update([(_START,), (_START, _START)])
        for i in range(2, len(row)):
            counts.update(tuple(row[first : i + 1]) for first in range(i - 2, i + 2))
    return counts


def shares(draw: Draw) -> tuple[float, ...]:
    """Four weights that sum to one, no two alike."""
    parts = draw.normal(4).argsort().double() + 1 + draw.normal(4, scale=0.1).double()
    return tuple((parts / parts.sum()).tolist())


def asked(
    interpolated_trigram: Callable[..., Any],
    draw: Draw,
    counts: Counts,
    contexts: list[Context],
    words: Iterable[str] = VOCABULARY[:-1],
    number: int = 4,
) -> dict[str, Any]:
    """The probability of each word after some of the contexts, and what it is made of."""
    weights = shares(draw)
    chosen = [contexts[i] for i in draw.normal(len(contexts)).argsort().tolist()[:number]]
    found = [
        [plain_number(interpolated_trigram(word, context, Counts(counts), weights, len(VOCABULARY))) for word in words]
        for context in chosen
    ]
    return {
        "probabilities": found,
        "contexts": [" ".join(context) for context in chosen],
        "words": list(words),
        "weights": list(weights),
        "number of entries": len(counts),
        "counts of all tuples": sum(counts.values()),
        "counts of single words": sum(number for words, number in counts.items() if len(words) == 1),
        "counts": torch.stack([_table(context, words, counts) for context in chosen]),
    }


def _table(context: Context, words: Iterable[str], counts: Counts) -> Tensor:
    """What was counted after each part of the context, and after it in wrong order: a row for each, (5, words + 1).

    A row ends with the count of the part itself.
    """
    u, v = context
    parts: list[tuple[str, ...]] = [(), (v,), (u, v), (u,), (v, u)]
    return torch.tensor([[*(counts[(*part, word)] for word in words), counts[part]] for part in parts])


def pairs(counts: Counts, *, seen: bool) -> list[Context]:
    """Pairs of two different words of the text that were seen one after the other, or that were not."""
    return [(u, v) for u in _WORDS for v in _WORDS if u != v and (counts[(u, v)] > 0) == seen]


@probe("interpolated_trigram")
def all_seen(interpolated_trigram, draw: Draw):
    """Contexts that were seen, and words that were."""
    counts = counted(draw)
    return asked(interpolated_trigram, draw, counts, pairs(counts, seen=True))


@probe("interpolated_trigram")
def pair_unseen(interpolated_trigram, draw: Draw):
    """Contexts of two words that were seen, and never one after the other."""
    counts = counted(draw)
    return asked(interpolated_trigram, draw, counts, [*pairs(counts, seen=False), (_NEVER, _WORDS[1])])


@probe("interpolated_trigram")
def word_before_unseen(interpolated_trigram, draw: Draw):
    """Contexts that end in a word that was never seen."""
    return asked(interpolated_trigram, draw, counted(draw), [(u, _NEVER) for u in (*_WORDS, _NEVER)], number=2)


@probe("interpolated_trigram")
def new_word(interpolated_trigram, draw: Draw):
    """A word that was never seen, after contexts of all kinds."""
    counts = counted(draw)
    kinds = {
        "after two words that were seen together": pairs(counts, seen=True)[:1],
        "after two words that were never seen together": [(_NEVER, _WORDS[2])],
        "after a word that was never seen": [(_WORDS[1], _NEVER)],
    }
    return {name: asked(interpolated_trigram, draw, counts, kind, [_NEVER]) for name, kind in kinds.items()}


@probe("interpolated_trigram")
def first_words(interpolated_trigram, draw: Draw):
    """Contexts at the start of a sentence."""
    counts = counted(draw)
    firsts = [(_START, v) for v in _WORDS if counts[(_START, v)]]
    found = asked(interpolated_trigram, draw, counts, [*firsts, (_START, _START)], VOCABULARY, len(firsts) + 1)
    return {"probabilities": found["probabilities"]}


@probe("interpolated_trigram")
def untouched(interpolated_trigram, draw: Draw):
    """Contexts of all kinds with the same counts, the number of entries and their sum after that, and another vocabulary."""
    counts, weights, size = counted(draw), shares(draw), int(draw.integers(20, 2000))
    contexts = [(_WORDS[1], _WORDS[2]), (_WORDS[3], _WORDS[0]), (_NEVER, _WORDS[2]), (_WORDS[1], _NEVER)]
    found = [
        [plain_number(interpolated_trigram(word, pair, counts, weights, size)) for word in VOCABULARY]
        for pair in contexts
    ]
    return {"probabilities": found, "entries": len(counts), "sum of counts": sum(counts.values())}
