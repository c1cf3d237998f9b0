"""What the decoder gets of a picture, one vector or a grid of them; run by `make sweeps`, plotted in the chapter.

All variants describe the same scenes and train for equally many steps, as the chapter's model does, with a learning rate that decays to zero.
Each one's rate is tuned on a seed of its own. Whether a variant is only slower is a question for runs that are twice as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.attention_decoder import AttentionDecoder
from seqlab.attention_layers import positional_encoding
from seqlab.boxes import share_in_box
from seqlab.models import Decoder, greedy_translate
from seqlab.patch_encoder import PatchEncoder
from seqlab.scene_captions import Thing, caption_bleu, describes, mirrored, words_of
from seqlab.scenes import HELD_OUT_PAIRS, SIZE, PictureBatch, Scene, Scenes, load_scenes
from seqlab.training import pick_device, train

from ..grid import GridEncoder
from ..pointing import pointing_accuracy
from ..positions import positions_2d

SETTINGS: dict[str, Any] = {
    "channels": [24, 48, 64],
    "size": 96,
    "embedding": 64,
    "patch": 4,
    "heads": 4,
    "layers": 1,
    "most_things": 3,
    "train": 8_000,
    "batch_size": 64,
    "steps": 2400,
    "rates": [2e-3, 4e-3, 8e-3],
    "tuning_steps": 800,
    "tuning_seed": 3,
}
"""A run takes the one of the `rates` with the lowest held-out loss after `tuning_steps` from `tuning_seed`, which is none of `SEEDS`."""
VARIANTS = ("grid", "pooled", "dense", "once", "patches", "narrow")
"""`grid` is the chapter's model: a vector for each of 64 cells. `pooled` has the same encoder and the same decoder, and its memory has one
vector, the maximum of each dimension over the cells. The one vector of `dense` is a linear layer's output for all 64 vectors side by side,
through tanh, so the layer can keep apart what stands in different places. `once` has `pooled`'s vector and gives it to a decoder without
attention as its first state. `patches` has a Transformer's encoder over 64 patches in the place of the convolutions. `narrow` is `grid` with
a last kernel of one pixel, so that a cell sees 10 by 10 pixels of the picture and not 18 by 18. One more, `french`, is `grid` with French
captions; another sweep trains it."""
SEEDS = (0, 1, 2)

places_of = partial(positions_2d, positional_encoding=positional_encoding)


def convolutions(channels: Sequence[int], *, narrow: bool = False) -> nn.Sequential:
    """The chapter's three layers: pictures (B, 3, H, W) to feature maps (B, C, H / 4, W / 4); or the last one with a kernel of one pixel."""
    last = (1, 1, 0) if narrow else (3, 1, 1)
    shapes = [
        (3, channels[0], 4, 2, 1),
        (channels[0], channels[1], 4, 2, 1),
        (channels[1], channels[2], *last),
    ]
    layers: list[nn.Module] = []
    for shape in shapes:
        layers += [nn.Conv2d(*shape), nn.BatchNorm2d(shape[1]), nn.ReLU()]
    return nn.Sequential(*layers)


class Captioner(nn.Module):
    """One variant: an encoder of pictures and a decoder of captions."""

    def __init__(self, variant: str, words: int) -> None:
        """Make the layers of one of `VARIANTS`."""
        super().__init__()
        self.variant, size = variant, SETTINGS["size"]
        if variant == "patches":
            side = SIZE // SETTINGS["patch"]
            shape = SETTINGS["patch"], size, SETTINGS["heads"], SETTINGS["layers"]
            self.encoder: nn.Module = PatchEncoder(*shape, places_of(side, side, size))
        else:
            channels = SETTINGS["channels"]
            self.encoder = GridEncoder(
                convolutions(channels, narrow=variant == "narrow"),
                channels[-1],
                size,
                places_of,
            )
        if variant == "dense":
            self.squeeze = nn.Linear((SIZE // 4) ** 2 * size, size)
        if variant == "once":
            self.start = nn.Linear(size, size)
            self.decoder: nn.Module = Decoder(words, SETTINGS["embedding"], size)
        else:
            self.decoder = AttentionDecoder(words, SETTINGS["embedding"], size, size)

    def encode(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """The memory (B, S, H) and the first state (1, B, H)."""
        pictures = pictures.contiguous(
            memory_format=torch.channels_last
        )  # the same numbers in less time
        memory, state = self.encoder(pictures)
        if self.variant in ("once", "pooled"):
            memory = memory.amax(dim=1, keepdim=True)  # (B, 1, H)
        if self.variant == "dense":
            memory = self.squeeze(memory.flatten(1)).tanh().unsqueeze(1)  # (B, 1, H)
        if self.variant == "once":
            state = self.start(memory).tanh().transpose(0, 1)
        return memory, state

    def step(
        self, tokens: Tensor, state: Tensor, memory: Tensor
    ) -> tuple[Tensor, Tensor | None, Tensor]:
        """Logits (B, T, V) of words (B, T), the weights if the decoder attends, and the next state."""
        if self.variant == "once":
            logits, state = self.decoder(tokens, state)
            return logits, None, state
        mask = torch.ones(memory.shape[:2], dtype=torch.bool, device=memory.device)
        logits, weights, state = self.decoder(tokens, state, memory, mask)
        return logits, weights, state

    def loss(self, batch: PictureBatch) -> Tensor:
        """The mean cross-entropy per word."""
        memory, state = self.encode(batch.pictures)
        logits, _, _ = self.step(batch.target_in, state, memory)
        return F.cross_entropy(
            logits[batch.target_mask], batch.target_out[batch.target_mask]
        )


@cache
def scenes(language: str = "english") -> Scenes:
    """The scenes, composed once for all the runs of a process; in every language they are the same pictures."""
    return load_scenes(
        train=SETTINGS["train"], most_things=SETTINGS["most_things"], language=language
    )


def scenes_of(variant: str) -> Scenes:
    """The scenes that a variant describes."""
    return scenes("french" if variant == "french" else "english")


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one variant at its tuned rate and measure it on the test scenes.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the weights and of the order of the batches; the scenes are always the same.

    Returns:
        The table's row, and no weights.
    """
    found, model = run_for(variant, seed, SETTINGS["steps"])
    return found | measure(model), {}


def run_for(variant: str, seed: int, steps: int) -> tuple[dict[str, Any], Captioner]:
    """Train one variant at its tuned rate for some steps; the beginning of its row, and the model."""
    tuning = tuned(variant)
    rate = min(tuning, key=lambda each: tuning[each])
    model, found = train_one(variant, seed, rate, steps)
    parameters = sum(weight.numel() for weight in model.parameters())
    settled = {
        "rate": rate,
        "tuning": {str(each): loss for each, loss in tuning.items()},
    }
    return settled | found | {"parameters": parameters}, model


@cache
def tuned(variant: str) -> dict[float, float]:
    """The held-out loss of a variant after a short training at each rate, made once a process."""
    seed, steps = SETTINGS["tuning_seed"], SETTINGS["tuning_steps"]
    return {
        rate: train_one(variant, seed, rate, steps)[1]["held_out"]
        for rate in SETTINGS["rates"]
    }


def train_one(
    variant: str, seed: int, rate: float, steps: int
) -> tuple[Captioner, dict[str, Any]]:
    """Train one variant; the model, with its loss on validation scenes and the mean training loss of the last 100 steps."""
    device, data = pick_device(), scenes_of(variant)
    torch.manual_seed(seed)
    model = Captioner(variant, len(data.vocab)).to(device)
    losses = train(
        model,
        lambda m, batch: m.loss(batch),
        data.batches(SETTINGS["batch_size"], seed, device),
        steps=steps,
        learning_rate=rate,
    )
    held_out = [
        data.batch(data.valid, [scene.captions[i] for scene in data.valid], device)
        for i in range(2)
    ]
    with torch.no_grad():
        found = sum(model.loss(batch).item() for batch in held_out) / len(held_out)
    return model, {
        "steps": steps,
        "held_out": round(found, 4),
        "loss": round(sum(losses[-100:]) / 100, 4),
    }


@torch.no_grad()
def measure(model: Captioner) -> dict[str, Any]:
    """What a trained variant writes of the test scenes, and where it looks.

    Returns:
        `exact`, the share of true captions in percent, and `exact_of` by number of things; `bleu`, against five references; both again with
        left and right swapped in what was written; `unseen`, as `exact`, of scenes with an unseen pair. In those scenes, of the unseen pairs,
        `new`, and of the other things, `old`: the shares whose digit and colour are named side by side, whose colour is named with any digit,
        and whose digit is named with any colour. Of the words that name a digit in the first reference, if the decoder attends to more than
        one cell: `pointing`, `in_box`, the mean share of the weight in the gold box, `area`, the box's share of the picture, and the same with
        boxes that are one cell larger on each side, `_near`, and with boxes of another scene, `_other`.
    """
    data = scenes_of(model.variant)
    language = data.language
    written = write(model, data.test)
    true = [
        describes(words, scene.things, language)
        for words, scene in zip(written, data.test, strict=True)
    ]
    swapped = [mirrored(words, language) for words in written]
    still = [
        describes(words, scene.things, language)
        for words, scene in zip(swapped, data.test, strict=True)
    ]
    unseen = write(model, data.unseen)
    pairs = [
        ((thing.digit, thing.colour) in HELD_OUT_PAIRS, named(words, thing, language))
        for words, scene in zip(unseen, data.unseen, strict=True)
        for thing in scene.things
    ]
    references = [scene.references for scene in data.test]
    numbers = range(1, SETTINGS["most_things"] + 1)
    of_number = {
        n: [
            ok
            for ok, scene in zip(true, data.test, strict=True)
            if len(scene.things) == n
        ]
        for n in numbers
    }
    found = {
        "exact": _percent(true),
        "exact_of": {str(n): _percent(of_number[n]) for n in numbers},
        "bleu": round(caption_bleu(written, references), 2),
        "exact_swapped": _percent(still),
        "bleu_swapped": round(caption_bleu(swapped, references), 2),
        "unseen": _percent(
            [
                describes(words, scene.things, language)
                for words, scene in zip(unseen, data.unseen, strict=True)
            ]
        ),
    }
    for name, is_new in (("new", True), ("old", False)):
        some = [each for new, each in pairs if new is is_new]
        found[name] = {
            part: _percent([each[part] for each in some])
            for part in ("pair", "colour", "digit")
        }
    return found | (
        look(model, data.test)
        if model.variant not in ("once", "pooled", "dense")
        else {}
    )


def named(words: Sequence[str], thing: Thing, language: str) -> dict[str, bool]:
    """Whether a caption names a thing's digit and colour side by side, its colour with any digit, and its digit with any colour."""
    digits, colours = words_of("digits", language), words_of("colours", language)
    said = [
        pair if language == "english" else pair[::-1] for pair in pairwise(words)
    ]  # (colour, digit)
    said = [
        (colour, digit)
        for colour, digit in said
        if colour in colours and digit in digits
    ]
    digit, colour = digits[thing.digit], colours[thing.colour]
    return {
        "pair": (colour, digit) in said,
        "colour": colour in [its_colour for its_colour, _ in said],
        "digit": digit in [its_digit for _, its_digit in said],
    }


def write(model: Captioner, some: Sequence[Scene]) -> list[list[str]]:
    """A caption for each scene, always the most likely word next."""
    data, device = scenes_of(model.variant), next(model.parameters()).device
    captions: list[list[str]] = []
    for start in range(0, len(some), 200):
        memory, state = model.encode(
            data.batch(some[start : start + 200], device=device).pictures
        )

        def step(
            word: Tensor, state: Tensor, memory: Tensor = memory
        ) -> tuple[Tensor, Tensor]:
            logits, _, state = model.step(word, state, memory)
            return logits, state

        captions += greedy_translate(step, state, data.vocab, max_words=40)
    return captions


def look(model: Captioner, some: Sequence[Scene]) -> dict[str, Any]:
    """Where the decoder looks when it names a digit of the first reference."""
    data, device = scenes_of(model.variant), next(model.parameters()).device
    batch = data.batch(some, device=device)
    memory, state = model.encode(batch.pictures)
    weights = model.step(batch.target_in, state, memory)[1]
    if weights is None:
        raise ValueError(f"the variant {model.variant} has no attention to look at")
    looks, boxes, others = [], [], []
    for row, (scene, caption) in enumerate(zip(some, batch.captions, strict=True)):
        other = some[(row + SETTINGS["most_things"]) % len(some)]  # of as many things
        for word, thing in caption.names:
            looks.append(weights[row, word].cpu())
            boxes.append(scene.things[thing].box)
            others.append(other.things[thing].box)
    columns = round(weights.shape[-1] ** 0.5)
    cell = SIZE // columns
    found: dict[str, Any] = {"names": len(looks)}
    grown = {
        name: [_grown(box, cell) for box in gold]
        for name, gold in (("_near", boxes), ("_other_near", others))
    }
    for name, gold in {"": boxes, "_other": others, **grown}.items():
        inside = [
            share_in_box(one, columns, cell, box)
            for one, box in zip(looks, gold, strict=True)
        ]
        found[f"pointing{name}"] = round(
            100
            * pointing_accuracy(torch.stack(looks), torch.tensor(gold), columns, cell),
            2,
        )
        found[f"in_box{name}"] = round(100 * sum(inside) / len(inside), 2)
        areas = [
            (bottom - top) * (right - left) / SIZE**2
            for top, left, bottom, right in gold
        ]
        found[f"area{name}"] = round(100 * sum(areas) / len(areas), 2)
    return found


def _grown(box: tuple[int, int, int, int], cell: int) -> tuple[int, int, int, int]:
    """The box, one cell larger on each side, within the picture."""
    top, left, bottom, right = box
    return (
        max(0, top - cell),
        max(0, left - cell),
        min(SIZE, bottom + cell),
        min(SIZE, right + cell),
    )


def _percent(hits: Sequence[bool]) -> float:
    return round(100 * sum(hits) / len(hits), 2)
