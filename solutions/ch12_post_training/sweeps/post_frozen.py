"""Instruction tuning with the vocabulary frozen or not, with and without LoRA: why LoRA learns and forgets less; run by `make sweeps`.

LoRA changes two things at once: the linear layers of the stack get corrections of low rank, and everything else, embeddings, output layer and norms, is frozen. Here an arm has only one of the two. Rates, steps and batches are those of the chapter's other sweep of instruction tuning.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from torch import Tensor, nn

from seqlab.attention_layers import EncoderLayer
from seqlab.gpt import GPT
from seqlab.instruction_tuning import InstructionBatch, instruction_batches
from seqlab.periods import load_periods
from seqlab.training import pick_device, train

from ..packing import pack_instruction
from . import post_instruct as tuning

SETTINGS: dict[str, Any] = dict(tuning.SETTINGS)
VARIANTS = ("stack", "lora 8, vocabulary")
"""The linear layers of the stack train, at full rank, and nothing else; LoRA in these layers, and embeddings and output layer train too."""
SEEDS = tuning.SEEDS


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Tune one GPT, and let it answer; the table's row, and no weights."""
    found = tuned(variant)
    rate = min(found, key=lambda each: found[each])
    model = trained(variant, seed, seed, rate, SETTINGS["steps"])
    return {
        "rate": rate,
        "tuning": {str(each): round(loss, 4) for each, loss in found.items()},
        "trained": sum(
            weight.numel() for weight in model.parameters() if weight.requires_grad
        ),
        **tuning.measured(model),
    }, {}


def start(variant: str, seed: int) -> GPT:
    """The pre-trained GPT of a seed, with some of its weights frozen."""
    if variant != "stack":
        model = tuning.start("lora 8", seed)
        model.embedding.requires_grad_(requires_grad=True)
        model.output.requires_grad_(requires_grad=True)
        return model
    model = tuning.start("answer", seed).requires_grad_(requires_grad=False)
    for layer in model.layers:
        assert isinstance(layer, EncoderLayer)
        for part in (layer.self_attention, layer.feed_forward):
            for linear in part.children():
                if isinstance(linear, nn.Linear):
                    linear.requires_grad_(requires_grad=True)
    return model


def trained(variant: str, seed: int, order: int, rate: float, steps: int) -> GPT:
    """An arm's model; `order` is the seed of the batches."""
    model, given = start(variant, seed), tuning.instructions().train
    batches = instruction_batches(
        given,
        load_periods().pieces,
        pack_instruction,
        batch_size=SETTINGS["batch_size"],
        seed=order,
        device=pick_device(),
    )

    def loss_of(model: GPT, batch: InstructionBatch) -> Tensor:
        return tuning.counted_loss(model, batch.tokens, batch.is_answer)

    train(model, loss_of, batches, steps=steps, learning_rate=rate)
    return model


@cache
def tuned(variant: str) -> dict[float, float]:
    """The loss on the validation answers after a short training, by learning rate; computed once for all the runs of a process."""
    steps, order, valid = (
        SETTINGS["tuning_steps"],
        SETTINGS["tuning_seed"],
        tuning.instructions().valid,
    )
    return {
        rate: tuning.answer_loss(trained(variant, 0, order, rate, steps), valid)
        for rate in SETTINGS["rates"]
    }
