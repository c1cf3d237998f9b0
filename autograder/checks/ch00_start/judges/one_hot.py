"""What is right about `one_hot`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch00_start.probes import one_hot as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_PLACE = "each vector has a single one, at the position of its word's id"
_BATCH = "in a batch of sentences, every word has its own vector"
_TYPE = "the numbers are of type float32"


@judge(
    _PLACE,
    probe=probes.sentence,
    points=2,
    hint="Write down the result by hand for two words of a vocabulary of three: one row of three numbers for each word. Ids "
    "and positions are both counted from 0.",
)
def one_in_its_place(got: Any, want: Any) -> Verdict:
    """One vector for each of some different words."""
    vectors, right, tokens = got["vectors"], want["vectors"], want["tokens"]
    if is_close(vectors, right):
        return passed()
    known = {
        "every vector has a one for each word of the sentence, expected a one only for its own word": _all_words(right),
        "all numbers are 0: no vector has a one": torch.zeros_like(right),
        "ones and zeros are swapped": 1 - right,
        "each vector contains the id at the position of its word, expected 1": right * tokens.unsqueeze(1),
        "the vectors mark the position of each word in the sentence, expected its position in the vocabulary": torch.eye(
            *right.shape
        ),
        "the positions are counted from the end of the vector": right.flip(-1),
    }
    for message, others in known.items():
        if is_close(vectors, others):
            return failed(message)
    return _off_by_one(vectors, right, tokens) or _count(vectors) or failed(f"vectors: {difference(vectors, right)}")


def _all_words(right: Tensor) -> Tensor:
    """Vectors that mark each word of the sentence."""
    return right.amax(dim=0).expand_as(right)


def _off_by_one(vectors: Tensor, right: Tensor, tokens: Tensor) -> Verdict | None:
    word = int(tokens[0])
    for shift in (1, -1):
        if is_close(vectors, right.roll(shift, dims=-1)):
            return failed(
                f"every one is one position too far to the {'right' if shift > 0 else 'left'}: the vector of word "
                f"{word} has it at position {word + shift}. Ids and positions are both counted from 0"
            )
    return None


def _count(vectors: Tensor) -> Verdict | None:
    """What is wrong with the numbers of a vector, wherever they stand."""
    if not ((vectors == 0) | (vectors == 1)).all():
        other = vectors[(vectors != 0) & (vectors != 1)][0].item()
        return failed(f"the vectors contain the number {other:.4g}, expected only zeros and ones")
    counts = vectors.sum(dim=-1)
    if (counts == 1).all():
        return None
    return failed(f"a vector has {int(counts[counts != 1][0])} ones, expected one")


@judge(
    _BATCH,
    probe=probes.batch,
    points=1,
    needs=(_PLACE,),
    hint="The vectors lie along a new last dimension, and the dimensions before it stay the same: tokens (B, S) become "
    "vectors (B, S, V).",
)
def of_every_word(got: Any, want: Any) -> Verdict:
    """A batch in which words come again."""
    vectors, right = got["vectors"], want["vectors"]
    if is_close(vectors, right):
        return passed()
    if is_close(vectors, right.amax(dim=1, keepdim=True).expand_as(right)):
        return failed(
            "every vector of a sentence has a one for each word of the sentence, expected a one only for its own word"
        )
    if is_close(vectors, right.amax(dim=(0, 1)).expand_as(right)):
        return failed("every vector has a one for each word of the batch, expected a one only for its own word")
    return _count(vectors) or failed(f"vectors: {difference(vectors, right)}")


@judge(
    _TYPE,
    probe=probes.number_type,
    points=1,
    needs=(_PLACE,),
    hint="A network multiplies these vectors by its weights, which are of type float32, and torch multiplies only matrices of "
    "the same type. Print vectors.dtype; .float() converts any other type to float32.",
)
def in_float32(got: Any, want: Any) -> Verdict:
    """The type, and that the vectors pick the right weights."""
    if got["type"] != want["type"]:
        names = [value.removeprefix("torch.") for value in (got["type"], want["type"])]
        return failed(f"the result is of type {names[0][:40]}, expected {names[1]}")
    return close("weights of the words")(got, want)


ends = judge(
    "the first and the last word of a large vocabulary have their vectors",
    probe=probes.ends,
    points=1,
    hidden=True,
    needs=(_PLACE,),
    hint="The length of a vector depends only on vocab_size, whatever words are given. Word 0 and word V - 1 are words like "
    "any other.",
)(close())

dimensions = judge(
    "tokens may have any number of dimensions",
    probe=probes.dimensions,
    points=1,
    hidden=True,
    needs=(_PLACE, _BATCH),
    hint="Tokens have any shape (...): a single word, a sentence, a batch, or more. Add the new dimension at the "
    "end, keep dimensions of size one, and do not rely on how the values are laid out in memory.",
)(close())


leaves_tokens = judge(
    "the tokens are left as they were",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_PLACE, _BATCH),
    hint="Methods that end in an underscore, and assignments such as tokens[...] = ... or tokens += ..., change the caller's "
    "tensor.",
)(leaves_arguments("vectors"))
