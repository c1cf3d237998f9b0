"""A second task for a model that describes pictures: rows of handwritten digits, to be read out as French number words.

A row comes as a `Scene`, and all of them as `Scenes`, so that the batches, the model and the decoding that describe scenes run on them
unchanged. The handwriting is that of the scenes, with the same split by image. Numbers below a hundred are always among those to learn from,
because their words are those that the others are composed of.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from seqlab.corpus import Vocabulary
from seqlab.numbers import number_words
from seqlab.scene_captions import Caption
from seqlab.scenes import Scene, Scenes, handwriting, split_digits

HEIGHT = 16
"""The height of a row, and the width of the place of a digit in it, in pixels."""
MOST_DIGITS = 3
"""The places of a row; a number of two digits leaves the last one empty."""
_WIDTH = 12
"""The height and the width of a digit."""
_HELD_OUT = 0.2
"""Of the numbers of three digits, how many are kept for the tests."""


def load_number_rows(*, seed: int = 0, train: int = 4_000, valid: int = 300, test: int = 300) -> Scenes:
    """Composes rows of two or three digits; each is as likely, and so is each number of as many digits.

    Args:
        seed: The seed that determines the rows.
        train: The number of rows to learn from.
        valid: The number of rows to choose models by.
        test: The number of rows to judge them by, of numbers to learn from, and as many of numbers that no row to learn from shows.

    Returns:
        The rows, each with the one reading of its number: `test` are numbers that have been seen, in another handwriting, and `unseen` are
        numbers that have not, in another handwriting as well. There are no boxes.

    Raises:
        ValueError: If a size is negative, or `train` is 0.
    """
    for name, size, least in (("train", train, 1), ("valid", valid, 0), ("test", test, 0)):
        if size < least:
            raise ValueError(f"{name} is {size}: ask for at least {least}")
    three = list(range(100, 1_000))
    random.Random(f"{seed} numbers").shuffle(three)
    held_out = three[: round(_HELD_OUT * len(three))]
    known = (range(10, 100), three[len(held_out) :])  # by how many digits
    parts, sets = split_digits(seed), {}
    for part, (name, size) in zip((0, 1, 2), {"train": train, "valid": valid, "test": test}.items(), strict=True):
        generator = random.Random(f"{seed} {name} rows")
        sets[name] = tuple(compose_row(generator.choice(known[i % 2]), parts[part], generator) for i in range(size))
    generator = random.Random(f"{seed} unseen rows")
    sets["unseen"] = tuple(compose_row(generator.choice(held_out), parts[2], generator) for _ in range(test))
    vocab = Vocabulary(caption.words for row in sets["train"] for caption in row.captions)
    return Scenes(**sets, vocab=vocab, language="french", has_boxes=False, name="numbers")


def compose_row(number: int, images: Sequence[Sequence[int]], generator: random.Random) -> Scene:
    """Composes the row of a number, white on black, each digit somewhere in its place.

    Args:
        number: The number, of at most three digits.
        images: The numbers of the images that may be taken, by digit.
        generator: What chooses.
    """
    canvas = torch.zeros(HEIGHT, HEIGHT * MOST_DIGITS)
    for place, digit in enumerate(map(int, str(number))):
        top, left = generator.randint(0, HEIGHT - _WIDTH), generator.randint(0, HEIGHT - _WIDTH) + place * HEIGHT
        canvas[top : top + _WIDTH, left : left + _WIDTH] = _scaled(generator.choice(images[digit]))
    pixels = (255 * canvas).round().to(torch.uint8).expand(3, -1, -1).contiguous()
    return Scene(pixels, (Caption(number_words(number)),), name=str(number))


def _scaled(image: int) -> Tensor:
    return F.interpolate(handwriting()[0][image].view(1, 1, 8, 8), size=(_WIDTH, _WIDTH), mode="bilinear")[0, 0]
