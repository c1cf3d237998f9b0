"""The checks of `majority_vote`."""

from collections.abc import Callable
from typing import Any

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("majority_vote", "the answer that comes up most often", minutes=10, difficulty=1)


def _voted(majority_vote: Callable[..., Any], answers: list[Any]) -> int:
    """Where the chosen answer comes first among those that were given.

    Raises:
        MisuseError: It is none of them.
    """
    given = list(answers)
    result = majority_vote(answers)
    if not any(type(result) is type(each) and result == each for each in given):
        raise MisuseError(f"what it returned is {kind_of(result)}, expected one of the answers that it was given")
    return given.index(result)


def _in_words(answer: Any) -> str:
    """A sentence in quotes, or a pair of numbers."""
    return f"“{' '.join(answer)}”" if isinstance(answer[0], str) else str(answer)


def _asked(majority_vote: Callable[..., Any], ballots: list[list[Any]]) -> dict[str, Any]:
    """Where the chosen answers come first, and all answers in words."""
    told = [[_in_words(answer) for answer in ballot] for ballot in ballots]
    return {"places": [_voted(majority_vote, ballot) for ballot in ballots], "ballots": told}


_WORDS = ("he", "she", "saw", "ate", "the", "a", "cake", ".")


def _sentences(draw: Draw, number: int) -> list[tuple[str, ...]]:
    """Different sentences, as tuples of words."""
    found: list[tuple[str, ...]] = []
    while len(found) < number:
        words = tuple(_WORDS[i] for i in draw.integers(0, len(_WORDS), int(draw.integers(2, 6))).tolist())
        if words not in found:
            found.append(words)
    return found


def _pairs(draw: Draw, number: int) -> list[tuple[int, int]]:
    """Different pairs of numbers: unlike that of words, their order in a set is always the same."""
    return [divmod(n, 10) for n in draw.normal(100).argsort()[:number].tolist()]


def _ballot(draw: Draw, counts: list[int], options_of: Callable[[Draw, int], list[Any]] = _sentences) -> list[Any]:
    """Answers in random order, each as often as is said."""
    options = options_of(draw, len(counts))
    votes = [option for option, count in zip(options, counts, strict=True) for _ in range(count)]
    return [votes[i] for i in draw.normal(len(votes)).argsort().tolist()]


def _in_the_middle(draw: Draw, counts: list[int]) -> list[tuple[str, ...]]:
    """The same, where the most frequent sentence, whose count is the first, is neither first nor last."""
    votes = _ballot(draw, counts)
    winner = max(votes, key=votes.count)
    first, *others, last = (vote for vote in votes if vote != winner)
    middle = [*others, *[winner] * counts[0]]
    return [first, *(middle[i] for i in draw.normal(len(middle)).argsort().tolist()), last]


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(majority_vote, draw: Draw) -> Use:
    """Sixty-four sampled sentences, most of them different; then a few, of which two come up equally often."""

    def call(*ballots: list[Any]) -> list[int]:
        return [_voted(majority_vote, list(ballot)) for ballot in ballots]

    first = [_ballot(draw, [9, 7, 6, 3] + [1] * 39) for _ in range(3)]
    return Use(call, tuple(first), tuple(_ballot(draw, [3, 3, 1, 2]) for _ in range(5)))


@check(
    "the answer that occurs most often is chosen",
    points=2,
    reads=("places",),
    hint="Count how often each answer occurs, wherever in the list it does.",
)
def most(majority_vote, draw: Draw):
    """One answer occurs most often, though it is neither first nor last, and mostly has no majority of all votes."""
    ballots = [_in_the_middle(draw, counts) for counts in ([4, 2, 1], [3, 2, 2, 1], [5, 4, 2], [2, 1, 1, 1, 1])]
    words, other = _sentences(draw, 2)
    lower, upper = ("he", *words), ("He", *words)
    return _asked(majority_vote, [*ballots, [lower, upper, other, lower, other, upper, other]])


@most.explain
def first_wrong(got, want):
    """The shortest list of answers of which another one is chosen."""
    rows = zip(got["places"], want["places"], want["ballots"], strict=True)
    mine, right, ballot = min((row for row in rows if row[0] != row[1]), key=lambda row: len(row[2]))
    return f"of {', '.join(ballot)}: came back {ballot[mine]}, expected {ballot[right]}"


@check(
    "if several answers occur equally often, the one that came first is chosen",
    points=2,
    reads=("places",),
    needs=most,
    draws=4,
    hint="Neither the alphabet nor chance may decide: which of the most frequent answers occurs first in the list?",
)
def ties(majority_vote, draw: Draw):
    """Ties of two and of all, whose first is rarely the first answer of the list."""
    ballots = [_ballot(draw, counts, _pairs) for counts in ([3, 3, 1], [2, 2, 2], [1, 1, 1, 1], [1, 3, 3, 2, 2])]
    rare, often, too = _pairs(draw, 3)
    ballots += [[rare, often, too, too, often], [rare, too, often, often, too]]
    ballots += [_ballot(draw, [1, 1, 2, 2], _pairs) for _ in range(6)]
    return _asked(majority_vote, ballots)


ties.explain(first_wrong)


@check(
    "the list of answers is left as it was",
    points=1,
    needs=(most, ties),
    arguments=True,
    hint="sort and remove change a list in place; sorted makes a new one.",
)
def arguments(majority_vote, draw: Draw):
    """The list as it is after the call."""
    ballot = _ballot(draw, [3, 2, 2])
    place = _voted(majority_vote, ballot)
    return {"place": place, "answers": [" ".join(answer) for answer in ballot]}


@check(
    "answers may be of any hashable type, and there may be only one",
    points=1,
    hidden=True,
    needs=(most, ties),
    hint="Compare answers with == or count them in a dictionary. Some types have no order, so nothing may be sorted.",
)
def types(majority_vote, draw: Draw):
    """Integers, strings, complex numbers, which have no order, None among others, and a single answer."""
    first, second = draw.integers(1, 9, 2).tolist()
    ballots: dict[str, list[Any]] = {
        "integers": [first, 10 + second, 10 + second, first, 20],
        "integers of the same hash": [-1, -2, -1, first, first, -2, first],
        "a number and its digits": [first, str(first), None, first, None, str(first), None],
        "strings": [str(second), str(10 + first), str(10 + first)],
        "complex numbers": [complex(first, 1), complex(0, second), complex(0, second)],
        "mixed": [None, "a", first, "a", None],
        "one": [(str(first),)],
    }
    found = {}
    for name, ballot in ballots.items():
        orders = [draw.normal(len(ballot)).argsort().tolist() for _ in range(3)]
        found[name] = [_voted(majority_vote, [ballot[i] for i in order]) for order in orders]
    return found
