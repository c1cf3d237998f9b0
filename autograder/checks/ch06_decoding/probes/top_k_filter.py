"""What is asked of `top_k_filter`."""

import torch

from autograder.declare import probe
from autograder.draw import Draw

_WORDS = 9


@probe("top_k_filter")
def rows(top_k_filter, draw: Draw):
    """Some rows of different logits."""
    logits, k = draw.normal(4, _WORDS, scale=2.0), int(draw.integers(2, 6))
    return {"logits": top_k_filter(logits.clone(), k), "given": logits, "k": k}


@probe("top_k_filter")
def shapes(top_k_filter, draw: Draw):
    """One row alone, and rows of rows, which are not contiguous."""
    k = int(draw.integers(1, 5))
    turned = draw.normal(3, _WORDS, 2).transpose(1, 2)  # (3, 2, V)
    return {"one row": top_k_filter(draw.normal(_WORDS), k), "three times two rows": top_k_filter(turned, k)}


@probe("top_k_filter")
def ties(top_k_filter, draw: Draw):
    """Logits of few different values."""
    logits, k = draw.integers(-2, 3, 6, _WORDS).float(), int(draw.integers(2, 5))
    return {"logits": top_k_filter(logits, k)}


@probe("top_k_filter")
def many(top_k_filter, draw: Draw):
    """As many as there are words, and more."""
    logits = draw.normal(3, _WORDS)
    return {
        "k = V": top_k_filter(logits.clone(), _WORDS),
        "k = V + 1": top_k_filter(logits.clone(), _WORDS + 1),
        "k far above V": top_k_filter(logits.clone(), 50 * _WORDS),
    }


@probe("top_k_filter")
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
    return {**found, "the argument": logits}
