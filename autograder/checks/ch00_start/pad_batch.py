"""The checks of `pad_batch`."""

import json
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip, unpack
from autograder.asking.rules import PADDING
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise(
    "pad_batch", "sentences of different lengths in one table", minutes=15, difficulty=1, forbids=(PADDING,)
)


_LARGE = 2**24 + 1
"""An id that float32 cannot hold."""


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(pad_batch, draw: Draw) -> Use:
    """Sentences of mixed lengths, one of them empty and one twice, then two others; pad is above or below the ids."""

    def sentences(*lengths: int) -> list[Any]:
        return [draw.integers(1, 30, length).tolist() for length in lengths]

    def call(batch: list[list[int]], pad: int) -> list[Any]:
        return list(results_of(pad_batch(batch, pad), batch))

    batch = sentences(9, 0, 21, 1, 14)
    return Use(call, ([*batch, list(batch[0])], 30), ([*sentences(70), [_LARGE, 3]], 0))


def results_of(result: Any, sentences: list[list[int]]) -> tuple[Any, Any, Any]:
    """A student's tokens, mask and lengths, each in its own dtype: another one that holds the same is a slip.

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
    dtypes = torch.int64, torch.bool, torch.int64
    found = [_as(*one) for one in zip((tokens, mask, lengths), dtypes, names, strict=True)]
    return found[0], found[1], found[2]


def _as(value: Any, dtype: torch.dtype, name: str) -> Any:
    if isinstance(value, list) and all(type(number) is int for number in value):
        note_slip(f"{name} is a list, expected a tensor")
        return torch.tensor(value)
    if not isinstance(value, Tensor) or value.dtype == dtype or not torch.equal(value.to(dtype).to(value.dtype), value):
        return value
    note_slip(
        f"{name} has dtype {str(value.dtype).removeprefix('torch.')}, expected {str(dtype).removeprefix('torch.')}"
    )
    return value.to(dtype)


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
    """Lengths in falling order: the first is fixed, and only the last is 1, so that no two sentences are the same."""
    return [longest, *sorted(draw.integers(2, longest + 1, number - 2).tolist(), reverse=True), 1]


@check(
    "each row is a sentence that starts at the left, followed by padding",
    points=2,
    hint="Take two sentences, one of three words and one of a single word, and write down the table by hand: two rows of "
    "three numbers. How many times does pad occur in the second row, and where?",
)
def table(pad_batch, draw: Draw):
    """Four sentences of up to six words."""
    sentences, pad = some_sentences(draw, longest_first(draw, 4, 6))
    tokens, _, _ = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    return {"tokens": tokens}


@table.explain
def rows(got, want):
    """Whether the rows are right but in a different order, or else the first one that is wrong."""
    tokens, right = got["tokens"], want["tokens"]
    if sorted(tokens.tolist()) == sorted(right.tolist()):
        return "the rows are right but in a different order, expected the order in which the sentences were given"
    wrong = (tokens != right).any(dim=1)
    if not wrong.any():
        return None
    row = int(wrong.nonzero()[0])
    return f"row {row} is {tokens[row].tolist()}, expected {right[row].tolist()}"


@check(
    "the sentences keep their order",
    points=1,
    needs=table,
    hint="Row b of the table is sentence b of the list. Nothing has to be sorted: you can find the length of the longest "
    "sentence without sorting.",
)
def order(pad_batch, draw: Draw):
    """Four sentences, the longest of them the third."""
    sentences, pad = some_sentences(draw, [3, 1, 5, 2])
    tokens, _, _ = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    return {"tokens": tokens}


order.explain(rows)


@check(
    "the mask is True on words and False on padding",
    points=2,
    needs=table,
    hint="In this book, a mask is True where there is something to look at, here a word. Row b of the mask begins "
    "with as many True values as sentence b has words, and the mask is of type bool.",
)
def where_words_are(pad_batch, draw: Draw):
    """The mask of such sentences, one with the word 0 in it, and what is seen through it of numbers that are drawn."""
    sentences, pad = some_sentences(draw, longest_first(draw, 4, 6))
    sentences[0][0] = 0
    numbers = draw.normal(4, 6)
    _, mask, _ = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    fits = isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.shape == numbers.shape
    return {"mask": mask, "numbers": numbers * mask if fits else numbers}


@where_words_are.explain
def rows_of_the_mask(got, want):
    """The first row of the mask that is wrong."""
    wrong = (got["mask"] != want["mask"]).any(dim=1)
    if not wrong.any():
        return None
    row = int(wrong.nonzero()[0])
    shown, words = got["mask"][row].int(), int(want["mask"][row].sum())
    return f"row {row} of the mask is {shown.tolist()}, with 1 for True; the sentence has {words} words"


@check(
    "the lengths count the words of each sentence",
    points=1,
    needs=table,
    hint="One integer for each sentence, in a tensor of type long: the number of its words before padding was added.",
)
def how_long(pad_batch, draw: Draw):
    """The lengths of nine sentences of up to forty words."""
    sentences, pad = some_sentences(draw, longest_first(draw, 9, 40))
    _, _, lengths = results_of(pad_batch(deepcopy(sentences), pad), sentences)
    return {"lengths": lengths}


@how_long.explain
def all_lengths(got, want):
    """All of them, side by side."""
    return f"the lengths are {got['lengths'].tolist()}, expected {want['lengths'].tolist()}"


def _all(pad_batch: Any, draw: Draw, lengths: list[int]) -> dict[str, Any]:
    """All three results for sentences of these lengths."""
    sentences, pad = some_sentences(draw, lengths)
    return dict(
        zip(("tokens", "mask", "lengths"), results_of(pad_batch(deepcopy(sentences), pad), sentences), strict=True)
    )


@check(
    "a batch of one sentence keeps its dimensions",
    points=1,
    hidden=True,
    needs=(table, where_words_are, how_long),
    hint="With one sentence the shapes are (1, S), (1, S) and (1,). squeeze() removes every dimension of size one, even those "
    "that belong there.",
)
def alone(pad_batch, draw: Draw):
    """A batch of one sentence, and one of a single word."""
    return {"one sentence": _all(pad_batch, draw, [7]), "one word": _all(pad_batch, draw, [1])}


@check(
    "an empty sentence is a row of padding",
    points=1,
    needs=(table, order, where_words_are, how_long),
    hint="A sentence without words has a row of its own: only padding, False everywhere in the mask, and a length of 0. "
    "torch.tensor([]) is of type float32 unless you pass another dtype.",
)
def empty(pad_batch, draw: Draw):
    """A sentence without a word, in the middle of a batch and at its beginning."""
    return {"in the middle": _all(pad_batch, draw, [4, 0, 2]), "at the beginning": _all(pad_batch, draw, [0, 4, 3])}


@check(
    "the caller's sentences are left as they were",
    points=1,
    needs=(table, order),
    arguments=True,
    hint="append, extend, +=, insert and sort change the list itself, and it is the caller's list. sentence + [...] makes a "
    "new one.",
)
def arguments(pad_batch, draw: Draw):
    """Whether the caller's lists are after the call what they were, by what is written of them: a list may say that it equals any."""
    sentences, pad = some_sentences(draw, [3, 1, 5, 2])
    given = deepcopy(sentences)
    tokens, _, _ = results_of(pad_batch(given, pad), sentences)
    return {"tokens": tokens, "is as it was": json.dumps(given) == json.dumps(sentences)}
