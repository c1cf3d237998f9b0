"""What is asked of `answer_only_loss`.

Any id may be to be written and any may be padding, so that `is_answer` alone says what counts.
"""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

VOCABULARY = 7
_BATCH, _LENGTH = 3, 8


def _inputs(draw: Draw, *, scale: float = 1.5) -> tuple[Tensor, Tensor]:
    """Logits and tokens; a piece that is to be written in every probe has the id 0."""
    logits, tokens = (
        draw.normal(_BATCH, _LENGTH, VOCABULARY, scale=scale),
        draw.integers(0, VOCABULARY, _BATCH, _LENGTH),
    )
    tokens[1, 5] = 0
    return logits, tokens


def _spans(*spans: tuple[int, int]) -> Tensor:
    """Which pieces are to be written: in each row those from one place up to another, which is left out."""
    places = torch.arange(_LENGTH)
    return torch.stack([(places >= start) & (places < end) for start, end in spans])


@probe("answer_only_loss")
def all_written(answer_only_loss, draw: Draw):
    """There is no instruction and no padding: all pieces but the first, which nothing predicts, are to be written."""
    logits, tokens = _inputs(draw)
    marks = _spans((1, 8), (1, 8), (1, 8))
    return {"loss": answer_only_loss(logits.clone(), tokens.clone(), marks), "logits": logits, "tokens": tokens}


@probe("answer_only_loss")
def answers(answer_only_loss, draw: Draw):
    """Three answers of three pieces, each with its instruction, and padding behind two of them."""
    logits, tokens = _inputs(draw)
    marks = _spans((3, 6), (5, 8), (2, 5))
    loss = answer_only_loss(logits.clone(), tokens.clone(), marks.clone())
    return {"loss": loss, "logits": logits, "tokens": tokens, "is_answer": marks}


@probe("answer_only_loss")
def lengths(answer_only_loss, draw: Draw):
    """Answers of one, two and five pieces."""
    logits, tokens = _inputs(draw)
    marks = _spans((7, 8), (4, 6), (2, 7))
    loss = answer_only_loss(logits.clone(), tokens.clone(), marks.clone())
    return {"loss": loss, "logits": logits, "tokens": tokens, "is_answer": marks}


@probe("answer_only_loss")
def some_without(answer_only_loss, draw: Draw):
    """A sequence without an answer, whose whole is padding, and one that is to be written but for its first piece."""
    logits, tokens = _inputs(draw)
    return {"loss": answer_only_loss(logits, tokens, _spans((8, 8), (1, 8), (6, 8)))}


@probe("answer_only_loss")
def far_apart(answer_only_loss, draw: Draw):
    """Logits that are far apart, and half and double precision."""
    logits, tokens = _inputs(draw, scale=200.0)
    marks, found = _spans((3, 6), (5, 8), (2, 5)), {}
    found["logits of some hundreds"] = answer_only_loss(logits, tokens, marks.clone())
    for dtype in (torch.float16, torch.float64):
        found[str(dtype).removeprefix("torch.")] = answer_only_loss((logits / 100).to(dtype), tokens, marks.clone())
    return found


@probe("answer_only_loss")
def loss_gradient(answer_only_loss, draw: Draw):
    """What comes back to the logits."""
    leaf, tokens = _inputs(draw)
    leaf.requires_grad_()
    loss = answer_only_loss(leaf * 1, tokens, _spans((3, 6), (5, 8), (2, 4)))
    (loss * draw.normal()).backward()
    return {"gradient": leaf.grad}


@probe("answer_only_loss")
def loss_arguments(answer_only_loss, draw: Draw):
    """The arguments as they are after the call."""
    (logits, tokens), marks = _inputs(draw), _spans((3, 6), (5, 8), (2, 4))
    loss = answer_only_loss(logits, tokens, marks)
    return {"loss": loss, "logits": logits, "tokens": tokens, "is_answer": marks}
