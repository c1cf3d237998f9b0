"""The checks of `paired_bootstrap`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch07_bleu.words import number_of
from autograder.declare import Exercise, check
from autograder.judging.compare import is_close

EXERCISE = Exercise("paired_bootstrap", "a bonus: a difference that is more than luck", minutes=15, difficulty=2)


@in_use(gradients=False, dtypes=False)
def in_chapter(paired_bootstrap, draw: Draw) -> Use:
    """Two systems that are the same on some sentences, on test sets some of which have no others; then two that are nearly the same."""

    def call(first: Tensor, second: Tensor, indices: Tensor) -> list[Any]:
        rounds = len(indices)
        result = paired_bootstrap(first, second, indices, score)
        scores, others, wins = unpack(result, first_scores=(rounds,), second_scores=(rounds,), wins=())
        return [scores, others, number_of(wins)]

    first = draw.normal(21, 3, dtype=torch.float64).abs() + 1
    second = draw.normal(21, 3, dtype=torch.float64).abs() + 1
    second[:9] = first[:9]
    indices = draw.integers(0, 21, 30, 21)
    indices[::5] = indices[::5] % 9
    near = first[:13].clone()
    near[:, 0] += 1e-8 * (2 * draw.integers(-3, 3, 13) + 1)  # The sum of 13 odd numbers is not 0: there is no tie.
    return Use(call, (first, second, indices), (first[:13], near, draw.integers(0, 13, 31, 13)))


_NUMBERS = 3


def score(sums: Any) -> Tensor:
    """A score of sums (..., 3): the first divided by what the other two make together, and a little more, so that means give another.

    Raises:
        MisuseError: It was called otherwise than the exercise promises.
    """
    if not isinstance(sums, Tensor) or not sums.dim() or sums.shape[-1] != _NUMBERS:
        raise MisuseError(
            f"score takes sums over the sentences, a tensor of shape (..., K), here K = {_NUMBERS}; the argument that your code passed is {kind_of(sums)}"
        )
    above, one, other = sums.double().unbind(dim=-1)
    return 100 * above / (one + 2 * other + 9).clamp(min=1e-12)


def _counted(draw: Draw, sentences: int) -> Tensor:
    """What is counted in each sentence: whole numbers, as floats; long sentences have more of everything, and score lower."""
    size = draw.integers(1, 20, sentences, 1)
    row = torch.cat([draw.integers(1, 9, sentences, 1) + size // 3, size, draw.integers(1, 6, sentences, 1)], dim=1)
    return row.double()


def _asked(paired_bootstrap, first: Tensor, second: Tensor, indices: Tensor) -> dict[str, Any]:
    """The three results."""
    rounds = len(indices)
    result = paired_bootstrap(first, second, indices, score)
    scores, others, wins = unpack(result, first_scores=(rounds,), second_scores=(rounds,), wins=())
    return {"first": scores, "second": others, "wins": number_of(wins)}


@check(
    "the first system is scored on the sums of each new test set",
    points=1,
    reads=("first",),
    draws=2,
    hint="first[indices] has shape (R, N, K): the counts of each sentence in each new test set. Add up over the sentences, and let score do "
    "the rest.",
)
def drawn(paired_bootstrap, draw: Draw):
    """Forty new test sets of twelve sentences."""
    return _asked(paired_bootstrap, _counted(draw, 12), _counted(draw, 12), draw.integers(0, 12, 40, 12))


second_scores = check(
    "the second system gets the same sentences",
    points=2,
    reads=("second",),
    needs=drawn,
    draws=2,
    hint="The comparison is paired: both systems are scored on the same new test set, one row of `indices`. This function draws nothing itself.",
)(drawn)


@second_scores.explain
def other_test_sets(got, want):
    """Scores like the right ones, in another order or of other test sets."""
    scores, right = got["second"], want["second"]
    if is_close(scores.sort().values, right.sort().values):
        return "the second system has the right scores in another order"
    spread = right.std()
    alike = (scores.mean() - right.mean()).abs() < spread / 2 and spread / 2 < scores.std() < 2 * spread
    told = "the second system's scores look like those of other test sets: use the rows of `indices` for both systems, and draw nothing else"
    return told if alike else None


def wins_and_means(answer):
    """The share of wins, and the mean scores: each score has been looked at before."""
    return {"wins": answer["wins"], "mean scores": [answer["first"].mean(), answer["second"].mean()]}


@check(
    "a win is a test set on which the first system scores higher",
    points=1,
    reads=wins_and_means,
    needs=(drawn, second_scores),
    draws=2,
    hint="Compare the two vectors of scores element by element, which gives R values True or False. Their mean, as numbers, is the share of "
    "wins; multiply it by 100 for percent.",
)
def unlike(paired_bootstrap, draw: Draw):
    """Two systems of which one is better by a little in each sentence, or worse, so that either wins some test sets and none is a tie."""
    first = _counted(draw, 15)
    second = first.clone()
    second[:, 0] += draw.normal(15)
    return _asked(paired_bootstrap, first, second, draw.integers(0, 15, 61, 15))


@check(
    "a tie does not count as a win",
    points=1,
    reads=wins_and_means,
    needs=(drawn, second_scores, unlike),
    draws=2,
    hint="If a new test set has only sentences for which both systems have the same counts, the scores are equal, "
    "and neither system wins. That is where > and >= differ.",
)
def tied(paired_bootstrap, draw: Draw):
    """Two systems that differ in two sentences of ten, in either direction: many new test sets have neither, and tie."""
    first = _counted(draw, 10)
    second = first.clone()
    second[2, 0] += 3
    second[5, 0] -= 2
    return _asked(paired_bootstrap, first, second, draw.integers(0, 10, 83, 10))


@check(
    "a single new test set works, and so do small ones",
    points=1,
    hidden=True,
    needs=(drawn, second_scores, unlike, tied),
    draws=2,
    hint="R, the number of new test sets, and N, the number of sentences in each, are different: which dimension do you sum over? squeeze() "
    "removes every dimension of size one.",
)
def shapes(paired_bootstrap, draw: Draw):
    """One new test set; as many as there are sentences; and of one sentence."""
    answers = {}
    for name, (rounds, sentences) in {"one": (1, 9), "square": (7, 7), "one sentence": (6, 1)}.items():
        first, second = _counted(draw, sentences), _counted(draw, sentences)
        answers[name] = _asked(paired_bootstrap, first, second, draw.integers(0, sentences, rounds, sentences))
    return answers


@check(
    "the arguments are left as they were",
    points=1,
    needs=(drawn, second_scores, unlike, tied),
    draws=2,
    arguments=True,
    hint="The caller still needs the counts and the indices. Methods whose names end in an underscore, +=, and assignments such as "
    "first[...] = ... change them.",
)
def arguments(paired_bootstrap, draw: Draw):
    """The arguments as they are after the call."""
    first, second, indices = _counted(draw, 9), _counted(draw, 9), draw.integers(0, 9, 20, 9)
    results = _asked(paired_bootstrap, first, second, indices)
    return {"results": results, "arguments": {"first": first, "second": second, "indices": indices}}


@arguments.explain
def changed(got, want):
    """An argument that is another after the call."""
    after = want["arguments"].items()
    name = next((name for name, value in after if not is_close(got["arguments"][name], value)), "")
    return f"the call changed its argument {name}" if name else None
