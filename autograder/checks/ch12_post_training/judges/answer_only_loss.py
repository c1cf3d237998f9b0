"""What is right about `answer_only_loss`, and what is said when it is not."""

from math import log
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch12_post_training.probes import answer_only_loss as probes
from autograder.compare import close, explained, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict

_SHIFT = "each piece is predicted from the position before it"
_ANSWERS = "the instruction and the padding do not count, and the whole answer does"
_MEAN = "the mean is over all pieces of the batch that are to be written"


def _picked(values: Tensor, tokens: Tensor) -> Tensor:
    """The value of each piece among those of its whole vocabulary."""
    return values.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)


def _without_zero(losses: Tensor, pieces: Tensor) -> dict[str, Tensor]:
    """What comes of losses, all of which count, where the id 0 is taken for padding."""
    kept = losses[pieces != 0]
    return {
        "a piece with the id 0 does not count, as if 0 were padding: only is_answer says what counts": kept.mean(),
        "a piece with the id 0 costs nothing, as if 0 were padding: only is_answer says what counts": kept.sum()
        / losses.numel(),
    }


def _of_pieces(logits: Tensor, tokens: Tensor) -> Tensor:
    """The cross-entropy of each piece, predicted from the position before it, (B, T); zero in column 0."""
    found = F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")
    return F.pad(found, (1, 0))


@judge(
    _SHIFT,
    probe=probes.all_written,
    points=2,
    hint="The logits at position t predict piece t + 1, so those of the last position predict no piece of the sequence, and no logits "
    "predict the first piece. The mean cross-entropy of the rest is one number, a tensor of shape ().",
)
def shifted_once(got: Any, want: Any) -> Verdict:
    """All pieces but the first are to be written."""
    logits, tokens = want["logits"], want["tokens"]
    of_pieces = _of_pieces(logits, tokens)[:, 1:]
    flat = logits.flatten(0, 1)
    unshifted = F.cross_entropy(logits.transpose(1, 2), tokens, reduction="none")
    mistakes = {
        "nothing is shifted: the logits at a position are compared with the piece at that position, expected the next one": (
            unshifted[:, 1:].mean()
        ),
        "nothing is shifted, and the first piece counts too": F.cross_entropy(flat, tokens.flatten()),
        "the logits are shifted twice: those at position t are compared with piece t + 2": F.cross_entropy(
            logits[:, :-2].flatten(0, 1), tokens[:, 2:].flatten()
        ),
        "the shift goes the wrong way: the logits at a position are compared with the piece before it": F.cross_entropy(
            logits[:, 1:].flatten(0, 1), tokens[:, :-1].flatten()
        ),
        "the loss is the sum over the pieces, expected their mean": of_pieces.sum(),
        "the loss is the sum over the pieces divided by the number of sequences": of_pieces.sum() / len(tokens),
        "the loss has the wrong sign": -of_pieces.mean(),
        "the sum is divided by the number of all positions, expected by the number of pieces that count": of_pieces.sum()
        / tokens.numel(),
        "the last piece, the end mark, does not count": of_pieces[:, :-1].mean(),
        "is_answer is not shifted with the tokens, so that the first piece of each answer does not count": of_pieces[
            :, 1:
        ].mean(),
        "the softmax was applied twice: cross_entropy takes the logits themselves": _of_pieces(
            logits.softmax(dim=-1), tokens
        )[:, 1:].mean(),
        "the loss is a mean of probabilities: their log is missing": -(-of_pieces).exp().mean(),
        "the logits are treated as log-probabilities: log_softmax is missing": -_picked(
            logits[:, :-1], tokens[:, 1:]
        ).mean(),
        "the softmax runs over the positions, expected over the vocabulary, the last dimension": -_picked(
            logits[:, :-1].log_softmax(dim=1), tokens[:, 1:]
        ).mean(),
        "the tokens are rolled, and is_answer is not rolled with them": F.cross_entropy(
            logits[:, 1:].flatten(0, 1), tokens.roll(-1, dims=1)[:, 1:].flatten()
        ),
        **_without_zero(of_pieces, tokens[:, 1:]),
        "the loss is in bits, expected in nats: use the natural logarithm": of_pieces.mean() / log(2),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    _ANSWERS,
    probe=probes.answers,
    points=2,
    needs=(_SHIFT,),
    hint="is_answer says which pieces count, not which positions predict them. Shift it as you shift the tokens.",
)
def answers_alone(got: Any, want: Any) -> Verdict:
    """Instructions, answers and padding; all answers are equally long."""
    logits, tokens, marks = want["logits"], want["tokens"], want["is_answer"]
    of_pieces = _of_pieces(logits, tokens)
    last = marks & ~F.pad(marks[:, 1:], (0, 1))
    first = marks & ~F.pad(marks[:, :-1], (1, 0))
    everything = of_pieces[:, 1:]
    mistakes = {
        "the instruction and the padding count like the answer": everything.mean(),
        "the last piece of each answer, its end mark, does not count": of_pieces[marks & ~last].mean(),
        "the first piece of each answer does not count": of_pieces[marks & ~first].mean(),
        "is_answer is inverted: everything but the answers counts": everything[~marks[:, 1:]].mean(),
        "the instruction and the padding are in the divisor: the sum is divided by more than the pieces that count": (
            everything * marks[:, 1:]
        ).mean(),
        "the sum is divided by all positions, expected by the number of pieces that count": of_pieces[marks].sum()
        / marks.numel(),
        "the loss is the sum over the answers, expected their mean": of_pieces[marks].sum(),
        "the instruction counts too, and only the padding does not": _up_to_the_end(of_pieces, marks),
        "where a piece does not count, its logits are set to 0, which still adds a loss": _zeroed(
            logits, tokens, marks
        ),
        "pieces that do not count are replaced by piece 0, which still adds a loss": _taken_for_zero(
            logits, tokens, marks
        ),
        "the padding after an answer counts too": _from_the_first(of_pieces, marks),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


def _up_to_the_end(of_pieces: Tensor, marks: Tensor) -> Tensor:
    """The mean over all pieces up to the end of each answer."""
    until = marks.flip(1).cumsum(dim=1).flip(1) > 0
    until[:, 0] = False
    return of_pieces[until].mean()


def _from_the_first(of_pieces: Tensor, marks: Tensor) -> Tensor:
    """The mean over all pieces from the beginning of each answer."""
    return of_pieces[marks.cumsum(dim=1) > 0].mean()


def _zeroed(logits: Tensor, tokens: Tensor, marks: Tensor) -> Tensor:
    kept = torch.cat([logits[:, :-1] * marks[:, 1:].unsqueeze(-1), logits[:, -1:]], dim=1)
    return _of_pieces(kept, tokens)[:, 1:].mean()


def _taken_for_zero(logits: Tensor, tokens: Tensor, marks: Tensor) -> Tensor:
    return _of_pieces(logits, tokens * marks)[:, 1:].mean()


@judge(
    _MEAN,
    probe=probes.lengths,
    points=1,
    needs=(_SHIFT, _ANSWERS),
    hint="Every piece has the same weight, whichever answer it belongs to: select the pieces from the whole batch first, and average once.",
)
def one_mean(got: Any, want: Any) -> Verdict:
    """Answers of different lengths."""
    of_pieces, marks = _of_pieces(want["logits"], want["tokens"]), want["is_answer"]
    sums, numbers = (of_pieces * marks).sum(dim=1), marks.sum(dim=1)
    mistakes = {
        "each answer is averaged first, and then the answers are: pieces of short answers get more weight": (
            sums / numbers
        ).mean(),
        "the sum is divided by the number of answers": sums.sum() / len(marks),
    }
    return explained(got["loss"], want["loss"], mistakes, "loss")


@judge(
    "logits, tokens and is_answer are left as they were",
    probe=probes.loss_arguments,
    points=1,
    arguments=True,
    needs=(_SHIFT, _ANSWERS, _MEAN),
    hint="tokens[~is_answer] = … and methods that end in an underscore change the caller's tensor: masked_fill without it makes a new one.",
)
def leaves_tensors(got: Any, want: Any) -> Verdict:
    """The arguments after the call."""
    return leaves_arguments("loss")(got, want)


@judge(
    "a sequence may have no piece that has to be written",
    probe=probes.some_without,
    points=1,
    hidden=True,
    needs=(_SHIFT, _ANSWERS, _MEAN),
    hint="A batch may hold a sequence in which is_answer is False everywhere: a mean for each sequence would divide 0 by 0.",
)
def nothing_to_write(got: Any, want: Any) -> Verdict:
    """One of three sequences has no answer."""
    return close("loss")(got, want)


@judge(
    "logits may be far apart, and of any precision",
    probe=probes.far_apart,
    points=1,
    hidden=True,
    needs=(_SHIFT, _ANSWERS, _MEAN),
    hint="log(softmax(x)) is -inf where the softmax underflows: cross_entropy and log_softmax compute it in one step. The loss has the "
    "dtype of the logits.",
)
def any_logits(got: Any, want: Any) -> Verdict:
    """Large logits; half and double precision."""
    return close()(got, want)


@judge(
    "the gradient that comes back to the logits is right, and zero at positions that predict no piece of an answer",
    probe=probes.loss_gradient,
    points=1,
    hidden=True,
    needs=(_SHIFT, _ANSWERS, _MEAN),
    hint="The gradient flows through the logits that were picked out, and through nothing else: no detach, no .item(), no new tensor made from a number.",
)
def gradient(got: Any, want: Any) -> Verdict:
    """The gradient."""
    return close("gradient")(got, want)
