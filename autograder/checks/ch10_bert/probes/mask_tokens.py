"""What is asked of `mask_tokens`.

A right answer may draw in any order and as often as it likes, so nothing is said about which words are chosen. What holds for each
position, and how often things come, is left to the judges.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch10_bert.probes.chance import by_seed
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, note_slip, unpack

_MANY = 1000
"""How many ordinary ids there are where a random one is to be another than the one that stood there."""
_SOME = 20
"""How many there are where it matters which are chosen."""
_FEW = 6
"""How many there are where it matters which of them is drawn."""
_FAR = 30_000
CALLS, ROWS, WORDS = 24, 8, 16
"""How often a small batch is masked to see whether chance decides for each word, and how many words it has in how many rows."""

Ids = dict[str, int]


def _ids(draw: Draw, ordinary: int) -> Ids:
    """How many special ids there are and how many in all, and which is that of [MASK]."""
    special = int(draw.integers(4, 9))
    return {"num_special": special, "vocab_size": special + ordinary, "mask_id": int(draw.integers(0, special))}


def _tokens(draw: Draw, ids: Ids, rows: int, length: int, kinds: int) -> Tensor:
    """Tokens of which four of five are ordinary, of so many kinds: the first ordinary id, the last, and others between."""
    first, last = ids["num_special"], ids["vocab_size"] - 1
    others = draw.normal(last - first - 1).argsort()[: kinds - 2] + first + 1
    words = torch.cat([torch.tensor([first, last]), others])
    special = draw.integers(0, first, rows, length)
    return torch.where(draw.integers(0, 5, rows, length) == 0, special, words[draw.integers(0, kinds, rows, length)])


def _generator(draw: Draw) -> torch.Generator:
    return torch.Generator().manual_seed(int(draw.integers(0, 2**62)))


def _masked(
    mask_tokens: Callable[..., Any], tokens: Tensor, ids: Ids, generator: torch.Generator, *rate: float
) -> tuple[Tensor, Tensor]:
    """What BERT is shown and the labels, each a tensor like the tokens.

    Raises:
        MisuseError: They are others.
    """
    shape = tuple(tokens.shape)
    result = mask_tokens(tokens, ids["num_special"], ids["vocab_size"], ids["mask_id"], generator, *rate)
    results = []
    for name, found in zip(("inputs", "labels"), unpack(result, inputs=shape, labels=shape), strict=True):
        if isinstance(found, Tensor) and found.is_floating_point() and torch.equal(found, found.round()):
            note_slip(f"{name} is {kind_of(found)}, expected {kind_of(tokens)}, as tokens")
            found = found.to(tokens.dtype)
        if not isinstance(found, Tensor) or tuple(found.shape) != shape or found.dtype != tokens.dtype:
            raise MisuseError(f"{name} is {kind_of(found)}, expected {kind_of(tokens)}, as tokens")
        if (found.abs() > _FAR).any():
            told = f"{name} contain the number {int(found[found.abs() > _FAR][0])}"
            raise MisuseError(f"{told}, where ids end at {ids['vocab_size'] - 1}")
        results.append(found)
    return results[0], results[1]


def _small(**numbers: Tensor) -> dict[str, Tensor]:
    """The same numbers in fewer bytes."""
    return {name: tensor.to(torch.int16) for name, tensor in numbers.items()}


@probe("mask_tokens", draws=2)
def many(mask_tokens, draw: Draw):
    """A large batch of which nearly all words are chosen."""
    ids = _ids(draw, _MANY)
    tokens = _tokens(draw, ids, 32, 48, 12)
    rate = 0.9 + 0.002 * int(draw.integers(0, 10))
    inputs, labels = _masked(mask_tokens, tokens.clone(), ids, _generator(draw), rate)
    return {**_small(inputs=inputs, labels=labels, tokens=tokens), "rate": rate, **ids}


@probe("mask_tokens", draws=2)
def rates(mask_tokens, draw: Draw):
    """The labels at the rate of 15 % that is meant without another, and at one that is given."""
    ids = _ids(draw, _SOME)
    few, most = _tokens(draw, ids, 56, 48, 8), _tokens(draw, ids, 48, 48, 8)
    rate = 0.6 + 0.01 * int(draw.integers(0, 15))
    _, meant = _masked(mask_tokens, few.clone(), ids, _generator(draw))
    _, given = _masked(mask_tokens, most.clone(), ids, _generator(draw), rate)
    return {
        "without a rate": _small(labels=meant, tokens=few),
        "with a rate": _small(labels=given, tokens=most),
        "rates": [0.15, rate],
        **ids,
    }


@probe("mask_tokens", draws=2)
def words(mask_tokens, draw: Draw):
    """What is shown in the place of each ordinary id of a small vocabulary, nearly all of them chosen."""
    ids = _ids(draw, _FEW)
    tokens = draw.integers(ids["num_special"], ids["vocab_size"], 48, 64)
    inputs, _ = _masked(mask_tokens, tokens.clone(), ids, _generator(draw), 0.95)
    shown = inputs.clamp(-1, ids["vocab_size"]) + 1  # What is no id comes first and last.
    size = ids["vocab_size"] + 2
    table = torch.bincount((tokens * size + shown).flatten(), minlength=ids["vocab_size"] * size).view(-1, size)
    other = inputs.masked_fill((inputs == ids["mask_id"]) | (inputs == tokens), -1)
    several = {"rows": _of_several(other), "columns": _of_several(other.T)}
    return {"shown": table[ids["num_special"] :], **several, **_of_two(mask_tokens, draw), **ids}


def _of_two(mask_tokens: Callable[..., Any], draw: Draw) -> dict[str, Any]:
    """How many words stay of a batch of two ordinary ids that are all there is; and how many random words a batch of two of many has not."""
    ids = _ids(draw, 2)
    tokens = draw.integers(ids["num_special"], ids["vocab_size"], 48, 64)
    inputs, _ = _masked(mask_tokens, tokens.clone(), ids, _generator(draw), 1.0)
    many = _ids(draw, _MANY)
    few = many["num_special"] + draw.integers(0, 2, 24, 32)
    shown, _ = _masked(mask_tokens, few.clone(), many, _generator(draw), 1.0)
    unseen = (shown != many["mask_id"]) & (shown > many["num_special"] + 1)
    return {"of two": {"stayed": int((inputs == tokens).sum()), "words": tokens.numel()}, "unseen": int(unseen.sum())}


def _of_several(other: Tensor) -> int:
    """In how many rows two different words stand where it is not -1."""
    highest = other.amax(dim=1, keepdim=True)
    return int(((other >= 0) & (other != highest)).any(dim=1).sum())


@probe("mask_tokens", draws=2)
def apart(mask_tokens, draw: Draw):
    """A small batch, often: which words are chosen and become what, and the labels of the first time.

    All rows have their words at the same places. In `fates` 0 is not chosen, 1 shown as [MASK], 2 as another word, 3 as it is.
    """
    ids, generator = _ids(draw, _MANY), _generator(draw)
    marks = draw.integers(0, ids["num_special"], ROWS, 3)
    ordinary = draw.integers(ids["num_special"], ids["vocab_size"], ROWS, WORDS)
    tokens = torch.cat([marks[:, :1], ordinary, marks[:, 1:]], dim=1)
    results = [_masked(mask_tokens, tokens.clone(), ids, generator, 0.5) for _ in range(CALLS)]
    inputs, labels = (torch.stack(part)[:, :, 1 : WORDS + 1] for part in zip(*results, strict=True))
    fates = torch.where(inputs == ids["mask_id"], 1, torch.where(inputs == ordinary, 3, 2)) * (labels != -100)
    return {"fates": fates.to(torch.int8), **_small(labels=labels[0], tokens=ordinary)}


@probe("mask_tokens", draws=2)
def seeded(mask_tokens, draw: Draw):
    """A batch, several times with one generator; with another of the same seed; and of another seed."""
    ids = _ids(draw, _MANY)
    tokens = _tokens(draw, ids, 6, 20, 20)

    def calls(seed: int) -> list[Any]:
        generator = torch.Generator().manual_seed(seed)
        results = [_masked(mask_tokens, tokens.clone(), ids, generator, 0.5) for _ in range(3)]
        return [torch.stack(result).tolist() for result in results]

    found, results = by_seed(calls, draw)
    inputs, labels = torch.tensor(results[0])
    return {**found, **_small(inputs=inputs, labels=labels, tokens=tokens)}


@probe("mask_tokens")
def small(mask_tokens, draw: Draw):
    """Small batches, and one that is a view of another tensor."""
    ids = _ids(draw, _SOME)
    special = draw.integers(0, ids["num_special"], 2, 5)
    one, wide = (_tokens(draw, ids, *shape, 8) for shape in ((1, 30), (30, 7)))
    cases = {
        "one row": (one, 0.5),
        "one word": (one[:, :1].clone().fill_(ids["num_special"]), 0.5),
        "special ids alone": (special, 0.5),
        "the rate 0": (one.clone(), 0.0),
        "a transposed tensor": (wide.T, 0.5),
    }
    answers = {}
    for name, (tokens, rate) in cases.items():
        given = tokens.T.clone().T if name == "a transposed tensor" else tokens.clone()
        inputs, labels = _masked(mask_tokens, given, ids, _generator(draw), rate)
        answers[name] = _small(inputs=inputs, labels=labels, tokens=tokens)
    return answers


@probe("mask_tokens")
def left(mask_tokens, draw: Draw):
    """The tokens after two calls, and what the second gave."""
    ids, generator = _ids(draw, _MANY), _generator(draw)
    tokens = _tokens(draw, ids, 3, 20, 20)
    _masked(mask_tokens, tokens, ids, generator, 0.5)
    once = tokens.clone()
    inputs, labels = _masked(mask_tokens, tokens, ids, generator, 0.5)
    return {**_small(inputs=inputs, labels=labels), "once": once, "twice": tokens}
