"""What is asked of `sample_next`; the filter is a stand-in."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

WORDS = 8
_ROWS, _TIMES = 3, 400
REACH = 1.2
"""How far below the largest of its row a logit may be for the filter to keep it."""


def rows_of_logits(draw: Draw) -> Tensor:
    """Logits whose probabilities are well apart, in an order that is drawn: (rows, V)."""
    ladder = torch.linspace(0.0, 3.5, WORDS)
    rows = torch.stack([ladder[draw.normal(WORDS).argsort()] for _ in range(_ROWS)])
    return rows + draw.normal(_ROWS, WORDS, scale=0.1)


def _generator(draw: Draw) -> torch.Generator:
    return torch.Generator().manual_seed(int(draw.integers(0, 2**62)))


def _words(sample_next: Callable[..., Any], logits: Tensor, *args: Any) -> Tensor:
    """The words that are drawn for each row.

    Raises:
        MisuseError: They are no whole numbers, one for each row.
    """
    words = sample_next(logits, *args)
    wanted = f"expected integers, one for each row: shape ({len(logits)},)"
    if not isinstance(words, Tensor) or words.is_floating_point() or tuple(words.shape) != (len(logits),):
        raise MisuseError(f"the result is {kind_of(words)}, {wanted}")
    words = words.long()
    if ((words < 0) | (words >= logits.shape[-1])).any():
        raise MisuseError(f"a word is not one of the ids from 0 to {logits.shape[-1] - 1}, {wanted}")
    return words


def _drawn(sample_next: Callable[..., Any], rows: Tensor, draw: Draw, *args: Any) -> Tensor:
    """How often each word is drawn of each row, all rows many times in one batch: (rows, V)."""
    words = _words(sample_next, rows.repeat_interleave(_TIMES, dim=0), _generator(draw), *args)
    return torch.stack([torch.bincount(of_row, minlength=WORDS) for of_row in words.view(len(rows), _TIMES)])


@probe("sample_next", draws=2)
def plain(sample_next, draw: Draw):
    """Neither temperature nor filter."""
    rows = rows_of_logits(draw)
    return {"draws": _drawn(sample_next, rows, draw), "logits": rows}


@probe("sample_next", draws=2)
def temperatures(sample_next, draw: Draw):
    """A temperature below 1 and one above."""
    rows = rows_of_logits(draw)
    cold, hot = 0.3 + 0.01 * int(draw.integers(0, 10)), 3.0 + 0.05 * int(draw.integers(0, 20))
    return {
        "cold": _drawn(sample_next, rows, draw, cold),
        "hot": _drawn(sample_next, rows, draw, hot),
        "logits": rows,
        "temperatures": [cold, hot],
    }


def near_the_largest(logits: Any) -> Tensor:
    """A filter: removes what is more than `REACH` below the largest logit of its row."""
    if not isinstance(logits, Tensor) or logits.dim() != 2 or logits.shape[-1] != WORDS:
        raise MisuseError(f"keep was called with {kind_of(logits)}, expected logits of shape (B, V)")
    return logits.masked_fill(logits < logits.amax(dim=-1, keepdim=True) - REACH, float("-inf"))


@probe("sample_next", draws=2)
def filtered(sample_next, draw: Draw):
    """A filter for which it matters what it is given, with temperatures below and above 1."""
    rows = rows_of_logits(draw)
    return {
        "cold": _drawn(sample_next, rows, draw, 0.6, near_the_largest),
        "hot": _drawn(sample_next, rows, draw, 2.0, near_the_largest),
        "logits": rows,
        "temperatures": [0.6, 2.0],
    }


@probe("sample_next", draws=2)
def seeded(sample_next, draw: Draw):
    """Words that are drawn one call after the other with one generator; with another of the same seed; and of another seed."""
    rows, times = rows_of_logits(draw), 8
    seed, other = draw.integers(0, 2**62, 2).tolist()
    before = torch.default_generator.get_state()
    found = []
    for of_this in (seed, seed, other):
        generator, batch = torch.Generator().manual_seed(of_this), rows.repeat_interleave(times, dim=0)
        found.append(torch.stack([_words(sample_next, batch, generator) for _ in range(12)]))  # (12, rows * times)
    words = torch.cat([found[0], found[2]]).view(-1, _ROWS, times)
    return {
        "the same seed gives the same words": torch.equal(found[0], found[1]),
        "another seed gives other words": not torch.equal(found[0], found[2]),
        "a generator goes on from call to call": not (found[0] == found[0][:1]).all().item(),
        "torch's own generator is left alone": torch.equal(before, torch.default_generator.get_state()),
        "draws": torch.stack([torch.bincount(words[:, row].flatten(), minlength=WORDS) for row in range(_ROWS)]),
    }


@probe("sample_next", draws=2)
def far(sample_next, draw: Draw):
    """Logits far from zero, one of them minus infinity, with a gradient behind them."""
    rows = rows_of_logits(draw) + torch.tensor([[1000.0], [-1000.0], [200.0]])
    rows[:, int(draw.integers(0, WORDS))] = float("-inf")
    weight = torch.ones((), requires_grad=True)
    return {"draws": _drawn(sample_next, rows * weight, draw, 1.5), "impossible": rows.isneginf()}


@probe("sample_next", draws=2)
def untouched(sample_next, draw: Draw):
    """What became of the logits; and one row alone, often."""
    one = rows_of_logits(draw)[:1].clone()
    words = torch.cat([_words(sample_next, one, _generator(draw), 2.0) for _ in range(25)])
    return {"logits": one, "draws": torch.bincount(words, minlength=WORDS).unsqueeze(0)}
