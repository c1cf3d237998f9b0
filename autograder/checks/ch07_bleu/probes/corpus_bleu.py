"""What is asked of `corpus_bleu`, with stand-ins for its two parts."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.checks.ch07_bleu.probes import parts
from autograder.checks.ch07_bleu.probes.parts import Penalty
from autograder.checks.ch07_bleu.probes.words import as_tuples, copied, number_of
from autograder.declare import probe
from autograder.draw import Draw

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
    """The score of each corpus, and what the stand-ins say of it."""
    scores = [number_of(corpus_bleu(*copied(list(corpus)), *parts.stand_ins(penalty))) for corpus in corpora]
    return {"scores": scores, "corpora": [parts.numbers(*corpus, penalty) for corpus in corpora]}


@probe("corpus_bleu", draws=2)
def one_sentence(corpus_bleu, draw: Draw):
    """One sentence at a time, with a penalty of 1."""
    return _asked(corpus_bleu, [corpus_of(draw, 1) for _ in range(5)], FREE)


@probe("corpus_bleu", draws=2)
def several(corpus_bleu, draw: Draw):
    """Five sentences at a time, with a penalty of 1; something matches in each, for every n."""
    return _asked(corpus_bleu, [corpus_of(draw, 5) for _ in range(4)], FREE)


@probe("corpus_bleu", draws=2)
def penalised(corpus_bleu, draw: Draw):
    """Four sentences at a time, with a penalty."""
    penalty = Penalty(0.05 + 0.1 * abs(draw.normal().item()))
    return _asked(corpus_bleu, [corpus_of(draw, 4) for _ in range(4)], penalty)


@probe("corpus_bleu", draws=2)
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


@probe("corpus_bleu", draws=2)
def some_without(corpus_bleu, draw: Draw):
    """Six sentences at a time, of which one has no match, one none for n > 2, one has three words, and one none."""
    corpora: list[Corpus] = []
    for _ in range(4):
        written = list(zip(*corpus_of(draw, 2), strict=True))
        written.append(parts.sentence(draw, int(draw.integers(5, 9)), known=[]))
        length = int(draw.integers(6, 10))
        written.append(parts.sentence(draw, length, known=[length - 2, length - 1]))
        written += [parts.sentence(draw, 3, known=[1]), parts.sentence(draw, 0, known=[])]
        order = draw.normal(len(written)).argsort().tolist()
        corpora.append(_apart([written[i] for i in order]))
    return _asked(corpus_bleu, corpora, FREE)


@probe("corpus_bleu", draws=2)
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
