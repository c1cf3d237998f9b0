"""The checks of `masked_cross_entropy`."""

import math

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.checks.ch03_seq2seq import inputs
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise("masked_cross_entropy", "the loss per real word", minutes=10, difficulty=1)


@in_use()
def in_chapter(masked_cross_entropy, draw: Draw) -> Use:
    """A batch with gaps, then one sentence of a model that is very sure; what stands where the mask is False is impossible."""
    first, later = inputs.scored(draw, 3, 21, 1.0), inputs.scored(draw, 1, 24, 40.0)
    masks = draw.mask(3, 21), draw.mask(1, 24)
    for (logits, target), mask in zip((first, later), masks, strict=True):
        logits[~mask, target[~mask]] = -math.inf
    return Use(masked_cross_entropy, (*first, masks[0]), (*later, masks[1]))


VOCABULARY = 7


_BATCH, _LENGTH = 3, 6


def _inputs(draw: Draw, *, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    """Logits and target, in which any word may be real and any may stand at padding; 0 is among the first, and another one stands last."""
    logits, target = (
        draw.normal(_BATCH, _LENGTH, VOCABULARY, scale=scale),
        draw.integers(0, VOCABULARY, _BATCH, _LENGTH),
    )
    target[0, 0], target[1:, -1] = 0, 3
    return logits, target


@check(
    "without padding it is the mean cross-entropy of all words",
    points=1,
    hint="The loss of one word is minus the log of the probability that the softmax of its logits gives it. The mean over all words is a "
    "single number, a tensor of shape ().",
)
def without_padding(masked_cross_entropy, draw: Draw):
    """Every place is real, and no word is 0, which some take for padding."""
    logits, target = _inputs(draw)
    target = target.clamp(min=1)
    return {"loss": masked_cross_entropy(logits, target, torch.ones(_BATCH, _LENGTH, dtype=torch.bool))}


@without_padding.explain
def nothing_counted(got, want):
    """What an inverted mask leaves where nothing is masked."""
    loss, told = got["loss"], "although no position is masked here. Is True in the mask treated as False?"
    if loss.isnan():
        return f"the loss is NaN, {told}"
    return f"the loss is 0, {told}" if loss == 0 else None


@check(
    "padding does not count",
    points=2,
    needs=without_padding,
    hint="The mask is True at the words that count. There are logits and target words at padding too; leave them out before you compute the sum, "
    "whatever they are.",
)
def ratio(masked_cross_entropy, draw: Draw):
    """The loss of some logits over that of others, in sentences of equal length: what is divided by does not matter."""
    (logits, target), (others, _) = _inputs(draw), _inputs(draw, scale=2.0)
    mask = (torch.arange(_LENGTH) < 4).repeat(_BATCH, 1)
    losses = [masked_cross_entropy(given, target.clone(), mask.clone()) for given in (logits, others)]
    return {"ratio": losses[0] / losses[1]}


@ratio.explain
def padding_counted(got, want):
    """The ratio of two losses with one mask does not depend on what they are divided by."""
    return "the loss depends on positions where the mask is False, or it does not weight all positions where it is True equally"


@check(
    "the sum is divided by the number of real words",
    points=2,
    needs=(without_padding, ratio),
    hint="The mean is over the words that count. Their number is the number of True values in the mask of the whole batch: a word in a "
    "short sentence has the same weight as a word in a long one.",
)
def with_padding(masked_cross_entropy, draw: Draw):
    """Sentences of four words, of six and of one."""
    logits, target = _inputs(draw)
    mask = torch.arange(_LENGTH) < torch.tensor([[4], [6], [1]])
    return {"loss": masked_cross_entropy(logits, target, mask)}


@check(
    "logits may be in half precision, and logits and target parts of larger tensors",
    points=1,
    needs=with_padding,
    compare=up_to_a_factor(),
    hint="The loss has the dtype of the logits. A slice such as logits[:, :-1] is not contiguous in memory, so view fails on it. "
    "reshape and flatten work.",
)
def cut_out(masked_cross_entropy, draw: Draw):
    """Logits, target and mask that are cut out of larger ones, and logits in half precision."""
    (logits, target), (others, _), mask = _inputs(draw), _inputs(draw), draw.padding_mask(_BATCH, _LENGTH)
    return {
        "parts of larger tensors": [
            masked_cross_entropy(given[:, :-1], target[:, 1:], mask.clone()[:, :-1]) for given in (logits, others)
        ],
        "half precision": [masked_cross_entropy(given.half(), target, mask.clone()) for given in (logits, others)],
    }


@check(
    "very small probabilities are handled correctly",
    points=1,
    hidden=True,
    needs=with_padding,
    compare=up_to_a_factor(),
    hint="The softmax of logits that are far apart contains zeros, and log(0) is minus infinity. log_softmax and cross_entropy avoid "
    "computing the small probability.",
)
def certain(masked_cross_entropy, draw: Draw):
    """Logits that are far apart, so that most words have a probability too small for a float."""
    (logits, target), (others, _) = _inputs(draw, scale=300.0), _inputs(draw, scale=300.0)
    mask = draw.padding_mask(_BATCH, _LENGTH)
    return {"losses": [masked_cross_entropy(given, target.clone(), mask.clone()) for given in (logits, others)]}


@check(
    "the gradient of the logits is right, and zero at padding",
    points=1,
    hidden=True,
    needs=with_padding,
    compare=up_to_a_factor(),
    hint="Use only torch operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss cut off the "
    "gradient.",
)
def loss_gradient(masked_cross_entropy, draw: Draw):
    """What comes back to the logits."""
    leaf, target = _inputs(draw)
    leaf.requires_grad_()
    logits = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    (masked_cross_entropy(logits, target, draw.padding_mask(_BATCH, _LENGTH)) * draw.normal()).backward()
    return {"gradient": leaf.grad}


@check(
    "logits, target and mask are not changed",
    points=1,
    needs=with_padding,
    compare=up_to_a_factor(),
    arguments=True,
    hint="Methods that end in an underscore, and assignments such as target[~mask] = ..., change the caller's tensor.",
)
def loss_arguments(masked_cross_entropy, draw: Draw):
    """The losses of calls that share target and mask."""
    (logits, target), (others, _), mask = _inputs(draw), _inputs(draw), draw.padding_mask(_BATCH, _LENGTH)
    return {"losses": [masked_cross_entropy(given, target, mask) for given in (logits, others)]}
