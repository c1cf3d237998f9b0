"""Inputs small enough to do by hand, for questions about a reader's code."""

from types import SimpleNamespace

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.checks.ch08_self_attention.by_hand import parts
from autograder.questions.given import Given, Stand, whole


def DecoderLayer(draw: Draw) -> Given:
    """A position of two numbers, and a memory of two."""
    mask = torch.ones(1, 1, 1, dtype=torch.bool)
    arguments = {
        "inputs": whole(draw, 1, 1, 2),
        "memory": whole(draw, 1, 2, 2),
        "target_mask": mask,
        "source_mask": draw.mask(1, 1, 2),
    }
    return Given(arguments, parts(draw, "self_attention", "cross_attention"))


def label_smoothed_loss(draw: Draw) -> Given:
    """Two words, of which one is certain or both are equally likely."""
    logits, mask = 4 * whole(draw, 1, 3, 2, low=0, high=2), draw.mask(1, 3)
    return Given(
        {
            "logits": logits,
            "targets": draw.integers(0, 2, 1, 3),
            "mask": mask,
            "epsilon": (0.0, 0.5)[int(draw.integers(0, 2))],
        }
    )


def warmup_schedule(draw: Draw) -> Given:
    """Sizes and steps with whole square roots, as far as possible."""
    step, warmup = (1, 2, 4, 16)[int(draw.integers(0, 4))], (1, 4, 16)[int(draw.integers(0, 3))]
    return Given({"step": step, "d_model": (1, 4)[int(draw.integers(0, 2))], "warmup_steps": warmup})


def _layer() -> SimpleNamespace:
    """What a decoder layer has, for single numbers in two heads."""

    def keys_values(memory: Tensor) -> tuple[Tensor, Tensor]:
        heads = memory.unsqueeze(1).repeat(1, 2, 1, 1)
        return 2 * heads, 3 * heads

    def look_up(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> tuple[Tensor, None]:
        seen = (
            key.sum(dim=(1, 2)) + value.sum(dim=(1, 2)) if mask is None else (key * mask.unsqueeze(-1)).sum(dim=(1, 2))
        )
        return query + seen.unsqueeze(1), None

    attention = SimpleNamespace(keys_values=keys_values, look_up=look_up)
    norms = [lambda states, more=more: states + more for more in (1, 10, 100)]
    return SimpleNamespace(
        self_attention=attention, cross_attention=attention, feed_forward=lambda states: -states, norms=norms
    )


def cached_decode(draw: Draw) -> Given:
    """Vectors of a single number, two heads, one or two earlier positions."""
    told = (
        "its norms add 1, 10 and 100; feed_forward changes the sign; in both attentions, keys_values returns 2 and 3 times the\n"
        "memory, for each of two heads, and look_up adds to the query the sum of all keys and values, or with a mask, the sum\n"
        "of the keys at which it is True"
    )
    length = int(draw.integers(1, 3))
    past, source = (tuple(whole(draw, 1, 2, long, 1, low=0) for _ in range(2)) for long in (length, 2))
    new, mask = whole(draw, 1, 1, 1), draw.mask(1, 1, 2)
    return Given({"layer": Stand(_layer(), told), "new": new, "past": past, "source": source, "source_mask": mask})
