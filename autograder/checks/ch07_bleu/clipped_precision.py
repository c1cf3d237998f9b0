"""The checks of `clipped_precision`."""

from collections.abc import Callable
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.rules import SACREBLEU
from autograder.asking.usage import Use, in_use
from autograder.checks.ch07_bleu.words import as_tuples, changed_list, copied, counts_of, sentence, without_repeats
from autograder.declare import Exercise, check

EXERCISE = Exercise(
    "clipped_precision", "shared n-grams, none counted too often", minutes=20, difficulty=2, forbids=(SACREBLEU,)
)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(clipped_precision, draw: Draw) -> Use:
    """Sentences of few words, which so come again, of lengths from 0 on; then a long one with a single reference."""

    def call(candidates: list[Any], several: list[Any]) -> list[list[int]]:
        pairs = zip(candidates, several, strict=True)
        return [counts_of(clipped_precision(words, others, n)) for words, others in pairs for n in (1, 2, 3, 4, 5)]

    lengths = 0, 1, 3, 4, 9, 12
    several = [[sentence(draw, length + more, 4) for more in (0, 2, 5)] for length in lengths]
    long = sentence(draw, 60, 5)
    first = [sentence(draw, length, 4) for length in lengths], several
    return Use(call, first, ([long, long], [[long], [sentence(draw, 21, 5)]]))


Case = tuple[list[str], list[list[str]], int]


def _asked(clipped_precision: Callable[..., Any], cases: list[Case]) -> dict[str, Any]:
    """The counts of each case, and the cases, each sentence as a string with spaces between its words."""
    counts = [counts_of(clipped_precision(copied(c), copied(r), n)) for c, r, n in cases]
    return {"counts": counts, "cases": [[" ".join(c), [" ".join(words) for words in r], n] for c, r, n in cases]}


def _shared(draw: Draw, length: int) -> tuple[list[str], list[str]]:
    """Two sentences without repeated words that share a stretch; the second is longer, and begins with other words."""
    words = without_repeats(draw, length + 4)
    cut = int(draw.integers(1, 3))
    return words[:length], [*words[length : length + 3], *words[cut : length - 1], words[-1]]


@check(
    "the candidate's n-grams are counted: those in the reference, and all of them",
    points=1,
    reads=("counts",),
    draws=2,
    hint="A sentence of L words has L - n + 1 n-grams, if it has any: they begin at positions 0, 1, …, L - n. Count those of the candidate, "
    "and look each one up among those of the reference.",
)
def without_repetition(clipped_precision, draw: Draw):
    """One reference, and no word stands twice in a sentence."""
    pairs = [_shared(draw, int(draw.integers(6, 10))) for _ in range(6)]
    words = [word for word in without_repeats(draw, 12) if word not in ("a", "la", "chat")]
    cut = int(draw.integers(2, 6))
    pairs.append(([*words[:-1], "a"], ["la", *words[:cut], "chat", *words[cut + 1 :]]))  # “a” is in “la”, as a letter.
    return _asked(clipped_precision, [(words, [other], n) for words, other in pairs for n in (1, 2, 3, 4, 5)])


@without_repetition.explain
def first_wrong(got, want):
    """The first case whose counts are wrong."""
    rows = zip(got["counts"], want["counts"], want["cases"], strict=True)
    mine, right, (words, references, n) = next(row for row in rows if row[0] != row[1])
    told = f"“{words}” against “{'”, “'.join(references)}”, n = {n}"
    return f"{told:.250}: came back {tuple(mine)}, expected {tuple(right)}"


@check(
    "an n-gram counts no more often than it occurs in the reference",
    points=2,
    reads=("counts",),
    needs=without_repetition,
    draws=2,
    hint="Suppose an n-gram occurs c times in the candidate and m times in the reference. How often may it count as a match? In the total, "
    "all c of them count.",
)
def repeated(clipped_precision, draw: Draw):
    """One reference. The candidate repeats a stretch more often than the reference does, and the reference repeats a word."""
    cases: list[Case] = []
    for _ in range(4):
        *stretch, other = without_repeats(draw, 4)
        tail = sentence(draw, int(draw.integers(0, 4)))
        candidate = [*stretch, *stretch, other, *sentence(draw, 3), other, *stretch, other, *tail]
        reference = [
            *sentence(draw, 2),
            *stretch,
            *sentence(draw, int(draw.integers(1, 3))),
            *stretch[:2],
            *[other] * 4,
        ]
        cases += [(candidate, [reference], n) for n in (1, 2, 3)]
    return _asked(clipped_precision, cases)


repeated.explain(first_wrong)


@check(
    "with several references, an n-gram may count as often as it occurs in any one of them",
    points=2,
    reads=("counts",),
    needs=(without_repetition, repeated),
    draws=2,
    hint="Take each n-gram separately: how often does it occur in each reference? A translator who wrote one of the "
    "references could have used it at most that often.",
)
def several(clipped_precision, draw: Draw):
    """Three references; what the candidate repeats stands in all of them, in some, or more often in one than in another."""
    cases: list[Case] = []
    for _ in range(4):
        a, b, c, *others = without_repeats(draw, 8)
        tails = [sentence(draw, int(draw.integers(0, 4))) for _ in range(3)]
        candidate = [a, b, a, b, c, others[0], a, b, c, others[1], c, *tails[0]]
        references = [
            [a, b, others[2], others[0], others[1], *tails[0][1:]],
            [others[3], a, b, others[2], a, b, c, *tails[1]],
            [c, others[0], a, b, others[4], *tails[2]],
        ]
        order = draw.normal(3).argsort().tolist()
        cases += [(candidate, [references[i] for i in order], n) for n in (1, 2, 3)]
    return _asked(clipped_precision, cases)


several.explain(first_wrong)


@check(
    "a sentence may have fewer than n words, or none",
    points=1,
    reads=("counts",),
    hidden=True,
    needs=(without_repetition, repeated, several),
    draws=2,
    hint="A candidate of two words has no trigram, so both numbers are 0. range() of a negative number is empty, but the formula "
    "L - n + 1 can become negative.",
)
def short(clipped_precision, draw: Draw):
    """Candidates and references that have fewer than n words, or none."""
    cases: list[Case] = []
    for length in (0, 1, 2, 3):
        words = sentence(draw, length, words=4)
        longer = [*words, *sentence(draw, int(draw.integers(3, 6)), words=4)]
        cases += [(words, [longer], n) for n in (1, 2, 3, 4)]
        cases += [(longer, [words], n) for n in (1, 2, 3, 4)]
        cases += [(longer, [words, sentence(draw, 6, words=4)], n) for n in (1, 2, 4)]
    return _asked(clipped_precision, cases)


short.explain(first_wrong)


@check(
    "words are compared as whole words, exactly as they are",
    points=1,
    reads=("counts",),
    hidden=True,
    needs=(without_repetition, repeated),
    draws=2,
    hint="For BLEU, “Le” and “le” are different words, and “a bc” and “ab c” are different n-grams. Keep the words of an n-gram apart, in a "
    "tuple, and do not change any letter.",
)
def whole_words(clipped_precision, draw: Draw):
    """Words that differ in nothing but case or an accent, words that are parts of others, and equal letters in other words."""
    lengths = draw.integers(5, 12, 5).tolist()
    others = [without_repeats(draw, length) for length in lengths]
    words = others[0]
    cut = int(draw.integers(1, len(words)))
    tricky = ["a", "ab", "b", "bc", "c", "abc", "A", "é", "e", "e.", "."]
    order = draw.normal(len(tricky)).argsort().tolist()
    row = [tricky[i] for i in order]
    pairs = [
        (["a", "bc", *words], ["ab", "c", *words[cut:]]),
        (["abc", words[0], "ab", "c"], ["a", "bc", words[0], "abc"]),
        ([*row, words[0]], [word.upper() for word in row]),
        (["E", words[1], "é"], ["e", words[1], "É"]),
        ([*words[2:], "b", "c"], [*words[:cut], "abc"]),
        *(([*row[: int(draw.integers(1, 9))], *other], [*words, *row]) for other in others[1:]),
    ]
    return _asked(clipped_precision, [(words, [other], n) for words, other in pairs for n in (1, 2)])


whole_words.explain(first_wrong)


@check(
    "sentences may be tuples or lists, and are left as they were",
    points=1,
    needs=(without_repetition, repeated, several),
    draws=2,
    arguments=True,
    hint="A corpus may store its sentences as tuples, and the caller still needs the lists: count the words, but do not remove any. "
    "tuple(words[i : i + n]) is hashable for both.",
)
def arguments(clipped_precision, draw: Draw):
    """Sentences as tuples and as lists, and the lists as they are after the calls."""
    answers: dict[str, Any] = {"tuples": [], "lists": [], "after": []}
    for _ in range(3):
        candidate = sentence(draw, 8, words=4)
        references = [sentence(draw, length, words=4) for length in (6, 9)]
        for n in (1, 2):
            answers["tuples"].append(counts_of(clipped_precision(as_tuples(candidate), as_tuples(references), n)))
            given = copied(candidate), copied(references)
            answers["lists"].append(counts_of(clipped_precision(*given, n)))
            answers["after"].append(str(given))
    return answers


arguments.explain(changed_list)
