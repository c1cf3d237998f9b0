"""What is asked of `sequence_log_prob`.

The end mark is drawn, and no word is 0, which some answers treat as padding: only the end mark decides which words count.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

VOCABULARY = 7
_LENGTH = 5


def _inputs(draw: Draw, *ends: int, length: int = _LENGTH, scale: float = 1.5) -> tuple[Tensor, Tensor, int]:
    """Logits, target and the end mark; `ends` gives its position in each sentence."""
    eos = int(draw.integers(1, VOCABULARY))
    others = draw.integers(1, VOCABULARY - 1, len(ends), length)
    places, end = torch.arange(length), torch.tensor(ends).unsqueeze(1)
    target = torch.where(places == end, eos, others + (others >= eos))
    return draw.normal(len(ends), length, VOCABULARY, scale=scale), target, eos


def _asked(sequence_log_prob, logits: Tensor, target: Tensor, eos: int) -> dict[str, Any]:
    """The answer, with what was asked."""
    log_prob = sequence_log_prob(logits.clone(), target.clone(), eos)
    return {"log-probability": log_prob, "logits": logits, "target": target, "eos": eos}


@probe("sequence_log_prob")
def certain_end(sequence_log_prob, draw: Draw):
    """Sentences whose end is certain: its mark stands last and has a log-probability of 0, counted or not."""
    logits, target, eos = _inputs(draw, 4, 4, 4)
    logits[:, -1, eos] = 60.0
    return _asked(sequence_log_prob, logits, target, eos)


@probe("sequence_log_prob")
def end_itself(sequence_log_prob, draw: Draw):
    """Sentences whose end is not certain, with nothing behind it."""
    return _asked(sequence_log_prob, *_inputs(draw, 4, 4, 4))


@probe("sequence_log_prob")
def behind_the_end(sequence_log_prob, draw: Draw):
    """Sentences that end at different places, with words behind."""
    return _asked(sequence_log_prob, *_inputs(draw, 4, 2, 0, 1))


@probe("sequence_log_prob")
def second_end(sequence_log_prob, draw: Draw):
    """After the first end mark come further ones, with words in between."""
    logits, target, eos = _inputs(draw, 2, 1, 0)
    target[0, 4] = target[1, 3] = target[2, 1] = target[2, 2] = eos
    return _asked(sequence_log_prob, logits, target, eos)


@probe("sequence_log_prob")
def without_end(sequence_log_prob, draw: Draw):
    """Two of the sentences have no end mark."""
    return _asked(sequence_log_prob, *_inputs(draw, 3, _LENGTH, 1, _LENGTH))


@probe("sequence_log_prob")
def unlikely(sequence_log_prob, draw: Draw):
    """A long sentence, and a short one of words that are hardly possible."""
    long = _inputs(draw, 79, length=80)
    short = _inputs(draw, 4, scale=300.0)
    return {"long": sequence_log_prob(*long), "hardly possible": sequence_log_prob(*short)}


@probe("sequence_log_prob")
def impossible_behind(sequence_log_prob, draw: Draw):
    """Behind the end stand words that are impossible."""
    logits, target, eos = _inputs(draw, 1, 3, 2)
    behind = torch.arange(_LENGTH) > torch.tensor([[1], [3], [2]])
    chosen = torch.nn.functional.one_hot(target, VOCABULARY).bool()
    return {
        "log-probability": sequence_log_prob(logits.masked_fill(chosen & behind.unsqueeze(-1), -torch.inf), target, eos)
    }


@probe("sequence_log_prob")
def log_prob_gradient(sequence_log_prob, draw: Draw):
    """What comes back to the logits."""
    leaf, target, eos = _inputs(draw, 4, 2, 1)
    leaf.requires_grad_()
    (sequence_log_prob(leaf * 1, target, eos) * draw.normal(3)).sum().backward()
    return {"gradient": leaf.grad}
