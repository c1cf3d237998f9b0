"""The checks of `top_k_filter`."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch06_decoding.filters import GONE, misuse, which, with_those_left
from autograder.declare import Exercise, check

EXERCISE = Exercise("top_k_filter", "only the k most probable words", minutes=10, difficulty=1)


@in_use(new=True)
def in_chapter(top_k_filter, draw: Draw) -> Use:
    """Rows in which logits come again and words are impossible already, and some of many words that are nearly equal, or far apart; then fewer words."""
    near = 1 + draw.normal(1, 40).argsort(dim=-1) * torch.finfo(torch.float32).eps

    def call(logits: Tensor, k: int, many: Tensor) -> list[Any]:
        rows = (logits, k), (many, 2 * many.shape[-1] // 5), (500 * many, 20), (near.to(many), k)
        return with_those_left([top_k_filter(*row) for row in rows])

    logits = draw.integers(-4, 5, 3, 2, 21) / 2
    logits[0, :, 3:7] = -math.inf
    few = draw.normal(1, 6, scale=80.0)
    return Use(call, (logits, 5, draw.normal(1, 5000) + 8), (few, 9, draw.normal(1, 700)))


_WORDS = 9


@check(
    "the k largest logits of a row stay as they are, the others become minus infinity",
    reads=("logits",),
    points=2,
    hint="The k-th largest logit of a row is a threshold: replace every smaller one by minus infinity, whose softmax is 0. A logit of 0 "
    "still has probability.",
)
def rows(top_k_filter, draw: Draw):
    """Some rows of different logits."""
    logits, k = draw.normal(4, _WORDS, scale=2.0), int(draw.integers(2, 6))
    return {"logits": top_k_filter(logits.clone(), k), "given": logits, "k": k}


rows.explain(misuse)


@rows.explain
def words_left(got, want):
    """How many words stay in each row."""
    kept = (got["logits"] > GONE).sum(dim=-1)
    same = (kept == kept[0]).all() and kept[0] != want["k"]
    return f"each row has {int(kept[0])} words left, expected k = {want['k']}" if same else None


rows.explain(which)


@check(
    "a single row and any number of leading dimensions work too, each row separately",
    points=1,
    needs=rows,
    hint="The words are along the last dimension, whatever dimensions come before it: use dim=-1 and [..., -1:].",
)
def shapes(top_k_filter, draw: Draw):
    """One row alone, and rows of rows, which are not contiguous."""
    k = int(draw.integers(1, 5))
    turned = draw.normal(3, _WORDS, 2).transpose(1, 2)  # (3, 2, V)
    return {"one row": top_k_filter(draw.normal(_WORDS), k), "three times two rows": top_k_filter(turned, k)}


@check(
    "words whose logits equal the k-th largest stay too",
    points=1,
    hidden=True,
    needs=rows,
    hint="Compare each logit with the k-th largest: a logit that equals it is not smaller. The indices that topk returns leave out some of "
    "the equal ones.",
)
def ties(top_k_filter, draw: Draw):
    """Logits of few different values."""
    logits, k = draw.integers(-2, 3, 6, _WORDS).float(), int(draw.integers(2, 5))
    return {"logits": top_k_filter(logits, k)}


@ties.explain
def words_left_in_all(got, want):
    """How many words stay."""
    kept, wanted = (int(torch.isfinite(answer["logits"]).sum()) for answer in (got, want))
    return f"{kept} words stay in all rows together, expected {wanted}" if kept != wanted else None


@check(
    "k may be the number of words, or more",
    points=1,
    hidden=True,
    needs=rows,
    hint="topk raises an error if you ask for more than V. In that case there is nothing to remove, so ask for at most V.",
)
def many(top_k_filter, draw: Draw):
    """As many as there are words, and more."""
    logits = draw.normal(3, _WORDS)
    return {
        "k = V": top_k_filter(logits.clone(), _WORDS),
        "k = V + 1": top_k_filter(logits.clone(), _WORDS + 1),
        "k far above V": top_k_filter(logits.clone(), 50 * _WORDS),
    }


@check(
    "any floating-point type works, and the argument is not changed",
    points=1,
    needs=rows,
    arguments=True,
    hint="float('-inf') exists in every floating-point type, -1e9 does not. Methods that end in an underscore and assignments to "
    "logits[...] change the model's own tensor; masked_fill returns a new one.",
)
def half(top_k_filter, draw: Draw):
    """Half and double precision, words that are impossible already, and what became of the argument."""
    k, found = int(draw.integers(2, 5)), {}
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        # Sixteenths keep apart in every type.
        logits = (draw.normal(_WORDS).argsort().to(dtype) / 4 - 1).unsqueeze(0)
        found[str(dtype).removeprefix("torch.")] = top_k_filter(logits, k)
    logits = draw.normal(3, _WORDS)
    logits[:, int(draw.integers(0, _WORDS))] = float("-inf")
    found["with an impossible word"] = top_k_filter(logits, k)
    return {**found, "the argument after the call": logits}
