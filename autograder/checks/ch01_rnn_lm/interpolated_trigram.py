"""The checks of `interpolated_trigram`."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, plain_number
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, difference, is_close

EXERCISE = Exercise("interpolated_trigram", "a language model that counts", minutes=25, difficulty=2)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(interpolated_trigram, draw: Draw) -> Use:
    """All words after contexts of all kinds, words that come twice among them; then with weights of which one is 0."""

    def call(contexts: list[tuple[str, str]], counts: Counts, weights: tuple[float, ...]) -> list[float]:
        return [
            plain_number(interpolated_trigram(word, context, counts, weights, len(VOCABULARY)))
            for context in contexts
            for word in VOCABULARY
        ]

    def contexts(number: int) -> list[tuple[str, str]]:
        ids = draw.integers(0, len(VOCABULARY), number, 2).tolist()
        return [("<s>", "<s>"), (VOCABULARY[0], VOCABULARY[0]), *((VOCABULARY[u], VOCABULARY[v]) for u, v in ids)]

    uniform, unigram, bigram, trigram = shares(draw)
    later = contexts(5), counted(draw), (uniform, 0.0, bigram, unigram + trigram)
    return Use(call, (contexts(12), counted(draw), shares(draw)), later)


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
    vocab_size: int = len(VOCABULARY),
) -> dict[str, Any]:
    """The probability of each word after some of the contexts, and what it is made of."""
    weights = shares(draw)
    chosen = [contexts[i] for i in draw.normal(len(contexts)).argsort().tolist()[:number]]
    found = [
        [plain_number(interpolated_trigram(word, context, Counts(counts), weights, vocab_size)) for word in words]
        for context in chosen
    ]
    return {
        "probabilities": found,
        "contexts": [" ".join(context) for context in chosen],
        "words": list(words),
        "weights": list(weights),
        "counts": torch.stack([_table(context, words, counts) for context in chosen]),
    }


def _table(context: Context, words: Iterable[str], counts: Counts) -> Tensor:
    """What was counted after each part of the context, a row for each, (3, words + 1), which ends with the count of the part itself."""
    parts: list[tuple[str, ...]] = [(), context[1:], context]
    return torch.tensor([[*(counts[(*part, word)] for word in words), counts[part]] for part in parts])


def pairs(counts: Counts, *, seen: bool) -> list[Context]:
    """Pairs of two different words of the text that were seen one after the other, or that were not."""
    return [(u, v) for u in _WORDS for v in _WORDS if u != v and (counts[(u, v)] > 0) == seen]


def probabilities_apart(got, want):
    """The first probability that is wrong, with the numbers that it is computed from."""
    mine, right = got["probabilities"], want["probabilities"]
    i, k = next((i, k) for i, row in enumerate(right) for k, p in enumerate(row) if not is_close(mine[i][k], p))
    (one, total), (two, of_v), (three, of_pair) = want["counts"][i][:, [k, -1]].tolist()
    weights = ", ".join(f"{weight:.3f}" for weight in want["weights"])
    return (
        f"the probability of {want['words'][k]!r} after {want['contexts'][i]!r} {difference(mine[i][k], right[i][k])}. It is "
        f"computed from λ0 … λ3 = {weights}; V = {len(VOCABULARY)}, N = {total}; c(w) = {one}; c(v) = {of_v}, c(v w) = {two}; "
        f"c(u v) = {of_pair}, c(u v w) = {three}"
    )


@check(
    "after a context that was seen, the four terms are mixed with their weights",
    points=2,
    reads=("probabilities",),
    hint="Work out one probability by hand. The term of order three asks what share of the occurrences of u v was followed by "
    "w: counts[(u, v, w)] over counts[(u, v)]. The next terms drop u, and then v as well, and the last term needs no counts "
    "at all.",
)
def all_seen(interpolated_trigram, draw: Draw):
    """Contexts that were seen, and words that were."""
    counts = counted(draw)
    return asked(interpolated_trigram, draw, counts, pairs(counts, seen=True))


all_seen.explain(probabilities_apart)


@check(
    "after two words that were never seen together, the weight λ3 goes to the other terms in proportion to their weights",
    points=2,
    reads=("probabilities",),
    needs=all_seen,
    hint="Leave out a term if the count of its context is 0, and add up the weights of the terms that you used. If you divide "
    "by that sum, the weights sum to one again.",
)
def pair_unseen(interpolated_trigram, draw: Draw):
    """Contexts of two words that were seen, and never one after the other."""
    counts = counted(draw)
    return asked(interpolated_trigram, draw, counts, [*pairs(counts, seen=False), (_NEVER, _WORDS[1])])


pair_unseen.explain(probabilities_apart)


@check(
    "after a word that was never seen, the weights λ2 and λ3 go to the other terms in proportion to their weights",
    points=1,
    reads=("probabilities",),
    needs=(all_seen, pair_unseen),
    hint="If v was never seen, then neither was u v: two terms are left out. Check each context separately.",
)
def word_before_unseen(interpolated_trigram, draw: Draw):
    """Contexts that end in a word that was never seen."""
    return asked(interpolated_trigram, draw, counted(draw), [(u, _NEVER) for u in (*_WORDS, _NEVER)], number=2)


word_before_unseen.explain(probabilities_apart)


@check(
    "a word that was never seen still gets the term λ0 / V",
    points=1,
    compare=close(rtol=1e-4, atol=0.0),
    needs=(all_seen, pair_unseen, word_before_unseen),
    hint="All counts of such a word are 0, but each of the V words gets the term λ0 / V. A probability of 0 would "
    "make the perplexity of a text infinite.",
)
def new_word(interpolated_trigram, draw: Draw):
    """A word that was never seen, after contexts of all kinds, in a vocabulary so large that its probability is tiny."""
    counts, size = counted(draw), int(draw.integers(2_000_000, 6_000_000))
    kinds = {
        "after two words that were seen together": pairs(counts, seen=True)[:1],
        "after two words that were never seen together": [(_NEVER, _WORDS[2])],
        "after a word that was never seen": [(_WORDS[1], _NEVER)],
    }
    return {
        name: asked(interpolated_trigram, draw, counts, kind, [_NEVER], vocab_size=size)["probabilities"][0][0]
        for name, kind in kinds.items()
    }


@new_word.explain
def impossible(got, want):
    """A probability of 0."""
    name = next((name for name in want if got[name] == 0), None)
    return name and f"{name}, the probability of a word that was never seen is 0: the word would be impossible"


@new_word.explain
def rounded(got, want):
    """A probability that is right to six decimals."""
    name = next((name for name, right in want.items() if not is_close(got[name], right, atol=0.0)), None)
    if name is None or not is_close(got[name], want[name]):
        return None
    return (
        f"{name}, the probability is {got[name]:.4g}, expected {want[name]:.4g}: is it rounded, or kept above a limit?"
    )


@check(
    "the first words of a sentence have contexts too",
    points=1,
    hidden=True,
    needs=(all_seen, pair_unseen, new_word),
    hint="The token before a sentence is counted like a word: use the count of a context as it is given, counts[(v,)].",
)
def first_words(interpolated_trigram, draw: Draw):
    """Contexts at the start of a sentence."""
    counts = counted(draw)
    firsts = [(_START, v) for v in _WORDS if counts[(_START, v)]]
    found = asked(interpolated_trigram, draw, counts, [*firsts, (_START, _START)], VOCABULARY, len(firsts) + 1)
    return {"probabilities": found["probabilities"]}


@check(
    "the counts are left as they were, and V is the given one",
    points=1,
    needs=(all_seen, pair_unseen, word_before_unseen, new_word),
    arguments=True,
    hint="Reading counts[key] of a Counter adds nothing to it, but counts[key] += 0 and setdefault do. V is an argument: the "
    "vocabulary may contain words that were never seen.",
)
def untouched(interpolated_trigram, draw: Draw):
    """Contexts of all kinds with the same counts, the number of entries and their sum after that, and another vocabulary."""
    counts, weights, size = counted(draw), shares(draw), int(draw.integers(20, 2000))
    contexts = [(_WORDS[1], _WORDS[2]), (_WORDS[3], _WORDS[0]), (_NEVER, _WORDS[2]), (_WORDS[1], _NEVER)]
    found = [
        [plain_number(interpolated_trigram(word, pair, counts, weights, size)) for word in VOCABULARY]
        for pair in contexts
    ]
    return {"probabilities": found, "entries": len(counts), "sum of counts": sum(counts.values())}


@untouched.explain
def entries(got, want):
    """Whether the counts are others than before."""
    if got["entries"] != want["entries"]:
        return f"the counts had {want['entries']} entries, but {got['entries']} after some calls"
    return "the calls changed the counts" if got["sum of counts"] != want["sum of counts"] else None
