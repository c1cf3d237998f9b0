"""How each exercise of this chapter is used."""

from typing import Any

from torch import Tensor

from autograder.checks.ch05_attention.probes.alignment_error_rate import sets_of, tables_of
from autograder.checks.ch05_attention.probes.hard_alignment import table
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh


def _dot(query: Tensor, key: Tensor) -> Tensor:
    """In place of a score function."""
    return query @ key.transpose(-2, -1)


def _shares(scores: Tensor, mask: Tensor) -> Tensor:
    """In place of `masked_softmax`: an empty row gets zeros."""
    return scores.masked_fill(~mask, -1e4).softmax(dim=-1) * mask


def _looked_up(query: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """In place of an attention: what it finds is as large as the memory, whose vectors may be of another size than the queries."""
    size = min(query.shape[-1], memory.shape[-1])
    weights = _shares(_dot(query[..., :size], memory[..., :size]), mask)
    return weights @ memory, weights


def _states(draw: Draw, batch: int, queries: int, places: int, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    """Queries and keys of one size."""
    return draw.normal(batch, queries, 6, scale=scale), draw.normal(batch, places, 6, scale=scale)


@in_use("masked_softmax")
def masked_softmax(masked_softmax, draw: Draw) -> Use:
    """A padded batch with a row of padding alone and a row of one word, and scores that come again; then scores that are far from 0."""
    mask = draw.padding_mask(4, 21)
    mask[1], mask[2, 1:] = False, False
    scores = draw.integers(-3, 4, 4, 4, 21) / 2
    later = draw.normal(1, 24, scale=80.0) - 300, draw.mask(1, 24)
    return Use(masked_softmax, (scores, mask.unsqueeze(1)), later)


@in_use("attend")
def attend(attend, draw: Draw) -> Use:
    """A batch in which each query has a mask of its own, then one query over one sentence, as when translating."""

    def given(batch: int, queries: int, places: int) -> tuple[Any, ...]:
        mask = draw.mask(batch, queries, places)
        return *_states(draw, batch, queries, places), draw.normal(batch, places, 9), mask, _dot, _shares

    return Use(attend, given(3, 7, 21), given(1, 1, 24))


@in_use("multiplicative_scores")
def multiplicative_scores(multiplicative_scores, draw: Draw) -> Use:
    """A batch whose queries and keys are of different sizes, then one query over a long sentence."""

    def given(batch: int, queries: int, places: int) -> tuple[Tensor, ...]:
        return draw.normal(batch, queries, 6), draw.normal(batch, places, 7), draw.normal(6, 7)

    return Use(multiplicative_scores, given(3, 4, 21), given(1, 1, 40))


@in_use("additive_scores")
def additive_scores(additive_scores, draw: Draw) -> Use:
    """A batch whose queries and keys are of different sizes, then sums so large that each tanh is 1 or -1."""

    def given(batch: int, queries: int, places: int, scale: float) -> tuple[Tensor, ...]:
        states = draw.normal(batch, queries, 6, scale=scale), draw.normal(batch, places, 7, scale=scale)
        return *states, draw.normal(5, 6), draw.normal(5, 7), draw.normal(5)

    return Use(additive_scores, given(3, 4, 21, 0.4), given(1, 1, 40, 50.0))


@in_use("scaled_scores")
def scaled_scores(scaled_scores, draw: Draw) -> Use:
    """Vectors whose size has no whole root, then such of one number, which is large."""
    later = draw.normal(1, 3, 1, scale=9.0), draw.normal(1, 5, 1, scale=9.0)
    return Use(scaled_scores, _states(draw, 3, 4, 21), later)


@in_use("AttentionDecoder")
def attention_decoder(decoder_class, draw: Draw) -> Use:
    """Padded sentences, as in training; then a single word, as in translating."""
    module = weigh(decoder_class(13, 10, 12, 7, _looked_up), draw)

    def given(batch: int, length: int, places: int) -> tuple[Tensor, ...]:
        state, memory = draw.state(1, batch, 12), draw.state(batch, places, 7)
        return draw.integers(0, 13, batch, length), state, memory, draw.padding_mask(batch, places)

    return Use(module, given(2, 9, 20), given(1, 1, 23))


@in_use("causal_mask", gradients=False, dtypes=False, devices=False, new=True)
def causal_mask(causal_mask, draw: Draw) -> Use:
    """Some rows of the mask of a sentence, then of a document."""

    def call(length: int, rows: list[int]) -> Tensor:
        return causal_mask(length)[rows]

    return Use(call, (21, draw.integers(0, 21, 9).tolist()), (300, draw.integers(0, 300, 9).tolist()))


@in_use("attend_to_past")
def attend_to_past(attend_to_past, draw: Draw) -> Use:
    """A batch, then one long text."""
    return Use(attend_to_past, (draw.normal(2, 21, 6), _looked_up), (draw.normal(1, 150, 6), _looked_up))


@in_use("hard_alignment", gradients=False, devices=False)
def hard_alignment(hard_alignment, draw: Draw) -> Use:
    """Weights of which some are equal, then a row of nearly equal ones."""

    def call(weights: Tensor) -> Tensor:
        return table(hard_alignment(weights), 24)

    weights = (draw.integers(0, 4, 20, 9) / 4.0).softmax(dim=-1)
    near = (2e-4 * draw.normal(24).argsort().float()).softmax(dim=-1)
    return Use(call, (weights,), (near.unsqueeze(0),))


@in_use("alignment_error_rate", gradients=False, dtypes=False, devices=False)
def alignment_error_rate(alignment_error_rate, draw: Draw) -> Use:
    """A test set in which sentences come again and one has no links at all, then a single sentence."""
    predicted, sure, possible = sets_of(*tables_of(draw, 20, only_possible=True))
    some = [[*links, links[3], frozenset()] for links in (predicted, sure, possible)]
    return Use(alignment_error_rate, tuple(some), sets_of(*tables_of(draw, 1, only_possible=True)))
