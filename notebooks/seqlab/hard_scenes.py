"""Scenes that are harder to describe: the digits overlap, pieces of other digits lie between them, the ground is not black, the pixels are noisy.

What is true of a scene stays true: its digits, their colours and sizes, and which of them are left of or above which.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.scenes import INKS, SIZE, Scene, Thing, handwriting

_PIECE = 4
"""The height and the width of a piece of clutter, in pixels: a quarter of a handwritten image."""
_MOST_SPREAD = 4
_SPOTS = 5
"""The ground is drawn at this many points in each direction, and smooth between them."""


def harder(
    scenes: Sequence[Scene],
    *,
    spread: int = 0,
    clutter: int = 0,
    ground: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
) -> list[Scene]:
    """Draws scenes again, so that they are harder to describe.

    Args:
        scenes: Scenes whose things have boxes; they stay as they are.
        spread: By how many pixels a digit may move in each direction from where it was, so that it may overlap another; at most 4, or what
            was left of something might no longer be.
        clutter: How many pieces of handwriting, in the digits' colours, lie anywhere on top.
        ground: How bright the ground may be in each colour channel, of 255.
        noise: The standard deviation of the noise of each pixel's channels, of 255.
        seed: The seed that determines what is drawn.

    Returns:
        As many scenes, with the same captions and with the boxes where the digits are now.

    Raises:
        ValueError: If `spread` is not from 0 to 4.
    """
    if not 0 <= spread <= _MOST_SPREAD:
        raise ValueError(f"spread is {spread}: ask for 0 to {_MOST_SPREAD}")
    generator = random.Random(seed)
    return [_drawn(scene, generator, spread, clutter, ground, noise) for scene in scenes]


def _drawn(scene: Scene, generator: random.Random, spread: int, clutter: int, ground: float, noise: float) -> Scene:
    own = torch.Generator().manual_seed(generator.getrandbits(32))
    spots = ground * torch.rand(1, 3, _SPOTS, _SPOTS, generator=own)
    canvas = F.interpolate(spots, size=(SIZE, SIZE), mode="bilinear", align_corners=True)[0]
    things = []
    for thing in scene.things:
        top, left, bottom, right = thing.box
        ink = scene.pixels[:, top:bottom, left:right].float()  # (3, h, w)
        top, left = (
            min(max(0, start + generator.randint(-spread, spread)), SIZE - size)
            for start, size in zip((top, left), ink.shape[1:], strict=True)
        )
        _paint(canvas, ink, ink.amax(dim=0) / max(INKS[thing.colour]), top, left)
        things.append(_moved(thing, top, left))
    images = handwriting()[0]
    for _ in range(clutter):
        row, column = (generator.randrange(images.shape[1] - _PIECE + 1) for _ in range(2))
        piece = images[generator.randrange(len(images)), row : row + _PIECE, column : column + _PIECE]
        ink = piece * torch.tensor(generator.choice(INKS)).view(3, 1, 1)
        _paint(canvas, ink, piece, *(generator.randrange(SIZE - _PIECE + 1) for _ in range(2)))
    canvas += noise * torch.randn(canvas.shape, generator=own)
    return replace(scene, pixels=canvas.clamp(0, 255).round().to(torch.uint8), things=tuple(things))


def _paint(canvas: Tensor, ink: Tensor, cover: Tensor, top: int, left: int) -> None:
    """Puts ink (3, h, w) on the canvas, in place; cover (h, w) says from 0 to 1 how much of what is below it hides."""
    below = canvas[:, top : top + ink.shape[1], left : left + ink.shape[2]]
    below.copy_(below * (1 - cover) + ink)


def _moved(thing: Thing, top: int, left: int) -> Thing:
    """The thing with its box where it is now."""
    height, width = thing.box[2] - thing.box[0], thing.box[3] - thing.box[1]
    return replace(thing, box=(top, left, top + height, left + width))
