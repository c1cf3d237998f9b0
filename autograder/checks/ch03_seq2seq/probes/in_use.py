"""How each exercise of this chapter is used."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch03_seq2seq.probes.greedy_decode import table_of, written
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh

_WORDS, _EMBEDDING, _HIDDEN = 13, 10, 12
_LARGE = 2**24
"""Half of the numbers behind it no float32 can hold."""


def _sentences(draw: Draw, *lengths: int) -> tuple[Tensor, Tensor]:
    """Words, 0 among them, with padding of 0 behind them, (B, S), and the lengths."""
    real = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    return draw.integers(0, _WORDS, *real.shape) * real, torch.tensor(lengths)


@in_use("Encoder")
def encoder(encoder_class, draw: Draw) -> Use:
    """Sentences of mixed lengths, one of them of one word, with padding behind the longest; then one alone, and another."""
    module = weigh(encoder_class(_WORDS, _EMBEDDING, _HIDDEN), draw)
    source, lengths = _sentences(draw, 9, 21, 14, 1, 17)
    first = torch.cat([source, torch.zeros(5, 3, dtype=torch.int64)], dim=1), lengths
    return Use(module, first, _sentences(draw, 22), last=_sentences(draw, 22))


@in_use("Decoder")
def decoder(decoder_class, draw: Draw) -> Use:
    """Padded sentences, as in training; then a single word, as in translating."""
    module = weigh(decoder_class(_WORDS, _EMBEDDING, _HIDDEN), draw)

    def given(*lengths: int) -> tuple[Tensor, Tensor]:
        return _sentences(draw, *lengths)[0], draw.state(1, len(lengths), _HIDDEN)

    return Use(module, given(9, 30, 1), given(1), last=given(1))


@in_use("shift_right", gradients=False, dtypes=False, new=True)
def shift_right(shift_right, draw: Draw) -> Use:
    """Padded sentences in which words come again, then one of words whose numbers no float32 can hold; what stands at padding is left open."""

    def call(target: Tensor, lengths: Tensor, bos: int) -> list[Tensor]:
        inputs: Tensor = shift_right(target, bos)
        real = (torch.arange(target.shape[1]) < lengths.cpu().unsqueeze(1)).to(inputs.device)
        return [inputs[:, :1], inputs * real]

    lengths = torch.tensor([9, 21, 1, 14])
    words = draw.integers(1, _WORDS, 4, 21) * (torch.arange(21) < lengths.unsqueeze(1))
    return Use(call, (words, lengths, 2), (draw.integers(0, 40, 1, 3) + _LARGE, torch.tensor([3]), 0))


def _scored(draw: Draw, batch: int, length: int, scale: float) -> tuple[Tensor, Tensor]:
    """Logits (B, T, V) and words (B, T), 0 among them."""
    return draw.normal(batch, length, _WORDS, scale=scale), draw.integers(0, _WORDS, batch, length)


@in_use("masked_cross_entropy")
def masked_cross_entropy(masked_cross_entropy, draw: Draw) -> Use:
    """A batch with gaps, then one sentence of a model that is very sure; what stands where the mask is False is impossible."""
    first, later = _scored(draw, 3, 21, 1.0), _scored(draw, 1, 24, 40.0)
    masks = draw.mask(3, 21), draw.mask(1, 24)
    for (logits, target), mask in zip((first, later), masks, strict=True):
        logits[~mask, target[~mask]] = -math.inf
    return Use(masked_cross_entropy, (*first, masks[0]), (*later, masks[1]))


@in_use("sequence_log_prob")
def sequence_log_prob(sequence_log_prob, draw: Draw) -> Use:
    """Sentences with the word 0 that end early, late, at once, twice or not at all; then one of a sure model, which 0 ends."""
    (logits, target), (more, long) = _scored(draw, 5, 21, 1.0), _scored(draw, 1, 70, 40.0)
    eos = int(draw.integers(1, _WORDS))
    target[target == eos] = 0
    for row, place in ((0, 6), (1, 20), (2, 0), (3, 4), (3, 11)):
        target[row, place] = eos
    target[4, 5] = 0
    long[long == 0] = 1
    long[0, 57] = 0
    logits[0, 7, target[0, 7]] = -math.inf
    return Use(sequence_log_prob, (logits, target, eos), (more, long, 0))


@in_use("greedy_decode", gradients=False)
def greedy_decode(greedy_decode, draw: Draw) -> Use:
    """Long sentences, two of one length and one of no word, then one that is stopped, after as many steps as it has words."""

    def call(table: Tensor, lengths: list[int], max_words: int) -> Any:
        found = written(greedy_decode, table, lengths, max_words)
        return [found["sentences"], found["rows"] if len(lengths) == 1 else 0]

    return Use(call, (table_of(draw, 5, 24), [9, 21, 0, 14, 9], 24), (table_of(draw, 1, 30), [40], 30))


@in_use("ResidualStack")
def residual_stack(stack_class, draw: Draw) -> Use:
    """A stack whose first layer is as wide as its inputs, and one whose is not."""
    alike, wider = (weigh(stack_class(size, 6, 2), draw) for size in (6, 5))

    def call(inputs: Tensor, narrow: Tensor) -> list[Tensor]:
        return [alike(inputs), wider(narrow)]

    def given(batch: int, length: int) -> tuple[Tensor, Tensor]:
        return draw.normal(batch, length, 6), draw.normal(batch, length, 5)

    return Use(call, given(3, 21), given(1, 1), modules=(alike, wider))
