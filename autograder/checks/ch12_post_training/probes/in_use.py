"""How each exercise of this chapter is used."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.ch12_post_training.probes.lora_linear import drawn, merged
from autograder.checks.ch12_post_training.probes.pack_instruction import as_used
from autograder.checks.ch12_post_training.probes.replay_batches import some_batches
from autograder.draw import Draw
from autograder.in_use import Use, in_use


@in_use("replay_batches", gradients=False, dtypes=False, devices=False)
def replay_batches(replay_batches, draw: Draw) -> Use:
    """Windows of a text as long as the chapter's; which come is chance's, so only how many of each batch are old is looked at."""

    def call(new: Tensor, old: Tensor, share: float, batch_size: int) -> list[Tensor]:
        generator = torch.Generator().manual_seed(int(draw.integers(0, 2**62)))
        batches = some_batches(replay_batches, new, old, share, batch_size, generator, 20)
        return [(batch[:, 0] < 0).sum() for batch in batches]

    def text(number: int, sign: int) -> Tensor:
        return sign * draw.integers(5, 4000, number, 128)

    sizes = [size + (size % 10 == 5) for size in draw.integers(20, 200, 2).tolist()]  # No share of them ends in a half.
    return Use(call, (text(40, 1), text(30, -1), 0.1, sizes[0]), (text(9, 1), text(50, -1), 0.3, sizes[1]))


@in_use("pack_instruction", gradients=False, dtypes=False, devices=False)
def pack_instruction(pack_instruction, draw: Draw) -> Use:
    """Texts in which pieces come again; then a long instruction with an answer of one piece, with 0 for a mark."""

    def call(prompt: list[int], answer: list[int], marks: list[int]) -> dict[str, Tensor]:
        tokens, found = as_used(pack_instruction, prompt, answer, marks)
        of = f"for a prompt of {len(prompt)} pieces and an answer of {len(answer)}, some of which come again"
        return {f"the sequence {of}": tokens, f"what has to be written {of}": found}

    def ids(length: int) -> list[int]:
        return draw.integers(5, 12, length).tolist()

    return Use(call, (ids(14), ids(9), [2, 4, 3]), (ids(60), ids(1), [1, 0, 2]))


@in_use("answer_only_loss")
def answer_only_loss(answer_only_loss, draw: Draw) -> Use:
    """A batch of padded instructions, then one instruction alone, of a model that is very sure."""

    def given(batch: int, length: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        logits = draw.normal(batch, length, 31, scale=scale)
        starts = draw.integers(3, length // 2, batch).unsqueeze(1)
        ends = starts + draw.integers(2, length // 2, batch).unsqueeze(1)
        places = torch.arange(length)
        return logits, draw.integers(0, 31, batch, length), (places >= starts) & (places < ends)

    def call(logits: Tensor, tokens: Tensor, is_answer: Tensor) -> Any:
        kept = is_answer.clone()
        kept[:, 0] = False  # What is turned round may begin with an answer, and nothing predicts the first piece.
        return answer_only_loss(logits, tokens, kept)

    return Use(call, given(6, 28, 1.0), given(1, 20, 30.0))


class _Both(nn.Module):
    """The student's module, and what its merged layer computes. The wrapped layer's weights are not among its own, so that none of them is trained here."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.lora = module

    def named_parameters(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, nn.Parameter]]:
        """A and B."""
        every = super().named_parameters(*args, **kwargs)
        return ((name, weight) for name, weight in every if not name.startswith("lora.linear."))

    def forward(self, inputs: Tensor) -> list[Tensor]:
        """Both outputs."""
        return [self.lora(inputs), merged(self.lora)(inputs)]


@in_use("LoRALinear", devices=False)
def lora_linear(lora_class, draw: Draw) -> Use:
    """A layer as wide as the chapter's over a batch of sequences, then over single vectors."""
    module = _Both(drawn(lora_class, draw, 32, 24, rank=4, alpha=16.0))
    return Use(module, (draw.normal(3, 9, 32, scale=0.2),), (draw.normal(5, 32, scale=0.2),))


@in_use("dpo_loss")
def dpo_loss(dpo_loss, draw: Draw) -> Use:
    """Pairs of answers as long as the chapter's, of a policy that has moved a little; then one pair with another β."""

    def given(pairs: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
        reference = -8 * draw.normal(2, pairs, length).abs()
        policy = reference + draw.normal(2, pairs, length, scale=0.3)
        mask = draw.padding_mask(2 * pairs, length).unflatten(0, (2, pairs))
        return policy, reference, mask

    return Use(dpo_loss, given(5, 24), (*given(1, 30), 0.5))
