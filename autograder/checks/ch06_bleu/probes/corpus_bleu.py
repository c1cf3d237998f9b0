"""What is asked of `corpus_bleu`, with stand-ins for its two parts."""

from collections.abc import Callable
from typing import Any

from autograder.checks.ch06_bleu.probes import parts
from autograder.checks.ch06_bleu.probes.parts import Penalty
from autograder.checks.ch06_bleu.probes.words import as_tuples, copied, number_of
from autograder.declare import probe
from autograder.draw import Draw

FREE = Penalty(0.0)
Corpus = tuple[list[Any], list[Any]]


def _sentence(draw: Draw, length: int, known: int) -> list[str]:
    """So many words, of which so many are known; the first one is, so that something matches for every n."""
    places = [0, *(1 + draw.normal(length - 1).argsort()[: known - 1]).tolist()]
    return parts.candidate(draw, length, known=places)


def _corpus(draw: Draw, sentences: int) -> Corpus:
    """Sentences of 5 to 14 words, of which a third to all are known."""
    lengths = draw.integers(5, 15, sentences).tolist()
    known = [max(2, int(draw.integers(length // 3, length + 1))) for length in lengths]
    written = [_sentence(draw, length, number) for length, number in zip(lengths, known, strict=True)]
    return written, [parts.references(draw) for _ in written]


def _asked(corpus_bleu: Callable[..., Any], corpora: list[Corpus], penalty: Penalty) -> dict[str, Any]:
    """The score of each corpus, and what the stand-ins say of it."""
    scores = [number_of(corpus_bleu(*copied(list(corpus)), *parts.stand_ins(penalty))) for corpus in corpora]
    return {"scores": scores, "corpora": [parts.numbers(*corpus, penalty) for corpus in corpora]}


@probe("corpus_bleu")
def one_sentence(corpus_bleu, draw: Draw):
    """One sentence at a time, with a penalty of 1."""
    return _asked(corpus_bleu, [_corpus(draw, 1) for _ in range(5)], FREE)


@probe("corpus_bleu")
def several(corpus_bleu, draw: Draw):
    """Five sentences at a time, with a penalty of 1; something matches in each, for every n."""
    return _asked(corpus_bleu, [_corpus(draw, 5) for _ in range(4)], FREE)


@probe("corpus_bleu")
def penalised(corpus_bleu, draw: Draw):
    """Four sentences at a time, with a penalty."""
    penalty = Penalty(0.05 + 0.1 * abs(draw.normal().item()))
    return _asked(corpus_bleu, [_corpus(draw, 4) for _ in range(4)], penalty)


@probe("corpus_bleu")
def no_match(corpus_bleu, draw: Draw):
    """Three sentences at a time; nothing matches from some n on, or there is nothing to match; and for once all is well."""
    corpora: list[Corpus] = [_corpus(draw, 3)]
    for last in (1, 2, 3):  # Known words at the end alone: nothing matches for n > last.
        lengths = draw.integers(6, 12, 3).tolist()
        written = [parts.candidate(draw, length, known=range(length - last, length)) for length in lengths]
        corpora.append((written, [parts.references(draw) for _ in written]))
    for length in (2, 3):
        written = [parts.candidate(draw, length, known=[0, 1]) for _ in range(3)]
        corpora.append((written, [parts.references(draw) for _ in written]))
    nothing = [parts.candidate(draw, 7, known=[]) for _ in range(3)]
    corpora.append((nothing, [parts.references(draw) for _ in nothing]))
    return _asked(corpus_bleu, corpora, FREE)


@probe("corpus_bleu")
def some_without(corpus_bleu, draw: Draw):
    """Six sentences at a time, of which one has no match, one none for n > 2, one has three words, and one none."""
    corpora: list[Corpus] = []
    for _ in range(4):
        written, _ = _corpus(draw, 2)
        written.append(parts.candidate(draw, int(draw.integers(5, 9)), known=[]))
        length = int(draw.integers(6, 10))
        written.append(parts.candidate(draw, length, known=[length - 2, length - 1]))
        written += [parts.candidate(draw, 3, known=[1]), []]
        order = draw.normal(len(written)).argsort().tolist()
        corpora.append(([written[i] for i in order], [parts.references(draw) for _ in order]))
    return _asked(corpus_bleu, corpora, FREE)


@probe("corpus_bleu")
def arguments(corpus_bleu, draw: Draw):
    """Everything as tuples and everything as lists, and the lists as they are after the calls."""
    answers: dict[str, Any] = {"tuples": [], "lists": [], "after": []}
    for _ in range(2):
        corpus = list(_corpus(draw, 3))
        answers["tuples"].append(number_of(corpus_bleu(*as_tuples(corpus), *parts.stand_ins(FREE))))
        given = copied(corpus)
        answers["lists"].append(number_of(corpus_bleu(*given, *parts.stand_ins(FREE))))
        answers["after"].append(given)
    return answers
