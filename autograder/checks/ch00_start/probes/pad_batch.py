"""What is asked of `pad_batch`.

Its three results have checks of their own. What is asked of one of them is asked with sentences that stand longest first, so that
an order that was changed is not a slip in everything.
"""

import json
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import MisuseError, note_slip, unpack


def results_of(result: Any, sentences: list[list[int]]) -> tuple[Any, Any, Any]:
    """A student's tokens, mask and lengths.

    Raises:
        MisuseError: There are not three, or the table has the shape of a known slip.
    """
    names = ["tokens", "mask", "lengths"]
    if isinstance(result, (tuple, list)) and all(isinstance(item, Tensor) for item in result):
        found = ["lengths" if item.dim() == 1 else "mask" if item.dtype == torch.bool else "tokens" for item in result]
        if found != names and sorted(found) == sorted(names):
            note_slip(f"the results were returned in the order {', '.join(found)}; expected {', '.join(names)}")
            result = [result[found.index(name)] for name in names]
    shape = (len(sentences), max(map(len, sentences)))
    tokens, mask, lengths = unpack(result, tokens=shape, mask=shape, lengths=shape[:1])
    _look_at_shape(tokens, shape)
    return tokens, mask, lengths


def _look_at_shape(tokens: Any, expected: tuple[int, int]) -> None:
    shape = tuple(tokens.shape) if isinstance(tokens, Tensor) else expected
    told = f"tokens has shape {shape}, expected {expected}"
    if shape != expected and shape == expected[::-1]:
        raise MisuseError(f"{told}: a sentence is a row of the table, not a column")
    if len(shape) == 2 and shape[0] == expected[0] and shape[1] != expected[1]:
        raise MisuseError(
            f"{told}: the table has as many columns as the longest sentence has words, here {expected[1]}"
        )


def some_sentences(draw: Draw, lengths: list[int]) -> tuple[list[list[int]], int]:
    """Sentences of these lengths, and a number for padding that none of their words is; words go on to both sides of it."""
    pad = int(draw.integers(5, 25))
    words = [draw.integers(0, 29, length) for length in lengths]
    return [(some + (some >= pad)).tolist() for some in words], pad


def longest_first(draw: Draw, number: int, longest: int) -> list[int]:
    """Lengths in falling order: the first is fixed, the last is 1."""
    return [longest, *sorted(draw.integers(1, longest + 1, number - 2).tolist(), reverse=True), 1]


@probe("pad_batch")
def table(pad_batch, draw: Draw):
    """Four sentences of up to six words."""
    sentences, pad = some_sentences(draw, longest_first(draw, 4, 6))
    tokens, _, _ = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    return {"tokens": tokens, "pad": pad, "lengths": [len(sentence) for sentence in sentences]}


@probe("pad_batch")
def order(pad_batch, draw: Draw):
    """Four sentences, the longest of them the third."""
    sentences, pad = some_sentences(draw, [3, 1, 5, 2])
    tokens, _, _ = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    return {"tokens": tokens}


@probe("pad_batch")
def where_words_are(pad_batch, draw: Draw):
    """The mask of such sentences, one with the word 0 in it, and what is seen through it of numbers that are drawn."""
    sentences, pad = some_sentences(draw, longest_first(draw, 4, 6))
    sentences[0][0] = 0
    numbers = draw.normal(4, 6)
    _, mask, _ = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    fits = isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.shape == numbers.shape
    return {"mask": mask, "numbers": numbers * mask if fits else numbers, "sentences": sentences, "pad": pad}


@probe("pad_batch")
def how_long(pad_batch, draw: Draw):
    """The lengths of nine sentences of up to forty words."""
    sentences, pad = some_sentences(draw, longest_first(draw, 9, 40))
    _, _, lengths = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    return {"lengths": lengths, "padding": [40 - len(sentence) for sentence in sentences]}


def _all(pad_batch: Any, draw: Draw, lengths: list[int]) -> dict[str, Any]:
    """All three results for sentences of these lengths."""
    sentences, pad = some_sentences(draw, lengths)
    return dict(
        zip(("tokens", "mask", "lengths"), results_of(pad_batch(deepcopy(sentences), pad), sentences), strict=True)
    )


@probe("pad_batch")
def alone(pad_batch, draw: Draw):
    """A batch of one sentence, and one of a single word."""
    return {"one sentence": _all(pad_batch, draw, [7]), "one word": _all(pad_batch, draw, [1])}


@probe("pad_batch")
def empty(pad_batch, draw: Draw):
    """A sentence without a word, in the middle of a batch and at its beginning."""
    return {"in the middle": _all(pad_batch, draw, [4, 0, 2]), "at the beginning": _all(pad_batch, draw, [0, 4, 3])}


@probe("pad_batch")
def arguments(pad_batch, draw: Draw):
    """Whether the caller's lists are after the call what they were, by what is written of them: a list may say that it equals any."""
    sentences, pad = some_sentences(draw, [3, 1, 5, 2])
    given = deepcopy(sentences)
    tokens, _, _ = results_of(pad_batch(given, pad), sentences)
    return {"tokens": tokens, "is as it was": json.dumps(given) == json.dumps(sentences)}
