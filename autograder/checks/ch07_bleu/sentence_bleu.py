"""The checks of `sentence_bleu`."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from autograder.asking.draw import Draw
from autograder.asking.rules import SACREBLEU
from autograder.asking.usage import Use, in_use
from autograder.checks.ch07_bleu import parts
from autograder.checks.ch07_bleu.parts import Penalty
from autograder.checks.ch07_bleu.scoring import below_zero, farthest_off, over_the_first
from autograder.checks.ch07_bleu.words import as_tuples, changed_list, copied, number_of
from autograder.declare import Exercise, check

EXERCISE = Exercise("sentence_bleu", "a score for a single sentence", minutes=20, difficulty=2, forbids=(SACREBLEU,))


_PENALTY = parts.Penalty(0.1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(sentence_bleu, draw: Draw) -> Use:
    """Sentences of all lengths from 0 on, of which all, some or no words are known; then a long one, and one with short references."""

    def call(candidates: list[Any], several: list[Any]) -> list[float]:
        pairs = zip(candidates, several, strict=True)
        return [number_of(sentence_bleu(words, others, *parts.stand_ins(_PENALTY))) for words, others in pairs]

    def given(*lengths: int) -> tuple[list[Any], list[Any]]:
        known = [draw.integers(0, max(length, 1), 3).tolist() for length in lengths]
        written = [parts.sentence(draw, length, known=some) for length, some in zip(lengths, known, strict=True)]
        return [words for words, _ in written], [others for _, others in written]

    candidates, several = given(14, 9)
    several[1] = [candidates[1][:2], several[1][1][:2]]
    return Use(call, given(0, 1, 2, 3, 4, 5, 9, 21), (candidates, several))


FREE = Penalty(0.0)


def _asked(sentence_bleu: Callable[..., Any], written: Sequence[parts.Sentence], penalty: Penalty) -> dict[str, Any]:
    """The score of each sentence, and what the stand-ins count in it."""
    scores = [
        number_of(sentence_bleu(copied(words), copied(others), *parts.stand_ins(penalty))) for words, others in written
    ]
    return {"scores": scores, "counts": torch.stack([parts.counts([words], [others]) for words, others in written])}


def _matching(draw: Draw, length: int) -> parts.Sentence:
    """A sentence in which something matches for every n that it has, and not everything."""
    return parts.sentence(draw, length, known=[0, *draw.integers(1, length - 1, 2).tolist()])


def _until(draw: Draw, length: int, last: int) -> parts.Sentence:
    """A sentence in which something matches for n up to `last`, and nothing beyond."""
    return parts.sentence(draw, length, known=range(length - last, length))


@check(
    "if something matches for every n, the score is the geometric mean",
    points=1,
    reads=("scores",),
    draws=2,
    hint="Compute it as for a test set, but with the counts of one sentence: the exponential of the mean of four logs, times 100.",
)
def four(sentence_bleu, draw: Draw):
    """Sentences in which something matches for every n, with a penalty of 1."""
    written = [_matching(draw, length) for length in draw.integers(6, 13, 5).tolist()]
    return _asked(sentence_bleu, written, FREE)


four.explain(below_zero)
four.explain(farthest_off)


def over_those_without_penalty(answer: Any) -> Any:
    """What the penalty makes of the scores, whatever else is wrong with these; and the arguments after the calls, where they are given."""
    pairs = zip(answer["scores"], answer["scores without a penalty"], strict=True)
    shares = [score / free if free else score for score, free in pairs]
    return {"scores over those without a penalty": shares, "after": answer.get("after")}


@check(
    "the score is multiplied by the brevity penalty",
    points=1,
    reads=over_those_without_penalty,
    needs=four,
    draws=2,
    hint="brevity_penalty expects two lists: the candidates, and the references of each candidate. A sentence is a test set of one.",
)
def penalised(sentence_bleu, draw: Draw):
    """The same with a penalty, and without."""
    written = [_matching(draw, length) for length in draw.integers(6, 13, 5).tolist()]
    answer = _asked(sentence_bleu, written, Penalty(0.05 + 0.1 * abs(draw.normal().item())))
    return {**answer, "scores without a penalty": _asked(sentence_bleu, written, FREE)["scores"]}


penalised.explain(farthest_off)


@check(
    "the first n without a match counts as half a match",
    points=2,
    reads=over_the_first,
    needs=four,
    draws=2,
    hint="Where none of t n-grams matches, pretend that half of one did: the precision is 1 / (2 t). The other precisions stay as they are.",
)
def one_zero(sentence_bleu, draw: Draw):
    """One sentence in which something matches for every n, then such in which nothing matches for n = 4."""
    written = [_matching(draw, 8), *(_until(draw, n, 3) for n in draw.integers(6, 20, 5).tolist())]
    return _asked(sentence_bleu, written, FREE)


one_zero.explain(farthest_off)


@check(
    "each further n without a match counts half as much as the one before",
    points=1,
    reads=over_the_first,
    needs=(four, one_zero),
    draws=2,
    hint="Keep a number outside the loop, 1 at first. Each time that nothing matches, halve it and use it as the numerator.",
)
def more_zeros(sentence_bleu, draw: Draw):
    """The same, but nothing matches for n > 2, or for n > 1."""
    lengths = draw.integers(6, 13, 6).tolist()
    written = [_matching(draw, 8), *(_until(draw, n, 1 + i % 2) for i, n in enumerate(lengths))]
    return _asked(sentence_bleu, written, FREE)


more_zeros.explain(farthest_off)


@check(
    "n goes only as far as the sentence has n-grams",
    points=2,
    reads=over_the_first,
    needs=four,
    draws=2,
    hint="A sentence of two words has only unigrams and one bigram, so the mean is the sum of two logs, divided by two.",
)
def short(sentence_bleu, draw: Draw):
    """One sentence of eight words, then such of one, two and three; something matches for every n that they have."""
    lengths = [1, 2, 3, *draw.integers(2, 4, 9).tolist()]
    written = [parts.sentence(draw, n, known=[0, *draw.integers(0, n, 2).tolist()]) for n in lengths]
    written.insert(0, _matching(draw, 8))
    return _asked(sentence_bleu, written, FREE)


short.explain(farthest_off)


@check(
    "short sentences are smoothed too",
    points=1,
    reads=over_the_first,
    hidden=True,
    needs=(one_zero, more_zeros, short),
    draws=2,
    hint="Two different numbers can be 0: the matches, which you smooth, and the total, which ends the loop. Which of them does each "
    "line of your code test?",
)
def short_and_zero(sentence_bleu, draw: Draw):
    """One sentence of eight words, then such of two, three and four in which nothing matches for their longest n-grams."""
    written = [_matching(draw, 8)]
    written += [_until(draw, length, 1) for length in (2, 3, 4, *draw.integers(2, 5, 8).tolist())]
    written += [_until(draw, length, 2) for length in draw.integers(3, 5, 4).tolist()]
    return _asked(sentence_bleu, written, FREE)


short_and_zero.explain(farthest_off)


def _which_are_zero(answer: Any) -> Any:
    return {"which scores are 0": [score == 0 for score in answer["scores"]]}


@check(
    "the score is 0 if no word matches, or if there are no words",
    points=1,
    reads=_which_are_zero,
    hidden=True,
    needs=(four, one_zero, short),
    draws=2,
    hint="Smoothing is for sentences that share something. Without a single word in common the score is 0, and so is that of an empty "
    "candidate.",
)
def nothing(sentence_bleu, draw: Draw):
    """Sentences in which nothing matches, one without words, and some in which something does, in any order."""
    written = [parts.sentence(draw, length, known=[]) for length in (0, 1, 3, int(draw.integers(5, 12)))]
    written += [_matching(draw, length) for length in draw.integers(6, 13, 6).tolist()]
    return _asked(sentence_bleu, [written[i] for i in draw.normal(len(written)).argsort().tolist()], FREE)


nothing.explain(farthest_off)


@check(
    "sentences may be tuples or lists, and are left as they were",
    points=1,
    reads=over_those_without_penalty,
    needs=(four, penalised),
    draws=2,
    arguments=True,
    hint="The caller still needs the lists. Pass them on as they are, wrapped in a list of one where a list of sentences is expected.",
)
def arguments(sentence_bleu, draw: Draw):
    """Everything as tuples, with a penalty, and everything as lists, without; and the lists as they are after the calls."""
    answers: dict[str, Any] = {"scores": [], "scores without a penalty": [], "after": []}
    for length in draw.integers(6, 13, 3).tolist():
        words, others = _matching(draw, length)
        given = [as_tuples(words), as_tuples(others)]
        answers["scores"].append(number_of(sentence_bleu(*given, *parts.stand_ins(_PENALTY))))
        given = [copied(words), copied(others)]
        answers["scores without a penalty"].append(number_of(sentence_bleu(*given, *parts.stand_ins(FREE))))
        answers["after"].append(str(given))
    return answers


arguments.explain(changed_list)
