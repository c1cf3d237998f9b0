"""How each exercise of this chapter is used."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch06_decoding.probes.beam_search import equal_ends, nested, searched, table_of
from autograder.checks.ch06_decoding.probes.diagnose_error import asked
from autograder.draw import Draw
from autograder.in_use import Use, in_use


@in_use("beam_search", gradients=False)
def beam_search(beam_search, draw: Draw) -> Use:
    """Three sources with four places each, also with a state of several tensors; then one whose sentences are all equally probable."""

    def call(table: Tensor, width: int, most: int, gamma: float) -> list[Any]:
        found = searched(beam_search, table, width, most, gamma)
        return [found["words"], found["scores"], nested(beam_search, table, 3, 4, 0)]

    first = table_of(draw, 3, 12, ends=0.5), 4, 12, 0.7
    return Use(call, first, (equal_ends(draw, 9), 4, 9, 0.0))


@in_use("diagnose_error", gradients=False, dtypes=False, devices=False)
def diagnose_error(diagnose_error, draw: Draw) -> Use:
    """Sentences with words that come again, or with none, and scores that are equal, nearly equal or minus infinity."""

    def call(cases: list[tuple[Any, ...]]) -> dict[str, str]:
        names = [f"found {found}, reference {reference}, scores {a!r} and {b!r}" for found, reference, a, b in cases]
        return dict(zip(names, asked(diagnose_error, cases), strict=True))

    some, score = draw.integers(0, 3, 5).tolist(), -float(draw.integers(1, 90)) / 8
    scores = [
        (score, score),
        (score, score + 1e-9),
        (score, score - 1e-9),
        (score - 900, score - 800),
        (-math.inf, score),
        (score, 0.0),
        (score, -math.inf),
    ]
    pairs = [
        (some, some[:-1]),
        (some, [*some, 0]),
        (some, [*some[:-1], some[-1] + 1]),
        (some, [*some[:2], some[2] + 1, *some[3:]]),
        ([1, 12], [11, 2]),
        ([], some),
        (some, []),
        ([], []),
        (some, tuple(some)),
        (some[::-1], [7, *some]),
    ]
    cases = [(*pair, *both) for pair in pairs for both in scores]
    order = draw.normal(len(cases)).argsort().tolist()
    return Use(call, ([cases[place] for place in order],), (cases[: int(draw.integers(3, 9))],))


@in_use("top_k_filter", gradients=False, new=True)
def top_k_filter(top_k_filter, draw: Draw) -> Use:
    """Rows in which logits come again and words are impossible already, and one of many words that are nearly equal, or far apart; then fewer words."""

    def call(logits: Tensor, k: int, many: Tensor) -> list[Tensor]:
        return [top_k_filter(logits, k), top_k_filter(many, 2 * many.shape[-1] // 5), top_k_filter(500 * many, 20)]

    logits = draw.integers(-4, 5, 3, 2, 21) / 2
    logits[0, :, 3:7] = -math.inf
    few = draw.normal(1, 6, scale=80.0)
    return Use(call, (logits, 5, draw.normal(1, 5000) + 8), (few, 9, draw.normal(1, 700)))


@in_use("top_p_filter", gradients=False, new=True)
def top_p_filter(top_p_filter, draw: Draw) -> Use:
    """Rows that are drawn, and rows of equal logits, where the sum reaches p exactly; one of many words; then all of the probability."""

    def call(logits: Tensor, p: float, many: Tensor) -> list[Tensor]:
        sums = many.double().softmax(dim=-1).sort(descending=True).values.cumsum(dim=-1)[0]
        place = int((sums < 0.9).sum())
        return [top_p_filter(logits, p), top_p_filter(many, float(sums[place : place + 2].mean()))]

    logits = draw.normal(5, 64, scale=2.0)
    logits[1], logits[3] = 0.0, -7.5
    later = torch.cat([draw.normal(1, 64), torch.zeros(1, 64)]), 1.0, draw.normal(1, 70) + 300
    return Use(call, (logits, 0.25, draw.normal(1, 2000)), later)


@in_use("sample_next", gradients=False)
def sample_next(sample_next, draw: Draw) -> Use:
    """A batch with words that are impossible and a filter, then one row; which word is drawn is chance's."""
    generator = torch.Generator().manual_seed(int(draw.integers(0, 2**62)))

    def keep(logits: Tensor) -> Tensor:
        return logits.masked_fill(logits < logits.mean(dim=-1, keepdim=True), -math.inf)

    def call(logits: Tensor, *more: Any) -> Tensor:
        return torch.zeros_like(sample_next(logits, generator, *more))

    rows = int(draw.integers(2, 1000))
    logits = draw.normal(rows, 400) / 9
    return Use(call, (logits, 0.7, keep), (logits[: rows // 2].masked_fill(logits[: rows // 2] < 0, -math.inf), 2.0))
