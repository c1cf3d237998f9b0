"""The checks of `sequence_log_prob`."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch03_seq2seq import inputs
from autograder.declare import Exercise, check

EXERCISE = Exercise("sequence_log_prob", "the log-probability of a whole translation", minutes=15, difficulty=2)


@in_use()
def in_chapter(sequence_log_prob, draw: Draw) -> Use:
    """Sentences with the word 0 that end early, late, at once, twice or not at all; then one of a sure model, which 0 ends."""
    (logits, target), (more, long) = inputs.scored(draw, 5, 21, 1.0), inputs.scored(draw, 1, 70, 40.0)
    eos = int(draw.integers(1, inputs.WORDS))
    target[target == eos] = 0
    for row, place in ((0, 6), (1, 20), (2, 0), (3, 4), (3, 11)):
        target[row, place] = eos
    target[4, 5] = 0
    long[long == 0] = 1
    long[0, 57] = 0
    logits[0, 7, target[0, 7]] = -math.inf
    return Use(sequence_log_prob, (logits, target, eos), (more, long, 0))


VOCABULARY = 7


_LENGTH = 5


def _inputs(draw: Draw, *ends: int, length: int = _LENGTH, scale: float = 1.5) -> tuple[Tensor, Tensor, int]:
    """Logits, target and the end mark, whose position in each sentence is in `ends`; no word is 0, which some answers treat as padding."""
    eos = int(draw.integers(1, VOCABULARY))
    others = draw.integers(1, VOCABULARY - 1, len(ends), length)
    places, end = torch.arange(length), torch.tensor(ends).unsqueeze(1)
    target = torch.where(places == end, eos, others + (others >= eos))
    return draw.normal(len(ends), length, VOCABULARY, scale=scale), target, eos


def _asked(sequence_log_prob, logits: Tensor, target: Tensor, eos: int) -> dict[str, Any]:
    return {"log-probability": sequence_log_prob(logits, target, eos)}


@check(
    "the result is the sum of the words' log-probabilities",
    points=1,
    hint="The probability of a sentence is the product of its words' probabilities, and the log of a product is a sum of logs. The "
    "log-probabilities of all words come from the logits; pick that of the target word.",
)
def certain_end(sequence_log_prob, draw: Draw):
    """Sentences whose end is certain: its mark stands last and has a log-probability of 0, counted or not."""
    logits, target, eos = _inputs(draw, 4, 4, 4)
    logits[:, -1, eos] = 60.0
    return _asked(sequence_log_prob, logits, target, eos)


@certain_end.explain
def positive(got, want):
    """A number that is no logarithm of a probability."""
    most = got["log-probability"].max().item()
    return f"a log-probability is {most:.3g}, but no probability is larger than 1" if most > 0 else None


@check(
    "the end mark counts too",
    points=1,
    needs=certain_end,
    hint="That the sentence ends here and does not continue is a prediction like any other: the end mark is part of the target, and "
    "its log-probability belongs to the sum.",
)
def end_itself(sequence_log_prob, draw: Draw):
    """Sentences whose end is not certain, with nothing behind it."""
    return _asked(sequence_log_prob, *_inputs(draw, 4, 4, 4))


@check(
    "nothing after the end mark counts",
    points=2,
    needs=(certain_end, end_itself),
    hint="A position counts if there is no end mark before it in its own row. A cumulative sum along the row, cumsum, counts the end marks.",
)
def behind_the_end(sequence_log_prob, draw: Draw):
    """Sentences that end at different places, with words behind."""
    return _asked(sequence_log_prob, *_inputs(draw, 4, 2, 0, 1))


@check(
    "with several end marks in a row, the first is the end",
    points=1,
    hidden=True,
    needs=behind_the_end,
    hint="Some batches are padded with the end mark itself. Check how you find the end if a row contains several end marks.",
)
def second_end(sequence_log_prob, draw: Draw):
    """After the first end mark come further ones, with words in between."""
    logits, target, eos = _inputs(draw, 2, 1, 0)
    target[0, 4] = target[1, 3] = target[2, 1] = target[2, 2] = eos
    return _asked(sequence_log_prob, logits, target, eos)


@check(
    "in a row without an end mark, every word counts",
    points=1,
    hidden=True,
    needs=behind_the_end,
    hint="A truncated sentence has no end mark. argmax over a row of False values returns 0, which is not an end.",
)
def without_end(sequence_log_prob, draw: Draw):
    """Two of the sentences have no end mark."""
    return _asked(sequence_log_prob, *_inputs(draw, 3, _LENGTH, 1, _LENGTH))


@check(
    "very small probabilities are handled correctly",
    points=1,
    needs=(certain_end, end_itself),
    hint="A product of eighty probabilities is too small for float32, and so is a single probability if the logits are far apart. Both "
    "become 0, and log(0) is minus infinity. Add logs, and compute them with log_softmax. Only a word that is impossible, with the "
    "logit -inf, makes the result minus infinity. Half precision underflows even sooner; the result has the dtype of the logits.",
)
def unlikely(sequence_log_prob, draw: Draw):
    """A long sentence, a short one of hardly possible words, two of which one has an impossible word, and unlikely ends in half precision."""
    long = _inputs(draw, 79, length=80)
    short = _inputs(draw, 4, scale=300.0)
    logits, target, eos = _inputs(draw, 4, 4)
    logits[0, 1, target[0, 1]] = -math.inf
    ends, marks, mark = _inputs(draw, 0, 0, 0, length=1)
    ends[..., mark] -= 30.0
    return {
        "long": sequence_log_prob(*long),
        "hardly possible": sequence_log_prob(*short),
        "the first impossible": sequence_log_prob(logits, target, eos),
        "in half precision": sequence_log_prob(ends.half(), marks, mark),
    }


@check(
    "an impossible word after the end does not matter",
    points=1,
    hidden=True,
    needs=behind_the_end,
    hint="The log-probability of an impossible word is minus infinity, and 0 · ∞ is NaN. Do not multiply by the mask: replace "
    "the values that do not count by zeros, with masked_fill or where.",
)
def impossible_behind(sequence_log_prob, draw: Draw):
    """Behind the end stand words that are impossible."""
    logits, target, eos = _inputs(draw, 1, 3, 2)
    behind = torch.arange(_LENGTH) > torch.tensor([[1], [3], [2]])
    chosen = torch.nn.functional.one_hot(target, VOCABULARY).bool()
    return {
        "log-probability": sequence_log_prob(logits.masked_fill(chosen & behind.unsqueeze(-1), -torch.inf), target, eos)
    }


@check(
    "the gradient of the logits is right, and zero after the end",
    points=1,
    needs=behind_the_end,
    hint="The logits here are not contiguous in memory: view fails on them, reshape does not. Use only torch operations on the tensors themselves: .item(), detach and torch.tensor(...) around a sum cut off the "
    "gradient.",
)
def log_prob_gradient(sequence_log_prob, draw: Draw):
    """What comes back to the logits, which were transposed."""
    leaf, target, eos = _inputs(draw, 4, 2, 1)
    leaf = leaf.transpose(0, 1).contiguous().transpose(0, 1).requires_grad_()
    (sequence_log_prob(leaf * 1, target, eos) * draw.normal(3)).sum().backward()
    return {"gradient": leaf.grad}
