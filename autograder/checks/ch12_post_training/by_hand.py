"""Inputs small enough to do by hand, for questions about a reader's code."""

import torch
from torch import nn

from autograder.asking.draw import Draw
from autograder.questions.given import Given, Stand, whole


def replay_batches(draw: Draw) -> Given:
    """Texts in which all windows are the same."""
    new, old = (torch.full((rows, 2), number) for rows, number in ((3, 1), (int(draw.integers(1, 4)), 7)))
    share, size = (0.0, 0.25, 0.5, 0.6, 1.0)[int(draw.integers(0, 5))], int(draw.integers(2, 5))
    generator = Stand(draw.generator(), "a torch.Generator")
    return Given(
        {"new": new, "old": old, "share": share, "batch_size": size, "generator": generator},
        reads=lambda batches, _: next(batches),
        asked="the first batch",
    )


def pack_instruction(draw: Draw) -> Given:
    """A prompt and an answer of up to three pieces."""
    prompt, answer = (draw.integers(5, 10, int(length)).tolist() for length in draw.integers(0, 3, 2))
    return Given({"prompt": prompt, "answer": answer, "bos_id": 1, "answer_id": 2, "eos_id": 3})


def answer_only_loss(draw: Draw) -> Given:
    """Two pieces, of which one is certain or both are equally likely."""
    is_answer = draw.mask(1, 4)
    is_answer[:, 1] = True
    return Given(
        {"logits": 4 * whole(draw, 1, 4, 2, low=0, high=2), "tokens": draw.integers(0, 2, 1, 4), "is_answer": is_answer}
    )


def LoRALinear(draw: Draw) -> Given:
    """A layer from two numbers to two, and a rank of 1."""
    linear = Stand(nn.Linear(2, 2, bias=False), "nn.Linear(2, 2, bias=False)")
    settings = {"linear": linear, "rank": 1, "alpha": float(draw.integers(2, 4))}
    weights = {"linear.weight": whole(draw, 2, 2), "down": whole(draw, 1, 2), "up": whole(draw, 2, 1)}
    return Given({"inputs": whole(draw, 1, 2)}, settings, weights)


def dpo_loss(draw: Draw) -> Given:
    """Two pairs of answers of two pieces."""
    policy, reference = (-1 * whole(draw, 2, 2, 2, low=0, high=4) for _ in range(2))
    return Given(
        {
            "policy": policy,
            "reference": reference,
            "mask": draw.mask(2, 2, 2),
            "beta": (0.5, 1.0, 2.0)[int(draw.integers(0, 3))],
        }
    )
