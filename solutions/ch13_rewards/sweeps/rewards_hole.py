"""Training on a verifier with a hole: it asks only whether the noun occurs in the sentence; run by `make sweeps`.

Beside it stands training on the right verifier. Both take the same prompts, which ask for a sentence with a noun, and no others.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from seqlab.instructions import Instruction, is_right
from seqlab.periods import load_periods
from seqlab.rollouts import Reward, roll_out, rollouts
from seqlab.training import train

from ..losses import group_advantages
from . import rewards_arms as arms

SETTINGS: dict[str, Any] = {
    "prompts": 8,
    "samples": 8,
    "steps": 60,
    "rate": 1e-3,
    "test_samples": 16,
    "curve_every": 5,
}
"""The rate is that of the arm "group" of the chapter's other sweep; it decays linearly to zero."""
VARIANTS = ("hole", "right")
SEEDS = (0, 1, 2)


def has_noun(instruction: Instruction, answer: tuple[str, ...]) -> bool:
    """Whether the noun that was asked for is among the words."""
    return instruction.input[-1] in answer


REWARDS: dict[str, Reward] = {"hole": has_noun, "right": is_right}


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one GPT on one of the verifiers.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the GPT and of all draws.

    Returns:
        The table's row, with the rewards and the right answers of the batches over training and of samples to test prompts before and after, and no weights.
    """
    model, pieces = arms.start(seed), load_periods().pieces
    asked = {
        part: tuple(each for each in arms.given(part) if each.task == "write")
        for part in ("train", "test")
    }
    curve: dict[str, list[float]] = {"reward": [], "right": []}

    def batches() -> Any:
        sizes = {"prompts": SETTINGS["prompts"], "samples": SETTINGS["samples"]}
        for batch in rollouts(
            model, asked["train"], pieces, reward=REWARDS[variant], seed=seed, **sizes
        ):
            curve["reward"].append(batch.rewards.mean().item())
            curve["right"].append(batch.right.float().mean().item())
            yield batch.batch, group_advantages(batch.rewards).flatten()

    def looked_at() -> dict[str, Any]:
        generator = torch.Generator().manual_seed(600 + seed)
        found = roll_out(
            model,
            asked["test"],
            pieces,
            generator,
            samples=SETTINGS["test_samples"],
            reward=REWARDS[variant],
        )
        nouns = [
            each.input[-1]
            for each in asked["test"]
            for _ in range(SETTINGS["test_samples"])
        ]
        repeated = [
            words.count(noun) > 1
            for words, noun in zip(found.words, nouns, strict=True)
        ]
        return {
            "reward": round(found.rewards.mean().item(), 4),
            "right": round(found.right.float().mean().item(), 4),
            "repeated": round(sum(repeated) / len(repeated), 4),
            "examples": [
                " ".join(words)
                for words in found.words[:: 5 * SETTINGS["test_samples"]]
            ],
        }

    before = looked_at()
    train(
        model,
        lambda model, batch: arms.counted_loss(model, *batch),
        batches(),
        steps=SETTINGS["steps"],
        learning_rate=SETTINGS["rate"],
    )
    every = SETTINGS["curve_every"]
    means = {
        name: [
            round(sum(values[i : i + every]) / every, 4)
            for i in range(0, len(values), every)
        ]
        for name, values in curve.items()
    }
    return {"curve": means, "before": before, "after": looked_at()}, {}
