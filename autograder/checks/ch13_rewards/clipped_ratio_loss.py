"""The checks of `clipped_ratio_loss`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise("clipped_ratio_loss", "use samples again, but not too far", minutes=25, difficulty=3)


@in_use()
def in_chapter(clipped_ratio_loss, draw: Draw) -> Use:
    """A batch of answers of a model that has moved a little since it sampled them, one of them without a piece, and padding.

    Then one of a model that has moved far, with another ε.
    """

    def given(number: int, length: int, moved: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        mask = draw.padding_mask(number, length)
        mask[1:2] = False
        old = -3 * draw.normal(number, length).abs()
        now = old + draw.normal(number, length, scale=moved)
        return now, old, mask, draw.normal(number)

    return Use(clipped_ratio_loss, given(12, 23, 0.1), (*given(1, 30, 1.0), 0.3))


_NUMBER, _LENGTH = 6, 7


def _signs() -> Tensor:
    """Advantages of both signs."""
    return torch.tensor([1.0, -0.5, 0.75, -1.0, 0.25, -0.75])


def _epsilon(draw: Draw) -> float:
    """From 0.1 to 0.3, and not the one that is usual."""
    return 0.1 + int(draw.integers(0, 90)) / 1000


def _moved(draw: Draw, factors: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities now and before, whose ratios are the factors."""
    old = -1 - draw.normal(*factors.shape).abs()
    return old + factors.log(), old


def _near(draw: Draw, length: int) -> Tensor:
    """Ratios from 0.92 to 1.08, inside of every ε that is drawn."""
    return 1 + 0.02 * draw.integers(-4, 5, _NUMBER, length)


def _far(draw: Draw, length: int) -> Tensor:
    """Ratios below 0.6 or above 1.5, outside of every ε, in each row both."""
    low = draw.integers(0, 2, _NUMBER, length).bool()
    low[:, 0], low[:, -1] = True, False
    shift = 0.3 * draw.normal(_NUMBER, length).abs()
    return torch.where(low, 0.55 / (1 + shift), 1.6 + shift)


def _all(length: int) -> Tensor:
    return torch.ones(_NUMBER, length, dtype=torch.bool)


def _spans(draw: Draw) -> Tensor:
    """Answers of one to six pieces at different places."""
    starts = draw.integers(0, 2, _NUMBER).unsqueeze(-1)
    sizes = (1 + draw.normal(_NUMBER).argsort()).unsqueeze(-1)
    places = torch.arange(_LENGTH)
    return (places >= starts) & (places < starts + sizes)


def _several_losses(clipped_ratio_loss, draw: Draw) -> list[Tensor]:
    """The losses of three batches of answers of the same lengths, which another sign, or no division, changes by one factor."""
    mask, advantages = _spans(draw), _signs()
    return [clipped_ratio_loss(*_moved(draw, _far(draw, _LENGTH)), mask, advantages, _epsilon(draw)) for _ in range(3)]


@check(
    "ratios near 1 are weighted with the advantages",
    points=2,
    hint="The ratio of a piece is π / π_old, and exp of a difference of logs is a quotient. It is weighted with its answer's advantage, and the "
    "loss is minus the mean over the answers.",
)
def near_one(clipped_ratio_loss, draw: Draw):
    """Answers of one piece each, whose ratios are not clipped."""
    now, old = _moved(draw, _near(draw, 1))
    return {"loss": clipped_ratio_loss(now, old, _all(1), _signs(), _epsilon(draw))}


@check(
    "a ratio counts no further than ε from 1, where that would raise the gain",
    points=3,
    needs=near_one,
    draws=4,
    hint="Weight the ratio and the clipped ratio with the advantage, and take the smaller of the two products. Which of the two is smaller depends "
    "on the sign of the advantage.",
)
def clips(clipped_ratio_loss, draw: Draw):
    """Answers of one piece whose ratios are too small or too large, with advantages of either sign."""
    shift, epsilon = 0.3 * draw.normal(_NUMBER, 1).abs(), _epsilon(draw)
    found = {}
    for ratios, factors in (("ratios below 1 - ε", 0.55 / (1 + shift)), ("ratios above 1 + ε", 1.6 + shift)):
        for advantages, sign in (("advantages above 0", 1), ("advantages below 0", -1)):
            now, old = _moved(draw, factors)
            loss = clipped_ratio_loss(now, old, _all(1), sign * _signs().abs(), epsilon)
            found[f"the loss for {ratios} and {advantages}"] = loss
    return found


@check(
    "each piece has a ratio of its own, and an answer's pieces are summed",
    points=2,
    needs=(near_one, clips),
    hint="Clip piece by piece, then sum over T, the last dimension, and only then average over the answers. An advantage of shape (N, 1) "
    "broadcasts over the pieces.",
)
def many_pieces(clipped_ratio_loss, draw: Draw):
    """Answers of seven pieces each."""
    now, old = _moved(draw, _far(draw, _LENGTH))
    return {"loss": clipped_ratio_loss(now, old, _all(_LENGTH), _signs(), _epsilon(draw))}


@check(
    "only the pieces that were sampled count",
    points=2,
    needs=(near_one, clips, many_pieces),
    compare=up_to_a_factor(),
    hint="A log-probability of 0 in both tensors gives a ratio of 1, not of 0: what is outside of the answer has to be left out of the sum as well.",
)
def masked(clipped_ratio_loss, draw: Draw):
    """Answers of different lengths."""
    return {"losses": _several_losses(clipped_ratio_loss, draw)}


@check(
    "the gradient flows into log_probs where nothing is clipped, and nowhere else",
    points=1,
    needs=(near_one, clips, many_pieces, masked),
    hint="What sampled the answers does not change any more, and a reward is a number: both are constants. A clipped ratio has no gradient.",
)
def gradients(clipped_ratio_loss, draw: Draw):
    """What comes back to the two models and to the advantages."""
    now, old = _moved(draw, _far(draw, _LENGTH) if draw.normal() > 0 else _near(draw, _LENGTH))
    advantages = _signs()
    now.requires_grad_(), old.requires_grad_(), advantages.requires_grad_()
    loss = clipped_ratio_loss(now * 1, old * 1, _spans(draw), advantages * 1, _epsilon(draw))
    if loss.requires_grad:
        (loss * draw.normal()).backward()
    given = {"log_probs": now, "old_log_probs": old, "advantages": advantages}
    return {name: torch.zeros_like(each) if each.grad is None else each.grad for name, each in given.items()}


@gradients.explain
def wrong_way(got, want):
    """What a gradient reaches."""
    for name in ("old_log_probs", "advantages"):
        if got[name].any():
            return f"a gradient flows into {name} too"
    return None if got["log_probs"].any() else "no gradient comes back to log_probs: is there a detach or a no_grad?"


@check(
    "the four tensors are left as they were",
    points=1,
    needs=(near_one, clips, many_pieces, masked),
    compare=up_to_a_factor(),
    arguments=True,
    hint="-=, *= and methods that end in an underscore change the caller's tensor.",
)
def arguments(clipped_ratio_loss, draw: Draw):
    """The losses of calls that share mask and advantages."""
    return {"losses": _several_losses(clipped_ratio_loss, draw)}


@check(
    "if no ε is given, it is 0.2; log-probabilities may be far below 0, and outside of the answers -inf",
    points=1,
    hidden=True,
    needs=(near_one, clips, many_pieces, masked, gradients),
    compare=up_to_a_factor(),
    hint="The signature gives ε a default value. -inf minus -inf is NaN: torch.where and masked_fill replace a number instead. "
    "The quotient of two tiny probabilities may be 0 / 0, but exp of the difference of their logs is not.",
)
def usual(clipped_ratio_loss, draw: Draw):
    """ε is not given; then pieces of a very small probability, and -inf where nothing was sampled."""
    (now, old), mask = _moved(draw, _far(draw, _LENGTH)), _spans(draw)
    without = clipped_ratio_loss(now.clone(), old, _all(_LENGTH), _signs())
    now, old = (each.masked_fill(~mask, -torch.inf).requires_grad_() for each in (now, old))
    loss = clipped_ratio_loss(now - 120, old.detach() - 120, mask, _signs(), 0.25)
    gradient = torch.zeros_like(now)
    if loss.requires_grad:
        (gradient,) = torch.autograd.grad(loss, now, allow_unused=True, materialize_grads=True)
    return {"without ε, and with -inf": {"the loss without ε": without, "the loss": loss, "its gradient": gradient}}
