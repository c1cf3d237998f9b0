"""The checks of `corpus_bleu`."""

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
from autograder.judging.compare import is_close

EXERCISE = Exercise("corpus_bleu", "one score for a whole test set", minutes=20, difficulty=2, forbids=(SACREBLEU,))


_PENALTY = parts.Penalty(0.1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(corpus_bleu, draw: Draw) -> Use:
    """A test set in which a sentence comes again and one is empty, then a smaller one."""

    def call(candidates: list[Any], several: list[Any]) -> float:
        found: float = number_of(corpus_bleu(candidates, several, *parts.stand_ins(_PENALTY)))
        return found

    candidates, several = corpus_of(draw, 40)
    return Use(call, ([*candidates, candidates[3], []], [*several, several[3], several[5]]), corpus_of(draw, 3))


FREE = Penalty(0.0)


Corpus = tuple[list[Any], list[Any]]


def corpus_of(draw: Draw, sentences: int) -> Corpus:
    """Sentences of 5 to 14 words, of which a third to all are known; the first is, so that something matches for every n."""
    written = []
    for length in draw.integers(5, 15, sentences).tolist():
        known = max(2, int(draw.integers(length // 3, length + 1)))
        places = (1 + draw.normal(length - 1).argsort()[: known - 1]).tolist()
        written.append(parts.sentence(draw, length, known=[0, *places]))
    return _apart(written)


def _apart(written: Sequence[parts.Sentence]) -> Corpus:
    """All candidates, and the references of each."""
    return [candidate for candidate, _ in written], [references for _, references in written]


def _asked(corpus_bleu: Callable[..., Any], corpora: list[Corpus], penalty: Penalty) -> dict[str, Any]:
    """The score of each corpus, and what the stand-ins count in it."""
    scores = [number_of(corpus_bleu(*copied(list(corpus)), *parts.stand_ins(penalty))) for corpus in corpora]
    return {"scores": scores, "counts": torch.stack([parts.counts(*corpus) for corpus in corpora])}


@check(
    "one sentence: the geometric mean of its four precisions",
    points=2,
    reads=("scores",),
    draws=2,
    hint="The mean of four logs is their sum divided by four, and its exponential lies between the smallest and the largest precision. The "
    "penalty is 1 here, and a perfect score is 100.",
)
def one_sentence(corpus_bleu, draw: Draw):
    """One sentence at a time, with a penalty of 1."""
    return _asked(corpus_bleu, [corpus_of(draw, 1) for _ in range(5)], FREE)


one_sentence.explain(below_zero)
one_sentence.explain(farthest_off)


@check(
    "the n-grams of all sentences are counted together",
    points=2,
    reads=over_the_first,
    needs=one_sentence,
    draws=2,
    hint="For each n there is one fraction for the whole test set. What is its numerator, and what is its denominator? Add both up over the "
    "sentences, each with its own references, before you divide.",
)
def several(corpus_bleu, draw: Draw):
    """One sentence, then five at a time, with a penalty of 1; something matches in each, for every n."""
    return _asked(corpus_bleu, [corpus_of(draw, sentences) for sentences in (1, 5, 5, 5, 5)], FREE)


several.explain(farthest_off)


@check(
    "the score is multiplied by the brevity penalty of the whole test set",
    points=1,
    reads=over_the_first,
    needs=(one_sentence, several),
    draws=2,
    hint="brevity_penalty takes all candidates and all references at once, and adds up their lengths itself. Multiply the mean by the "
    "factor that it returns.",
)
def penalised(corpus_bleu, draw: Draw):
    """Four sentences at a time, with a penalty."""
    penalty = Penalty(0.05 + 0.1 * abs(draw.normal().item()))
    return _asked(corpus_bleu, [corpus_of(draw, 4) for _ in range(4)], penalty)


penalised.explain(farthest_off)


@check(
    "the score is 0 if nothing matches for some n",
    points=1,
    reads=over_the_first,
    needs=(one_sentence, several),
    draws=2,
    hint="log(0) is an error in Python, and minus infinity on paper: what is the exponential of that? Check whether anything matches before "
    "you take the log or divide.",
)
def no_match(corpus_bleu, draw: Draw):
    """Three sentences at a time; nothing matches from some n on, or there is nothing to match; and twice all is well."""
    corpora: list[Corpus] = [corpus_of(draw, 3) for _ in range(2)]
    for last in (1, 2, 3):  # Known words at the end alone: nothing matches for n > last.
        lengths = draw.integers(6, 12, 3).tolist()
        corpora.append(_apart([parts.sentence(draw, n, known=range(n - last, n)) for n in lengths]))
    for length in (2, 3):
        corpora.append(_apart([parts.sentence(draw, length, known=[0, 1]) for _ in range(3)]))
    corpora.append(_apart([parts.sentence(draw, 7, known=[]) for _ in range(3)]))
    return _asked(corpus_bleu, corpora, FREE)


@no_match.explain
def not_zero(got, want):
    """A score that is not 0 where it should be."""
    scores = zip(got["scores"], want["scores"], strict=True)
    wrong = next((mine for mine, right in scores if not right and not is_close(mine, right)), None)
    return (
        None
        if wrong is None
        else f"a score is {wrong:.4g} where nothing matches for some n, expected 0".replace("nan", "NaN")
    )


no_match.explain(farthest_off)


@check(
    "a sentence in which nothing matches counts like the others",
    points=1,
    reads=over_the_first,
    hidden=True,
    needs=(one_sentence, several, no_match),
    draws=2,
    hint="A sentence without a matching n-gram adds 0 to the numerator, and its n-grams to the denominator. That is no reason to stop, to "
    "leave it out, or to return 0: only the sums decide.",
)
def some_without(corpus_bleu, draw: Draw):
    """One sentence, then six at a time, of which one has no match, one none for n > 2, one has three words, and one none."""
    corpora = [corpus_of(draw, 1)]
    for _ in range(4):
        written = list(zip(*corpus_of(draw, 2), strict=True))
        written.append(parts.sentence(draw, int(draw.integers(5, 9)), known=[]))
        length = int(draw.integers(6, 10))
        written.append(parts.sentence(draw, length, known=[length - 2, length - 1]))
        written += [parts.sentence(draw, 3, known=[1]), parts.sentence(draw, 0, known=[])]
        order = draw.normal(len(written)).argsort().tolist()
        corpora.append(_apart([written[i] for i in order]))
    return _asked(corpus_bleu, corpora, FREE)


some_without.explain(farthest_off)


@check(
    "sentences may be tuples or lists, and are left as they were",
    points=1,
    needs=(one_sentence, several),
    draws=2,
    arguments=True,
    hint="The caller still needs the lists. Loop over the sentences without removing them, and pass them on as they are.",
)
def arguments(corpus_bleu, draw: Draw):
    """Everything as tuples and everything as lists, and the lists as they are after the calls."""
    answers: dict[str, Any] = {"tuples": [], "lists": [], "after": []}
    for _ in range(2):
        corpus = list(corpus_of(draw, 3))
        answers["tuples"].append(number_of(corpus_bleu(*as_tuples(corpus), *parts.stand_ins(FREE))))
        given = copied(corpus)
        answers["lists"].append(number_of(corpus_bleu(*given, *parts.stand_ins(FREE))))
        answers["after"].append(str(given))
    return answers


arguments.explain(changed_list)
