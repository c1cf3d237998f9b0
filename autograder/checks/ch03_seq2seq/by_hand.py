"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def sequence_log_prob(draw: Draw) -> Given:
    """Two words, of which one is certain or both are equally likely."""
    return Given({"logits": 4 * whole(draw, 2, 3, 2, low=0), "target": draw.integers(0, 2, 2, 3), "eos": 1})


def Encoder(draw: Draw) -> Given:
    """Sentences of different lengths."""
    lengths = draw.integers(1, 6, int(draw.integers(2, 4)))
    lengths[-1] = 5
    settings = {"vocab_size": 9, "embed_dim": 3, "hidden_size": 2 * int(draw.integers(2, 4))}
    return Given(
        {"source": draw.integers(0, 9, len(lengths), 5), "lengths": lengths}, settings, filled=0.5, shapes_alone=True
    )


def Decoder(draw: Draw) -> Given:
    """One or two words of a few sentences."""
    batch, length, hidden = int(draw.integers(2, 4)), int(draw.integers(1, 4)), int(draw.integers(4, 6))
    tokens, state = draw.integers(0, 7, batch, length), torch.zeros(1, batch, hidden)
    return Given(
        {"tokens": tokens, "state": state},
        {"vocab_size": 7, "embed_dim": 3, "hidden_size": hidden},
        filled=0.5,
        shapes_alone=True,
    )


def shift_right(draw: Draw) -> Given:
    """Two sentences of three or four words."""
    return Given({"target": draw.integers(1, 9, 2, int(draw.integers(3, 5))), "bos": 0})


def masked_cross_entropy(draw: Draw) -> Given:
    """Two words, of which one is certain or both are equally likely."""
    return Given(
        {"logits": 4 * whole(draw, 2, 2, 2, low=0), "target": draw.integers(0, 2, 2, 2), "mask": draw.mask(2, 2)}
    )


def greedy_decode(draw: Draw) -> Given:
    """A model that knows each next word, for two sentences."""
    after = draw.integers(0, 4, 4)

    def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        following = (after[word] + state.long()[0]) % 4
        return F.one_hot(following, 4).float(), state + 1

    told = f"after word w and with state s, the logit of word (n + s) % 4 is 1, where n = {after.tolist()}[w], and those of the\nothers are 0; the new state is s + 1"
    state = draw.integers(0, 3, 1, 2, 1).float()
    return Given({"step": Stand(step, told), "state": state, "bos": 0, "eos": 3, "max_words": int(draw.integers(2, 4))})


def ResidualStack(draw: Draw) -> Given:
    """Layers that return zeros, or all but zeros of the last gate."""
    size = 1 + int(draw.integers(0, 2))
    settings = {"input_size": size, "hidden_size": 2, "num_layers": 2}
    weights = {
        f"layers.{n}.bias_ih_l0": torch.tensor([0.0, 0, 0, 0, *(4.0 * whole(draw, 2, low=-1, high=2))])
        for n in range(2)
    }
    return Given({"inputs": whole(draw, 1, 2, size)}, settings, weights, filled=0.0)
