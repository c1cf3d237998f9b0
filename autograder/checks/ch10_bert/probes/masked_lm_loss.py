"""What is asked of `masked_lm_loss`.

Any piece may be asked for, so that -100 alone says where none is.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

VOCABULARY, NOTHING = 7, -100
_BATCH, _LENGTH = 3, 6


def _logits(draw: Draw, batch: int = _BATCH, scale: float = 1.0) -> Tensor:
    return draw.normal(batch, _LENGTH, VOCABULARY, scale=scale)


def _labels(draw: Draw, *counts: int) -> Tensor:
    """As many chosen places in each row as the count says, anywhere in it, and -100 at the others.

    The piece 0 is among the chosen of the first row.
    """
    order = draw.normal(len(counts), _LENGTH).argsort(dim=1).argsort(dim=1)
    labels = draw.integers(0, VOCABULARY, len(counts), _LENGTH).masked_fill(
        order >= torch.tensor(counts)[:, None], NOTHING
    )
    if counts[0]:
        labels[0, order[0] == 0] = 0
    return labels


def _loss(masked_lm_loss: Any, logits: Tensor, labels: Tensor) -> Any:
    """The loss; what cross_entropy says of logits whose axes it does not know is told in words."""
    try:
        return masked_lm_loss(logits, labels)
    except RuntimeError as error:
        if "Expected target size" not in str(error):
            raise
        raise MisuseError(
            "the logits were passed to cross_entropy as they are, (B, S, V), and it treats S as the number of "
            "pieces. It expects V as the second dimension: logits (B, V, S) with labels (B, S), or logits (N, V) "
            "with labels (N,)"
        ) from error


def _single(value: Any) -> Any:
    """A number of any precision as a single one; another kind of result as it is."""
    return value.float() if isinstance(value, Tensor) and value.is_floating_point() else value


@probe("masked_lm_loss")
def all_chosen(masked_lm_loss, draw: Draw):
    """A piece is asked for at every place, and it is never the piece 0, which some take for padding."""
    logits, labels = _logits(draw), draw.integers(1, VOCABULARY, _BATCH, _LENGTH)
    return {"loss": _loss(masked_lm_loss, logits.clone(), labels.clone()), "logits": logits, "labels": labels}


@probe("masked_lm_loss")
def ratio(masked_lm_loss, draw: Draw):
    """The loss of some logits over that of others, with as many chosen places in every row: what is divided by does not matter."""
    logits, others, labels = _logits(draw), _logits(draw, scale=2.0), _labels(draw, *[3] * _BATCH)
    losses = [_loss(masked_lm_loss, given.clone(), labels.clone()) for given in (logits, others)]
    return {"ratio": losses[0] / losses[1], "logits": logits, "others": others, "labels": labels}


@probe("masked_lm_loss")
def some_chosen(masked_lm_loss, draw: Draw):
    """Rows with four chosen places, with one and with two."""
    logits, labels = _logits(draw), _labels(draw, 4, 1, 2)
    return {"loss": _loss(masked_lm_loss, logits.clone(), labels.clone()), "logits": logits, "labels": labels}


@probe("masked_lm_loss")
def none_chosen(masked_lm_loss, draw: Draw):
    """A batch in which nothing is asked, with what comes back to its logits; and one with such a row among others."""
    beside = _loss(masked_lm_loss, _logits(draw), _labels(draw, 2, 0, 3))
    logits = _logits(draw).requires_grad_()
    loss = _loss(masked_lm_loss, logits * 1, _labels(draw, *[0] * _BATCH))
    if isinstance(loss, Tensor) and loss.requires_grad and not loss.dim():
        loss.backward()
    if logits.grad is None:
        raise MisuseError(
            f"if nothing is chosen, the loss is {kind_of(loss)} and does not depend on the logits, so backward() "
            "has no gradient for them; expected a 0 that is computed from the logits, such as a sum over no "
            "positions"
        )
    return {"loss": loss, "gradient": logits.grad, "loss of a batch with one such row": beside}


@probe("masked_lm_loss")
def certain(masked_lm_loss, draw: Draw):
    """Logits that are far apart, so that most pieces have a probability too small for a float."""
    return {"loss": _loss(masked_lm_loss, _logits(draw, scale=300.0), _labels(draw, 3, 1, 2))}


@probe("masked_lm_loss")
def other_precision(masked_lm_loss, draw: Draw):
    """Logits of half precision and of double; the loss may be of any."""
    logits, labels = _logits(draw), _labels(draw, 3, 1, 2)
    dtypes = {"half": torch.float16, "double": torch.float64}
    return {name: _single(_loss(masked_lm_loss, logits.to(dtype), labels.clone())) for name, dtype in dtypes.items()}


@probe("masked_lm_loss")
def cut_out(masked_lm_loss, draw: Draw):
    """Logits and labels of one sequence and of two that are cut out of larger ones, and these as they are afterwards."""
    logits, labels = _logits(draw), _labels(draw, 4, 4, 5)
    cuts = {"loss of two": (slice(0, 2), slice(1, None)), "loss of one": (slice(2, 3), slice(0, -1))}
    losses = {name: _loss(masked_lm_loss, logits[cut], labels[cut]) for name, cut in cuts.items()}
    return {**losses, "logits": logits, "labels": labels}


@probe("masked_lm_loss")
def loss_gradient(masked_lm_loss, draw: Draw):
    """What comes back to the logits."""
    leaf, labels = _logits(draw).requires_grad_(), _labels(draw, 3, 1, 2)
    logits = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    (_loss(masked_lm_loss, logits, labels) * draw.normal()).backward()
    return {"gradient": leaf.grad}
