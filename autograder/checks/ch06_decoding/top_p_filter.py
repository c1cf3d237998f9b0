"""The checks of `top_p_filter`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch06_decoding.filters import GONE, misuse, which, with_those_left
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close
from autograder.judging.verdict import Verdict

EXERCISE = Exercise("top_p_filter", "only the most probable words, up to a total of p", minutes=20, difficulty=2)


@in_use(new=True)
def in_chapter(top_p_filter, draw: Draw) -> Use:
    """Rows that are drawn, and rows of equal logits, where the sum reaches p exactly; one of many words; then all of the probability."""

    def call(logits: Tensor, p: float, many: Tensor) -> list[Any]:
        return with_those_left([top_p_filter(logits, p), top_p_filter(many, 0.9)])

    logits = draw.normal(5, 64, scale=2.0)
    logits[1], logits[3] = 0.0, -7.5
    later = torch.cat([draw.normal(1, 64), torch.zeros(1, 64)]), 1.0, _falling(draw, 70) + 300
    return Use(call, (logits, 0.25, _falling(draw, 2000)), later)


def _falling(draw: Draw, words: int) -> Tensor:
    """A row of logits that fall by equal steps, from 0 to nearly -5, in an order that is drawn: (1, V).

    Among 70 words, and among 2000, 0.9 lies midway between two sums.
    """
    return draw.normal(1, words).argsort(dim=-1) * (-5 / words)


_LADDERS = (
    (0.15, 0.14, 0.13, 0.12, 0.11, 0.10, 0.09, 0.085, 0.075),
    (0.40, 0.25, 0.15, 0.08, 0.05, 0.03, 0.02, 0.012, 0.008),
    (0.30, 0.22, 0.16, 0.11, 0.08, 0.05, 0.04, 0.025, 0.015),
)


_SHARES = (0.46, 0.6, 0.71, 0.86)


_WORDS = len(_LADDERS[0])


def _rows(draw: Draw, number: int) -> Tensor:
    """Logits whose probabilities are one of the ladders each, all of them among the first rows, in an order that is drawn: (number, V).

    They are rounded once, at the end: a logarithm in single precision is another on every processor.
    """
    ladders = torch.tensor(_LADDERS, dtype=torch.float64)[torch.arange(number) % len(_LADDERS)]
    ladders = ladders[draw.normal(number).argsort()] * (1 + draw.normal(number, _WORDS, scale=0.003).double())
    order = draw.normal(number, _WORDS).argsort(dim=-1)
    return (ladders.log().gather(-1, order) + draw.normal(number, 1, scale=3.0).double()).float()


def _share(draw: Draw) -> float:
    return _SHARES[int(draw.integers(0, len(_SHARES)))]


def _but_for_one_word(got: dict[str, Tensor], want: dict[str, Tensor]) -> Verdict:
    """Close, where a row may keep one word too many or too few: with which word it ends is another check's business."""
    near = {}
    for name, right in want.items():
        other = (got[name] > GONE) != (right > GONE)
        near[name] = got[name].where(~other | (other.sum(dim=-1, keepdim=True) > 1), right)
    return close()(near, want)


@check(
    "the most probable words stay until their sum reaches p, including the word that reaches it",
    reads=("logits",),
    points=3,
    hint="Sort the probabilities of a row from the largest down and add them up. A word stays if the sum before it is less than p. The "
    "result is in sorted order: bring it back to the original order of the words. (torch takes the arguments of a stable sort by name: "
    "dim=..., descending=..., stable=....)",
)
def rows(top_p_filter, draw: Draw):
    """Rows of which some are steeper than others; the most probable word has less than p."""
    logits, p = _rows(draw, 6), _share(draw)
    return {"logits": top_p_filter(logits.clone(), p), "given": logits, "p": p}


rows.explain(misuse)


@rows.explain
def words_left(got, want):
    """How many words stay in a row."""
    kept, wanted = ((answer["logits"] > GONE).sum(dim=-1) for answer in (got, want))
    if not torch.equal(kept, wanted):
        at = int((kept != wanted).long().argmax())
        return f"with p = {want['p']:.2f}, row {at} keeps {int(kept[at])} words, expected {int(wanted[at])}"
    if ((got["logits"] > GONE) != (want["logits"] > GONE)).any():
        return "each row has the right number of words left, but the wrong words: is the result back in the original order?"
    return None


@check(
    "the most probable word stays, however small p is",
    points=1,
    needs=rows,
    hint="The sum before the first word is 0, which is less than p. If you shift a mask by one place, do not lose the first word.",
)
def small(top_p_filter, draw: Draw):
    """With p below the probability of the most probable word."""
    logits = _rows(draw, 6)
    return {"logits": top_p_filter(logits.clone(), 0.05), "next to nothing": top_p_filter(logits.clone(), 1e-6)}


@small.explain
def words_left_of_small(got, want):
    """How many words stay."""
    name = next(name for name in want if not is_close(got[name], want[name]))
    left = (got[name] > GONE).sum(dim=-1)
    if (left == 0).any():
        return "a row has no word left at all: its softmax would be NaN"
    return f"a row has {int(left.max())} words left, expected only the most probable one" if left.max() > 1 else None


@check(
    "a single row and any number of leading dimensions work too, each row separately",
    points=1,
    needs=rows,
    compare=_but_for_one_word,
    hint="The words are along the last dimension, whatever dimensions come before it: use dim=-1 everywhere, and "
    "scatter to undo the sorting.",
)
def shapes(top_p_filter, draw: Draw):
    """One row alone, and rows of rows, which are not contiguous."""
    p = _share(draw)
    turned = _rows(draw, 6).view(3, 2, _WORDS).transpose(1, 2).contiguous().transpose(1, 2)
    return {"one row": top_p_filter(_rows(draw, 1)[0], p), "three times two rows": top_p_filter(turned, p)}


@check(
    "with p = 1 all words stay",
    points=1,
    hidden=True,
    needs=rows,
    hint="The sum of all probabilities may be 0.9999999 or 1.0000001, so a search for the first sum above p may find none.",
)
def whole(top_p_filter, draw: Draw):
    """With p = 1."""
    return {"logits": top_p_filter(_rows(draw, 8), 1.0)}


@check(
    "of equally probable words, the one with the lower id comes first",
    points=1,
    needs=rows,
    compare=_but_for_one_word,
    hint="A stable sort keeps equal values in order. An ascending sort that is reversed afterwards does not, and neither does a threshold.",
)
def ties(top_p_filter, draw: Draw):
    """Rows of equally probable words; some rows have a few that are more probable.

    They are long, because torch keeps the order of a few equal ones in any sort. No sum is near p.
    """
    more_probable = draw.normal(6, 64).argsort(dim=-1) < torch.tensor([[0], [10], [20], [40], [10], [20]])
    logits = 0.5 * more_probable + draw.integers(-3, 4, 6, 1)
    return {"logits": top_p_filter(logits, 0.37)}


@ties.explain
def not_the_first(got, want):
    """Whether it is only a question of order."""
    kept, wanted = ((answer["logits"] > GONE).sum(dim=-1) for answer in (got, want))
    if not torch.equal(kept, wanted):
        return None
    return (
        "each row keeps the right number of words, but of equally probable ones not those that come first: sort with "
        "descending=True and stable=True"
    )


ties.explain(which)


@check(
    "any floating-point type works, and the argument is not changed",
    points=1,
    needs=rows,
    compare=_but_for_one_word,
    arguments=True,
    hint="float('-inf') exists in every floating-point type, -1e9 does not. Methods that end in an underscore and assignments to "
    "logits[...] change the model's own tensor; masked_fill returns a new one.",
)
def half(top_p_filter, draw: Draw):
    """Half and double precision, and words that are impossible already."""
    p, found = _share(draw), {}
    for dtype in (torch.float16, torch.float64):
        found[str(dtype).removeprefix("torch.")] = top_p_filter(_rows(draw, 3).to(dtype), p)
    logits = torch.cat([_rows(draw, 3), torch.full((3, 2), float("-inf"))], dim=1)
    return {**found, "with impossible words": top_p_filter(logits, p)}
