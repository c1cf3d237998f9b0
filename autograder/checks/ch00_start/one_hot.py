"""The checks of `one_hot`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.rules import ONE_HOT
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("one_hot", "a vector for each word", minutes=5, difficulty=1, forbids=(ONE_HOT,))


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(one_hot, draw: Draw) -> Use:
    """A batch of sentences in which words come again, then a single word of a larger vocabulary."""

    def call(tokens: Tensor, vocab_size: int) -> Any:
        return vectors_of(one_hot(tokens, vocab_size), tokens, vocab_size)

    return Use(call, (draw.integers(0, 11, 4, 21), 11), (draw.integers(0, 1500), 1500))


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


@check(
    "each vector has a single one, at the position of its word's id",
    points=2,
    hint="Write down the result by hand for two words of a vocabulary of three: one row of three numbers for each word. Ids "
    "and positions are both counted from 0.",
)
def sentence(one_hot, draw: Draw):
    """Seven different words of a vocabulary of twelve."""
    tokens = different(draw, 7, 12)
    return {"vectors": vectors_of(one_hot(tokens.clone(), 12), tokens, 12)}


@sentence.explain
def ones(got, want):
    """How many ones a vector has, and where its single one is."""
    vectors, words = got["vectors"].reshape(-1, got["vectors"].shape[-1]), want["vectors"].argmax(dim=-1).flatten()
    other = vectors[(vectors != 0) & (vectors != 1)]
    if other.numel():
        return f"the vectors contain the number {other[0].item():.4g}, expected only zeros and ones"
    counts = vectors.sum(dim=-1)
    if (counts != 1).any():
        return f"a vector has {int(counts[counts != 1][0])} ones, expected one"
    places = vectors.argmax(dim=-1)
    first = int((places != words).nonzero()[0])
    return f"the vector of word {int(words[first])} has its one at position {int(places[first])}"


@check(
    "in a batch of sentences, every word has its own vector",
    points=1,
    needs=sentence,
    hint="The vectors lie along a new last dimension, and the dimensions before it stay the same: tokens (B, S) become "
    "vectors (B, S, V).",
)
def batch(one_hot, draw: Draw):
    """Three sentences of four words, in which words come again, 0 among them."""
    tokens = draw.integers(0, 6, 3, 4)
    tokens[0, 0] = 0
    tokens[:, 3] = tokens[:, 0]
    return {"vectors": vectors_of(one_hot(tokens.clone(), 6), tokens, 6)}


batch.explain(ones)


@check(
    "the numbers are of type float32",
    points=1,
    needs=sentence,
    hint="A network multiplies these vectors by its weights, which are of type float32, and torch multiplies only matrices of "
    "the same type. Print vectors.dtype; .float() converts any other type to float32.",
)
def number_type(one_hot, draw: Draw):
    """The vectors as they come, and what a table of weights makes of them."""
    tokens, weights = different(draw, 4, 7), draw.normal(7, 3)
    vectors = one_hot(tokens.clone(), 7)
    is_numbers = isinstance(vectors, Tensor) and vectors.dtype.is_floating_point and vectors.shape == (4, 7)
    made = vectors.float() @ weights if is_numbers else torch.zeros(4, 3)
    return {"type": str(getattr(vectors, "dtype", type(vectors).__name__)), "weights of the words": made}


@number_type.explain
def numbers(got, want):
    """Which type it is."""
    names = [answer["type"].removeprefix("torch.")[:40] for answer in (got, want)]
    return f"the result is of type {names[0]}, expected {names[1]}" if names[0] != names[1] else None


@check(
    "the first and the last word of a large vocabulary have their vectors",
    points=1,
    hidden=True,
    needs=(sentence, batch),
    hint="The length of a vector depends only on vocab_size, whatever words are given. Word 0 and word V - 1 are words like "
    "any other.",
)
def ends(one_hot, draw: Draw):
    """The first and the last word of vocabularies, and two between; most words are not at hand."""
    answers = {}
    for vocab_size in (13, 20, 40):
        tokens = torch.cat([torch.tensor([0, vocab_size - 1]), draw.integers(1, 10, 2)])
        answers[f"of {vocab_size} words"] = vectors_of(one_hot(tokens.clone(), vocab_size), tokens, vocab_size)
    return answers


@check(
    "tokens may have any number of dimensions",
    points=1,
    needs=(sentence, batch),
    hint="Tokens have any shape (...): a single word, a sentence, a batch, or more. Add the new dimension at the "
    "end, keep dimensions of size one, and do not rely on how the values are laid out in memory.",
)
def dimensions(one_hot, draw: Draw):
    """One word alone, a sentence of one word, four dimensions, and a batch that was turned on its side."""
    asked = {
        "one word": draw.integers(0, 9),
        "a batch of one sentence of one word": draw.integers(0, 9, 1, 1),
        "four dimensions": draw.integers(0, 9, 2, 1, 3, 2),
        "turned on its side": draw.integers(0, 9, 3, 5).T,
    }
    return {name: vectors_of(one_hot(tokens.clone(), 9), tokens, 9) for name, tokens in asked.items()}


@check(
    "the tokens are left as they were",
    points=1,
    needs=(sentence, batch),
    arguments=True,
    hint="Methods that end in an underscore, and assignments such as tokens[...] = ... or tokens += ..., change the caller's "
    "tensor.",
)
def arguments(one_hot, draw: Draw):
    """The tokens as they are after the call."""
    tokens = draw.integers(0, 6, 3, 4)
    given = tokens.clone()
    return {"vectors": vectors_of(one_hot(given, 6), tokens, 6), "tokens": given}
