"""What the chapter on post-training needs around its exercises: batches of packed instructions, answers written by a GPT, and their score.

No exercise's answer is here: the packing arrives as an argument, and the losses are the chapter's.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seqlab.attention_layers import EncoderLayer, causal_mask, positional_encoding
from seqlab.gpt import GPT
from seqlab.instructions import Instruction, is_right
from seqlab.periods import ANSWER, BOS, EOS, NAMES, PAD
from seqlab.wordpieces import Pieces

__all__ = [
    "Answer",
    "InstructionBatch",
    "Pack",
    "answer_instructions",
    "few_shot_prompts",
    "instruction_batches",
    "make_instruction_batch",
    "next_log_probs",
    "scores",
    "write",
]

Pack = Callable[[list[int], list[int], int, int, int], tuple[list[int], list[bool]]]
"""The chapter's `pack_instruction`."""
Packed = tuple[list[int], list[bool]]
MOST_PIECES = 40
"""The most pieces of an answer; one that is not at its end by then has not stopped."""


@dataclass(frozen=True, slots=True)
class InstructionBatch:
    """Packed instructions as padded tensors.

    Attributes:
        tokens: `(B, T)`, padded with PAD at the ends.
        is_answer: `(B, T)`, True on what the model has to write.
    """

    tokens: Tensor
    is_answer: Tensor


def make_instruction_batch(packed: Sequence[Packed], device: torch.device | str = "cpu") -> InstructionBatch:
    """Pads packed instructions to one length.

    Args:
        packed: Tokens of each, and whether the model has to write them.
        device: Where the tensors go.

    Raises:
        ValueError: If there are none, or one does not have as many tokens as marks.
    """
    if not packed:
        raise ValueError("packed is empty: a batch needs at least one sequence")
    for i, (tokens, marks) in enumerate(packed):
        if len(tokens) != len(marks):
            raise ValueError(f"packed[{i}] has {len(tokens)} tokens and {len(marks)} marks: each token has one")
    ids = pad_sequence([torch.tensor(tokens) for tokens, _ in packed], batch_first=True, padding_value=PAD)
    wanted = pad_sequence([torch.tensor(marks) for _, marks in packed], batch_first=True)
    return InstructionBatch(ids.to(device), wanted.to(device))


def instruction_batches(
    instructions: Sequence[Instruction],
    pieces: Pieces,
    pack: Pack,
    *,
    batch_size: int = 32,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Iterator[InstructionBatch]:
    """Goes through instructions for ever, in a new order each time, with sequences of similar length together.

    Args:
        instructions: The instructions.
        pieces: Turns words into ids.
        pack: The chapter's `pack_instruction`.
        batch_size: The most instructions in a batch; the last of a round may have fewer.
        seed: The seed of the order.
        device: Where the tensors go.

    Returns:
        An endless iterator of batches.

    Raises:
        ValueError: If there are no instructions, or `batch_size` is below 1.
    """
    if not instructions:
        raise ValueError("instructions is empty: batches need at least one")
    if batch_size < 1:
        raise ValueError(f"batch_size is {batch_size}: ask for at least 1")
    packed = [pack(pieces.encode(each.prompt), pieces.encode(each.answer), BOS, ANSWER, EOS) for each in instructions]
    return _rounds(packed, batch_size, random.Random(seed), device)


_POOL = 20
"""The batches of a pool, within which sequences are sorted by length, so that little is padding."""


def _rounds(
    packed: list[Packed], batch_size: int, generator: random.Random, device: torch.device | str
) -> Iterator[InstructionBatch]:
    while True:
        generator.shuffle(packed)
        drawn: list[list[Packed]] = []
        for start in range(0, len(packed), _POOL * batch_size):
            pool = sorted(packed[start : start + _POOL * batch_size], key=lambda each: len(each[0]))
            drawn.extend(pool[i : i + batch_size] for i in range(0, len(pool), batch_size))
        generator.shuffle(drawn)
        for batch in drawn:
            yield make_instruction_batch(batch, device)


def next_log_probs(model: GPT, tokens: Tensor) -> Tensor:
    """The log-probabilities of the next piece at each position, which serve as logits.

    Args:
        model: The model.
        tokens: Shape (B, T).

    Returns:
        Shape (B, T, V).
    """
    states, _ = model(tokens)
    found: Tensor = model.output.log_prob(states.flatten(0, 1))
    return found.unflatten(0, tokens.shape)


# Writing answers


Choose = Callable[[Tensor], Tensor]
"""Takes log-probabilities (B, V), returns the ids of the pieces to write, (B,)."""


def greedy(log_probs: Tensor) -> Tensor:
    """The most probable piece of each row."""
    return log_probs.argmax(dim=-1)


def sampler(seed: int) -> Choose:
    """Draws each piece from its distribution, at temperature 1.

    Args:
        seed: The seed of the draws.
    """
    generator = torch.Generator().manual_seed(seed)
    return lambda log_probs: torch.multinomial(log_probs.exp().cpu(), 1, generator=generator).squeeze(1)


@torch.no_grad()
def write(
    model: GPT, prompts: Sequence[Sequence[int]], choose: Choose = greedy, *, most: int = MOST_PIECES
) -> list[list[int]]:
    """Lets a model continue each of some sequences.

    Prompts of one length run together, and the keys and values of what has been read are kept.

    Args:
        model: The model, in evaluation mode.
        prompts: The ids of each prompt, its specials among them.
        choose: Chooses the next pieces from their log-probabilities.
        most: The most pieces to write.

    Returns:
        For each prompt the ids that were written, the end mark last if the model wrote one.
    """
    by_length: dict[int, list[int]] = {}
    for number, prompt in enumerate(prompts):
        by_length.setdefault(len(prompt), []).append(number)
    device = next(model.parameters()).device
    written: list[list[int]] = [[] for _ in prompts]
    for _, numbers in sorted(by_length.items()):
        cache: list[tuple[Tensor, Tensor]] = []
        pieces = torch.tensor([list(prompts[number]) for number in numbers], device=device)
        done = torch.zeros(len(numbers), dtype=torch.bool)
        for _ in range(most):
            states = _advance(model, pieces, cache)
            pieces = choose(model.output.log_prob(states[:, -1])).to(device).unsqueeze(1)  # (B, 1)
            for row, piece in enumerate(pieces.flatten().tolist()):
                if not done[row]:
                    written[numbers[row]].append(piece)
                    done[row] = piece == EOS
            if done.all():
                break
    return written


def _advance(model: GPT, pieces: Tensor, cache: list[tuple[Tensor, Tensor]]) -> Tensor:
    """Read pieces (B, t) after those whose keys and values are in the cache, which grows; their last vectors, (B, t, d_model)."""
    before = cache[0][0].shape[2] if cache else 0
    length, size = before + pieces.shape[1], model.embedding.embedding_dim
    places = positional_encoding(length, size)[before:].to(model.embedding.weight)
    states = model.embedding(pieces) * size**0.5 + places
    mask = causal_mask(length, pieces.device)[before:].unsqueeze(0)  # (1, t, before + t)
    for number, layer in enumerate(model.layers):
        assert isinstance(layer, EncoderLayer)
        normed = layer.norms[0](states)
        key, value = layer.self_attention.keys_values(normed)
        if before:
            key, value = (torch.cat(both, dim=2) for both in zip(cache[number], (key, value), strict=True))
            cache[number] = key, value
        else:
            cache.append((key, value))
        states = states + layer.self_attention.look_up(normed, key, value, mask)[0]
        states = states + layer.feed_forward(layer.norms[1](states))
    return model.norm(states)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered.

    Attributes:
        words: The words before the end mark, or all of them if there is none.
        stopped: Whether the model wrote the end mark.
        length: How many pieces it wrote, without the end mark.
        right: Whether it stopped and the words are right.
    """

    words: tuple[str, ...]
    stopped: bool
    length: int
    right: bool


def answer_instructions(
    model: GPT, instructions: Sequence[Instruction], pieces: Pieces, choose: Choose = greedy, *, most: int = MOST_PIECES
) -> list[Answer]:
    """Lets a model answer instructions.

    Args:
        model: The model, in evaluation mode.
        instructions: The instructions.
        pieces: Turns words into ids and back.
        choose: Chooses the next pieces; the most probable ones by default.
        most: The most pieces of an answer.

    Returns:
        An answer for each.
    """
    prompts = [[BOS, *pieces.encode(each.prompt), ANSWER] for each in instructions]
    answers = []
    for each, ids in zip(instructions, write(model, prompts, choose, most=most), strict=True):
        stopped = ids[-1:] == [EOS]
        said = ids[:-1] if stopped else ids
        words = tuple(pieces.decode([i for i in said if i >= len(NAMES)]))
        clean = all(i >= len(NAMES) for i in said)
        answers.append(Answer(words, stopped, len(said), stopped and clean and is_right(each, words)))
    return answers


def scores(instructions: Sequence[Instruction], answers: Sequence[Answer]) -> dict[str, float]:
    """The share of right answers by task.

    Args:
        instructions: The instructions.
        answers: The answer to each.
    """
    by_task: dict[str, list[bool]] = {}
    for each, answer in zip(instructions, answers, strict=True):
        by_task.setdefault(each.task, []).append(answer.right)
    return {task: sum(found) / len(found) for task, found in by_task.items()}


def few_shot_prompts(
    instructions: Sequence[Instruction], examples: Sequence[Instruction], pieces: Pieces, shots: int, seed: int = 0
) -> list[list[int]]:
    """Prompts for a model that has not been tuned: solved examples of the same task before each instruction, as running text.

    Args:
        instructions: The instructions to answer.
        examples: Where the solved ones come from.
        pieces: Turns words into ids.
        shots: How many examples come before each instruction.
        seed: The seed of their choice.

    Returns:
        The ids of each prompt, which ends where the answer has to begin.
    """
    generator = random.Random(seed)
    by_task: dict[str, list[Instruction]] = {}
    for each in examples:
        by_task.setdefault(each.task, []).append(each)
    prompts = []
    for each in instructions:
        shown = generator.sample(by_task[each.task], shots)
        words = [word for one in shown for word in (*one.prompt, ";", "answer", ":", *one.answer, ";")]
        prompts.append([BOS, *pieces.encode((*words, *each.prompt, ";", "answer", ":"))])
    return prompts
