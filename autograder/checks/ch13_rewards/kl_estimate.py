"""The checks of `kl_estimate`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("kl_estimate", "how far the policy has moved", minutes=15, difficulty=2)


@in_use()
def in_chapter(kl_estimate, draw: Draw) -> Use:
    """A batch of answers of a model that has moved a little, one of them without a piece, and padding; then one answer of a model that has moved far."""

    def given(number: int, length: int, moved: float) -> tuple[Tensor, Tensor, Tensor]:
        mask = draw.padding_mask(number, length)
        mask[1:2] = False
        reference = -3 * draw.normal(number, length).abs()
        now = reference + draw.normal(number, length, scale=moved)
        return now, reference, mask

    return Use(kl_estimate, given(12, 23, 0.3), given(1, 30, 1.5))


_NUMBER, _LENGTH = 5, 7


def _both(draw: Draw, length: int = _LENGTH, *, moved: float = 1.0) -> tuple[Tensor, Tensor]:
    """Log-probabilities under the policy and under the reference."""
    reference = -1.5 * draw.normal(_NUMBER, length).abs()
    return reference + draw.normal(_NUMBER, length, scale=moved), reference


def _all(length: int = _LENGTH) -> Tensor:
    return torch.ones(_NUMBER, length, dtype=torch.bool)


def _spans(draw: Draw) -> Tensor:
    """Answers of one to five pieces at different places."""
    starts = draw.integers(1, 3, _NUMBER).unsqueeze(-1)
    sizes = (1 + draw.normal(_NUMBER).argsort()).unsqueeze(-1)
    places = torch.arange(_LENGTH)
    return (places >= starts) & (places < starts + sizes)


@check(
    "the estimate of a piece is exp(d) - 1 - d",
    points=2,
    hint="d is the reference's log-probability minus the policy's, in this order. The mean over the answers is a tensor of shape ().",
)
def one_piece(kl_estimate, draw: Draw):
    """Answers of one piece each."""
    return {"estimate": kl_estimate(*_both(draw, 1), _all(1))}


@one_piece.explain
def below_zero(got, want):
    """No piece can make it negative."""
    return f"the estimate is {got['estimate'].item():.3g}, but k3 is never negative" if got["estimate"] < 0 else None


@check(
    "the pieces that were sampled are summed, and nothing else counts",
    points=2,
    needs=one_piece,
    hint="Each piece has an estimate of its own: sum these over T, the last dimension, without prompts and padding, and average over the answers last.",
)
def masked(kl_estimate, draw: Draw):
    """Answers of different lengths."""
    return {"estimate": kl_estimate(*_both(draw), _spans(draw))}


@check(
    "the gradient flows into the policy, and none into the reference",
    points=2,
    needs=(one_piece, masked),
    hint="The reference does not change: detach() keeps the gradient out of it. Both terms with the policy's log-probability need their gradient.",
)
def gradients(kl_estimate, draw: Draw):
    """What comes back to both models."""
    now, reference = _both(draw)
    now.requires_grad_(), reference.requires_grad_()
    estimate = kl_estimate(now * 1, reference * 1, _spans(draw))
    if estimate.requires_grad:
        (estimate * draw.normal()).backward()
    both = {"log_probs": now, "reference_log_probs": reference}
    return {name: torch.zeros_like(each) if each.grad is None else each.grad for name, each in both.items()}


@gradients.explain
def wrong_way(got, want):
    """Which of the two models a gradient reaches."""
    if got["reference_log_probs"].any():
        return "a gradient flows into the reference too, as if it were trained"
    return None if got["log_probs"].any() else "no gradient comes back to the policy: is there a detach or a no_grad?"


@check(
    "log_probs, reference_log_probs and mask are left as they were",
    points=1,
    needs=(one_piece, masked),
    arguments=True,
    hint="-=, *= and methods that end in an underscore change the caller's tensor.",
)
def arguments(kl_estimate, draw: Draw):
    """The arguments as they are after the call."""
    (now, reference), mask = _both(draw), _spans(draw)
    estimate = kl_estimate(now, reference, mask)
    return {"estimate": estimate, "log_probs": now, "reference_log_probs": reference, "mask": mask}


@check(
    "outside of the answers, log-probabilities may be -inf",
    points=1,
    needs=(one_piece, masked, gradients),
    hint="-inf minus -inf is NaN, and so is NaN times 0: torch.where and masked_fill replace a number instead.",
)
def infinite(kl_estimate, draw: Draw):
    """-inf where nothing was sampled: the estimate and the gradient."""
    mask = _spans(draw)
    now, reference = (each.masked_fill(~mask, -torch.inf) for each in _both(draw))
    now.requires_grad_()
    estimate = kl_estimate(now * 1, reference, mask)
    gradient = torch.zeros_like(now)
    if estimate.requires_grad:
        (gradient,) = torch.autograd.grad(estimate, now, allow_unused=True, materialize_grads=True)
    return {"the estimate": estimate, "the gradient": gradient}


@check(
    "the estimate is precise, whether the policy has moved very little or very far",
    points=1,
    hidden=True,
    needs=(one_piece, masked),
    hint="exp(d) is so near 1 that single precision loses most digits of exp(d) - 1. torch.expm1 computes that difference in one step. "
    "No d is limited, however far it is from 0.",
)
def small(kl_estimate, draw: Draw):
    """Log-probabilities that differ by about a thousandth, and single ones that differ by more than twenty."""
    now = -0.01 * draw.normal(_NUMBER, _LENGTH).abs()  # so near 0 that their difference is not rounded
    near = kl_estimate(now, now + 0.001 * draw.normal(_NUMBER, _LENGTH), _all())
    one, far = now[:1, :1] - 1, 22 + draw.normal(1, 1).abs()
    every = _all(1)[:1]
    return {
        "a million times the estimate": 1e6 * near,
        "the estimate where the reference is far more likely": kl_estimate(one - far, one, every),
        "the estimate where the reference is far less likely": kl_estimate(one, one - far, every),
    }
