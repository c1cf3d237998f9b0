"""What is asked of `label_smoothed_loss`.

Any word may be real and any may stand at padding, so that the mask alone says what counts.
"""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

VOCABULARY = 7
_BATCH, _LENGTH = 3, 6


def _inputs(draw: Draw, *, scale: float = 1.5) -> tuple[Tensor, Tensor]:
    """Logits and targets; the word 0 is among the first of the targets, and another one stands last."""
    logits = draw.normal(_BATCH, _LENGTH, VOCABULARY, scale=scale)
    targets = draw.integers(0, VOCABULARY, _BATCH, _LENGTH)
    targets[0, 0], targets[1:, -1] = 0, 3
    return logits, targets


def _everywhere() -> Tensor:
    return torch.ones(_BATCH, _LENGTH, dtype=torch.bool)


def _epsilon(draw: Draw) -> float:
    """From 0.2 to 0.3: not the one that is usual."""
    return 0.2 + int(draw.integers(0, 100)) / 1000


@probe("label_smoothed_loss")
def unsmoothed(label_smoothed_loss, draw: Draw):
    """Nothing is smoothed, every place is real, and no word is 0, which some take for padding."""
    logits, targets = _inputs(draw)
    targets = targets.clamp(min=1)
    loss = label_smoothed_loss(logits.clone(), targets.clone(), _everywhere(), 0.0)
    return {"loss": loss, "logits": logits, "targets": targets}


@probe("label_smoothed_loss")
def smoothed(label_smoothed_loss, draw: Draw):
    """Every place is real, and no word is 0."""
    (logits, targets), epsilon = _inputs(draw), _epsilon(draw)
    targets = targets.clamp(min=1)
    loss = label_smoothed_loss(logits.clone(), targets.clone(), _everywhere(), epsilon)
    return {"loss": loss, "logits": logits, "targets": targets, "epsilon": epsilon}


@probe("label_smoothed_loss")
def ratio(label_smoothed_loss, draw: Draw):
    """The loss of some logits over that of others, in sentences of equal length: what is divided by does not matter."""
    (logits, targets), (others, _), epsilon = _inputs(draw), _inputs(draw, scale=2.5), _epsilon(draw)
    mask = (torch.arange(_LENGTH) < 4).repeat(_BATCH, 1)
    first, second = (
        label_smoothed_loss(given.clone(), targets.clone(), mask.clone(), epsilon) for given in (logits, others)
    )
    return {
        "ratio": first / second,
        "logits": logits,
        "others": others,
        "targets": targets,
        "mask": mask,
        "epsilon": epsilon,
    }


@probe("label_smoothed_loss")
def with_padding(label_smoothed_loss, draw: Draw):
    """Sentences of four words, of six and of one."""
    (logits, targets), epsilon = _inputs(draw), _epsilon(draw)
    mask = torch.arange(_LENGTH) < torch.tensor([[4], [6], [1]])
    loss = label_smoothed_loss(logits.clone(), targets.clone(), mask.clone(), epsilon)
    return {"loss": loss, "logits": logits, "targets": targets, "mask": mask, "epsilon": epsilon}


@probe("label_smoothed_loss")
def cut_out(label_smoothed_loss, draw: Draw):
    """Logits, targets and mask that are cut out of larger ones."""
    logits, targets = _inputs(draw)
    mask = draw.padding_mask(_BATCH, _LENGTH)
    return {"loss": label_smoothed_loss(logits[:, :-1], targets[:, 1:], mask[:, :-1], _epsilon(draw))}


@probe("label_smoothed_loss")
def certain(label_smoothed_loss, draw: Draw):
    """Logits that are far apart, so that most words have a probability too small for a float."""
    logits, targets = _inputs(draw, scale=300.0)
    return {"loss": label_smoothed_loss(logits, targets, draw.padding_mask(_BATCH, _LENGTH), _epsilon(draw))}


@probe("label_smoothed_loss")
def other_types(label_smoothed_loss, draw: Draw):
    """Half precision and double precision."""
    logits, targets = _inputs(draw)
    mask, epsilon = draw.padding_mask(_BATCH, _LENGTH), _epsilon(draw)
    return {
        str(dtype).removeprefix("torch."): label_smoothed_loss(logits.to(dtype), targets, mask, epsilon)
        for dtype in (torch.float16, torch.float64)
    }


@probe("label_smoothed_loss")
def loss_gradient(label_smoothed_loss, draw: Draw):
    """What comes back to the logits."""
    leaf, targets = _inputs(draw)
    leaf.requires_grad_()
    logits = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    loss = label_smoothed_loss(logits, targets, draw.padding_mask(_BATCH, _LENGTH), _epsilon(draw))
    (loss * draw.normal()).backward()
    return {"gradient": leaf.grad}


@probe("label_smoothed_loss")
def loss_arguments(label_smoothed_loss, draw: Draw):
    """The arguments as they are after the call."""
    (logits, targets), mask = _inputs(draw), draw.padding_mask(_BATCH, _LENGTH)
    loss = label_smoothed_loss(logits, targets, mask, _epsilon(draw))
    return {"loss": loss, "logits": logits, "targets": targets, "mask": mask}
