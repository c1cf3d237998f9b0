"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Layer, Stand, whole


def conv2d(draw: Draw) -> Given:
    """A picture of nine numbers."""
    stride, padding = ((1, 0), (2, 1))[int(draw.integers(0, 2))]
    inputs, weight = whole(draw, 1, 1, 3, 3, low=0), whole(draw, 1, 1, 2, 2, low=-1, high=2)
    return Given({"inputs": inputs, "weight": weight, "bias": whole(draw, 1), "stride": stride, "padding": padding})


def _rows(length: int, size: int) -> Tensor:
    return (torch.arange(length).unsqueeze(1) + torch.zeros(size)) * 1.0


def positions_2d(draw: Draw) -> Given:
    """A grid of up to four cells."""
    height, width = ((1, 2), (2, 1), (2, 2), (1, 3), (3, 1))[int(draw.integers(0, 5))]
    told = "row p of what it returns, (length, d_model), is p in every place"
    return Given({"height": height, "width": width, "d_model": 4, "positional_encoding": Stand(_rows, told)})


def GridEncoder(draw: Draw) -> Given:
    """Shapes alone."""
    batch, height, width, channels = int(draw.integers(2, 4)), int(draw.integers(1, 3)), int(draw.integers(3, 5)), 5
    convolutions = Layer(
        lambda pictures: pictures.mean(dim=(1, 2, 3)).view(-1, 1, 1, 1).expand(-1, channels, height, width)
    )
    settings = {
        "convolutions": Stand(convolutions, f"returns feature maps of shape ({batch}, {channels}, {height}, {width})"),
        "channels": channels,
        "hidden_size": 6,
        "positions": Stand(
            lambda h, w, c: torch.arange(h * w).unsqueeze(1).expand(-1, c), "row p, (h * w, C), is p in every place"
        ),
    }
    pictures = Stand(
        torch.arange(batch).view(-1, 1, 1, 1) * torch.ones(1, 3, 8, 8), f"pictures of shape ({batch}, 3, 8, 8)"
    )
    return Given({"pictures": pictures}, settings, filled=0.1, shapes_alone=True)


def pointing_accuracy(draw: Draw) -> Given:
    """Three words that look at a grid of two by two cells."""
    corners = draw.integers(0, 3, 3, 2)
    boxes = torch.cat([corners, corners + draw.integers(1, 4, 3, 2)], dim=1)
    return Given({"weights": draw.integers(0, 4, 3, 4) / 4, "boxes": boxes, "columns": 2, "cell": 2})


def caption_step(draw: Draw) -> Given:
    """Vectors of single numbers; the decoder adds up what it is given."""

    def decoder(word: Tensor, hidden: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        seen = (memory * mask.unsqueeze(-1)).sum(dim=1, keepdim=True)
        return seen + word.unsqueeze(-1), mask.unsqueeze(1).float(), hidden + 1

    told = (
        "its logits are the sum of the memory vectors at which the mask is True, plus the word; the weights are 1 where the mask\n"
        "is True; the next hidden state is the hidden state plus 1"
    )
    state = whole(draw, 1, 2, 1), whole(draw, 1, 2, 2, 1, low=1, high=5)
    return Given({"decoder": Stand(decoder, told), "word": draw.integers(0, 9, 2, 1), "state": state})
