"""Answers that a language model samples to instructions, with their rewards, for the chapter on rewards that a program checks.

All samples of a step run together, whatever the lengths of their prompts: the prompts are padded on the left, each is read once however many answers
are sampled to it, and an answer that has ended is computed no further.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from seqlab.attention_layers import EncoderLayer, positional_encoding
from seqlab.gpt import GPT
from seqlab.instruction_tuning import InstructionBatch, make_instruction_batch
from seqlab.instructions import Instruction, is_right
from seqlab.periods import ANSWER, BOS, EOS, NAMES, PAD
from seqlab.wordpieces import Pieces

__all__ = ["Reward", "Rollouts", "piece_log_probs", "roll_out", "rollouts", "sample_answers"]

Reward = Callable[[Instruction, tuple[str, ...]], float]
"""Takes an instruction and the words of an answer that ended, returns its reward."""
MOST_PIECES = 24
"""The most pieces of a sampled answer; one that is not at its end by then has not stopped."""


@dataclass(frozen=True, slots=True)
class Rollouts:
    """Sampled answers to P instructions, K to each, one after the other.

    Attributes:
        instructions: The P instructions.
        batch: The P K sequences, each a prompt and its answer.
        words: The words of each answer.
        rewards: `(P, K)`. An answer that did not stop gets 0.
        right: `(P, K)`, whether an answer is right, whatever its reward.
    """

    instructions: tuple[Instruction, ...]
    batch: InstructionBatch
    words: tuple[tuple[str, ...], ...]
    rewards: Tensor
    right: Tensor


def rollouts(
    model: GPT,
    instructions: Sequence[Instruction],
    pieces: Pieces,
    *,
    prompts: int = 8,
    samples: int = 8,
    reward: Reward = is_right,
    seed: int = 0,
) -> Iterator[Rollouts]:
    """Batches for ever, each sampled from the model as it is when the batch is asked for.

    Args:
        model: The model, which is being trained.
        instructions: Where the prompts of a batch are drawn from.
        pieces: Turns words into ids and back.
        prompts: Prompts of a batch, P.
        samples: Answers to each, K.
        reward: What an answer is worth.
        seed: The seed of the prompts and of the samples.
    """
    draw, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    while True:
        given = draw.sample(instructions, prompts)
        yield roll_out(model, given, pieces, generator, samples=samples, reward=reward)


def roll_out(
    model: GPT,
    instructions: Sequence[Instruction],
    pieces: Pieces,
    generator: torch.Generator,
    *,
    samples: int = 8,
    reward: Reward = is_right,
) -> Rollouts:
    """Sample answers to instructions, and reward them.

    Args:
        model: The model.
        instructions: The P instructions.
        pieces: Turns words into ids and back.
        generator: The source of randomness.
        samples: Answers to each, K.
        reward: What an answer is worth.
    """
    prompts = [[BOS, *pieces.encode(each.prompt), ANSWER] for each in instructions]
    answers = sample_answers(model, prompts, generator, samples=samples)
    packed, words, rewards, right = [], [], [], []
    for number, ids in enumerate(answers):
        prompt, each = prompts[number // samples], instructions[number // samples]
        packed.append((prompt + ids, [False] * len(prompt) + [True] * len(ids)))
        said = tuple(pieces.decode([piece for piece in ids if piece >= len(NAMES)]))
        clean = ids[-1] == EOS and all(piece >= len(NAMES) for piece in ids[:-1])
        words.append(said)
        rewards.append(float(reward(each, said)) if clean else 0.0)
        right.append(clean and is_right(each, said))
    device = next(model.parameters()).device
    groups = len(instructions), samples
    return Rollouts(
        tuple(instructions),
        make_instruction_batch(packed, device),
        tuple(words),
        torch.tensor(rewards, device=device).view(groups),
        torch.tensor(right, device=device).view(groups),
    )


def piece_log_probs(model: GPT, batch: InstructionBatch) -> tuple[Tensor, Tensor]:
    """The log-probability of each piece that the model wrote.

    Args:
        model: The model.
        batch: Sequences of prompts and answers.

    Returns:
        The log-probabilities, zero elsewhere, and where they are: (N, T - 1) each.
    """
    states, _ = model(batch.tokens[:, :-1])
    mask, targets = batch.is_answer[:, 1:], batch.tokens[:, 1:]
    found = model.output(states[mask], targets[mask]).output
    return torch.zeros(mask.shape, device=mask.device).masked_scatter(mask, found), mask


@torch.no_grad()
def sample_answers(
    model: GPT,
    prompts: Sequence[Sequence[int]],
    generator: torch.Generator,
    *,
    samples: int = 1,
    most: int = MOST_PIECES,
) -> list[list[int]]:
    """Continue each prompt several times, at temperature 1.

    Args:
        model: The model.
        prompts: The ids of each prompt.
        generator: The source of randomness, on the CPU.
        samples: Continuations of each prompt, K.
        most: The most pieces of a continuation.

    Returns:
        The ids that were written, those of the first prompt first, the end mark last if the model wrote one.
    """
    device, size = next(model.parameters()).device, model.embedding.embedding_dim
    longest = max(map(len, prompts))
    table = positional_encoding(longest + most, size).to(model.embedding.weight)
    columns = torch.arange(longest + most, device=device)
    pieces = torch.tensor([[PAD] * (longest - len(each)) + list(each) for each in prompts], device=device)
    start = torch.tensor([longest - len(each) for each in prompts], device=device)  # the column of BOS
    written: list[list[int]] = [[] for _ in range(samples * len(prompts))]
    running = torch.arange(len(written))
    cache: list[tuple[Tensor, Tensor]] = []
    before = 0
    while True:
        new = columns[before : before + pieces.shape[1]]
        read = columns[: before + pieces.shape[1]]
        states = model.embedding(pieces) * size**0.5 + table[(new - start.unsqueeze(1)).clamp(min=0)]
        mask = (read <= new.unsqueeze(1)) & (read >= start.view(-1, 1, 1))  # (rows, new, read)
        states = _advance(model, states, mask, cache)
        cumulative = model.output.log_prob(states).exp().cpu().cumsum(dim=-1)
        if before == 0:  # each prompt has been read once; from here on there is a row for each sample
            rows = running // samples
            cumulative, start = cumulative[rows], start[rows.to(device)]
            cache[:] = [(key[rows.to(device)], value[rows.to(device)]) for key, value in cache]
        drawn = torch.rand(len(cumulative), 1, generator=generator) * cumulative[:, -1:]
        chosen = torch.searchsorted(cumulative, drawn, right=True).clamp(max=cumulative.shape[1] - 1)
        for row, piece in zip(running.tolist(), chosen.flatten().tolist(), strict=True):
            written[row].append(piece)
        goes_on = chosen.flatten() != EOS
        before = len(read)
        if before == longest + most - 1 or not goes_on.any():
            return written
        running, pieces = running[goes_on], chosen[goes_on].to(device)
        kept = goes_on.to(device)
        start = start[kept]
        cache[:] = [(key[kept], value[kept]) for key, value in cache]


def _advance(model: GPT, states: Tensor, mask: Tensor, cache: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Run new positions (B, t, d_model) through the layers; their keys and values join the cache. The last position's vector, (B, d_model)."""
    begins = not cache
    for number, layer in enumerate(model.layers):
        assert isinstance(layer, EncoderLayer)
        normed = layer.norms[0](states)
        key, value = layer.self_attention.keys_values(normed)
        if begins:
            cache.append((key, value))
        else:
            key, value = (torch.cat(both, dim=2) for both in zip(cache[number], (key, value), strict=True))
            cache[number] = key, value
        states = states + layer.self_attention.look_up(normed, key, value, mask)[0]
        states = states + layer.feed_forward(layer.norms[1](states))
    found: Tensor = model.norm(states[:, -1])
    return found
