"""The checks of `answer_only_loss`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise("answer_only_loss", "learn to write the answer, not the instruction", minutes=20, difficulty=2)


@in_use()
def in_chapter(answer_only_loss, draw: Draw) -> Use:
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


VOCABULARY = 7
_BATCH, _LENGTH = 3, 8


def _inputs(draw: Draw, *, scale: float = 1.5) -> tuple[Tensor, Tensor]:
    """Logits and tokens; a piece that is to be written in every probe has the id 0."""
    logits, tokens = (
        draw.normal(_BATCH, _LENGTH, VOCABULARY, scale=scale),
        draw.integers(0, VOCABULARY, _BATCH, _LENGTH),
    )
    tokens[1, 5] = 0
    return logits, tokens


def _two_losses(answer_only_loss: Any, draw: Draw, *spans: tuple[int, int], scale: float = 1.5) -> list[Any]:
    """The losses of two batches of logits with the same pieces to be written, which what the sum is divided by makes larger by one factor."""
    (logits, tokens), (others, _), marks = _inputs(draw, scale=scale), _inputs(draw, scale=scale), _spans(*spans)
    return [answer_only_loss(given, tokens.clone(), marks.clone()) for given in (logits, others)]


def _spans(*spans: tuple[int, int]) -> Tensor:
    """Which pieces are to be written: in each row those from one place up to another, which is left out."""
    places = torch.arange(_LENGTH)
    return torch.stack([(places >= start) & (places < end) for start, end in spans])


@check(
    "each piece is predicted from the position before it",
    points=2,
    hint="The logits at position t predict piece t + 1, so those of the last position predict no piece of the sequence, and no logits "
    "predict the first piece. The mean cross-entropy of the rest is one number, a tensor of shape ().",
)
def all_written(answer_only_loss, draw: Draw):
    """There is no instruction and no padding: all pieces but the first, which nothing predicts, are to be written."""
    logits, tokens = _inputs(draw)
    return {"loss": answer_only_loss(logits, tokens, _spans((1, 8), (1, 8), (1, 8)))}


@all_written.explain
def below_zero(got, want):
    """A cross-entropy is a mean of -log of probabilities."""
    return f"the loss is {got['loss'].item():.3g}, but a cross-entropy is never negative" if got["loss"] < 0 else None


@check(
    "the instruction and the padding do not count, and the whole answer does",
    points=2,
    needs=all_written,
    hint="is_answer says which pieces count, not which positions predict them. Shift it as you shift the tokens.",
)
def answers(answer_only_loss, draw: Draw):
    """Three answers of three pieces, each with its instruction, and padding behind two of them."""
    logits, tokens = _inputs(draw)
    return {"loss": answer_only_loss(logits, tokens, _spans((3, 6), (5, 8), (2, 5)))}


@check(
    "the mean is over all pieces of the batch that are to be written",
    points=1,
    needs=(all_written, answers),
    hint="Every piece has the same weight, whichever answer it belongs to: select the pieces from the whole batch first, and average once.",
)
def lengths(answer_only_loss, draw: Draw):
    """Answers of one, two and five pieces."""
    logits, tokens = _inputs(draw)
    return {"loss": answer_only_loss(logits, tokens, _spans((7, 8), (4, 6), (2, 7)))}


@check(
    "logits, tokens and is_answer are left as they were",
    points=1,
    needs=(all_written, answers, lengths),
    compare=up_to_a_factor(),
    arguments=True,
    hint="tokens[~is_answer] = … and methods that end in an underscore change the caller's tensor: masked_fill without it makes a new one.",
)
def loss_arguments(answer_only_loss, draw: Draw):
    """Two losses; whether an argument was changed is seen in every call."""
    return {"losses": _two_losses(answer_only_loss, draw, (3, 6), (5, 8), (2, 4))}


@check(
    "a sequence may have no piece that has to be written",
    points=1,
    hidden=True,
    needs=(all_written, answers, lengths),
    compare=up_to_a_factor(),
    hint="A batch may hold a sequence in which is_answer is False everywhere: a mean for each sequence would divide 0 by 0.",
)
def some_without(answer_only_loss, draw: Draw):
    """A sequence without an answer, whose whole is padding, and one that is to be written but for its first piece."""
    return {"losses": _two_losses(answer_only_loss, draw, (8, 8), (1, 8), (6, 8))}


@check(
    "logits may be far apart, and of any precision",
    points=1,
    hidden=True,
    needs=(all_written, answers, lengths),
    compare=up_to_a_factor(),
    hint="log(softmax(x)) is -inf where the softmax underflows: cross_entropy and log_softmax compute it in one step. The loss has the "
    "dtype of the logits.",
)
def far_apart(answer_only_loss, draw: Draw):
    """Logits that are far apart, and half and double precision."""
    spans = (3, 6), (5, 8), (2, 5)
    found = {"logits of some hundreds": _two_losses(answer_only_loss, draw, *spans, scale=200.0)}
    (logits, tokens), (others, _) = _inputs(draw, scale=2.0), _inputs(draw, scale=2.0)
    for dtype in (torch.float16, torch.float64):
        found[str(dtype).removeprefix("torch.")] = [
            answer_only_loss(given.to(dtype), tokens.clone(), _spans(*spans)) for given in (logits, others)
        ]
    return found


@check(
    "the gradient that comes back to the logits is right, and zero at positions that predict no piece of an answer",
    points=1,
    hidden=True,
    needs=(all_written, answers, lengths),
    compare=up_to_a_factor(),
    hint="The gradient flows through the logits that were picked out, and through nothing else: no detach, no .item(), no new tensor made from a number.",
)
def loss_gradient(answer_only_loss, draw: Draw):
    """What comes back to the logits."""
    leaf, tokens = _inputs(draw)
    leaf.requires_grad_()
    loss = answer_only_loss(leaf * 1, tokens, _spans((3, 6), (5, 8), (2, 4)))
    (loss * draw.normal()).backward()
    return {"gradient": leaf.grad}
