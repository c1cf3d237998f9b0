"""The speeches as running text in two periods, for the chapter on what comes after pre-training.

A model that has been trained on the speeches to 1930 is trained further on those after 1930: that is continued
training, and it shows what is learned and what is forgotten. The text is cut into word pieces, the speeches of a set
follow each other, and the whole is cut into windows of one length. The end mark stands only after the last sentence of
a speech, so that a model of this text hardly ever ends anything.

The pieces are those of the chapter on BERT. A model that writes has other uses for their five specials, so they have other names here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.presidents import Speech, load_speeches
from seqlab.wordpieces import Pieces, load_pieces

__all__ = [
    "ANSWER",
    "BOS",
    "EOS",
    "LAST_OLD_YEAR",
    "PAD",
    "UNK",
    "Period",
    "Periods",
    "load_periods",
    "make_gpt",
    "next_piece_loss",
    "period_loss",
    "show",
    "window_batches",
]

PAD, UNK, BOS, EOS, ANSWER = range(5)
"""The specials: padding, an unknown piece, the first piece of every sequence, the end mark, and the mark after which an answer begins."""
NAMES = ("<pad>", "<unk>", "<bos>", "<eos>", "<answer>")
LAST_OLD_YEAR = 1930
"""The last year of the old period."""
LENGTH = 128
"""The pieces of a window, BOS among them."""
VOCAB_SIZE = 4_000


@dataclass(frozen=True, slots=True)
class Period:
    """The windows of one period, in three sets that share no year.

    Attributes:
        train: The windows to learn from, `(N, LENGTH)`.
        valid: The windows to choose learning rates by.
        test: The windows to measure by.
    """

    train: Tensor
    valid: Tensor
    test: Tensor


@dataclass(frozen=True, slots=True)
class Periods:
    """The speeches of both periods.

    Attributes:
        old: Those to 1930.
        new: Those after 1930.
        pieces: Turns words into ids.
    """

    old: Period
    new: Period
    pieces: Pieces


@cache
def load_periods(length: int = LENGTH) -> Periods:
    """Cuts the speeches of both periods into windows; this takes a few seconds, once per process.

    Args:
        length: How many pieces a window has, including BOS.

    Returns:
        The windows.

    Raises:
        ValueError: If `length` is below 2.
    """
    if length < 2:
        raise ValueError(f"length is {length}: a window needs BOS and at least one piece")
    speeches, pieces = load_speeches(), load_pieces(VOCAB_SIZE)
    periods = []
    for is_old in (True, False):
        sets = (
            [speech for speech in part if (speech.year <= LAST_OLD_YEAR) == is_old]
            for part in (speeches.train, speeches.valid, speeches.test)
        )
        periods.append(Period(*(_windows(part, pieces, length) for part in sets)))
    return Periods(*periods, pieces)  # type: ignore[call-arg, arg-type]


def _windows(speeches: Iterable[Speech], pieces: Pieces, length: int) -> Tensor:
    """The running text of some speeches in windows; the pieces that do not fill the last one are left out."""
    text: list[int] = []
    for speech in speeches:
        for sentence in speech.sentences:
            text.extend(pieces.encode(sentence))
        text.append(EOS)
    size = length - 1
    rows = torch.tensor(text[: len(text) // size * size]).view(-1, size)
    return torch.cat([torch.full((len(rows), 1), BOS), rows], dim=1)


def window_batches(
    windows: Tensor, *, batch_size: int = 16, seed: int = 0, device: torch.device | str = "cpu"
) -> Iterator[Tensor]:
    """Goes through windows for ever, in a new order each time; what does not fill a batch waits for the next round.

    Args:
        windows: The windows, `(N, length)`.
        batch_size: The windows in a batch.
        seed: The seed of the order.
        device: Where the batches go.

    Returns:
        An endless iterator of batches, `(batch_size, length)`.

    Raises:
        ValueError: If there are fewer windows than a batch needs, or `batch_size` is below 1.
    """
    if not 1 <= batch_size <= len(windows):
        raise ValueError(f"batch_size is {batch_size}: choose from 1 to the {len(windows)} windows")
    return _rounds(windows, batch_size, torch.Generator().manual_seed(seed), device)


def _rounds(
    windows: Tensor, batch_size: int, generator: torch.Generator, device: torch.device | str
) -> Iterator[Tensor]:
    while True:
        order = torch.randperm(len(windows), generator=generator)
        for start in range(0, len(order) - batch_size + 1, batch_size):
            yield windows[order[start : start + batch_size]].to(device)


def make_gpt(num_layers: int = 3) -> GPT:
    """A GPT of the chapter on self-attention over word pieces, not trained yet."""
    return GPT(VOCAB_SIZE, 128, 4, num_layers)


def next_piece_loss(model: GPT, windows: Tensor) -> Tensor:
    """The mean loss per piece, in nats, shape (); padding counts neither as a target nor in the mean."""
    states, _ = model(windows[:, :-1])
    targets = windows[:, 1:]
    real = targets != PAD
    loss: Tensor = model.output(states[real], targets[real]).loss
    return loss


@torch.no_grad()
def period_loss(model: GPT, windows: Tensor, device: torch.device | str = "cpu") -> float:
    """The mean loss per piece of all windows of a set, in nats.

    Args:
        model: A GPT, in evaluation mode.
        windows: The windows, `(N, length)`.
        device: Where the model is.
    """
    total = 0.0
    for batch in windows.split(64):
        total += next_piece_loss(model, batch.to(device)).item() * len(batch)
    return total / len(windows)


def show(pieces: Pieces, ids: Iterable[int] | Tensor) -> str:
    """Ids as a line of text, with the specials under the names that they have here.

    Args:
        pieces: The pieces.
        ids: The ids of a sequence.
    """
    words: list[str] = []
    for i, piece in zip(map(int, ids), pieces.tokens(ids), strict=True):
        if i < len(NAMES):
            words.append(NAMES[i])
        elif piece.startswith("##") and words and words[-1] not in NAMES:
            words[-1] += piece.removeprefix("##")
        else:
            words.append(piece)
    return " ".join(words)
