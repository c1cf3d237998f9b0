"""How each exercise of this chapter is used."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch07_bleu.probes import parts
from autograder.checks.ch07_bleu.probes.corpus_bleu import corpus_of
from autograder.checks.ch07_bleu.probes.paired_bootstrap import score
from autograder.checks.ch07_bleu.probes.words import counts_of, number_of, sentence
from autograder.draw import Draw
from autograder.in_use import Use, in_use
from autograder.probing import unpack

_PENALTY = parts.Penalty(0.1)


@in_use("clipped_precision", gradients=False, dtypes=False, devices=False)
def clipped_precision(clipped_precision, draw: Draw) -> Use:
    """Sentences of few words, which so come again, of lengths from 0 on; then a long one with a single reference."""

    def call(candidates: list[Any], several: list[Any]) -> list[list[int]]:
        pairs = zip(candidates, several, strict=True)
        return [counts_of(clipped_precision(words, others, n)) for words, others in pairs for n in (1, 2, 3, 4, 5)]

    lengths = 0, 1, 3, 4, 9, 12
    several = [[sentence(draw, length + more, 4) for more in (0, 2, 5)] for length in lengths]
    long = sentence(draw, 60, 5)
    first = [sentence(draw, length, 4) for length in lengths], several
    return Use(call, first, ([long, long], [[long], [sentence(draw, 21, 5)]]))


@in_use("brevity_penalty", gradients=False, dtypes=False, devices=False)
def brevity_penalty(brevity_penalty, draw: Draw) -> Use:
    """A test set whose candidates are short, some of them empty, with references that are equally close; then one sentence. No words."""

    def call(*given: Any) -> list[float]:
        return [number_of(brevity_penalty(*sets)) for sets in (given, ([[]], [[[]]]))]

    lengths = [*draw.integers(1, 9, 30).tolist(), 0, 0]
    candidates = [sentence(draw, length) for length in lengths]
    several = [[sentence(draw, length + more) for more in (9, 2, 2)] for length in lengths]
    equal = [[sentence(draw, 8), sentence(draw, 2)] for _ in range(3)]
    first = [*candidates, *(sentence(draw, 5) for _ in equal)], [*several, *equal]
    return Use(call, first, ([sentence(draw, int(draw.integers(1, 30)))], [[sentence(draw, 31)]]))


@in_use("corpus_bleu", gradients=False, dtypes=False, devices=False)
def corpus_bleu(corpus_bleu, draw: Draw) -> Use:
    """A test set in which a sentence comes again and one is empty, then a smaller one."""

    def call(candidates: list[Any], several: list[Any]) -> float:
        found: float = number_of(corpus_bleu(candidates, several, *parts.stand_ins(_PENALTY)))
        return found

    candidates, several = corpus_of(draw, 40)
    return Use(call, ([*candidates, candidates[3], []], [*several, several[3], several[5]]), corpus_of(draw, 3))


@in_use("sentence_bleu", gradients=False, dtypes=False, devices=False)
def sentence_bleu(sentence_bleu, draw: Draw) -> Use:
    """Sentences of all lengths from 0 on, of which all, some or no words are known; then a long one, and one with short references."""

    def call(candidates: list[Any], several: list[Any]) -> list[float]:
        pairs = zip(candidates, several, strict=True)
        return [number_of(sentence_bleu(words, others, *parts.stand_ins(_PENALTY))) for words, others in pairs]

    def given(*lengths: int) -> tuple[list[Any], list[Any]]:
        known = [draw.integers(0, max(length, 1), 3).tolist() for length in lengths]
        written = [parts.sentence(draw, length, known=some) for length, some in zip(lengths, known, strict=True)]
        return [words for words, _ in written], [others for _, others in written]

    candidates, several = given(14, 9)
    several[1] = [words[:2] for words in several[1]]
    return Use(call, given(0, 1, 2, 3, 4, 5, 9, 21), (candidates, several))


@in_use("paired_bootstrap", gradients=False, dtypes=False)
def paired_bootstrap(paired_bootstrap, draw: Draw) -> Use:
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
    near = first[:12] + 1e-4 * draw.normal(12, 3, dtype=torch.float64)
    return Use(call, (first, second, indices), (first[:12], near, draw.integers(0, 12, 31, 12)))
