"""How each exercise of this chapter is used."""

from typing import Any

from torch import Tensor, nn

from autograder.checks.ch11_pictures.probes import caption_step as steps
from autograder.checks.ch11_pictures.probes import grid_encoder as grids
from autograder.checks.ch11_pictures.probes.pointing_accuracy import drawn
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh
from autograder.probing import MisuseError


@in_use("conv2d")
def conv2d(conv2d, draw: Draw) -> Use:
    """The chapter's first layer on some pictures, then a layer that keeps the size on a single one."""

    def given(batch: int, channels: int, size: int, kernel: int, stride: int) -> tuple[Any, ...]:
        weight = draw.normal(4, channels, kernel, kernel, scale=0.3)
        return draw.normal(batch, channels, size, size), weight, draw.normal(4), stride, 1

    return Use(conv2d, given(3, 3, 16, 4, 2), given(1, 2, 9, 3, 1))


@in_use("positions_2d")
def positions_2d(positions_2d, draw: Draw) -> Use:
    """The chapter's grid, then one that is wider."""

    def call(height: int, width: int, table: Tensor) -> Tensor:
        return positions_2d(height, width, 2 * table.shape[1], lambda length, size: table[:length, :size])

    return Use(call, (8, 8, draw.normal(8, 12)), (3, 11, draw.normal(11, 6)))


@in_use("GridEncoder")
def grid_encoder(encoder_class, draw: Draw) -> Use:
    """Pictures as in training, then a single one that lies on its side: as many cells, in other rows.

    Behind the convolutions stand batch normalisation and ReLU, as in the chapter. What the one gives depends on the mode, and the
    other's gradient on a result that nobody may have changed.
    """
    convolutions, norm = grids.Convolutions(), nn.BatchNorm2d(grids.CHANNELS, momentum=0.0)  # It keeps no statistics.
    layers = nn.Sequential(convolutions, norm, nn.ReLU())
    encoder = weigh(encoder_class(layers, grids.CHANNELS, 7, grids.somewhere), draw)

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


@in_use("pointing_accuracy", gradients=False, devices=False)
def pointing_accuracy(pointing_accuracy, draw: Draw) -> Use:
    """A test set with the chapter's grid, then the words of one caption."""
    return Use(pointing_accuracy, drawn(draw, 300, 8, 8, 4), drawn(draw, 7, 5, 9, 8))


@in_use("caption_step")
def caption_step(caption_step, draw: Draw) -> Use:
    """A batch of captions, then a single one."""

    def call(word: Tensor, hidden: Tensor, memory: Tensor) -> list[Any]:
        logits, state = caption_step(steps.decoder, word, (hidden, memory))
        return [logits, *state]

    def given(rows: int, cells: int) -> tuple[Tensor, ...]:
        return steps.words(draw, rows), *steps.first_state(draw, rows, cells)

    return Use(call, given(5, 16), given(1, 9))
