"""A program for scenes that are hard for the chapter's program, by somebody who knows how they were made: run by `make sweeps`, plotted in the chapter.

All that it learns is handwriting, from scenes with one digit. A pixel is lit if it is clearly of one ink. In each quarter, with a margin for digits that have moved,
it looks for the largest connected patch of one ink, and five neighbours vote on which digit that is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import torch
from scipy import ndimage
from torch import Tensor
from torch.nn import functional as F

from seqlab.scene_captions import Thing, captions_of, describes, words_of
from seqlab.scenes import INKS, SIZE, Scene

from ._shared import percent
from .pictures_hard import scenes

SETTINGS: dict[str, Any] = {
    "margin": 3,
    "purest": 0.85,
    "darkest": [0.35, 0.4, 0.45],
    "fewest": [12, 16, 20],
    "neighbours": 5,
}
"""A pixel is lit whose cosine with an ink is above `purest`, if it has more than a share `darkest` of it. A patch has more than `fewest` pixels.
These two are tuned on the validation scenes."""
VARIANTS = ("harder",)
"""One of those of `pictures_hard`."""
SEEDS = (0,)
"""Nothing is drawn."""

Found = tuple[Tensor, Tensor, Tensor]
"""Whether each quarter of each scene holds a digit, (N, 4), its colour, (N, 4), and its shape, (N, 4, 64)."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Describe the test scenes, at the limits that are best on the validation scenes.

    Args:
        variant: The only one.
        seed: Not used.

    Returns:
        The table's row, with those columns of `pictures_hard` that apply to a program, and no weights.
    """
    data = scenes(variant)
    alone = [scene for scene in data.train if len(scene.captions[0].names) == 1]
    limits = list(product(SETTINGS["darkest"], SETTINGS["fewest"]))
    tuning = {pair: sum(correct(alone, data.valid, *pair)) for pair in limits}
    best = max(tuning, key=lambda pair: tuning[pair])
    hits = correct(alone, data.test, *best)
    numbers = [len(scene.things) for scene in data.test]
    exact_of = {
        str(n): percent(
            [hit for hit, its in zip(hits, numbers, strict=True) if its == n]
        )
        for n in sorted(set(numbers))
    }
    row = {"darkest": best[0], "fewest": best[1], "exact": percent(hits)}
    return {**row, "exact_of": exact_of}, {}


def correct(
    examples: Sequence[Scene], some: Sequence[Scene], darkest: float, fewest: int
) -> list[bool]:
    """Whether each scene is described correctly, with the digits of the examples, which are scenes with one digit."""
    there, _, shapes = patches(examples, darkest, fewest)
    clear = there.sum(dim=1) == 1
    known = shapes[clear][there[clear]]  # (K, 64)
    names = words_of("digits", "english")
    captions = [scene.captions[0] for scene in examples]
    said = [caption.words[caption.names[0][0]] for caption in captions]
    digits = torch.tensor([names.index(word) for word in said])[clear]  # (K,)
    there, colours, shapes = patches(some, darkest, fewest)
    near = (shapes @ known.T).topk(SETTINGS["neighbours"], dim=-1).indices
    votes = digits[near].mode(dim=-1).values  # (N, 4)
    places = list(product(range(2), repeat=2))
    hits = []
    for scene, *found in zip(
        some, there.tolist(), votes.tolist(), colours.tolist(), strict=True
    ):
        things = [
            Thing(digit, colour, 0, (0, 0, 0, 0), place, 0)
            for place, is_there, digit, colour in zip(places, *found, strict=True)
            if is_there
        ]
        written = next((c.words for c in captions_of(things, "english")), ())
        hits.append(describes(written, scene.things))
    return hits


def patches(some: Sequence[Scene], darkest: float, fewest: int) -> Found:
    """The largest patch of one ink in each quarter of each scene."""
    inks = torch.tensor(INKS).float()  # (5, 3)
    pixels = torch.stack([scene.pixels for scene in some]).float()  # (N, 3, 32, 32)
    amount = torch.einsum("ncij,kc->nkij", pixels, inks)  # (N, 5, 32, 32)
    share = amount / inks.square().sum(dim=1).view(-1, 1, 1)
    sizes = pixels.norm(dim=1, keepdim=True) * inks.norm(dim=1).view(-1, 1, 1)
    cosine = amount / sizes.clamp(min=1e-6)
    is_nearest = cosine == cosine.amax(dim=1, keepdim=True)
    lit = (share > darkest) & (cosine > SETTINGS["purest"]) & is_nearest
    share = share.clamp(max=1.2) * lit
    quarter, margin = SIZE // 2, SETTINGS["margin"]
    wide = quarter + 2 * margin
    windows = F.unfold(share, wide, stride=quarter, padding=margin)
    windows = windows.transpose(1, 2).reshape(-1, wide, wide)  # (N * 4 * 5, wide, wide)
    whole = largest(windows, margin).view(-1, len(INKS), wide, wide)
    counts = (whole > 0).sum(dim=(2, 3))  # (N * 4, 5)
    most, colours = counts.max(dim=1)
    there = most > fewest
    ink = whole[torch.arange(len(whole)), colours]  # (N * 4, wide, wide)
    shapes = torch.stack([stretched(each) for each in ink])
    return there.view(-1, 4), colours.view(-1, 4), shapes.view(-1, 4, 64)


def largest(windows: Tensor, margin: int) -> Tensor:
    """In each window (N, w, w) the largest connected patch whose centre is not in the margin; the rest of it is zero."""
    touching = np.zeros((3, 3, 3))
    touching[1] = 1
    labels, number = ndimage.label(windows.numpy() > 0, touching)
    every = np.arange(1, number + 1)
    size = ndimage.sum_labels(labels > 0, labels, every)
    centres = np.array(ndimage.center_of_mass(labels > 0, labels, every))
    inside = np.abs(centres[:, 1:] - (windows.shape[1] - 1) / 2).max(axis=1)
    size *= inside <= windows.shape[1] / 2 - margin
    of_pixel = np.concatenate([[0], size])[labels]  # (N, w, w)
    most = of_pixel.max(axis=(1, 2), keepdims=True)
    return windows * torch.from_numpy((of_pixel == most) & (most > 0))


def stretched(ink: Tensor) -> Tensor:
    """What is lit, stretched to 8 by 8 pixels, as a vector of length one: (64,)."""
    rows, columns = (ink > 0).any(dim=1).nonzero(), (ink > 0).any(dim=0).nonzero()
    if not len(rows):
        return torch.zeros(64)
    box = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    small = F.interpolate(
        box[None, None], size=(8, 8), mode="bilinear", align_corners=False
    )
    return F.normalize(small.flatten(), dim=0)
