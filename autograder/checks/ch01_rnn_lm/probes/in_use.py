"""How each exercise of this chapter is used."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch01_rnn_lm.probes.interpolated_trigram import VOCABULARY, Counts, counted, shares
from autograder.checks.ch01_rnn_lm.probes.kneser_ney import VOCABULARY as NEIGHBOURS
from autograder.checks.ch01_rnn_lm.probes.kneser_ney import drawn, drawn_discount, sorted_pairs
from autograder.checks.ch01_rnn_lm.probes.sample_sentence import words_of
from autograder.draw import Draw
from autograder.in_use import Use, in_use
from autograder.probing import MisuseError, plain_number

_INPUT, _STATE = 5, 7
_MOST = 200


@in_use("interpolated_trigram", gradients=False, dtypes=False, devices=False)
def interpolated_trigram(interpolated_trigram, draw: Draw) -> Use:
    """All words after contexts of all kinds, words that come twice among them; then with weights of which one is 0."""

    def call(contexts: list[tuple[str, str]], counts: Counts, weights: tuple[float, ...]) -> list[float]:
        return [
            plain_number(interpolated_trigram(word, context, counts, weights, len(VOCABULARY)))
            for context in contexts
            for word in VOCABULARY
        ]

    def contexts(number: int) -> list[tuple[str, str]]:
        ids = draw.integers(0, len(VOCABULARY), number, 2).tolist()
        return [("<s>", "<s>"), (VOCABULARY[0], VOCABULARY[0]), *((VOCABULARY[u], VOCABULARY[v]) for u, v in ids)]

    uniform, unigram, bigram, trigram = shares(draw)
    later = contexts(5), counted(draw), (uniform, 0.0, bigram, unigram + trigram)
    return Use(call, (contexts(12), counted(draw), shares(draw)), later)


@in_use("kneser_ney", gradients=False, dtypes=False, devices=False)
def kneser_ney(kneser_ney, draw: Draw) -> Use:
    """All words after some of them, words that come twice among them; then after other words of another text, with another discount."""

    def call(contexts: list[str], table: Tensor, discount: float) -> list[float]:
        followers, predecessors = sorted_pairs(table)
        return [
            plain_number(kneser_ney(word, v, followers, predecessors, discount, len(NEIGHBOURS)))
            for v in contexts
            for word in NEIGHBOURS
        ]

    def contexts(number: int) -> list[str]:
        return [NEIGHBOURS[i] for i in draw.integers(0, len(NEIGHBOURS), number).tolist()]

    later = contexts(5), drawn(draw), drawn_discount(draw)
    return Use(call, (contexts(12), drawn(draw), drawn_discount(draw)), later, last=(contexts(4), drawn(draw), 1.0))


@in_use("negative_sampling_loss")
def negative_sampling_loss(negative_sampling_loss, draw: Draw) -> Use:
    """A batch of pairs, then one pair whose scores are far from 0."""

    def given(batch: int, negatives: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        pair = draw.normal(batch, 6, scale=scale), draw.normal(batch, 6, scale=scale)
        return *pair, draw.normal(batch, negatives, 6, scale=scale)

    return Use(negative_sampling_loss, given(9, 5, 0.6), given(1, 8, 6.0))


@in_use("rnn_step")
def rnn_step(rnn_step, draw: Draw) -> Use:
    """A batch, then one sequence whose sums are so large that the tanh is 1."""

    def given(batch: int, scale: float) -> tuple[Tensor, ...]:
        state = draw.normal(batch, _INPUT, scale=scale), draw.state(batch, _STATE)
        return *state, draw.normal(_STATE, _INPUT), draw.normal(_STATE, _STATE), draw.normal(_STATE)

    return Use(rnn_step, given(_STATE, 0.3), given(1, 400.0))


@in_use("perplexity", gradients=False, devices=False)
def perplexity(perplexity, draw: Draw) -> Use:
    """A batch with gaps in which some words were certain, then one long sentence, and one word."""

    def call(log_probs: Tensor, mask: Tensor) -> Tensor:
        return torch.tensor(plain_number(perplexity(log_probs, mask)), dtype=log_probs.dtype)

    def given(batch: int, length: int) -> tuple[Tensor, Tensor]:
        log_probs = -draw.normal(batch, length).abs() * 3 * (draw.integers(0, 4, batch, length) > 0)
        mask = draw.mask(batch, length)
        return log_probs.masked_fill(~mask, -math.inf), mask

    return Use(call, given(4, 21), given(1, 40), last=given(1, 1))


@in_use("sample_sentence", gradients=False, dtypes=False, devices=False)
def sample_sentence(sample_sentence, draw: Draw) -> Use:
    """A model that is sure of each word, the id 0 among them and some twice in a row; it is stopped, then it ends. One that is sure of none."""
    generator = torch.Generator().manual_seed(int(draw.integers(0, 2**62)))

    def call(words: list[int], max_words: int) -> list[Any]:
        def step(word: int, place: int) -> tuple[Tensor, int]:
            logits = torch.zeros(9)
            logits[words[place]] = 90.0
            return logits, place + 1

        def sure_of_none(word: int, place: int) -> tuple[Tensor, int]:
            if place == _MOST:
                raise MisuseError(f"with max_words = {_MOST}, step was called once more")
            return torch.cat([torch.tensor([6.0]), torch.zeros(399)]), place + 1

        many = words_of(sample_sentence(sure_of_none, 0, generator, 400, 400, _MOST))
        return [words_of(sample_sentence(step, 0, generator, 8, 7, max_words)), len(many), len(set(many)) > 30]

    words = draw.integers(0, 7, 40).repeat_interleave(2).tolist()
    return Use(call, (words, 23), ([*words[:11], 7, *words], 60))
