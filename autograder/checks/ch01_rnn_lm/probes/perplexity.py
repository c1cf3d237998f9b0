"""What is asked of `perplexity`.

Log-probabilities are drawn such that no two sentences have like means, so that a mean of means is another number.
"""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import plain_number


def _log_probs(draw: Draw, batch: int, length: int) -> Tensor:
    """Log-probabilities (B, T) between about -6 and 0; those of each sentence lie around a level of its own."""
    level = -0.5 - 1.5 * draw.normal(batch).argsort().float().unsqueeze(1) / batch
    return level * draw.normal(batch, length, scale=0.4).exp()


@probe("perplexity")
def one_sentence(perplexity, draw: Draw):
    """One sentence without padding."""
    log_probs = _log_probs(draw, 1, 6) * 2
    mask = torch.ones(1, 6, dtype=torch.bool)
    return {"perplexity": plain_number(perplexity(log_probs.clone(), mask)), "log_probs": log_probs}


@probe("perplexity")
def padding(perplexity, draw: Draw):
    """One sentence of five words, and padding that looks like words; several sentences are another check's business."""
    log_probs, mask = _log_probs(draw, 1, 9), torch.arange(9).unsqueeze(0) < 5
    log_probs[:, 5:] *= 2
    return {
        "perplexity": plain_number(perplexity(log_probs.clone(), mask.clone())),
        "log_probs": log_probs,
        "mask": mask,
    }


@probe("perplexity")
def lengths(perplexity, draw: Draw):
    """Four sentences of very different lengths."""
    log_probs, mask = _log_probs(draw, 4, 16), torch.arange(16) < torch.tensor([[16], [1], [4], [2]])
    order = draw.normal(4).argsort()
    mask = mask[order]
    return {
        "perplexity": plain_number(perplexity(log_probs.clone(), mask.clone())),
        "log_probs": log_probs,
        "mask": mask,
    }


@probe("perplexity")
def anything_at_padding(perplexity, draw: Draw):
    """A probability of zero at the padding, or no number at all."""
    log_probs, mask = _log_probs(draw, 3, 6), draw.padding_mask(3, 6)
    values = {"-inf": float("-inf"), "NaN": float("nan")}
    return {
        name: plain_number(perplexity(log_probs.masked_fill(~mask, value), mask.clone()))
        for name, value in values.items()
    }


@probe("perplexity")
def long_text(perplexity, draw: Draw):
    """Two thousand words, whose probabilities have a product that is rounded to zero."""
    log_probs, mask = _log_probs(draw, 20, 100) * 3, draw.padding_mask(20, 100)
    return {"perplexity": plain_number(perplexity(log_probs, mask))}


@probe("perplexity")
def arguments(perplexity, draw: Draw):
    """Double precision, a batch turned out of another layout, with a graph; and the arguments as they are after the call."""
    log_probs, mask = _log_probs(draw, 3, 6), draw.padding_mask(3, 6)
    with_graph = log_probs.clone().requires_grad_() * 1
    found = {
        "double precision": perplexity(log_probs.double(), mask.clone()),
        "not contiguous": perplexity(log_probs.T.contiguous().T, mask.T.contiguous().T),
        "with a graph": perplexity(with_graph, mask.clone()),
        "a batch of one": perplexity(log_probs[:1].clone(), mask[:1].clone()),
    }
    perplexity(log_probs, mask)
    return {
        "perplexity": {name: plain_number(value) for name, value in found.items()},
        "log_probs": log_probs,
        "mask": mask,
    }
