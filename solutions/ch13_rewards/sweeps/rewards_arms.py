"""Training the tuned GPTs on rewards, with each baseline and with a penalty on the KL divergence, beside training without rewards; run by `make sweeps`.

The reward of an answer is 1 if the task's verifier accepts it, else 0. All arms that learn see equally many sequences in equally many steps. Those with rewards
sample each batch from the model as it is. "distilled" is trained without: on what the verifier accepts of as many samples from the model before training.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.instruction_tuning import (
    InstructionBatch,
    answer_instructions,
    make_instruction_batch,
    scores,
)
from seqlab.instructions import Instruction, draw_instructions, load_instructions
from seqlab.periods import ANSWER, BOS, EOS, load_periods, make_gpt
from seqlab.rollouts import Rollouts, piece_log_probs, roll_out, rollouts
from seqlab.stored import load_weights
from seqlab.training import pick_device, train
from seqlab.variety import frame_of, verb_of

from ..losses import group_advantages, kl_estimate, policy_gradient_loss
from ..sampling import majority_vote

SETTINGS: dict[str, Any] = {
    "num_layers": 3,
    "tasks": ["past", "negate", "write"],
    "prompts": 8,
    "samples": 8,
    "steps": 40,
    "rates": [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2],
    "first_rates": [3e-4, 1e-3, 3e-3],
    "tuning_seed": 3,
    "valid_samples": 8,
    "test_samples": 32,
    "votes": [1, 2, 4, 8, 16, 32],
    "curve_every": 5,
}
"""An arm takes the one of the `rates` with the most right answers to the validation prompts after a training of the GPT of seed 0 with the draws of `tuning_seed`;
others than the `first_rates` are tried as long as the best one has no worse one on either side. It decays linearly to zero. The arms that differ from "group" in one
thing take its rate: "scaled" divides the advantages by the deviation, and "group, KL 0.1" adds a penalty."""
VARIANTS = ("start", "group", "none", "distilled", "scaled", "group, KL 0.1")
SEEDS = (0, 1, 2)
Batch = tuple[InstructionBatch, Tensor]
"""Sequences, and the advantage of each."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one GPT, and let it answer.

    Args:
        variant: One of `VARIANTS`; "start" is the GPT that the others start from.
        seed: Of that GPT and of all draws.

    Returns:
        The table's row, and no weights.
    """
    if variant == "start":
        return measured(start(seed), seed), {}
    arm, _, penalty = variant.partition(", KL ")
    tuning = tuned("group" if arm == "scaled" else arm)
    rate = max(tuning, key=lambda each: tuning[each])
    model, curve = trained(arm, seed, seed, rate, float(penalty or 0))
    return {
        "rate": rate,
        "tuning": {
            str(each): round(share, 4) for each, share in sorted(tuning.items())
        },
        "curve": curve,
        **measured(model, seed),
    }, {}


@cache
def tuned(arm: str) -> dict[float, float]:
    """The share of right answers to the validation prompts, by learning rate; computed once for all the runs of a process."""
    found: dict[float, float] = {}
    waiting, rates = list(SETTINGS["first_rates"]), SETTINGS["rates"]
    while waiting:
        for rate in waiting:
            model, _ = trained(arm, 0, SETTINGS["tuning_seed"], rate)
            answers = sampled(model, given("valid"), SETTINGS["valid_samples"], 500)
            found[rate] = answers.right.float().mean().item()
        best = rates.index(max(found, key=lambda each: found[each]))
        waiting = [
            rate for rate in rates[max(0, best - 1) : best + 2] if rate not in found
        ]
    return found


@cache
def given(part: str) -> tuple[Instruction, ...]:
    """The instructions of one set that ask for one of the tasks."""
    return tuple(
        each
        for each in getattr(load_instructions(), part)
        if each.task in SETTINGS["tasks"]
    )


def start(seed: int) -> GPT:
    """The tuned GPT of a seed."""
    model = make_gpt(SETTINGS["num_layers"])
    model.load_state_dict(load_weights("post_instruct", "answer", seed))
    return model.to(pick_device()).eval()


def trained(
    arm: str,
    seed: int,
    draws: int,
    rate: float,
    penalty: float = 0.0,
    steps: int = SETTINGS["steps"],
) -> tuple[GPT, dict[str, list[float]]]:
    """An arm's model, and what its batches were like; `draws` is the seed of prompts and samples."""
    model, reference = start(seed), start(seed) if penalty else None
    curve: dict[str, list[float]] = {"reward": [], "different": []}
    batches = (
        with_rewards(arm, model, draws, curve)
        if arm in BASELINES
        else distilled(model, draws, steps)
    )

    def loss_of(model: GPT, batch: Batch) -> Tensor:
        if reference is None:
            return counted_loss(model, *batch)
        log_probs, mask = piece_log_probs(model, batch[0])
        with torch.no_grad():
            before, _ = piece_log_probs(reference, batch[0])
        return policy_gradient_loss(log_probs, mask, batch[1]) + penalty * kl_estimate(
            log_probs, before, mask
        )

    train(model, loss_of, batches, steps=steps, learning_rate=rate)
    every = SETTINGS["curve_every"]
    return model, {
        name: [
            round(sum(values[i : i + every]) / every, 4)
            for i in range(0, len(values), every)
        ]
        for name, values in curve.items()
    }


def counted_loss(model: GPT, batch: InstructionBatch, advantages: Tensor) -> Tensor:
    """The policy gradient loss, computed on the sequences whose advantage is not 0 alone: the others add nothing."""
    counted = advantages != 0
    if not counted.any():
        return 0.0 * model.embedding.weight.sum()
    log_probs, mask = piece_log_probs(
        model, InstructionBatch(batch.tokens[counted], batch.is_answer[counted])
    )
    return (
        policy_gradient_loss(log_probs, mask, advantages[counted])
        * counted.float().mean()
    )


BASELINES: dict[str, Callable[[Tensor], Tensor]] = {
    "none": lambda rewards: rewards,
    "group": group_advantages,
    "scaled": lambda rewards: group_advantages(rewards, scale=True),
    "minus": lambda rewards: 2 * rewards - 1,
}
"""The advantages of each arm, from the rewards (P, K) of a batch: "minus" has no baseline, and -1 instead of 0 for a wrong answer."""


def with_rewards(
    arm: str, model: GPT, seed: int, curve: dict[str, list[float]]
) -> Iterator[Batch]:
    """Batches that the model samples itself, for ever; each is noted in the curve."""
    sizes = {"prompts": SETTINGS["prompts"], "samples": SETTINGS["samples"]}
    for batch in rollouts(
        model, given("train"), load_periods().pieces, seed=seed, **sizes
    ):
        curve["reward"].append(batch.rewards.mean().item())
        curve["different"].append(different(batch))
        yield batch.batch, BASELINES[arm](batch.rewards).flatten()


def distilled(model: GPT, seed: int, steps: int) -> Iterator[Batch]:
    """Batches for ever of what the verifier accepts of samples from the model before training, as many samples as the other arms make in so many steps."""
    size, draw, pieces = (
        SETTINGS["prompts"] * SETTINGS["samples"],
        random.Random(seed),
        load_periods().pieces,
    )
    accepted = []
    sizes = {"prompts": SETTINGS["prompts"], "samples": SETTINGS["samples"]}
    for batch in islice(
        rollouts(model, given("train"), pieces, seed=seed, **sizes), steps
    ):
        asked = [
            each for each in batch.instructions for _ in range(SETTINGS["samples"])
        ]
        for each, words, right in zip(
            asked, batch.words, batch.right.flatten().tolist(), strict=True
        ):
            if right:
                before, written = (
                    [BOS, *pieces.encode(each.prompt), ANSWER],
                    [*pieces.encode(words), EOS],
                )
                accepted.append(
                    (before + written, [False] * len(before) + [True] * len(written))
                )
    while True:
        drawn = make_instruction_batch(draw.choices(accepted, k=size), pick_device())
        yield drawn, torch.ones(size, device=pick_device())


def different(batch: Rollouts, most: int | None = None) -> float:
    """How many of the answers to one prompt, or of the first `most` of them, are different, on average over the prompts, as a share."""
    samples = batch.rewards.shape[1]
    groups = [
        batch.words[i : i + samples][:most] for i in range(0, len(batch.words), samples)
    ]
    return sum(len(set(group)) / len(group) for group in groups) / len(groups)


def first_of(batch: Rollouts, number: int) -> InstructionBatch:
    """The sequences of the first answers to each prompt."""
    prompts, samples = batch.rewards.shape
    kept = torch.arange(prompts * samples).view(prompts, samples)[:, :number].flatten()
    return InstructionBatch(batch.batch.tokens[kept], batch.batch.is_answer[kept])


def sampled(
    model: GPT, instructions: tuple[Instruction, ...], samples: int, seed: int
) -> Rollouts:
    """Answers at temperature 1."""
    generator = torch.Generator().manual_seed(seed)
    return roll_out(
        model, instructions, load_periods().pieces, generator, samples=samples
    )


@torch.no_grad()
def measured(model: GPT, seed: int) -> dict[str, Any]:
    """What a model samples to the test prompts, and what it answers greedily, to these and to those of the other tasks."""
    samples, pieces = SETTINGS["test_samples"], load_periods().pieces
    found: dict[str, Any] = {
        "right": {},
        "counts": {},
        "votes": {},
        "different": {},
        "nats": {},
        "kl": {},
    }
    reference = start(seed)
    for task in SETTINGS["tasks"]:
        asked = tuple(each for each in given("test") if each.task == task)
        answers = sampled(model, asked, samples, 600 + seed)
        found["right"][task] = round(answers.right.float().mean().item(), 4)
        found["counts"][task] = answers.right.sum(dim=1).tolist()
        found["votes"][task] = [
            round(voted(answers, asked, votes), 4) for votes in SETTINGS["votes"]
        ]
        few = first_of(answers, 8)
        now, before = (
            piece_log_probs(each, few)[0].sum(dim=-1) for each in (model, reference)
        )
        found["different"][task] = round(different(answers, 8), 4)
        found["nats"][task] = round(-now.mean().item(), 3)
        found["kl"][task] = round((now - before).mean().item(), 3)
    others = [
        each for each in load_instructions().test if each.task not in SETTINGS["tasks"]
    ]
    for name, some in {"greedy": given("test"), "others": others}.items():
        right = scores(some, answer_instructions(model, some, pieces))
        found[name] = {task: round(share, 4) for task, share in right.items()}
    return found | variety(model, seed)


def voted(answers: Rollouts, asked: tuple[Instruction, ...], votes: int) -> float:
    """The share of right answers where each is the majority of so many samples; of all samples, cut into as many votes as they make."""
    samples = answers.rewards.shape[1]
    right = []
    for number in range(len(asked)):
        first = number * samples
        words, is_right = (
            answers.words[first : first + samples],
            answers.right[number].tolist(),
        )
        for begin in range(0, samples, votes):
            ballot = list(
                zip(
                    words[begin : begin + votes],
                    is_right[begin : begin + votes],
                    strict=True,
                )
            )
            right.append(majority_vote(ballot)[1])
    return sum(right) / len(right)


def variety(model: GPT, seed: int) -> dict[str, Any]:
    """The frames and verbs of one sampled sentence to each of 400 prompts, those of the stored experiment on preferences."""
    words = sampled(model, draw_instructions("write", 400, 13), 1, 800 + seed).words
    return {
        "frames": len(set(map(frame_of, words))),
        "verbs": dict(Counter(map(verb_of, words)).most_common(5)),
    }
