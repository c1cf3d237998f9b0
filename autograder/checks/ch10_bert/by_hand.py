"""Inputs small enough to do by hand, for questions about a reader's code."""

import random

import torch
from torch import nn

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Layer, Stand, whole


def wordpiece_tokenize(draw: Draw) -> Given:
    """Words of two letters, and a vocabulary with pieces of one to three."""
    pieces = ["a", "b", "##a", "##b", "ab", "##ab", "##ba", "aba", "##bab", "bb"]
    chosen = [pieces[n] for n in draw.normal(len(pieces)).argsort().tolist()[:6]]
    word = "".join("ab"[n] for n in draw.integers(0, 2, int(draw.integers(3, 6))).tolist())
    return Given({"word": word, "vocabulary": {"a", "b", *chosen}})


def pack_pair(draw: Draw) -> Given:
    """Sentences of up to three pieces."""
    first, second = (draw.integers(5, 10, int(length)).tolist() for length in draw.integers(0, 3, 2))
    return Given({"first": first, "second": second, "cls_id": 1, "sep_id": 2})


def mask_tokens(draw: Draw) -> Given:
    """Every word is chosen, or none."""
    rate = float(draw.integers(0, 3) > 0)
    arguments = {
        "tokens": draw.integers(0, 9, 2, 3),
        "num_special": int(draw.integers(2, 6)),
        "vocab_size": 9,
        "mask_id": 1,
    }
    generator = Stand(draw.generator(), "a torch.Generator")
    return Given(
        {**arguments, "generator": generator, "rate": rate},
        reads=lambda result, _: result[1],
        asked="the labels, which come second",
    )


class _Fixed(random.Random):
    """Always draws the same."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self._number = number

    def random(self) -> float:
        """The number."""
        return self._number


def make_nsp_pairs(draw: Draw) -> Given:
    """Documents of up to three sentences."""
    names = iter("ABCDEFGHIJKLM")
    documents = [[next(names) for _ in range(int(length))] for length in draw.integers(0, 4, 3)]
    documents += [[next(names), next(names)]] * (sum(map(bool, documents)) < 2)
    number = (0.2, 0.5, 0.9)[int(draw.integers(0, 3))]
    told = f"its random() is always {number}, so that choice() takes the {'first' if number < 0.3 else 'last' if number > 0.6 else 'middle'} one"
    return Given({"documents": documents, "generator": Stand(_Fixed(number), told)})


def BertEmbeddings(draw: Draw) -> Given:
    """Vectors of two numbers: the norm makes the larger one 1 and the smaller one -1."""
    weights = {
        "token.weight": whole(draw, 3, 2, low=-4, high=5),
        "position.weight": whole(draw, 3, 2),
        "segment.weight": whole(draw, 2, 2, low=-4, high=5),
        "norm.weight": torch.ones(2),
        "norm.bias": torch.zeros(2),
    }
    settings = {"vocab_size": 3, "d_model": 2, "max_length": 3}
    return Given({"tokens": draw.integers(0, 3, 2, 2), "segments": draw.integers(0, 2, 2, 2)}, settings, weights)


def masked_lm_loss(draw: Draw) -> Given:
    """Two words, of which one is certain or both are equally likely."""
    labels = draw.integers(0, 2, 2, 2).masked_fill(draw.integers(0, 2, 2, 2) == 1, -100)
    return Given({"logits": 4 * whole(draw, 2, 2, 2, low=0, high=2), "labels": labels})


def BertForPreTraining(draw: Draw) -> Given:
    """Shapes alone."""
    batch, length = int(draw.integers(2, 4)), int(draw.integers(3, 6))
    embeddings = Layer(
        lambda tokens, segments: torch.stack([tokens, segments, tokens + segments, tokens - segments], dim=-1).float()
    )
    embeddings.token = nn.Embedding(7, 4)
    settings = {
        "embeddings": Stand(
            embeddings, "a module that makes vectors of 4 numbers, with an embedding `token` for 7 words"
        ),
        "encoder": Stand(Layer(lambda states, mask: states + 1), "adds 1 to each number"),
        "d_model": 4,
        "vocab_size": 7,
    }
    arguments = {
        "tokens": draw.integers(0, 7, batch, length),
        "segments": draw.integers(0, 2, batch, length),
        "mask": torch.ones(batch, 1, length, dtype=torch.bool),
    }
    return Given(arguments, settings, filled=0.5, shapes_alone=True)
