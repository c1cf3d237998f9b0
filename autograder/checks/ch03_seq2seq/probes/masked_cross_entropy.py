"""What is asked of `masked_cross_entropy`.

Any word may be real and any may stand at padding, so that the mask alone says what counts.
"""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

VOCABULARY = 7
_BATCH, _LENGTH = 3, 6


def _inputs(draw: Draw, *, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    """Logits and target; the word 0 is among the first of the target, and another one stands last."""
    logits, target = (
        draw.normal(_BATCH, _LENGTH, VOCABULARY, scale=scale),
        draw.integers(0, VOCABULARY, _BATCH, _LENGTH),
    )
    target[0, 0], target[1:, -1] = 0, 3
    return logits, target


@probe("masked_cross_entropy")
def without_padding(masked_cross_entropy, draw: Draw):
    """Every place is real, and no word is 0, which some take for padding."""
    logits, target = _inputs(draw)
    target = target.clamp(min=1)
    loss = masked_cross_entropy(logits.clone(), target.clone(), torch.ones(_BATCH, _LENGTH, dtype=torch.bool))
    return {"loss": loss, "logits": logits, "target": target}


@probe("masked_cross_entropy")
def ratio(masked_cross_entropy, draw: Draw):
    """The loss of some logits over that of others, in sentences of equal length: what is divided by does not matter."""
    (logits, target), (others, _) = _inputs(draw), _inputs(draw, scale=2.0)
    mask = (torch.arange(_LENGTH) < 4).repeat(_BATCH, 1)
    losses = [masked_cross_entropy(given, target.clone(), mask.clone()) for given in (logits.clone(), others.clone())]
    return {"ratio": losses[0] / losses[1], "logits": logits, "others": others, "target": target, "mask": mask}


@probe("masked_cross_entropy")
def with_padding(masked_cross_entropy, draw: Draw):
    """Sentences of four words, of six and of one."""
    logits, target = _inputs(draw)
    mask = torch.arange(_LENGTH) < torch.tensor([[4], [6], [1]])
    loss = masked_cross_entropy(logits.clone(), target.clone(), mask.clone())
    return {"loss": loss, "logits": logits, "target": target, "mask": mask}


@probe("masked_cross_entropy")
def cut_out(masked_cross_entropy, draw: Draw):
    """Logits, target and mask that are cut out of larger ones."""
    logits, target = _inputs(draw)
    mask = draw.padding_mask(_BATCH, _LENGTH)
    return {"loss": masked_cross_entropy(logits[:, :-1], target[:, 1:], mask[:, :-1])}


@probe("masked_cross_entropy")
def certain(masked_cross_entropy, draw: Draw):
    """Logits that are far apart, so that most words have a probability too small for a float."""
    logits, target = _inputs(draw, scale=300.0)
    return {"loss": masked_cross_entropy(logits, target, draw.padding_mask(_BATCH, _LENGTH))}


@probe("masked_cross_entropy")
def loss_gradient(masked_cross_entropy, draw: Draw):
    """What comes back to the logits."""
    leaf, target = _inputs(draw)
    leaf.requires_grad_()
    logits = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    (masked_cross_entropy(logits, target, draw.padding_mask(_BATCH, _LENGTH)) * draw.normal()).backward()
    return {"gradient": leaf.grad}


@probe("masked_cross_entropy")
def loss_arguments(masked_cross_entropy, draw: Draw):
    """The arguments as they are after the call."""
    (logits, target), mask = _inputs(draw), draw.padding_mask(_BATCH, _LENGTH)
    loss = masked_cross_entropy(logits, target, mask)
    return {"loss": loss, "logits": logits, "target": target, "mask": mask}
