"""The checks of `policy_gradient_loss`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise("policy_gradient_loss", "make rewarded answers more likely", minutes=20, difficulty=2)


@in_use()
def in_chapter(policy_gradient_loss, draw: Draw) -> Use:
    """A batch of answers as long as the chapter's, one of them without a piece, and padding; then one long answer with a penalty."""

    def given(number: int, length: int, advantages: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mask = draw.padding_mask(number, length)
        mask[1:2] = False
        return -3 * draw.normal(number, length).abs(), mask, advantages

    return Use(policy_gradient_loss, given(16, 24, draw.normal(16, scale=0.5)), given(1, 31, torch.tensor([-0.75])))


_NUMBER, _LENGTH = 5, 7


def log_probs_of(draw: Draw, length: int = _LENGTH, *, scale: float = 1.5) -> Tensor:
    """The log-probabilities of the pieces of five answers."""
    return -scale * draw.normal(_NUMBER, length).abs()


def advantages_of(draw: Draw) -> Tensor:
    """Of five answers; two are negative, one is 0, and they have a mean."""
    return (torch.tensor([1.0, -0.5, 0.0, 0.75, -0.25]) + 0.1 * draw.normal(_NUMBER)) * torch.tensor([1, 1, 0, 1, 1])


def every_piece(length: int = _LENGTH) -> Tensor:
    """Answers without prompts or padding."""
    return torch.ones(_NUMBER, length, dtype=torch.bool)


def _several_losses(policy_gradient_loss, draw: Draw) -> list[Tensor]:
    """The losses of three batches of answers of the same lengths, which another sign, or no division, changes by one factor."""
    mask = spans(draw)
    return [policy_gradient_loss(log_probs_of(draw), mask, advantages_of(draw)) for _ in range(3)]


def spans(draw: Draw) -> Tensor:
    """Answers of one to five pieces at different places, with prompts before them and padding after most."""
    starts = draw.integers(1, 3, _NUMBER).unsqueeze(-1)
    sizes = (1 + draw.normal(_NUMBER).argsort()).unsqueeze(-1)
    places = torch.arange(_LENGTH)
    return (places >= starts) & (places < starts + sizes)


@check(
    "the loss of an answer is minus its advantage times its log-probability",
    points=2,
    hint="The loss has to fall when an answer with a positive advantage becomes more likely. Each advantage belongs to one answer; the mean "
    "over the answers is a tensor of shape ().",
)
def one_piece(policy_gradient_loss, draw: Draw):
    """Answers of one piece each."""
    return {"loss": policy_gradient_loss(log_probs_of(draw, 1), every_piece(1), advantages_of(draw))}


@check(
    "the log-probability of an answer is the sum over its pieces",
    points=2,
    needs=one_piece,
    hint="The probability of an answer is a product over its pieces, whatever their number: sum the log-probabilities over T, the last dimension.",
)
def many_pieces(policy_gradient_loss, draw: Draw):
    """Answers of seven pieces each."""
    return {"loss": policy_gradient_loss(log_probs_of(draw), every_piece(), advantages_of(draw))}


@check(
    "only the pieces that the model wrote count",
    points=2,
    needs=(one_piece, many_pieces),
    compare=up_to_a_factor(),
    hint="The prompt was given, and padding is nothing at all. Where the mask is False, a log-probability of 0 adds nothing to a sum.",
)
def masked(policy_gradient_loss, draw: Draw):
    """Answers of different lengths."""
    return {"losses": _several_losses(policy_gradient_loss, draw)}


@check(
    "the gradient flows into the log-probabilities, and none into the advantages",
    points=1,
    needs=(one_piece, many_pieces, masked),
    compare=up_to_a_factor(),
    hint="A reward is a number that the verifier gave: detach() keeps the gradient out of it. Do not detach the log-probabilities.",
)
def gradients(policy_gradient_loss, draw: Draw):
    """What comes back to both."""
    log_probs, mask, advantages = log_probs_of(draw), spans(draw), advantages_of(draw)
    log_probs.requires_grad_(), advantages.requires_grad_()
    loss = policy_gradient_loss(log_probs * 1, mask, advantages * 1)
    if loss.requires_grad:
        (loss * draw.normal()).backward()
    both = {"log_probs": log_probs, "advantages": advantages}
    return {name: torch.zeros_like(each) if each.grad is None else each.grad for name, each in both.items()}


@gradients.explain
def wrong_way(got, want):
    """Which of the two a gradient reaches."""
    if got["advantages"].any():
        return "a gradient flows into the advantages too, as if rewards could be trained"
    return (
        None
        if got["log_probs"].any()
        else "no gradient comes back to the log-probabilities: is there a detach or a no_grad?"
    )


@check(
    "log_probs, mask and advantages are left as they were",
    points=1,
    needs=(one_piece, many_pieces, masked),
    compare=up_to_a_factor(),
    arguments=True,
    hint="-=, *= and methods that end in an underscore change the caller's tensor.",
)
def arguments(policy_gradient_loss, draw: Draw):
    """The losses of calls that share the mask."""
    return {"losses": _several_losses(policy_gradient_loss, draw)}


@check(
    "log-probabilities may be far below 0, and outside of the answers -inf",
    points=1,
    hidden=True,
    needs=(one_piece, many_pieces, masked, gradients),
    compare=up_to_a_factor(),
    hint="-inf times 0 is NaN: torch.where and masked_fill replace a number instead. No log-probability is limited: a rare piece counts in full.",
)
def infinite(policy_gradient_loss, draw: Draw):
    """A piece of a very small probability, and -inf where the model wrote nothing: the loss and the gradient."""
    mask, advantages = spans(draw), advantages_of(draw)
    log_probs = log_probs_of(draw).masked_fill(~mask, -torch.inf)
    log_probs[0, mask[0].int().argmax()] -= 120
    log_probs.requires_grad_()
    loss = policy_gradient_loss(log_probs * 1, mask, advantages)
    gradient = torch.zeros_like(log_probs)
    if loss.requires_grad:
        (gradient,) = torch.autograd.grad(loss, log_probs, allow_unused=True, materialize_grads=True)
    return {"the loss and the gradient": {"the loss": loss, "the gradient": gradient}}
