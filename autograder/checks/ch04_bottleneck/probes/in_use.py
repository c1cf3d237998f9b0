"""How each exercise of this chapter is used."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.checks.ch04_bottleneck.probes.position_probe import scores_of
from autograder.draw import Draw
from autograder.in_use import Use, in_use, weigh


@in_use("accuracy_by_length", gradients=False, dtypes=False, devices=False)
def accuracy_by_length(accuracy_by_length, draw: Draw) -> Use:
    """Lengths from 0 on, with bins that overlap, that leave lengths out, or that have a single length, no sentence or nearly all."""

    def sentences(number: int) -> tuple[Tensor, Tensor]:
        return draw.integers(0, 3, number) > 0, draw.integers(0, 91, number)

    bins = [(0, 0), (1, 5), (6, 10), (8, 20), (13, 13), (22, 85), (91, 99)]
    return Use(accuracy_by_length, (*sentences(900), bins), (*sentences(37), bins[::-2]))


@in_use("position_probe", gradients=False, devices=False)
def position_probe(position_probe, draw: Draw) -> Use:
    """States of words at places 0 to 6 that lie far from zero, some close together; then of fewer places and with another ridge."""

    def call(problems: list[tuple[Any, ...]]) -> list[float]:
        return [position_probe(*problem) for problem in problems]

    def given(number: int, places: int, ridge: float) -> tuple[Tensor, Tensor, Tensor, float]:
        labels, train = torch.arange(number) % places, (torch.arange(number) // places) % 3 > 0
        features = draw.normal(places, 9)[labels] + draw.normal(number, 9) + 5
        first, second = scores_of(features.double(), labels, train, ridge).topk(2).values.unbind(-1)
        clear = train | (first - second > 1e-3)  # Rounding moves no row that is tested from one place to another.
        return features[clear], labels[clear], train[clear], ridge

    first = [given(int(draw.integers(180, 300)), places, 0.5) for places in (7, 3, 25)]
    return Use(call, (first,), ([given(60, 3, 20.0)],))


class _Reads(nn.Module):
    """In place of a translator: log-probabilities of 9 words that depend on each source word ten times less than on the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Parameter(torch.zeros(4, 8)), nn.Parameter(torch.zeros(8, 9))

    def forward(self, embedded: Tensor) -> Tensor:
        """Log-probabilities (T,) of an embedded source (S, E)."""
        fading = 0.1 ** torch.arange(len(embedded), device=embedded.device, dtype=embedded.dtype)
        inner = (fading.unsqueeze(0) @ embedded @ self.first).tanh()
        return F.logsigmoid(inner @ self.second).squeeze(0)


@in_use("gradient_map", gradients=False, devices=False)
def gradient_map(gradient_map, draw: Draw) -> Use:
    """A source of which the last words are hardly felt, as without attention; the map is plotted on a scale of powers."""
    reads = weigh(_Reads(), draw)

    def call(embedded: Tensor) -> Tensor:
        felt: Tensor = gradient_map(reads, embedded).log10()
        return felt

    return Use(call, (draw.normal(13, 4),), (draw.normal(1, 4),), modules=(reads,))
