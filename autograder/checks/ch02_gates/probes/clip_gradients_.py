"""What is asked of `clip_gradients_`."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.declare import probe
from autograder.draw import Draw
from autograder.probing import numbers_in, plain_number


def parameter(draw: Draw, grad: Tensor | None) -> nn.Parameter:
    """A parameter with this gradient, or without any."""
    shape = (2,) if grad is None else tuple(grad.shape)
    made = nn.Parameter(draw.normal(*shape, dtype=torch.float32 if grad is None else grad.dtype))
    made.grad = None if grad is None else grad.clone(memory_format=torch.preserve_format)
    return made


def clipped(clip_gradients_, parameters: Iterable[nn.Parameter], max_norm: float) -> Any:
    """The norm that comes back."""
    return plain_number(numbers_in(clip_gradients_(parameters, max_norm), "expected a number, and the norm is"))


def share_of(draw: Draw, grads: list[Tensor], low: float, high: float) -> float:
    """A largest norm that is between `low` and `high` times the norm that there is."""
    norm = sum(float(grad.double().square().sum()) for grad in grads) ** 0.5
    return norm * (low + (high - low) * float(draw.integers(0, 1000)) / 1000)


@probe("clip_gradients_")
def nothing_to_clip(clip_gradients_, draw: Draw):
    """One matrix, far shorter than what is allowed: the norm that comes back, and the gradient afterwards."""
    grad = draw.normal(3, 4)
    own = parameter(draw, grad)
    values = own.detach().clone()
    norm = clipped(clip_gradients_, [own], share_of(draw, [grad], 20.0, 30.0))
    return {"norm": norm, "grad": own.grad, "before": grad, "values": values}


@probe("clip_gradients_")
def too_long(clip_gradients_, draw: Draw):
    """One matrix, longer than what is allowed: its gradient afterwards, and the norm that comes back."""
    grad = draw.normal(3, 4)
    own, largest = parameter(draw, grad), share_of(draw, [grad], 0.2, 0.6)
    norm = clipped(clip_gradients_, [own], largest)
    return {"norm": norm, "grad": own.grad, "before": grad, "max_norm": largest}


@probe("clip_gradients_")
def several(clip_gradients_, draw: Draw):
    """Three parameters, each of them shorter than what is allowed, and longer all together."""
    grads = [draw.normal(3, 4), draw.normal(12), draw.normal(2, 2, 3)]
    grads = [grad / grad.norm() * length for grad, length in zip(grads, (1.0, 1.4, 1.2), strict=True)]
    own, largest = [parameter(draw, grad) for grad in grads], 1.45 + 0.2 * float(draw.integers(0, 1000)) / 1000
    norm = clipped(clip_gradients_, own, largest)
    return {"norm": norm, "grads": [p.grad for p in own], "before": grads, "max_norm": largest}


@probe("clip_gradients_")
def without_gradient(clip_gradients_, draw: Draw):
    """Frozen parameters stand among the others, the first among them."""
    grads = [None, draw.normal(4), None, draw.normal(2, 3)]
    own, largest = (
        [parameter(draw, grad) for grad in grads],
        share_of(draw, [g for g in grads if g is not None], 0.2, 0.6),
    )
    norm = clipped(clip_gradients_, own, largest)
    return {"norm": norm, "grads": [p.grad for p in own]}


@probe("clip_gradients_")
def gone_through_once(clip_gradients_, draw: Draw):
    """The parameters come as `module.parameters()` gives them: they can be gone through only once."""
    layer, largest = nn.Linear(4, 3), float(draw.integers(100, 200)) / 100
    for own in layer.parameters():
        own.grad = draw.normal(*own.shape)
    norm = clipped(clip_gradients_, layer.parameters(), largest)
    return {"norm": norm, "grads": [own.grad for own in layer.parameters()]}


@probe("clip_gradients_")
def nothing_at_all(clip_gradients_, draw: Draw):
    """Gradients of zeros, then no gradient, then one of some numbers."""
    found: dict[str, Any] = {}
    for name, grad in {"of zeros": torch.zeros(4), "of none": None, "of numbers": draw.normal(4)}.items():
        own = parameter(draw, grad)
        found[f"norm {name}"] = clipped(clip_gradients_, [own], 0.5)
        found[f"gradient {name}"] = own.grad
    return found


@probe("clip_gradients_")
def layouts(clip_gradients_, draw: Draw):
    """Double precision, and gradients whose numbers do not lie side by side."""
    grads = [draw.normal(4, 3, dtype=torch.float64).T, draw.normal(3, 4, 2).transpose(0, 2)]
    own, largest = [parameter(draw, grad) for grad in grads], share_of(draw, grads, 0.2, 0.6)
    norm = clipped(clip_gradients_, own, largest)
    return {"norm": norm, "grads": [p.grad for p in own]}
