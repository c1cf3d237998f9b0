"""Instruction tuning trained for longer, with a rate tuned over the whole training: what holds LoRA back, time, rank or vocabulary?; run by `make sweeps`.

The chapter's other sweep of instruction tuning gives every arm 1,000 steps and chooses its rate after 250. LoRA learns fastest at first at a rate that
is not the best one for a long training, so here each rate is tried for as long as an arm is trained at first.

LoRA changes two things at once: the linear layers of the stack get corrections of low rank, and everything else, embeddings, output layer and norms, is
frozen. Two of the arms have only one of the two.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from seqlab.attention_layers import EncoderLayer
from seqlab.convergence import Training, train_at_best_rate
from seqlab.gpt import GPT
from seqlab.instruction_tuning import InstructionBatch, instruction_batches
from seqlab.periods import load_periods
from seqlab.training import pick_device

from ..packing import pack_instruction
from . import post_instruct

SETTINGS: dict[str, Any] = {
    "rates": [2e-3, 4e-3],
    "tuning_seed": 3,
    "tuning_steps": 4000,
    "steps": 4000,
    "most_steps": 16_000,
    "warm_up": 0.1,
}
VARIANTS = ("lora 32", "lora 32, vocabulary", "stack", "answer")
"""LoRA of rank 32 in the linear layers of the stack; the same, while embeddings and output layer learn too; these linear layers at full rank; all weights."""
SEEDS = post_instruct.SEEDS


def run(variant: str, seed: int) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Tune one GPT, and let it answer; the table's row, and no weights."""
    model, found = train_at_best_rate(begin, variant, seed, SETTINGS)
    return {**found, **post_instruct.measured(model)}, {}


def begin(variant: str, seed: int) -> Training:
    """The training of an arm; the tuning's seed is no pre-trained GPT's, so it starts from the first one."""
    given = post_instruct.instructions()

    def loss_of(model: GPT, batch: InstructionBatch) -> Tensor:
        return post_instruct.counted_loss(model, batch.tokens, batch.is_answer)

    return Training(
        start(variant, seed if seed in SEEDS else SEEDS[0]),
        loss_of,
        instruction_batches(
            given.train,
            load_periods().pieces,
            pack_instruction,
            batch_size=post_instruct.SETTINGS["batch_size"],
            seed=seed,
            device=pick_device(),
        ),
        lambda model: post_instruct.answer_loss(model, given.valid),
    )


def start(variant: str, seed: int) -> GPT:
    """The pre-trained GPT of a seed, with LoRA or some of its weights frozen."""
    model = post_instruct.start(variant.split(",")[0], seed)
    if variant == "lora 32, vocabulary":
        model.embedding.requires_grad_(requires_grad=True)
        model.output.requires_grad_(requires_grad=True)
    if variant == "stack":
        model.requires_grad_(requires_grad=False)
        for layer in model.layers:
            assert isinstance(layer, EncoderLayer)
            for part in (layer.self_attention, layer.feed_forward):
                for linear in part.children():
                    if isinstance(linear, nn.Linear):
                        linear.requires_grad_(requires_grad=True)
    return model
