"""The checks of `kneser_ney`."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, plain_number
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, difference, is_close, up_to_a_factor

EXERCISE = Exercise("kneser_ney", "a bonus: a language model that counts contexts", minutes=25, difficulty=2)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(kneser_ney, draw: Draw) -> Use:
    """All words after some of them, words that come twice among them; then after other words of another text, with another discount."""

    def call(contexts: list[str], table: Tensor, discount: float) -> list[float]:
        followers, predecessors = sorted_pairs(table)
        return [
            plain_number(kneser_ney(word, v, followers, predecessors, discount, len(VOCABULARY)))
            for v in contexts
            for word in VOCABULARY
        ]

    def contexts(number: int) -> list[str]:
        return [VOCABULARY[i] for i in draw.integers(0, len(VOCABULARY), number).tolist()]

    later = contexts(5), drawn(draw), drawn_discount(draw)
    return Use(call, (contexts(12), drawn(draw), drawn_discount(draw)), later, last=(contexts(4), drawn(draw), 1.0))


FIRST = ("he", "hit", "me", "with", "a")
"""The words that others follow."""
SECOND = ("hit", "me", "with", "a", "pie", "him", "her")
"""The words that follow others."""
_NEVER = "zebra"
VOCABULARY = (*SECOND, FIRST[0], _NEVER)
"""All words: two of them follow nothing, and one of these was never seen at all."""


class Neighbours(Counter[str]):
    """A Counter that says so when it is asked for what can be no key of it.

    Raises:
        MisuseError: What it has not, and is asked for, is no word.
    """

    def __missing__(self, key: Any) -> int:
        if not isinstance(key, str):
            raise MisuseError(
                f"a Counter of `followers` or `predecessors` was asked for {key!r:.80}, expected a word: "
                "followers[v][w] is how often w came right after v"
            )
        return 0


class Sorted(dict[str, Neighbours]):
    """Pairs by one of their words; says so when it is asked for what can be no key of it.

    Raises:
        MisuseError: What it has not, and is asked for, is no word.
    """

    def __missing__(self, key: Any) -> Neighbours:
        if not isinstance(key, str):
            raise MisuseError(
                f"`followers` or `predecessors` was asked for {key!r:.80}, expected one word: "
                "followers[v] is a Counter of the words that came right after v"
            )
        raise KeyError(key)


def sorted_pairs(table: Tensor, first: Sequence[str] = FIRST, second: Sequence[str] = SECOND) -> tuple[Sorted, Sorted]:
    """Followers and predecessors, made anew, of how often each second word followed each first one, a row for each of these."""
    followers, predecessors = Sorted(), Sorted()
    for v, row in zip(first, table.tolist(), strict=True):
        for w, count in zip(second, row, strict=True):
            if count:
                followers.setdefault(v, Neighbours())[w] = count
                predecessors.setdefault(w, Neighbours())[v] = count
    return followers, predecessors


def drawn(draw: Draw) -> Tensor:
    """Counts of pairs, (5, 7): each row has two counts and a zero, each column a count; small and large ones."""
    rows, columns = len(FIRST), len(SECOND)
    counts = draw.integers(1, 5, rows, columns) ** 2
    seen = draw.mask(rows, columns)
    for row in range(rows):
        seen[row, row : row + 2] = True
        seen[row, (row + 3) % columns] = False
    for column in range(columns):
        seen[column % rows, column] = True
    return counts * seen


def balanced(draw: Draw) -> Tensor:
    """Counts of pairs, (4, 6), in which all words that follow are alike: each has two predecessors, and is seen ten times.

    So whatever is counted for P_cont, it is the same for each of them, and only the other term can be wrong.
    """
    table = torch.zeros(4, 6, dtype=torch.int64)
    for column, (one, other) in enumerate([(0, 1), (0, 2), (0, 2), (0, 3), (1, 2), (1, 3)]):
        table[one, column] = draw.integers(1, 10)
        table[other, column] = 10 - table[one, column]
    return table[draw.normal(4).argsort()][:, draw.normal(6).argsort()]


def drawn_discount(draw: Draw) -> float:
    """A discount between 0.3 and 0.9."""
    return int(draw.integers(3000, 9000)) / 10_000


def asked(
    kneser_ney: Callable[..., Any],
    draw: Draw,
    table: Tensor,
    contexts: Iterable[str],
    words: Iterable[str],
    first: Sequence[str] = FIRST,
    second: Sequence[str] = SECOND,
    vocab_size: int = len(VOCABULARY),
) -> dict[str, Any]:
    """The probability of each word after each context, and what it is made of."""
    discount, contexts, words = drawn_discount(draw), list(contexts), list(words)
    found = [
        [plain_number(kneser_ney(word, v, *sorted_pairs(table, first, second), discount, vocab_size)) for word in words]
        for v in contexts
    ]
    asked = {"probabilities": found, "contexts": contexts, "words": words, "discount": discount}
    return asked | {"counts": table, "first": list(first), "second": list(second), "vocab_size": vocab_size}


def probabilities_apart(got, want):
    """The first probability that is wrong, with the numbers that it is computed from."""
    mine, right = got["probabilities"], want["probabilities"]
    i, k = next(
        (i, k) for i, row in enumerate(right) for k, p in enumerate(row) if not is_close(mine[i][k], p, atol=0.0)
    )
    v, w = want["contexts"][i], want["words"][k]
    return f"the probability of {w!r} after {v!r} {difference(mine[i][k], right[i][k])}. It is computed from {_made_of(want, v, w)}"


def _made_of(want: Any, v: str, w: str) -> str:
    """The numbers that go into one probability, for working it out by hand."""
    first, second, table = want["first"], want["second"], want["counts"]
    none = torch.zeros_like(table)
    after = table[first.index(v)] if v in first else none[0]  # What followed v, (words,).
    before = table[:, second.index(w)] if w in second else none[:, 0]  # What came before w.
    of_pair = int(after[second.index(w)]) if w in second else 0
    of_context = f"c(v w) = {of_pair}, c(v ·) = {int(after.sum())}, N1+(v ·) = {int((after > 0).sum())}; "
    return (
        f"{of_context if after.any() else ''}N1+(· w) = {int((before > 0).sum())}, N1+(· ·) = {int((table > 0).sum())}, "
        f"W = {int(table.any(dim=0).sum())}; D = {want['discount']:.4f}, V = {want['vocab_size']}"
    )


@check(
    "after a word that nothing followed, only the continuation counts matter",
    points=3,
    reads=("probabilities",),
    hint="Nothing is known about v, so v does not matter. P_cont depends on how many different words came before w, not on "
    "how often each of them did. Work out one probability by hand.",
)
def nothing_followed(kneser_ney, draw: Draw):
    """A word that was never seen, and one that nothing followed."""
    return asked(kneser_ney, draw, drawn(draw), [_NEVER, "pie"], SECOND)


nothing_followed.explain(probabilities_apart)


def over_the_least(answer: Any) -> Any:
    """The least probability after each word, and by how much the others are above it: a wrong P_cont, if it is the same for all, makes the first wrong by one factor."""
    found = torch.tensor(answer["probabilities"], dtype=torch.float64)
    least = found.min(dim=1, keepdim=True).values
    return {"the least probabilities": least, "by how much the others are above them": found - least}


@check(
    "after a word that others followed, the freed probability is given back",
    points=3,
    reads=over_the_least,
    compare=up_to_a_factor(close(rtol=1e-4, atol=1e-6)),
    needs=nothing_followed,
    hint="D is subtracted once for each different word that followed v. Add that up and divide it by c(v ·): this is the "
    "share that P_cont distributes, and the probabilities of all words then sum to one. Write them down for a v with two "
    "followers.",
)
def alike(kneser_ney, draw: Draw):
    """Words that others followed, and words that P_cont does not tell apart; V is their number."""
    first, second = ("<s>", *SECOND[:3]), SECOND[:6]
    return asked(kneser_ney, draw, balanced(draw), first, second, first, second, len(second))


@alike.explain
def sums(got, want):
    """What the probabilities of all words sum to."""
    totals = dict(zip(want["contexts"], map(sum, got["probabilities"]), strict=True))
    wrong = next((v for v, total in totals.items() if not is_close(total, 1.0)), None)
    if wrong is None:
        return None
    told = f"after {wrong!r} the probabilities of all words sum to {totals[wrong]:.3g}, expected 1"
    return f"{told}; {probabilities_apart(got, want)}"


alike.explain(probabilities_apart)


@check(
    "the freed probability is distributed by the continuation counts",
    points=1,
    reads=("probabilities",),
    needs=(nothing_followed, alike),
    hint="The freed probability is one number for each v. A word's share of it is P_cont(w), the same P_cont(w) as after a "
    "word that nothing followed.",
)
def something_followed(kneser_ney, draw: Draw):
    """Words that others followed, and all of these."""
    return asked(kneser_ney, draw, drawn(draw), FIRST, SECOND)


something_followed.explain(probabilities_apart)


@check(
    "a word that never followed another gets its share of the freed probability",
    points=1,
    reads=("probabilities",),
    compare=close(rtol=1e-4, atol=0.0),
    needs=(nothing_followed, alike, something_followed),
    hint="Such a word is not a key of `predecessors`, so no word came before it: N1+(· w) is 0, and nothing can be "
    "subtracted from it. Its share of the freed probability is the same as for all V words, and no word is "
    "impossible.",
)
def new_word(kneser_ney, draw: Draw):
    """Words that followed nothing, after words of both kinds, in a vocabulary so large that their probability is tiny."""
    size = int(draw.integers(20_000, 60_000))
    return asked(kneser_ney, draw, drawn(draw), [FIRST[1], _NEVER], VOCABULARY[-2:], vocab_size=size)


new_word.explain(probabilities_apart)


@check(
    "after a word with one follower, all other words get some probability",
    points=1,
    hidden=True,
    needs=(nothing_followed, alike, something_followed),
    hint="Even if only one word was ever seen after v, it is not certain: the formula applies as it is. And a word that only "
    "ever followed v has one predecessor, however often it was seen.",
)
def one_follower(kneser_ney, draw: Draw):
    """A word that only one other ever followed, and that follows no other: San Francisco. Every word of `SECOND` has come after another."""
    table = drawn(draw)
    table[1] = 0
    table[0, table.sum(dim=0) == 0] = 1
    table[:, 4] = 0
    table[1, 4] = draw.integers(2, 30)
    return {"probabilities": asked(kneser_ney, draw, table, FIRST[:2], SECOND)["probabilities"]}


@check(
    "the counts are left as they were, and D and V are the given ones",
    points=1,
    needs=(nothing_followed, alike, something_followed, new_word),
    arguments=True,
    hint="Look up a word in a dict with .get(word, ()), or test `word in`: setdefault, and += on a Counter, add entries. D "
    "and V are arguments: the vocabulary may contain words that were never seen.",
)
def untouched(kneser_ney, draw: Draw):
    """Pairs of all kinds with the same counts, how many these are after that, another discount and another vocabulary."""
    followers, predecessors = sorted_pairs(drawn(draw))
    discount, size = drawn_discount(draw), int(draw.integers(20, 2000))
    found = [
        [plain_number(kneser_ney(word, v, followers, predecessors, discount, size)) for word in VOCABULARY]
        for v in (*FIRST[:3], "pie", _NEVER)
    ]
    return {
        "probabilities": found,
        "words": [len(followers), len(predecessors)],
        "pairs": [sum(map(len, sorting.values())) for sorting in (followers, predecessors)],
        "counts": [float(sum(sum(each.values()) for each in s.values())) for s in (followers, predecessors)],
    }


@untouched.explain
def entries(got, want):
    """Which numbers of entries, or of pairs, are others than before."""
    for name in ("words", "pairs", "counts"):
        if got[name] != want[name]:
            return f"the calls changed `followers` or `predecessors`: {name}, {want[name]} before, {got[name]} after"
    return None
