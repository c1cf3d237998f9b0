"""What is asked of `kneser_ney`.

The pairs of words are drawn, and no two of the numbers that a formula could confuse are equal: seven words follow others, five are
followed, and the vocabulary has more than either. Some words are never preceded, others never followed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import MisuseError, plain_number

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

    So whatever is counted for P_cont, it is 1 / V for each of them, and only the other term can be wrong.
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


@probe("kneser_ney")
def nothing_followed(kneser_ney, draw: Draw):
    """A word that was never seen, and one that nothing followed."""
    return asked(kneser_ney, draw, drawn(draw), [_NEVER, "pie"], SECOND)


@probe("kneser_ney")
def alike(kneser_ney, draw: Draw):
    """Words that others followed, and words that P_cont does not tell apart; V is their number."""
    first, second = ("<s>", *SECOND[:3]), SECOND[:6]
    return asked(kneser_ney, draw, balanced(draw), first, second, first, second, len(second))


@probe("kneser_ney")
def something_followed(kneser_ney, draw: Draw):
    """Words that others followed, and all of these."""
    return asked(kneser_ney, draw, drawn(draw), FIRST, SECOND)


@probe("kneser_ney")
def new_word(kneser_ney, draw: Draw):
    """Words that followed nothing, after words of both kinds."""
    return asked(kneser_ney, draw, drawn(draw), [FIRST[1], _NEVER], VOCABULARY[-2:])


@probe("kneser_ney")
def one_follower(kneser_ney, draw: Draw):
    """A word that only one other ever followed, and that follows no other: San Francisco. Every word of `SECOND` has come after another."""
    table = drawn(draw)
    table[1] = 0
    table[0, table.sum(dim=0) == 0] = 1
    table[:, 4] = 0
    table[1, 4] = draw.integers(2, 30)
    return {"probabilities": asked(kneser_ney, draw, table, FIRST[:2], SECOND)["probabilities"]}


@probe("kneser_ney")
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
