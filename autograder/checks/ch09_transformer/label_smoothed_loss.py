"""The checks of `label_smoothed_loss`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.rules import CROSS_ENTROPY
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise(
    "label_smoothed_loss",
    "a target that is not quite certain",
    minutes=15,
    difficulty=2,
    forbids=(CROSS_ENTROPY,),
)


@in_use()
def in_chapter(label_smoothed_loss, draw: Draw) -> Use:
    """A padded batch, with a smoothing that any precision holds; then logits of a model that is very sure, without one and with the usual one."""

    def given(batch: int, length: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        logits = draw.normal(batch, length, 11, scale=scale)
        return logits, draw.integers(0, 11, batch, length), draw.padding_mask(batch, length)

    first, later, last = given(4, 21, 1.0), given(1, 24, 40.0), given(1, 24, 40.0)
    return Use(label_smoothed_loss, (*first, 0.25), (*later, 0.0), last=last)


VOCABULARY = 7
_BATCH, _LENGTH = 3, 6


def _inputs(draw: Draw, *, scale: float = 1.5) -> tuple[Tensor, Tensor]:
    """Logits and targets; the word 0 is among the first of the targets, and another one stands last."""
    logits = draw.normal(_BATCH, _LENGTH, VOCABULARY, scale=scale)
    targets = draw.integers(0, VOCABULARY, _BATCH, _LENGTH)
    targets[0, 0], targets[1:, -1] = 0, 3
    return logits, targets


def _two_losses(label_smoothed_loss, draw: Draw, *, scale: float = 1.5) -> list[Tensor]:
    """The losses of two batches of logits with the same targets and mask, which what the sum is divided by makes larger by one factor."""
    (logits, targets), (others, _) = _inputs(draw, scale=scale), _inputs(draw, scale=scale)
    mask, epsilon = draw.padding_mask(_BATCH, _LENGTH), _epsilon(draw)
    return [label_smoothed_loss(given, targets.clone(), mask.clone(), epsilon) for given in (logits, others)]


def _everywhere() -> Tensor:
    return torch.ones(_BATCH, _LENGTH, dtype=torch.bool)


def _epsilon(draw: Draw) -> float:
    """From 0.2 to 0.3: not the one that is usual."""
    return 0.2 + int(draw.integers(0, 100)) / 1000


@check(
    "without smoothing it is the mean cross-entropy of all words",
    points=1,
    hint="With ε = 0 the target is the right word only: the loss at a position is minus the log of the "
    "probability that the softmax of its logits gives that word. The result is the mean of them all, a "
    "tensor of shape ().",
)
def unsmoothed(label_smoothed_loss, draw: Draw):
    """Nothing is smoothed, every place is real, and no word is 0, which some take for padding."""
    logits, targets = _inputs(draw)
    return {"loss": label_smoothed_loss(logits, targets.clamp(min=1), _everywhere(), 0.0)}


@unsmoothed.explain
def nothing_counted(got, want):
    """What an inverted mask leaves where nothing is masked."""
    loss = got["loss"]
    if loss.isnan() or loss == 0:
        return f"the loss is {'NaN' if loss.isnan() else 0}, although nothing is masked here: is the mask inverted?"
    return None


@check(
    "the target of a position is ε / V for every word, and 1 - ε more for the right one",
    points=2,
    needs=unsmoothed,
    hint="The target sums to one: ε is divided among all V words, including the right one, which also keeps 1 - "
    "ε. So the loss at a position is (1 - ε) times one log-probability plus ε times the mean of all V, with "
    "a minus sign.",
)
def smoothed(label_smoothed_loss, draw: Draw):
    """Every place is real, and no word is 0."""
    (logits, targets), epsilon = _inputs(draw), _epsilon(draw)
    return {"loss": label_smoothed_loss(logits, targets.clamp(min=1), _everywhere(), epsilon)}


@check(
    "padding does not count",
    points=1,
    needs=(unsmoothed, smoothed),
    hint="The mask is True at the words that count. Leave the other positions out of both parts of the loss: "
    "that of the right word, and that of all words.",
)
def ratio(label_smoothed_loss, draw: Draw):
    """The loss of some logits over that of others, in sentences of equal length: what is divided by does not matter."""
    (logits, targets), (others, _), epsilon = _inputs(draw), _inputs(draw, scale=2.5), _epsilon(draw)
    mask = (torch.arange(_LENGTH) < 4).repeat(_BATCH, 1)
    first, second = (label_smoothed_loss(given, targets.clone(), mask.clone(), epsilon) for given in (logits, others))
    return {"ratio": first / second}


@ratio.explain
def counted_otherwise(got, want):
    """The ratio itself is in nobody's code."""
    return (
        "the loss depends on positions where the mask is False, or does not treat all positions alike where it is True"
    )


@check(
    "the sum is divided by the number of real words",
    points=1,
    needs=(unsmoothed, smoothed, ratio),
    hint="The mean is over the words that are counted. The mask gives their number, over the whole batch: a word "
    "of a short sentence has the same weight as a word of a long one.",
)
def with_padding(label_smoothed_loss, draw: Draw):
    """Sentences of four words, of six and of one; and a single word in all."""
    (logits, targets), epsilon = _inputs(draw), _epsilon(draw)
    words = {"loss of sentences of 4, 6 and 1 words": [[4], [6], [1]], "loss of a single word": [[0], [1], [0]]}
    return {
        name: label_smoothed_loss(logits, targets, torch.arange(_LENGTH) < torch.tensor(lengths), epsilon)
        for name, lengths in words.items()
    }


@check(
    "logits and targets may be parts of larger tensors",
    points=1,
    needs=with_padding,
    compare=up_to_a_factor(),
    hint="A slice such as logits[:, :-1] is not contiguous, so view fails on it. reshape and flatten work.",
)
def cut_out(label_smoothed_loss, draw: Draw):
    """Logits, targets and mask that are cut out of larger ones."""
    (logits, targets), (others, _), epsilon = _inputs(draw), _inputs(draw), _epsilon(draw)
    mask = draw.padding_mask(_BATCH, _LENGTH)
    return {
        "losses": [
            label_smoothed_loss(given[:, :-1], targets[:, 1:], mask[:, :-1], epsilon) for given in (logits, others)
        ]
    }


@check(
    "words of very small probability are handled correctly",
    points=1,
    hidden=True,
    needs=with_padding,
    compare=up_to_a_factor(),
    hint="If logits are far apart, their softmax contains zeros, and log(0) is minus infinity, or NaN when it is "
    "multiplied by 0. log_softmax never computes the small probability.",
)
def certain(label_smoothed_loss, draw: Draw):
    """Logits that are far apart, so that most words have a probability too small for a float."""
    return {"losses": _two_losses(label_smoothed_loss, draw, scale=300.0)}


@check(
    "half and double precision are kept",
    points=1,
    hidden=True,
    needs=(with_padding, certain),
    compare=up_to_a_factor(),
    hint="A target that you fill yourself is float32, unless you pass dtype=logits.dtype or create it from the "
    "logits, as torch.full_like does.",
)
def other_types(label_smoothed_loss, draw: Draw):
    """Half precision and double precision, with an ε that both hold."""
    (logits, targets), (others, _) = _inputs(draw), _inputs(draw)
    mask, epsilon = draw.padding_mask(_BATCH, _LENGTH), 0.25
    return {
        str(dtype).removeprefix("torch."): [
            label_smoothed_loss(given.to(dtype), targets.clone(), mask.clone(), epsilon) for given in (logits, others)
        ]
        for dtype in (torch.float16, torch.float64)
    }


@check(
    "the gradient for the logits is right, and zero at padding",
    points=1,
    hidden=True,
    needs=with_padding,
    compare=up_to_a_factor(),
    hint="Use torch's operations on the tensors themselves: .item(), detach and torch.tensor(...) around a loss "
    "stop the gradient.",
)
def loss_gradient(label_smoothed_loss, draw: Draw):
    """What comes back to the logits."""
    leaf, targets = _inputs(draw)
    leaf.requires_grad_()
    logits = leaf * 1  # No leaf, so that a change in place is not an error: another check looks for that.
    loss = label_smoothed_loss(logits, targets, draw.padding_mask(_BATCH, _LENGTH), _epsilon(draw))
    (loss * draw.normal()).backward()
    return {"gradient": leaf.grad}


@check(
    "logits, targets and mask are not changed",
    points=1,
    needs=with_padding,
    compare=up_to_a_factor(),
    arguments=True,
    hint="Methods that end in an underscore, and assignments such as targets[~mask] = ..., change the caller's tensor.",
)
def loss_arguments(label_smoothed_loss, draw: Draw):
    """Two losses; whether an argument was changed is seen in every call."""
    return {"losses": _two_losses(label_smoothed_loss, draw)}
