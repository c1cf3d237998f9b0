"""What is asked of `masked_softmax`."""

import torch

from autograder.declare import probe
from autograder.draw import Draw


@probe("masked_softmax")
def nothing_masked(masked_softmax, draw: Draw):
    """Every place may be attended: this is the softmax alone."""
    scores = draw.normal(2, 3, 5)
    weights = masked_softmax(scores.clone(), torch.ones(2, 3, 5, dtype=torch.bool))
    return {"weights": weights, "scores": scores}


@probe("masked_softmax")
def padding(masked_softmax, draw: Draw):
    """Some places are masked, none of the rows wholly."""
    scores, mask = draw.normal(3, 4, 6), draw.mask(3, 4, 6)
    return {"weights": masked_softmax(scores.clone(), mask.clone()), "scores": scores, "mask": mask}


@probe("masked_softmax")
def empty_row(masked_softmax, draw: Draw):
    """One row has no place to attend to, and the others are whole."""
    scores, mask = draw.normal(2, 3, 5), torch.ones(2, 3, 5, dtype=torch.bool)
    mask[1, 2] = False
    return {"weights": masked_softmax(scores.clone(), mask.clone())}


@probe("masked_softmax")
def broadcast(masked_softmax, draw: Draw):
    """One mask for all the queries of a sentence."""
    return {"weights": masked_softmax(draw.normal(3, 4, 6), draw.padding_mask(3, 6).unsqueeze(1))}


@probe("masked_softmax")
def any_dimensions(masked_softmax, draw: Draw):
    """One row alone, a batch of one, and four dimensions."""
    shapes = {"one row": (5,), "a batch of one": (1, 1, 5), "four dimensions": (2, 2, 3, 5)}
    return {name: masked_softmax(draw.normal(*shape), draw.mask(*shape)) for name, shape in shapes.items()}


@probe("masked_softmax")
def half_precision(masked_softmax, draw: Draw):
    """Half precision holds no number beyond 65504, and none between 0 and 6e-8; one row has nothing to share out."""
    mask = draw.mask(2, 3, 5)
    mask[0, 1] = False
    return {"weights": masked_softmax(draw.normal(2, 3, 5, dtype=torch.float16), mask)}


@probe("masked_softmax")
def far_from_zero(masked_softmax, draw: Draw):
    """Rows of scores far below and far above zero, whose masked places stand above the rest."""
    mask = draw.mask(2, 3, 5)
    away = draw.integers(2, 5, 2, 3, 1) * 10_000.0
    away[0] *= -1
    return {"weights": masked_softmax(draw.normal(2, 3, 5) + away + 1_000.0 * ~mask, mask)}


@probe("masked_softmax")
def gradient(masked_softmax, draw: Draw):
    """What comes back to the scores, with an empty row among them."""
    leaf, mask, outer = draw.normal(2, 3, 5).requires_grad_(), draw.mask(2, 3, 5), draw.normal(2, 3, 5)
    mask[0, 1] = False
    scores = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    (masked_softmax(scores, mask) * outer).sum().backward()
    return {"gradient": leaf.grad}


@probe("masked_softmax")
def arguments(masked_softmax, draw: Draw):
    """The arguments as they are after the call."""
    scores, mask = draw.normal(2, 3, 5), draw.mask(2, 3, 5)
    weights = masked_softmax(scores, mask)
    return {"weights": weights, "scores": scores, "mask": mask}
