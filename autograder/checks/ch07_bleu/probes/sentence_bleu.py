"""What is asked of `sentence_bleu`, with stand-ins for its two parts."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.checks.ch07_bleu.probes import parts
from autograder.checks.ch07_bleu.probes.parts import Penalty
from autograder.checks.ch07_bleu.probes.words import as_tuples, copied, number_of
from autograder.declare import probe
from autograder.draw import Draw

FREE = Penalty(0.0)


def _asked(sentence_bleu: Callable[..., Any], written: Sequence[parts.Sentence], penalty: Penalty) -> dict[str, Any]:
    """The score of each sentence, and what the stand-ins say of it."""
    scores = [
        number_of(sentence_bleu(copied(words), copied(others), *parts.stand_ins(penalty))) for words, others in written
    ]
    return {"scores": scores, "sentences": [parts.numbers([words], [others], penalty) for words, others in written]}


def _matching(draw: Draw, length: int) -> parts.Sentence:
    """A sentence in which something matches for every n that it has, and not everything."""
    return parts.sentence(draw, length, known=[0, *draw.integers(1, length - 1, 2).tolist()])


def _until(draw: Draw, length: int, last: int) -> parts.Sentence:
    """A sentence in which something matches for n up to `last`, and nothing beyond."""
    return parts.sentence(draw, length, known=range(length - last, length))


@probe("sentence_bleu", draws=2)
def four(sentence_bleu, draw: Draw):
    """Sentences in which something matches for every n, with a penalty of 1."""
    written = [_matching(draw, length) for length in draw.integers(6, 13, 5).tolist()]
    return _asked(sentence_bleu, written, FREE)


@probe("sentence_bleu", draws=2)
def penalised(sentence_bleu, draw: Draw):
    """The same with a penalty."""
    written = [_matching(draw, length) for length in draw.integers(6, 13, 5).tolist()]
    return _asked(sentence_bleu, written, Penalty(0.05 + 0.1 * abs(draw.normal().item())))


@probe("sentence_bleu", draws=2)
def one_zero(sentence_bleu, draw: Draw):
    """Sentences in which nothing matches for n = 4."""
    return _asked(sentence_bleu, [_until(draw, n, 3) for n in draw.integers(6, 20, 5).tolist()], FREE)


@probe("sentence_bleu", draws=2)
def more_zeros(sentence_bleu, draw: Draw):
    """Sentences in which nothing matches for n > 2, or for n > 1."""
    lengths = draw.integers(6, 13, 6).tolist()
    return _asked(sentence_bleu, [_until(draw, n, 1 + i % 2) for i, n in enumerate(lengths)], FREE)


@probe("sentence_bleu", draws=2)
def short(sentence_bleu, draw: Draw):
    """Sentences of one, two and three words; something matches for every n that they have."""
    lengths = [1, 2, 3, *draw.integers(2, 4, 9).tolist()]
    written = [parts.sentence(draw, n, known=[0, *draw.integers(0, n, 2).tolist()]) for n in lengths]
    return _asked(sentence_bleu, written, FREE)


@probe("sentence_bleu", draws=2)
def short_and_zero(sentence_bleu, draw: Draw):
    """Sentences of two, three and four words in which nothing matches for their longest n-grams."""
    written = [_until(draw, length, 1) for length in (2, 3, 4, *draw.integers(2, 5, 8).tolist())]
    written += [_until(draw, length, 2) for length in draw.integers(3, 5, 4).tolist()]
    return _asked(sentence_bleu, written, FREE)


@probe("sentence_bleu", draws=2)
def nothing(sentence_bleu, draw: Draw):
    """Sentences in which nothing matches, one without words, and some in which something does."""
    written = [parts.sentence(draw, length, known=[]) for length in (0, 1, 3, int(draw.integers(5, 12)))]
    written += [_matching(draw, length) for length in draw.integers(6, 13, 5).tolist()]
    return _asked(sentence_bleu, written, FREE)


@probe("sentence_bleu", draws=2)
def arguments(sentence_bleu, draw: Draw):
    """Everything as tuples and everything as lists, and the lists as they are after the calls."""
    answers: dict[str, Any] = {"tuples": [], "lists": [], "after": []}
    for length in draw.integers(6, 13, 3).tolist():
        words, others = _matching(draw, length)
        answers["tuples"].append(number_of(sentence_bleu(as_tuples(words), as_tuples(others), *parts.stand_ins(FREE))))
        given = [copied(words), copied(others)]
        answers["lists"].append(number_of(sentence_bleu(*given, *parts.stand_ins(FREE))))
        answers["after"].append(str(given))
    return answers
