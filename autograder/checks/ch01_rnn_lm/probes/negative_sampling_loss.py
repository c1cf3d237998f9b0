"""What is asked of `negative_sampling_loss`.

One of the loss's two terms is looked at while the other stays as it is: its embeddings are zeros, so that it is the same number
twice, and goes out of the difference of two losses.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import in_shape

_SIZE = 5


def _near(draw: Draw, *shape: int) -> Tensor:
    """Embeddings whose scores are near zero: what is lost far from it is a check of its own."""
    return draw.normal(*shape, scale=0.6)


def _of_one(loss: Any) -> Any:
    """The loss of one pair; whether a mean was taken is another check's business."""
    return in_shape(loss)


@probe("negative_sampling_loss")
def seen(negative_sampling_loss, draw: Draw):
    """One centre with two words, one after the other, and one negative of zeros."""
    center, words = _near(draw, 1, _SIZE), _near(draw, 2, 1, _SIZE)
    zeros = torch.zeros(1, 1, _SIZE)
    losses = [_of_one(negative_sampling_loss(center.clone(), word.clone(), zeros.clone())) for word in words]
    return {"losses": losses, "center": center, "words": words}


@probe("negative_sampling_loss")
def drawn(negative_sampling_loss, draw: Draw):
    """One centre with two negatives, one after the other, beside a word of zeros."""
    center, words = _near(draw, 1, _SIZE), _near(draw, 2, 1, _SIZE)
    zeros = torch.zeros(1, _SIZE)
    losses = [_of_one(negative_sampling_loss(center.clone(), zeros.clone(), word.unsqueeze(0))) for word in words]
    return {"losses": losses, "center": center, "words": words}


@probe("negative_sampling_loss")
def several(negative_sampling_loss, draw: Draw):
    """One pair with six negatives."""
    center, context, negatives = _near(draw, 1, _SIZE), _near(draw, 1, _SIZE), _near(draw, 1, 6, _SIZE)
    loss = negative_sampling_loss(center.clone(), context.clone(), negatives.clone())
    return {"loss": _of_one(loss), "center": center, "context": context, "negatives": negatives}


@probe("negative_sampling_loss")
def batch(negative_sampling_loss, draw: Draw):
    """Four pairs with three negatives each."""
    center, context, negatives = _near(draw, 4, _SIZE), _near(draw, 4, _SIZE), _near(draw, 4, 3, _SIZE)
    loss = negative_sampling_loss(center.clone(), context.clone(), negatives.clone())
    return {"loss": loss, "center": center, "context": context, "negatives": negatives}


@probe("negative_sampling_loss")
def sizes(negative_sampling_loss, draw: Draw):
    """Many pairs with one negative each, as many pairs as negatives, and embeddings of one number."""
    shapes = {
        "one negative": (4, 1, _SIZE),
        "as many pairs as negatives": (3, 3, 3),
        "embeddings of one number": (3, 2, 1),
    }
    return {
        name: negative_sampling_loss(_near(draw, b, e), _near(draw, b, e), _near(draw, b, k, e))
        for name, (b, k, e) in shapes.items()
    }


@probe("negative_sampling_loss")
def far(negative_sampling_loss, draw: Draw):
    """Scores of 150 and more, all of them on the wrong side and then all on the right one."""
    center = draw.normal(3, _SIZE)
    toward = center * (150 + draw.integers(0, 100, 3, 1)) / (center * center).sum(dim=1, keepdim=True)
    near = draw.normal(3, 2, _SIZE)
    wrong = negative_sampling_loss(center.clone(), -toward, torch.stack([toward, toward], dim=1))
    right = negative_sampling_loss(center.clone(), toward, torch.cat([-toward.unsqueeze(1), near], dim=1))
    return {"wrong side": wrong, "right side": right}


@probe("negative_sampling_loss")
def loss_gradient(negative_sampling_loss, draw: Draw):
    """What comes back to all three."""
    center, context, negatives = (_near(draw, *shape) for shape in ((3, _SIZE), (3, _SIZE), (3, 2, _SIZE)))
    for tensor in (center, context, negatives):
        tensor.requires_grad_()
    negative_sampling_loss(center * 1, context * 1, negatives * 1).backward()
    return {"center": center.grad, "context": context.grad, "negatives": negatives.grad}


@probe("negative_sampling_loss")
def types(negative_sampling_loss, draw: Draw):
    """Half and double precision, of scores near zero; and the arguments as they are after the call."""
    given = [_near(draw, *shape) for shape in ((3, _SIZE), (3, _SIZE), (3, 2, _SIZE))]
    half = negative_sampling_loss(*(tensor.half() for tensor in given))
    double = negative_sampling_loss(*(tensor.double() for tensor in given))
    negative_sampling_loss(*given)
    return {"half precision": half, "double precision": double, "the arguments after the call": given}
