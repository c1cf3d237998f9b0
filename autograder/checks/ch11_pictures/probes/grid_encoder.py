"""What is asked of `GridEncoder`, with stand-ins for its convolutions and its positions."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, expect_weights, unpack

CHANNELS, HIDDEN = 6, 6
"""Equal on purpose: a step that is left out does not show in the shapes."""


class Convolutions(nn.Module):
    """In place of convolutions: every second pixel, in six channels that differ, each with a weight of its own; black pixels give zeros."""

    def __init__(self) -> None:
        """Make the weights, and count the calls."""
        super().__init__()
        self.scales = nn.Parameter(torch.linspace(0.5, 1.75, CHANNELS))
        self.runs = 0

    def forward(self, pictures: Any) -> Tensor:
        """Look at every second pixel: (B, 3, H, W) -> (B, 6, H / 2, W / 2)."""
        if not isinstance(pictures, Tensor) or pictures.dim() != 4 or pictures.shape[1] != 3:
            raise MisuseError(f"the convolutions were given {kind_of(pictures)}, expected the pictures, (B, 3, H, W)")
        self.runs += 1
        some = pictures[..., ::2, ::2]
        return torch.cat([some, torch.sin(2 * some)], dim=1) * self.scales.view(-1, 1, 1)


def nowhere(height: Any, width: Any, size: Any) -> Tensor:
    """In place of `positions`: nothing to add."""
    _look_at(height, width, size)
    return torch.zeros(height * width, size)


def somewhere(height: Any, width: Any, size: Any) -> Tensor:
    """In place of `positions`: numbers that differ between rows and columns."""
    _look_at(height, width, size)
    rows, columns = torch.arange(height).view(-1, 1, 1), torch.arange(width).view(1, -1, 1)
    return torch.sin(rows + 0.3 * columns + 0.7 * torch.arange(size)).flatten(0, 1)


def _look_at(height: Any, width: Any, size: Any) -> None:
    if not all(isinstance(number, int) for number in (height, width, size)):
        kinds = ", ".join(map(kind_of, (height, width, size)))
        raise MisuseError(f"positions was given {kinds}, expected three integers: h, w and the number of channels")
    if size != CHANNELS:
        raise MisuseError(
            f"positions was given {size} for its last argument, expected the number of channels, here {CHANNELS}"
        )


def built(encoder_class, draw: Draw, positions):
    """The student's encoder with drawn weights."""
    encoder = encoder_class(Convolutions(), CHANNELS, HIDDEN, positions)
    shapes = {
        "project.weight": (HIDDEN, CHANNELS),
        "project.bias": (HIDDEN,),
        "bridge.weight": (HIDDEN, HIDDEN),
        "bridge.bias": (HIDDEN,),
    }
    expect_weights(encoder, shapes)
    encoder.load_state_dict({name: draw.normal(*shape, scale=0.6) for name, shape in shapes.items()}, strict=False)
    return encoder


def run(encoder, pictures: Tensor) -> tuple[Any, Any]:
    """The encoder's two results."""
    batch, _, height, width = pictures.shape
    memory, state = unpack(
        encoder(pictures), memory=(batch, height // 2 * (width // 2), HIDDEN), state=(1, batch, HIDDEN)
    )
    return memory, state


def weights_of(encoder) -> dict[str, Tensor]:
    """The weights of the two layers."""
    return {name: weight for name, weight in encoder.named_parameters() if not name.startswith("convolutions")}


def features_of(pictures: Tensor) -> Tensor:
    """What the stand-in makes of pictures."""
    with torch.no_grad():
        return Convolutions()(pictures)


@probe("GridEncoder", draws=2)
def memory(encoder_class, draw: Draw):
    """The memory, without positions."""
    encoder, pictures = built(encoder_class, draw, nowhere), draw.normal(2, 3, 6, 10)
    found, _ = run(encoder, pictures.clone())
    return {"memory": found, "features": features_of(pictures), "weights": weights_of(encoder)}


@probe("GridEncoder", draws=2)
def placed(encoder_class, draw: Draw):
    """The memory, with positions."""
    encoder, pictures = built(encoder_class, draw, somewhere), draw.normal(2, 3, 6, 10)
    found, _ = run(encoder, pictures.clone())
    return {"memory": found, "features": features_of(pictures), "weights": weights_of(encoder)}


@probe("GridEncoder", draws=2)
def state(encoder_class, draw: Draw):
    """The first state, without positions, of pictures with a black corner."""
    encoder, pictures = built(encoder_class, draw, nowhere), draw.normal(3, 3, 6, 10)
    pictures[..., :4, :2] = 0
    found, state = run(encoder, pictures.clone())
    return {"state": state, "memory": found, "features": features_of(pictures), "weights": weights_of(encoder)}


@probe("GridEncoder", draws=2)
def one_picture(encoder_class, draw: Draw):
    """A single picture, and one whose grid has a single cell."""
    encoder = built(encoder_class, draw, somewhere)
    memory, state = run(encoder, draw.normal(1, 3, 8, 4))
    cell, its_state = run(encoder, draw.normal(1, 3, 2, 2))
    return {"memory": memory, "state": state, "memory of one cell": cell, "state of one cell": its_state}


@probe("GridEncoder", draws=2)
def encoder_gradient(encoder_class, draw: Draw):
    """What comes back to the pictures, to the convolutions, to both layers, and to positions that are learned."""
    learned = draw.normal(6, CHANNELS).requires_grad_()

    def positions(height: Any, width: Any, size: Any) -> Tensor:
        _look_at(height, width, size)
        return learned[: height * width] * 1

    encoder, pictures = built(encoder_class, draw, positions), draw.normal(2, 3, 4, 6).requires_grad_()
    memory, state = run(encoder, pictures)
    ((memory * draw.normal(2, 6, HIDDEN)).sum() + (state * draw.normal(1, 2, HIDDEN)).sum()).backward()
    weights = {name: weight.grad for name, weight in encoder.named_parameters()}
    return {"pictures": pictures.grad, "positions": learned.grad, **weights}
