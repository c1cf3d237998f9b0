"""What is asked of `one_hot`.

Only one check looks at the numbers' type: all others are given the vectors as float32, so that a wrong type is one slip.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import MisuseError


def vectors_of(result: Any, tokens: Tensor, vocab_size: int) -> Any:
    """A student's vectors as float32, if they are tensors of numbers.

    Raises:
        MisuseError: Their shape is that of a known slip.
    """
    if not isinstance(result, Tensor) or result.is_complex():
        return result
    shape, expected = tuple(result.shape), (*tokens.shape, vocab_size)
    told = f"the result has shape {shape}, expected {expected}"
    if shape != expected and shape == tuple(tokens.shape):
        raise MisuseError(f"{told}: there is one number for each word, expected a vector of {vocab_size} numbers")
    if shape != expected and shape[:-1] == expected[:-1]:
        raise MisuseError(
            f"{told}: a vector has one component for each of the {vocab_size} words of the vocabulary, whatever words are given"
        )
    if shape != expected and shape == (vocab_size, *tokens.shape):
        raise MisuseError(f"{told}: the vectors lie along the last dimension, after the dimensions of the tokens")
    if shape != expected and shape == (*tokens.shape[:-1], vocab_size):
        raise MisuseError(f"{told}: there is one vector for a whole sentence, expected one for each word")
    if shape != expected and shape == (tokens.numel(), vocab_size):
        raise MisuseError(f"{told}: the vectors are in one long list, expected the dimensions of the tokens to be kept")
    return result.float()


def different(draw: Draw, number: int, vocab_size: int) -> Tensor:
    """Some words, no two the same, neither the first nor the last of the vocabulary among them."""
    return draw.normal(vocab_size - 2).argsort()[:number] + 1


@probe("one_hot")
def sentence(one_hot, draw: Draw):
    """Seven different words of a vocabulary of twelve."""
    tokens = different(draw, 7, 12)
    return {"vectors": vectors_of(one_hot(tokens.clone(), 12), tokens, 12), "tokens": tokens}


@probe("one_hot")
def batch(one_hot, draw: Draw):
    """Three sentences of four words, in which words come again."""
    tokens = draw.integers(0, 6, 3, 4)
    tokens[:, 3] = tokens[:, 0]
    return {"vectors": vectors_of(one_hot(tokens.clone(), 6), tokens, 6), "tokens": tokens}


@probe("one_hot")
def number_type(one_hot, draw: Draw):
    """The vectors as they come, and what a table of weights makes of them."""
    tokens, weights = different(draw, 4, 7), draw.normal(7, 3)
    vectors = one_hot(tokens.clone(), 7)
    is_numbers = isinstance(vectors, Tensor) and vectors.dtype.is_floating_point and vectors.shape == (4, 7)
    made = vectors.float() @ weights if is_numbers else torch.zeros(4, 3)
    return {"type": str(getattr(vectors, "dtype", type(vectors).__name__)), "weights of the words": made}


@probe("one_hot")
def ends(one_hot, draw: Draw):
    """The first and the last word of vocabularies, and two between; most words are not at hand."""
    answers = {}
    for vocab_size in (13, 20, 40):
        tokens = torch.cat([torch.tensor([0, vocab_size - 1]), draw.integers(1, 10, 2)])
        answers[f"of {vocab_size} words"] = vectors_of(one_hot(tokens.clone(), vocab_size), tokens, vocab_size)
    return answers


@probe("one_hot")
def dimensions(one_hot, draw: Draw):
    """One word alone, a sentence of one word, four dimensions, and a batch that was turned on its side."""
    asked = {
        "one word": draw.integers(0, 9),
        "a batch of one sentence of one word": draw.integers(0, 9, 1, 1),
        "four dimensions": draw.integers(0, 9, 2, 1, 3, 2),
        "turned on its side": draw.integers(0, 9, 3, 5).T,
    }
    return {name: vectors_of(one_hot(tokens.clone(), 9), tokens, 9) for name, tokens in asked.items()}


@probe("one_hot")
def arguments(one_hot, draw: Draw):
    """The tokens as they are after the call."""
    tokens = draw.integers(0, 6, 3, 4)
    given = tokens.clone()
    return {"vectors": vectors_of(one_hot(given, 6), tokens, 6), "tokens": given}
