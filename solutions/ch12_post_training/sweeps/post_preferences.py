"""Direct preference optimisation of the tuned GPTs, on pairs of their own answers to one open task: run by `make sweeps`.

The task is "write a sentence with a cat", and a program prefers: `is_sentence_with` says which of two answers is right. The arms differ in which pairs they
learn from: all, those whose two answers are equally long, and those whose right answer is the longer one, equally many of each. Beside them stands
supervised training on the preferred answers of all pairs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

from seqlab.gpt import GPT
from seqlab.instruction_tuning import (
    InstructionBatch,
    answer_instructions,
    make_instruction_batch,
    sampler,
    scores,
    write,
)
from seqlab.instructions import (
    Instruction,
    draw_instructions,
    is_right,
    load_instructions,
)
from seqlab.periods import ANSWER, BOS, EOS, NAMES, load_periods, make_gpt
from seqlab.stored import load_weights
from seqlab.training import pick_device, train
from seqlab.variety import frame_of, verb_of

from ..losses import dpo_loss
from ..packing import pack_instruction

SETTINGS: dict[str, Any] = {
    "num_layers": 3,
    "prompts": 1000,
    "samples": 4,
    "pairs": 150,
    "longer": 2,
    "batch_size": 24,
    "steps": 80,
    "beta": 0.1,
    "rates": [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2],
    "first_rates": 3,
    "valid": 200,
    "test": 400,
}
"""Answers are sampled at temperature 1. Of each prompt's answers, each right one makes a pair with each wrong one; `pairs` of them are taken at random, in the
arm "long" of those whose right answer has at least `longer` pieces more. An arm takes the one of the `rates` with the most right answers to the validation
prompts; it decays linearly to zero. The `first_rates` in the middle are tried first, and others as long as the best one has no worse one on either side."""
VARIANTS = ("tuned", "all", "equal", "long", "preferred")
SEEDS = (0, 1, 2)

Pair = tuple[list[int], list[int], list[int]]
"""A prompt, the preferred answer and the other one, as ids without specials."""
Batch = tuple[InstructionBatch, InstructionBatch]
"""Preferred answers and others."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Train one tuned GPT on preferences.

    Args:
        variant: One of `VARIANTS`; "tuned" is the GPT that the others start from.
        seed: Of the tuned GPT, its samples and the batches.

    Returns:
        The table's row, and no weights.
    """
    reference = start(seed)
    if variant == "tuned":
        return measured(reference, reference, seed), {}
    found = pairs_of(variant, seed)
    if not found:
        raise ValueError(
            f"{variant}, seed {seed}: no prompt has a right and a wrong answer that make such a pair"
        )
    models: dict[float, GPT] = {}
    losses: dict[float, list[float]] = {}
    tuning: dict[float, float] = {}
    for rate in untried(tuning):
        models[rate] = start(seed)
        losses[rate] = trained(models[rate], reference, variant, found, seed, rate)
        tuning[rate] = share_right(models[rate], prompts("valid"), seed)
    rate = max(tuning, key=lambda each: tuning[each])
    return {
        "rate": rate,
        "tuning": {
            str(each): round(share, 4) for each, share in sorted(tuning.items())
        },
        "pairs": len(found),
        "lengths": [
            round(sum(len(pair[i]) for pair in found) / len(found), 2) for i in (1, 2)
        ],
        "last loss": round(sum(losses[rate][-20:]) / 20, 4),
        **measured(models[rate], reference, seed),
    }, {}


def untried(tuning: dict[float, float]) -> Iterator[float]:
    """The rates to try, in order: those in the middle, then the neighbours of the best one so far.

    Args:
        tuning: The share of right answers at each rate that was tried; it is filled by the caller.
    """
    rates = SETTINGS["rates"]
    middle = (len(rates) - SETTINGS["first_rates"]) // 2
    yield from rates[middle : middle + SETTINGS["first_rates"]]
    while True:
        best = rates.index(max(tuning, key=lambda each: tuning[each]))
        beside = [
            rate for rate in rates[max(0, best - 1) : best + 2] if rate not in tuning
        ]
        if not beside:
            return
        yield from beside


def start(seed: int) -> GPT:
    """The tuned GPT of a seed."""
    model = make_gpt(SETTINGS["num_layers"])
    model.load_state_dict(load_weights("post_instruct", "answer", seed))
    return model.to(pick_device()).eval()


@cache
def prompts(part: str) -> tuple[Instruction, ...]:
    """The instructions to sample answers to."""
    seeds = {"prompts": 11, "valid": 12, "test": 13}
    return draw_instructions("write", SETTINGS[part], seeds[part])


@cache
def sampled(seed: int) -> tuple[tuple[list[int], list[int], bool], ...]:
    """Prompts with sampled answers that ended, and whether each is right; the `samples` answers of a prompt follow each other."""
    given = [each for each in prompts("prompts") for _ in range(SETTINGS["samples"])]
    return tuple(_sample(start(seed), given, 100 + seed))


def _sample(
    model: GPT, given: Sequence[Instruction], seed: int
) -> Iterator[tuple[list[int], list[int], bool]]:
    pieces = load_periods().pieces
    asked = [pieces.encode(each.prompt) for each in given]
    answers = write(model, [[BOS, *ids, ANSWER] for ids in asked], sampler(seed))
    for each, ids, answer in zip(given, asked, answers, strict=True):
        ended = answer[-1] == EOS
        said = answer[:-1] if ended else answer
        clean = ended and all(piece >= len(NAMES) for piece in said)
        yield ids, said, clean and is_right(each, pieces.decode(said))


def pairs_of(variant: str, seed: int) -> list[Pair]:
    """The pairs that an arm learns from."""
    answers, number = sampled(seed), SETTINGS["samples"]
    groups = [answers[i : i + number] for i in range(0, len(answers), number)]
    found = [
        (right[0], right[1], wrong[1])
        for group in groups
        for right in group
        if right[2]
        for wrong in group
        if not wrong[2]
    ]
    if variant == "equal":
        found = [pair for pair in found if len(pair[1]) == len(pair[2])]
    if variant == "long":
        found = [
            pair for pair in found if len(pair[1]) >= len(pair[2]) + SETTINGS["longer"]
        ]
    random.Random(seed).shuffle(found)
    return found[: SETTINGS["pairs"]]


def trained(
    model: GPT, reference: GPT, variant: str, found: list[Pair], seed: int, rate: float
) -> list[float]:
    """Train a model on pairs, or on their preferred answers alone; returns the loss of each step."""

    def loss_of(model: GPT, batch: Batch) -> Tensor:
        if variant == "preferred":
            log_probs, mask = piece_log_probs(model, batch[0])
            return -log_probs.sum() / mask.sum()
        with torch.no_grad():
            before = stacked(reference, batch)[0]
        now, mask = stacked(model, batch)
        return dpo_loss(now, before, mask, SETTINGS["beta"])

    return train(
        model,
        loss_of,
        batches(found, seed),
        steps=SETTINGS["steps"],
        learning_rate=rate,
    )


def batches(found: list[Pair], seed: int) -> Iterator[Batch]:
    """Batches of pairs for ever, drawn at random."""
    generator = random.Random(seed)
    while True:
        drawn = generator.sample(found, min(SETTINGS["batch_size"], len(found)))
        packed = [
            [pack_instruction(pair[0], pair[which], BOS, ANSWER, EOS) for pair in drawn]
            for which in (1, 2)
        ]
        length = max(len(tokens) for part in packed for tokens, _ in part)
        yield tuple(_padded(part, length) for part in packed)  # type: ignore[misc]


def _padded(
    packed: list[tuple[list[int], list[bool]]], length: int
) -> InstructionBatch:
    """A batch of one length, so that preferred answers and others fit into one tensor."""
    whole = make_instruction_batch(
        [*packed, ([0] * length, [False] * length)], pick_device()
    )
    return InstructionBatch(whole.tokens[:-1], whole.is_answer[:-1])


def piece_log_probs(model: GPT, batch: InstructionBatch) -> tuple[Tensor, Tensor]:
    """The log-probability of each piece that is to be written, zero elsewhere, and where they are: (B, T - 1) each."""
    states, _ = model(batch.tokens[:, :-1])
    mask, targets = batch.is_answer[:, 1:], batch.tokens[:, 1:]
    found = model.output(states[mask], targets[mask]).output
    return torch.zeros(mask.shape, device=mask.device).masked_scatter(mask, found), mask


def stacked(model: GPT, batch: Batch) -> tuple[Tensor, Tensor]:
    """The log-probabilities of both answers of each pair and their masks, (2, B, T - 1) each."""
    both = [piece_log_probs(model, part) for part in batch]
    return torch.stack([found for found, _ in both]), torch.stack(
        [mask for _, mask in both]
    )


def share_right(model: GPT, given: Sequence[Instruction], seed: int) -> float:
    """The share of right answers among one sampled answer to each prompt."""
    return sum(right for *_, right in _sample(model, given, 200 + seed)) / len(given)


@torch.no_grad()
def measured(model: GPT, reference: GPT, seed: int) -> dict[str, Any]:
    """What a model samples, against what the model that it started from samples, and what it answers to the other tasks."""
    given = prompts("test")
    own, theirs = (
        list(_sample(each, given, 300 + seed)) for each in (model, reference)
    )
    wins = [
        0.5 + 0.5 * (mine[2] - other[2])
        for mine, other in zip(own, theirs, strict=True)
    ]
    packed = [pack_instruction(ids, said, BOS, ANSWER, EOS) for ids, said, _ in own]
    batch = make_instruction_batch(packed, pick_device())
    now, before = (
        piece_log_probs(each, batch)[0].sum(dim=-1) for each in (model, reference)
    )
    pieces, test = load_periods().pieces, load_instructions().test
    said_words = [
        pieces.decode([i for i in said if i >= len(NAMES)]) for _, said, _ in own
    ]
    others = [each for each in test if each.task != "write"]
    right = scores(others, answer_instructions(model, others, pieces))
    return {
        "right": round(sum(each[2] for each in own) / len(own), 4),
        "wins": round(sum(wins) / len(wins), 4),
        "kl": round((now - before).mean().item(), 3),
        "length": round(sum(len(each[1]) for each in own) / len(own), 2),
        "different": len({tuple(words) for words in said_words}) / len(own),
        "frames": len(set(map(frame_of, said_words))),
        "verbs": dict(Counter(map(verb_of, said_words)).most_common(5)),
        "others": {task: round(share, 4) for task, share in right.items()},
        "examples": [" ".join(words) for words in said_words[:6]],
    }
