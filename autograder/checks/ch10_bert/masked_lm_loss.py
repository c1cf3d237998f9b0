"""The checks of `masked_lm_loss`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close, up_to_a_factor

EXERCISE = Exercise("masked_lm_loss", "a loss on the masked words only", minutes=15, difficulty=2)


@in_use()
def in_chapter(masked_lm_loss, draw: Draw) -> Use:
    """A batch of which a sixth is asked for, the id 0 among it; then one place alone, of a model that is very sure."""

    def given(batch: int, length: int, scale: float) -> tuple[Tensor, Tensor]:
        labels = draw.integers(0, 11, batch, length)
        labels[draw.integers(0, 6, batch, length) > 0] = -100
        labels[0, :1] = 0
        return draw.normal(batch, length, 11, scale=scale), labels

    one = draw.normal(1, 24, 11, scale=40.0), torch.full((1, 24), -100)
    one[1][0, 7] = int(draw.integers(0, 11))
    return Use(masked_lm_loss, given(4, 21, 1.0), one)


VOCABULARY, NOTHING = 7, -100
_BATCH, _LENGTH = 3, 6


def _logits(draw: Draw, batch: int = _BATCH, scale: float = 1.0) -> Tensor:
    return draw.normal(batch, _LENGTH, VOCABULARY, scale=scale)


def _labels(draw: Draw, *counts: int) -> Tensor:
    """As many chosen places in each row as the count says, anywhere in it, and -100 at the others.

    The piece 0 is among the chosen of the first row.
    """
    order = draw.normal(len(counts), _LENGTH).argsort(dim=1).argsort(dim=1)
    labels = draw.integers(0, VOCABULARY, len(counts), _LENGTH).masked_fill(
        order >= torch.tensor(counts)[:, None], NOTHING
    )
    if counts[0]:
        labels[0, order[0] == 0] = 0
    return labels


def _loss(masked_lm_loss: Any, logits: Tensor, labels: Tensor) -> Any:
    """The loss; what cross_entropy says of logits whose axes it does not know is told in words."""
    try:
        return masked_lm_loss(logits, labels)
    except RuntimeError as error:
        if "Expected target size" not in str(error):
            raise
        raise MisuseError(
            "the logits were passed to cross_entropy as they are, (B, S, V), and it treats S as the number of "
            "pieces. It expects V as the second dimension: logits (B, V, S) with labels (B, S), or logits (N, V) "
            "with labels (N,)"
        ) from error


def _single(value: Any) -> Any:
    """A number of any precision as a single one; another kind of result as it is."""
    return value.float() if isinstance(value, Tensor) and value.is_floating_point() else value


def _ratio(masked_lm_loss: Any, logits: Tensor, others: Tensor, labels: Tensor) -> Any:
    """The loss of some logits over that of others with the same labels: what is divided by does not matter."""
    losses = _loss(masked_lm_loss, logits, labels.clone()), _loss(masked_lm_loss, others, labels)
    return _single(losses[0]) / _single(losses[1])


@check(
    "if every position is chosen, it is the mean cross-entropy",
    points=1,
    hint="The loss at one position is minus the log of the probability that the softmax of its logits gives to "
    "the piece in the labels. F.cross_entropy takes logits (N, V) and labels (N,). The result is the mean "
    "of them all, a tensor of shape ().",
)
def all_chosen(masked_lm_loss, draw: Draw):
    """A piece is asked for at every place, and it is never the piece 0, which some take for padding."""
    logits, labels = _logits(draw), draw.integers(1, VOCABULARY, _BATCH, _LENGTH)
    return {"loss": _loss(masked_lm_loss, logits, labels)}


@all_chosen.explain
def of_no_position(got, want):
    """What a mean over the other positions gives, and what no cross-entropy is."""
    loss = got["loss"]
    if loss.isnan() or loss == 0:
        return (
            f"the loss is {loss.item():g}, although every position is chosen here: are the positions with -100 used, "
            "and not the others?"
        )
    return f"the loss is {loss.item():.3g}, but a cross-entropy is never negative" if loss < 0 else None


@check(
    "a position with the label -100 does not count",
    points=2,
    needs=all_chosen,
    hint="-100 is not a piece: it says that there is nothing to predict at this position. There are logits at "
    "that position too; leave them out before you add up. Every other label counts, whichever piece it is.",
)
def ratio(masked_lm_loss, draw: Draw):
    """Logits of any size, with as many chosen places in every row."""
    return {"ratio": _ratio(masked_lm_loss, _logits(draw), _logits(draw, scale=2.0), _labels(draw, *[3] * _BATCH))}


@ratio.explain
def of_others(got, want):
    """A ratio of two losses with the same labels does not depend on what they are divided by."""
    if got["ratio"].isnan():
        return "the loss is NaN as soon as some labels are -100"
    return "the loss depends on positions where the label is -100, or does not treat all the others alike"


@check(
    "the sum is divided by the number of chosen positions",
    points=1,
    needs=(all_chosen, ratio),
    hint="The mean is over the chosen positions of the whole batch, about 15 in 100. A row with one chosen "
    "position has a quarter of the weight of a row with four.",
)
def some_chosen(masked_lm_loss, draw: Draw):
    """Rows with four chosen places, with one and with two."""
    logits, labels = _logits(draw), _labels(draw, 4, 1, 2)
    return {"loss with rows of 4, 1 and 2 chosen positions": _loss(masked_lm_loss, logits, labels)}


@check(
    "if nothing is chosen, the loss is 0, and so is its gradient",
    points=2,
    needs=(all_chosen, ratio, some_chosen),
    hint="This happens with small batches. The mean of no numbers is 0 / 0, which is NaN, and a single NaN ruins "
    "every weight. A sum over no positions is 0 anyway, with a gradient of zeros: only its divisor must not "
    "be 0.",
)
def none_chosen(masked_lm_loss, draw: Draw):
    """A batch in which nothing is asked, with what comes back to its logits; and one with such a row among others."""
    beside = _ratio(masked_lm_loss, _logits(draw), _logits(draw), _labels(draw, 2, 0, 3))
    logits = _logits(draw).requires_grad_()
    loss = _loss(masked_lm_loss, logits * 1, _labels(draw, *[0] * _BATCH))
    if isinstance(loss, Tensor) and loss.requires_grad and not loss.dim():
        loss.backward()
    if logits.grad is None:
        raise MisuseError(
            f"if nothing is chosen, the loss is {kind_of(loss)} and does not depend on the logits, so backward() "
            "has no gradient for them; expected a 0 that is computed from the logits, such as a sum over no "
            "positions"
        )
    return {"loss": loss, "gradient": logits.grad, "ratio of two losses of a batch with one such row": beside}


@none_chosen.explain
def not_zero(got, want):
    """The loss and its gradient if nothing is chosen."""
    loss, none = got["loss"], "if nothing is chosen in the whole batch, the"
    if not is_close(loss, want["loss"]):
        return f"{none} loss is {loss.item():.4g}, expected 0"
    if got["gradient"].isnan().any():
        return f"{none} loss is 0, but the gradient for the logits is NaN, expected zeros"
    return None if is_close(got["gradient"], want["gradient"]) else f"{none} loss is 0, but the gradient is not"


@check(
    "pieces of very small probability are handled correctly",
    points=1,
    hidden=True,
    needs=some_chosen,
    hint="If logits are far apart, their softmax contains zeros, and log(0) is minus infinity. log_softmax and "
    "cross_entropy never compute the small probability.",
)
def certain(masked_lm_loss, draw: Draw):
    """Logits that are far apart, so that most pieces have a probability too small for a float."""
    logits, others = _logits(draw, scale=300.0), _logits(draw, scale=300.0)
    return {"ratio of two losses": _ratio(masked_lm_loss, logits, others, _labels(draw, 3, 1, 2))}


@check(
    "logits in half and in double precision work",
    points=1,
    hidden=True,
    needs=some_chosen,
    compare=close(rtol=0.01),
    hint="A product of two tensors needs the same dtype. Create a new tensor in the dtype of the logits: "
    "dtype=logits.dtype, or .to(logits.dtype).",
)
def other_precision(masked_lm_loss, draw: Draw):
    """Logits of half precision and of double; the loss may be of any."""
    logits, others, labels = _logits(draw), _logits(draw, scale=2.0), _labels(draw, 3, 1, 2)
    return {
        f"ratio of two losses in {name}": _ratio(masked_lm_loss, logits.to(dtype), others.to(dtype), labels.clone())
        for name, dtype in {"half": torch.float16, "double": torch.float64}.items()
    }


@check(
    "logits and labels may be parts of larger tensors, and are not changed",
    points=1,
    needs=some_chosen,
    arguments=True,
    hint="A slice such as labels[:, 1:] is not contiguous, so view fails on it. Methods that end in an "
    "underscore, and assignments such as labels[labels == -100] = ..., change the caller's tensor.",
)
def cut_out(masked_lm_loss, draw: Draw):
    """Logits and labels of one sequence and of two that are cut out of larger ones, and these as they are afterwards."""
    logits, others, labels = _logits(draw), _logits(draw, scale=2.0), _labels(draw, 4, 4, 5)
    cuts = {"two": (slice(0, 2), slice(1, None)), "one": (slice(2, 3), slice(0, -1))}
    ratios = {
        f"ratio of two losses of {name}": _ratio(masked_lm_loss, logits[cut], others[cut], labels[cut])
        for name, cut in cuts.items()
    }
    return {**ratios, "logits": logits, "labels": labels}


@check(
    "the gradient for the logits is right, and zero where nothing is chosen",
    points=1,
    hidden=True,
    needs=some_chosen,
    compare=up_to_a_factor(),
    hint="Use torch's operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss "
    "stop the gradient.",
)
def loss_gradient(masked_lm_loss, draw: Draw):
    """What comes back to the logits."""
    leaf, labels = _logits(draw).requires_grad_(), _labels(draw, 3, 1, 2)
    logits = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    (_loss(masked_lm_loss, logits, labels) * draw.normal()).backward()
    return {"gradient": leaf.grad}
