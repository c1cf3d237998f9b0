"""Pictures to describe: scenes composed of real handwritten digits, with captions whose words have a box each in the picture.

The handwriting is the data set of handwritten digits that comes with scikit-learn, 1,797 images of 8 by 8 pixels. It is split by image before
anything is composed, so that no image of a held-out scene is in a scene to learn from. (The same writers may be on both sides: the data
set does not say who wrote what.) Some pairs of a digit and a colour are kept out of training altogether. The environment variable
``SEQLAB_PICTURES`` names a folder with pictures and captions of the reader's own to be used instead; these have no
boxes.
"""

from __future__ import annotations

import importlib.util
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from seqlab.corpus import BOS, EOS, PAD, Vocabulary
from seqlab.own_pictures import own_pictures
from seqlab.scene_captions import COLOURS, Caption, Thing, references_of

__all__ = ["HELD_OUT_PAIRS", "SIZE", "Caption", "PictureBatch", "Scene", "Scenes", "Thing", "load_scenes"]

SIZE = 32
"""The height and the width of a scene, in pixels."""
WIDTHS = (8, 14)
"""The height and the width of a small and of a large digit."""
INKS = ((235, 70, 40), (0, 160, 115), (45, 135, 235), (240, 228, 66), (195, 105, 225))
"""Red, green and blue of each of the captions' colours, on black; they differ in brightness or in blue, so that the colour-blind can tell them apart."""
FAINT = 0.1
"""What is fainter, on a scale from 0 to 1, is no ink."""
HELD_OUT_PAIRS = frozenset((digit, (3 * digit + 1) % len(COLOURS)) for digit in range(10))
"""The pairs of a digit and the number of a colour that no scene to learn from has: each digit lacks one colour, and each colour two digits."""
REFERENCES = 5
"""The captions of a scene."""
OWN_SIZE = 64
"""The height and the width to which pictures of the reader's own are brought."""
_QUARTER = SIZE // 2
_SHARES = (0.7, 0.1)
"""Of the images of each digit, those to compose training and validation scenes of; the rest is for the tests."""
_OWN_LEAST = 20
_SEEN = [(d, c) for d in range(10) for c in range(len(COLOURS)) if (d, c) not in HELD_OUT_PAIRS]


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture with its captions.

    Attributes:
        pixels: The picture, integers from 0 to 255, shape (3, H, W).
        captions: Its references, five for a scene, any number from one for a picture of the reader's own.
        things: What is in it; empty for a picture of the reader's own.
        name: The picture's file name, if it has one.
    """

    pixels: Tensor
    captions: tuple[Caption, ...]
    things: tuple[Thing, ...] = ()
    name: str = ""

    @property
    def references(self) -> list[tuple[str, ...]]:
        """The words of each of its captions."""
        return [caption.words for caption in self.captions]


@dataclass(frozen=True, slots=True)
class PictureBatch:
    """Scenes as tensors, each with one of its captions.

    Attributes:
        pictures: Numbers from 0 to 1, shape (B, 3, H, W).
        target_in: What the decoder reads, (B, T): BOS and the words.
        target_out: What it should say, (B, T): the words and EOS.
        target_mask: (B, T), True where `target_out` is a word or EOS.
        scenes: The scenes themselves.
        captions: The caption of each that the targets are made of.
    """

    pictures: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    scenes: tuple[Scene, ...]
    captions: tuple[Caption, ...]


@dataclass(frozen=True, slots=True)
class Scenes:
    """Four sets of scenes, and the words of the first.

    Attributes:
        train: The scenes to learn from.
        valid: The scenes to choose models by.
        test: The scenes to judge them by.
        unseen: Scenes like those of `test`, in each of which one thing is a pair of digit and colour that no scene of `train` has.
        vocab: The words.
        language: The language of the captions; empty for pictures of the reader's own.
        has_boxes: Whether the words that name digits have boxes.
        name: What to call the pictures in messages and plots.
    """

    train: tuple[Scene, ...]
    valid: tuple[Scene, ...]
    test: tuple[Scene, ...]
    unseen: tuple[Scene, ...]
    vocab: Vocabulary
    language: str
    has_boxes: bool
    name: str

    def batch(
        self, scenes: Sequence[Scene], captions: Sequence[Caption] = (), device: torch.device | str = "cpu"
    ) -> PictureBatch:
        """Turns scenes into a batch, each with its first caption unless others are given.

        Raises:
            ValueError: If there are no scenes, or not one caption for each.
        """
        if not scenes:
            raise ValueError("scenes is empty: a batch needs at least one")
        chosen = tuple(captions) or tuple(scene.captions[0] for scene in scenes)
        if len(chosen) != len(scenes):
            raise ValueError(f"there are {len(chosen)} captions for {len(scenes)} scenes: give one for each")
        ids = [self.vocab.encode(caption.words) for caption in chosen]
        longest = max(map(len, ids)) + 1
        pad = [[PAD] * (longest - 1 - len(row)) for row in ids]
        target_in = torch.tensor([[BOS, *row, *rest] for row, rest in zip(ids, pad, strict=True)])
        target_out = torch.tensor([[*row, EOS, *rest] for row, rest in zip(ids, pad, strict=True)])
        lengths = torch.tensor([len(row) + 1 for row in ids])
        pictures = torch.stack([scene.pixels for scene in scenes]).to(device).float() / 255
        return PictureBatch(
            pictures,
            target_in.to(device),
            target_out.to(device),
            (torch.arange(longest) < lengths.unsqueeze(1)).to(device),
            tuple(scenes),
            chosen,
        )

    def batches(
        self, batch_size: int = 64, seed: int = 0, device: torch.device | str = "cpu"
    ) -> Iterator[PictureBatch]:
        """Goes through the scenes to learn from for ever, in a new order each time, each time with one of a scene's captions.

        Raises:
            ValueError: If `batch_size` is below 1.
        """
        if batch_size < 1:
            raise ValueError(f"batch_size is {batch_size}: ask for at least 1")
        return self._rounds(batch_size, random.Random(seed), device)

    def _rounds(self, batch_size: int, generator: random.Random, device: torch.device | str) -> Iterator[PictureBatch]:
        scenes = list(self.train)
        while True:
            generator.shuffle(scenes)
            for start in range(0, len(scenes), batch_size):
                some = scenes[start : start + batch_size]
                yield self.batch(some, [generator.choice(scene.captions) for scene in some], device)


def load_scenes(
    *,
    seed: int = 0,
    train: int = 8_000,
    valid: int = 300,
    test: int = 600,
    most_things: int = 4,
    language: str = "english",
) -> Scenes:
    """Composes scenes, or reads the pictures in the folder that ``SEQLAB_PICTURES`` names.

    Of such pictures the sizes are upper limits, `valid` and `test` get a tenth of them each at most, and `unseen` is empty. Their words are
    those that occur twice in training.

    Args:
        seed: The seed that determines the scenes.
        train: The number of scenes to learn from.
        valid: The number of scenes to choose models by.
        test: The number of scenes to judge them by, and as many with an unseen pair.
        most_things: The most digits in a scene, from 1 to 4; each number of digits up to that is equally likely.
        language: "english" or "french".

    Raises:
        ValueError: If a size is negative, `train` is 0, `most_things` is not from 1 to 4, there are no captions in that language, or the
            reader's pictures cannot be read or are too few.
    """
    for name, size, least in (("train", train, 1), ("valid", valid, 0), ("test", test, 0)):
        if size < least:
            raise ValueError(f"{name} is {size}: ask for at least {least}")
    if not 1 <= most_things <= 4:
        raise ValueError(f"most_things is {most_things}: a scene has 1 to 4 digits")
    folder = os.environ.get("SEQLAB_PICTURES", "").strip()
    if folder:
        return _own_scenes(Path(folder).expanduser(), random.Random(seed), train, valid, test)
    parts = split_digits(seed)
    sets = {}
    for part, (name, number) in zip(
        (0, 1, 2, 2), {"train": train, "valid": valid, "test": test, "unseen": test}.items(), strict=True
    ):
        generator = random.Random(f"{seed} {name}")
        sets[name] = tuple(
            compose(parts[part], generator, 1 + i % most_things, language, unseen=name == "unseen")
            for i in range(number)
        )
    words = (caption.words for scene in sets["train"] for caption in scene.captions)
    return Scenes(**sets, vocab=Vocabulary(words), language=language, has_boxes=True, name="scenes")


@cache
def handwriting() -> tuple[Tensor, Tensor]:
    """The images, numbers from 0 to 1 of shape (1797, 8, 8), and which digit each is, (1797,).

    They are read from the file that scikit-learn's `load_digits` reads: importing that takes longer than composing all
    scenes.

    Raises:
        ValueError: If scikit-learn is not installed.
    """
    spec = importlib.util.find_spec("sklearn")
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(
            "the handwritten digits come with scikit-learn, which is not installed: pip install scikit-learn"
        )
    table = np.loadtxt(Path(spec.submodule_search_locations[0], "datasets", "data", "digits.csv.gz"), delimiter=",")
    return torch.tensor(table[:, :-1] / 16).view(-1, 8, 8).float(), torch.tensor(table[:, -1]).long()


@cache
def split_digits(seed: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """The numbers of the images for training, validation and test scenes, each by digit; no image is in two of them."""
    digits, generator = handwriting()[1], random.Random(f"{seed} images")
    parts: list[list[tuple[int, ...]]] = [[], [], []]
    for digit in range(10):
        images = (digits == digit).nonzero().flatten().tolist()
        generator.shuffle(images)
        ends = [0, *(round(sum(_SHARES[: i + 1]) * len(images)) for i in range(2)), len(images)]
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True):
            part.append(tuple(images[start:end]))
    return tuple(map(tuple, parts))


def compose(
    images: Sequence[Sequence[int]], generator: random.Random, number: int, language: str, *, unseen: bool = False
) -> Scene:
    """Composes a scene.

    Each digit is somewhere in its own quarter of the picture; all digits are connected through neighbours, so that a
    caption can go from one to the next. No two of a scene are of the same digit and colour.

    Args:
        images: The numbers of the images that may be taken, by digit.
        generator: What chooses.
        number: How many digits.
        language: The language of the captions.
        unseen: Whether one of the digits is a held-out pair; no other is.
    """
    start = generator.randrange(4)
    turn = generator.choice((1, -1))
    around = ((0, 0), (0, 1), (1, 1), (1, 0))  # in this circle each quarter is a neighbour of the next
    places = [around[(start + turn * i) % 4] for i in range(number)]
    chosen = generator.sample(_SEEN, number)
    if unseen:
        chosen[generator.randrange(number)] = generator.choice(sorted(HELD_OUT_PAIRS))
    canvas = np.zeros((3, SIZE, SIZE), dtype=np.uint8)
    things = []
    for (digit, colour), place in zip(chosen, places, strict=True):
        image, size = generator.choice(images[digit]), generator.randrange(len(WIDTHS))
        ink, (first_row, first_column, end_row, end_column) = scaled(image, WIDTHS[size])
        top, left = (_QUARTER * at + generator.randint(0, _QUARTER - WIDTHS[size]) for at in place)
        coloured = ink * np.array(INKS[colour]).reshape(3, 1, 1)
        canvas[:, top : top + WIDTHS[size], left : left + WIDTHS[size]] = coloured.round()
        box = (top + first_row, left + first_column, top + end_row, left + end_column)
        things.append(Thing(digit, colour, size, box, place, image))
    things.sort(key=lambda thing: thing.place)
    captions = references_of(things, language, REFERENCES, generator)
    return Scene(torch.from_numpy(canvas), captions, tuple(things))


@cache
def scaled(image: int, width: int) -> tuple[NDArray[np.float32], tuple[int, int, int, int]]:
    """An image, as wide as asked for, and the box of its ink."""
    found = F.interpolate(handwriting()[0][image].view(1, 1, 8, 8), size=(width, width), mode="bilinear")[0, 0].numpy()
    ink = np.where(found < FAINT, np.float32(0), found)
    rows, columns = (ink.sum(axis=axis).nonzero()[0].tolist() for axis in (1, 0))
    return ink, (rows[0], columns[0], rows[-1] + 1, columns[-1] + 1)


def _own_scenes(folder: Path, generator: random.Random, train: int, valid: int, test: int) -> Scenes:
    scenes = [
        Scene(pixels, tuple(map(Caption, captions)), name=name)
        for name, pixels, captions in own_pictures(folder, OWN_SIZE)
    ]
    if len(scenes) < _OWN_LEAST:
        raise ValueError(
            f"SEQLAB_PICTURES ({folder}) has {len(scenes)} pictures with captions: there must be at least {_OWN_LEAST}"
        )
    generator.shuffle(scenes)
    valid, test = (min(size, len(scenes) // 10) for size in (valid, test))
    learnt = tuple(scenes[valid + test :][:train])
    vocab = Vocabulary((caption.words for scene in learnt for caption in scene.captions), at_least=2, at_most=10_000)
    return Scenes(learnt, tuple(scenes[:valid]), tuple(scenes[valid : valid + test]), (), vocab, "", False, folder.name)
