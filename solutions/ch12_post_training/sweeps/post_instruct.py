"""Instruction tuning of the pre-trained GPTs: on what the loss counts, and which weights learn; run by `make sweeps`.

Every arm reads the same batches in the same order, so that all of them see equally many answer pieces. Beside them stand the pre-trained GPT, asked as it is
and with three solved examples before each instruction, and the same network from fresh weights. What the loss needs is computed at the positions that count
alone, which is `answer_only_loss` of the same logits in half the time.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from seqlab.attention_layers import EncoderLayer
from seqlab.gpt import GPT
from seqlab.instruction_tuning import (
    Answer,
    InstructionBatch,
    answer_instructions,
    few_shot_prompts,
    instruction_batches,
    make_instruction_batch,
    scores,
    write,
)
from seqlab.instructions import Instruction, Instructions, is_right, load_instructions
from seqlab.periods import ANSWER, BOS, EOS, PAD, load_periods, make_gpt, period_loss
from seqlab.stored import load_weights
from seqlab.training import pick_device, train

from ..lora import LoRALinear
from ..packing import pack_instruction

SETTINGS: dict[str, Any] = {
    "num_layers": 3,
    "batch_size": 32,
    "steps": 1000,
    "rates": [4e-3, 8e-3, 1.6e-2],
    "tuning_steps": 250,
    "tuning_seed": 3,
    "shots": 3,
    "alpha": 16.0,
    "curve_every": 50,
}
"""An arm takes the one of the `rates` with the lowest loss on the answers of the validation instructions after `tuning_steps`, starting from the GPT of seed 0
with the batches of `tuning_seed`. It decays linearly to zero."""
VARIANTS = (
    "zero-shot",
    "few-shot",
    "answer",
    "everything",
    "no end",
    "scratch",
    "lora 2",
    "lora 8",
    "lora 32",
)
SEEDS = (0, 1, 2)
KEPT = ("answer",)
"""The variants whose trained weights are stored."""


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Tune one GPT, and let it answer.

    Args:
        variant: One of `VARIANTS`.
        seed: Of the pre-trained GPT and of the batches; the instructions are always the same.

    Returns:
        The table's row, and the weights if they are to be kept.
    """
    if variant.endswith("shot"):
        model = start("answer", seed)
        return measured(
            model, shots=SETTINGS["shots"] if variant == "few-shot" else 0
        ), {}
    found = tuned(variant)
    rate = min(found, key=lambda each: found[each])
    model, losses = trained(variant, seed, seed, rate, SETTINGS["steps"])
    every = SETTINGS["curve_every"]
    row = {
        "rate": rate,
        "tuning": {str(each): round(loss, 4) for each, loss in found.items()},
        "steps": len(losses),
        "trained": sum(
            weight.numel() for weight in model.parameters() if weight.requires_grad
        ),
        "curve": [
            round(sum(losses[i : i + every]) / every, 4)
            for i in range(0, len(losses), every)
        ],
        **measured(model),
    }
    return row, model.state_dict() if variant in KEPT else {}


def start(variant: str, seed: int) -> GPT:
    """The GPT that an arm starts from: pre-trained or fresh, perhaps with LoRA in its layers."""
    torch.manual_seed(seed)
    model = make_gpt(SETTINGS["num_layers"])
    if variant != "scratch":
        model.load_state_dict(load_weights("post_base", "gpt", seed))
    if variant.startswith("lora"):
        add_lora(model, int(variant.split()[1]), SETTINGS["alpha"])
    return model.to(pick_device()).eval()


def add_lora(model: GPT, rank: int, alpha: float) -> None:
    """Freeze a GPT and wrap every linear layer of its stack."""
    model.requires_grad_(requires_grad=False)
    for layer in model.layers:
        assert isinstance(layer, EncoderLayer)
        for part in (layer.self_attention, layer.feed_forward):
            for name, linear in list(part.named_children()):
                if isinstance(linear, nn.Linear):
                    setattr(part, name, LoRALinear(linear, rank, alpha))


def trained(
    variant: str, seed: int, order: int, rate: float, steps: int
) -> tuple[GPT, list[float]]:
    """An arm's model, and the loss of each step; `order` is the seed of the batches."""
    model = start(variant, seed)
    batches = instruction_batches(
        instructions().train,
        load_periods().pieces,
        pack_instruction,
        batch_size=SETTINGS["batch_size"],
        seed=order,
        device=pick_device(),
    )

    def loss_of(model: GPT, batch: InstructionBatch) -> Tensor:
        return counted_loss(model, batch.tokens, counts(variant, batch))

    return model, train(model, loss_of, batches, steps=steps, learning_rate=rate)


def counts(variant: str, batch: InstructionBatch) -> Tensor:
    """On which pieces of a batch an arm's loss counts, (B, T)."""
    if variant == "everything":
        return batch.tokens != PAD
    if variant == "no end":
        return batch.is_answer & (batch.tokens != EOS)
    return batch.is_answer


def counted_loss(model: GPT, tokens: Tensor, wanted: Tensor) -> Tensor:
    """The mean loss of the pieces where `wanted` is True, computed at the positions that predict them alone."""
    states, _ = model(tokens[:, :-1])
    wanted = wanted[:, 1:]
    loss: Tensor = model.output(states[wanted], tokens[:, 1:][wanted]).loss
    return loss


@cache
def tuned(variant: str) -> dict[float, float]:
    """The loss on the validation answers after a short training, by learning rate; computed once for all the runs of a process."""
    steps, order = SETTINGS["tuning_steps"], SETTINGS["tuning_seed"]
    return {
        rate: answer_loss(
            trained(variant, 0, order, rate, steps)[0], instructions().valid
        )
        for rate in SETTINGS["rates"]
    }


@cache
def instructions() -> Instructions:
    """The instructions, drawn once for all the runs of a process."""
    return load_instructions()


@torch.no_grad()
def answer_loss(
    model: GPT, given: tuple[Instruction, ...], *, end: bool = True
) -> float:
    """The mean loss per piece of the right answers, in nats, with or without the end marks."""
    pieces = load_periods().pieces
    packed = [
        pack_instruction(
            pieces.encode(x.prompt), pieces.encode(x.answer), BOS, ANSWER, EOS
        )
        for x in given
    ]
    batch = make_instruction_batch(packed, pick_device())
    return counted_loss(
        model, batch.tokens, counts("answer" if end else "no end", batch)
    ).item()


def measured(model: GPT, *, shots: int = 0) -> dict[str, Any]:
    """What a model answers, set by set, and its losses; with `shots`, it is shown solved examples as running text."""
    found: dict[str, Any] = {}
    for name in ("test", "templates", "tasks"):
        given = getattr(instructions(), name)
        answers = (
            shown_examples(model, given, shots)
            if shots
            else answer_instructions(model, given, load_periods().pieces)
        )
        found[name] = {
            "right": {
                task: round(share, 4) for task, share in scores(given, answers).items()
            },
            "stopped": round(
                sum(answer.stopped for answer in answers) / len(answers), 4
            ),
            "length": round(sum(answer.length for answer in answers) / len(answers), 2),
        }
    found["answers"] = round(answer_loss(model, instructions().test), 4)
    found["without end"] = round(answer_loss(model, instructions().test, end=False), 4)
    found["wanted length"] = round(
        sum(len(load_periods().pieces.encode(x.answer)) for x in instructions().test)
        / len(instructions().test),
        2,
    )
    found["old"] = round(period_loss(model, load_periods().old.test, pick_device()), 4)
    return found


def shown_examples(
    model: GPT, given: tuple[Instruction, ...], shots: int
) -> list[Answer]:
    """Answers after solved examples. They are judged with leniency: right is what begins with a right answer, whether or not it ends there."""
    pieces = load_periods().pieces
    examples = (*instructions().train, *extra_examples())
    answers = []
    for each, ids in zip(
        given,
        write(model, few_shot_prompts(given, examples, pieces, shots)),
        strict=True,
    ):
        words = pieces.decode([piece for piece in ids if piece != EOS])
        ends = [end for end in range(1, len(words) + 1) if is_right(each, words[:end])]
        stopped = ";" in words
        answers.append(Answer(tuple(words), stopped, len(ids), bool(ends)))
    return answers


def extra_examples() -> tuple[Instruction, ...]:
    """Solved examples of the held-out tasks."""
    return load_instructions(seed=1, train=1, valid=1, test=1, held_out=40).tasks
