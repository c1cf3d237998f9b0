"""What is asked of `top_p_filter`.

Where the probabilities are given, no sum of them is near p: rounding decides nothing.
"""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

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


@probe("top_p_filter")
def rows(top_p_filter, draw: Draw):
    """Rows of which some are steeper than others; the most probable word has less than p."""
    logits, p = _rows(draw, 6), _share(draw)
    return {"logits": top_p_filter(logits.clone(), p), "given": logits, "p": p}


@probe("top_p_filter")
def small(top_p_filter, draw: Draw):
    """With p below the probability of the most probable word."""
    logits = _rows(draw, 6)
    return {"logits": top_p_filter(logits.clone(), 0.05), "next to nothing": top_p_filter(logits.clone(), 1e-6)}


@probe("top_p_filter")
def shapes(top_p_filter, draw: Draw):
    """One row alone, and rows of rows, which are not contiguous."""
    p = _share(draw)
    turned = _rows(draw, 6).view(3, 2, _WORDS).transpose(1, 2).contiguous().transpose(1, 2)
    return {"one row": top_p_filter(_rows(draw, 1)[0], p), "three times two rows": top_p_filter(turned, p)}


@probe("top_p_filter")
def whole(top_p_filter, draw: Draw):
    """With p = 1."""
    return {"logits": top_p_filter(_rows(draw, 8), 1.0)}


@probe("top_p_filter")
def ties(top_p_filter, draw: Draw):
    """Rows of equally probable words; some rows have a few that are more probable.

    They are long, because torch keeps the order of a few equal ones in any sort. No sum is near p.
    """
    more_probable = draw.normal(6, 64).argsort(dim=-1) < torch.tensor([[0], [10], [20], [40], [10], [20]])
    logits = 0.5 * more_probable + draw.integers(-3, 4, 6, 1)
    return {"logits": top_p_filter(logits.clone(), 0.37), "given": logits}


@probe("top_p_filter")
def half(top_p_filter, draw: Draw):
    """Half and double precision, words that are impossible already, and what became of the argument."""
    p, found = _share(draw), {}
    for dtype in (torch.float16, torch.float64):
        found[str(dtype).removeprefix("torch.")] = top_p_filter(_rows(draw, 3).to(dtype), p)
    logits = torch.cat([_rows(draw, 3), torch.full((3, 2), float("-inf"))], dim=1)
    found["with impossible words"] = top_p_filter(logits, p)
    return {**found, "the argument": logits}
