"""The checks of `GridEncoder`."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, expect_weights, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check

EXERCISE = Exercise("GridEncoder", "a picture as a memory", minutes=25, difficulty=2)


@in_use()
def in_chapter(encoder_class, draw: Draw) -> Use:
    """Pictures as in training, then a single one that lies on its side: as many cells, in other rows.

    Behind the convolutions stand batch normalisation and ReLU, as in the chapter. What the one gives depends on the mode, and the
    other's gradient on a result that nobody may have changed.
    """
    convolutions, norm = Convolutions(), nn.BatchNorm2d(CHANNELS, momentum=0.0)  # It keeps no statistics.
    layers = nn.Sequential(convolutions, norm, nn.ReLU())
    encoder = weigh(encoder_class(layers, CHANNELS, 7, somewhere), draw)

    def call(pictures: Tensor) -> Any:
        convolutions.runs = 0
        found = encoder(pictures)
        if encoder.training and convolutions.runs > 1:
            raise MisuseError(
                f"the convolutions ran {convolutions.runs} times on one batch, expected once: in training, batch normalisation keeps "
                "statistics of each batch that passes through it"
            )
        return found

    return Use(call, (draw.normal(3, 3, 16, 12),), (draw.normal(1, 3, 12, 16),), modules=(encoder,))


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


@check(
    "the memory has a vector for each cell, computed from all channels at that cell",
    points=2,
    draws=2,
    hint="The channels are dimension 1 and have to come last. `view` and `reshape` alone keep the values in "
    "their order and only regroup them; `transpose` or `permute` swap dimensions.",
)
def memory(encoder_class, draw: Draw):
    """The memory, without positions."""
    found, _ = run(built(encoder_class, draw, nowhere), draw.normal(2, 3, 6, 10))
    return {"memory": found}


@check(
    "the position of each cell is added before project",
    points=1,
    needs=memory,
    draws=2,
    hint="positions takes the height and the width of the grid, not of the picture, and the number of channels. Its row i belongs to cell i of the memory.",
)
def placed(encoder_class, draw: Draw):
    """The memory, with positions."""
    found, _ = run(built(encoder_class, draw, somewhere), draw.normal(2, 3, 6, 10))
    return {"memory": found}


@check(
    "the first state comes from the mean over the cells",
    points=1,
    needs=memory,
    draws=2,
    hint="Average the memory over its cells, dimension 1; then apply bridge and tanh; then add a leading "
    "dimension of size 1.",
)
def state(encoder_class, draw: Draw):
    """The first state, without positions, of pictures with a black corner."""
    encoder, pictures = built(encoder_class, draw, nowhere), draw.normal(3, 3, 6, 10)
    pictures[..., :4, :2] = 0
    _, found = run(encoder, pictures)
    return {"state": found}


@check(
    "a single picture, and a grid of one cell, keep their dimensions",
    points=1,
    hidden=True,
    needs=(memory, placed, state),
    draws=2,
    hint="squeeze() removes every dimension of size one, including those that you need. Take h and w from the "
    "feature maps.",
)
def one_picture(encoder_class, draw: Draw):
    """A single picture, and one whose grid has a single cell."""
    encoder = built(encoder_class, draw, somewhere)
    memory, state = run(encoder, draw.normal(1, 3, 8, 4))
    cell, its_state = run(encoder, draw.normal(1, 3, 2, 2))
    return {"memory": memory, "state": state, "memory of one cell": cell, "state of one cell": its_state}


@check(
    "the gradient reaches pictures, positions and every weight",
    points=1,
    hidden=True,
    needs=(memory, placed, state),
    draws=2,
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)
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
