"""The checks of `dpo_loss`."""

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import up_to_a_factor

EXERCISE = Exercise("dpo_loss", "prefer one answer to another", minutes=25, difficulty=3)


@in_use(half=True)
def in_chapter(dpo_loss, draw: Draw) -> Use:
    """Pairs of answers as long as the chapter's, of a policy that has moved a little; then a pair of one that has moved far, with another β.

    Outside of the answers there is -inf.
    """

    def given(pairs: int, length: int, moved: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        reference = -8 * draw.normal(2, pairs, length).abs()
        mask = draw.padding_mask(2 * pairs, length).unflatten(0, (2, pairs))
        policy, reference = (each.masked_fill(~mask, -torch.inf) for each in (reference + moved, reference))
        return policy, reference, mask

    little = draw.normal(2, 5, 24, scale=0.3)
    far = 10 * draw.normal(2, 1, 30).abs() * torch.tensor([-1.0, 1.0]).view(2, 1, 1)
    return Use(dpo_loss, given(5, 24, little), (*given(1, 30, far), 0.5))


_BATCH, _LENGTH = 5, 7


def _inputs(draw: Draw, length: int = _LENGTH, *, scale: float = 1.0) -> tuple[Tensor, Tensor]:
    """Log-probabilities of policy and reference, (2, B, T) each."""
    policy, reference = (-scale * draw.normal(2, _BATCH, length).abs() for _ in range(2))
    return policy, reference


def _beta(draw: Draw) -> float:
    """From 0.3 to 0.7: not the one that is usual."""
    return 0.3 + int(draw.integers(0, 400)) / 1000


def _all(length: int = _LENGTH) -> Tensor:
    return torch.ones(2, _BATCH, length, dtype=torch.bool)


def _spans(draw: Draw) -> Tensor:
    """Answers of different lengths at different places; the two of a pair are never equally long."""
    starts = draw.integers(0, 3, 2, _BATCH)
    longer = draw.integers(0, 2, _BATCH)
    sizes = torch.stack([torch.where(longer == row, 4, 2) for row in (0, 1)])  # (2, B)
    places = torch.arange(_LENGTH)
    return (places >= starts.unsqueeze(-1)) & (places < (starts + sizes).unsqueeze(-1))


def _several_losses(dpo_loss, draw: Draw) -> list[Tensor]:
    """For three batches of pairs, the sum of the loss and of the loss if the other answer is preferred, with a β of 1.

    So swapped answers, and β in another place, make no difference, and a wrong sign, or a sum over the pairs, makes one factor: other checks ask for these.
    """
    mask, losses = _spans(draw), []
    for _ in range(3):
        pairs = *_inputs(draw), mask.clone()
        losses.append(dpo_loss(*(each.flip(0) for each in pairs), 1.0) + dpo_loss(*pairs, 1.0))
    return losses


@check(
    "the loss of a pair is -log σ of β times the difference of the two log ratios",
    points=2,
    hint="Take log π - log π_ref of each answer. Subtract the other answer's, row 1, from the preferred answer's, "
    "row 0; multiply by β; and average -log σ of that over the pairs: a tensor of shape ().",
)
def one_piece(dpo_loss, draw: Draw):
    """Answers of one piece each."""
    (policy, reference), beta = _inputs(draw, 1, scale=1.5), _beta(draw)
    return {"loss": dpo_loss(policy, reference, _all(1), beta)}


@one_piece.explain
def below_zero(got, want):
    """A mean of -log of probabilities."""
    return f"the loss is {got['loss'].item():.3g}, but -log σ is never negative" if got["loss"] < 0 else None


@check(
    "an answer's log-probability is the sum over its pieces",
    points=2,
    needs=one_piece,
    hint="log π(y | x) of a whole answer is the sum of its pieces' log-probabilities: sum over T, the last "
    "dimension, before the sigmoid. A mean over the pieces is a different loss.",
)
def many_pieces(dpo_loss, draw: Draw):
    """Answers of seven pieces each."""
    (policy, reference), beta = _inputs(draw), _beta(draw)
    return {"loss": dpo_loss(policy, reference, _all(), beta)}


@check(
    "only the pieces of the answers count",
    points=2,
    needs=(one_piece, many_pieces),
    compare=up_to_a_factor(),
    hint="The mask has a row for each of the two answers, and they differ. Where it is False, a log ratio of 0 adds nothing.",
)
def masked(dpo_loss, draw: Draw):
    """Answers of different lengths."""
    return {"losses": _several_losses(dpo_loss, draw)}


@check(
    "the gradient flows into the policy, and none into the reference",
    points=1,
    needs=(one_piece, many_pieces, masked),
    compare=up_to_a_factor(),
    hint="The reference is the model that training started from, and it does not change: detach() keeps the gradient "
    "out of it. Do not detach the policy.",
)
def gradients(dpo_loss, draw: Draw):
    """What comes back to both models, which are still the same, as at the start of training."""
    (policy, _), mask = _inputs(draw), _spans(draw)
    policy, reference = (policy.clone().requires_grad_() for _ in range(2))
    loss = dpo_loss(policy * 1, reference * 1, mask, _beta(draw))
    if loss.requires_grad:
        (loss * draw.normal()).backward()
    both = {"policy": policy, "reference": reference}
    return {name: torch.zeros_like(each) if each.grad is None else each.grad for name, each in both.items()}


@gradients.explain
def wrong_way(got, want):
    """Which of the two models a gradient reaches."""
    if got["reference"].any():
        return "a gradient flows into the reference too, as if it were trained"
    return None if got["policy"].any() else "no gradient comes back to the policy: is there a detach or a no_grad?"


@check(
    "policy, reference and mask are left as they were",
    points=1,
    needs=(one_piece, many_pieces, masked),
    compare=up_to_a_factor(),
    arguments=True,
    hint="-=, *= and methods that end in an underscore change the caller's tensor.",
)
def arguments(dpo_loss, draw: Draw):
    """The losses of several calls, whose arguments are watched."""
    return {"losses": _several_losses(dpo_loss, draw)}


@check(
    "if no β is given, it is 0.1",
    points=1,
    hidden=True,
    needs=(one_piece, many_pieces, masked),
    hint="The signature gives β a default value: do not change it.",
)
def usual(dpo_loss, draw: Draw):
    """β is not given."""
    policy, reference = _inputs(draw, scale=3.0)
    return {"loss": dpo_loss(policy, reference, _spans(draw))}


@check(
    "margins may be in the hundreds, and values outside the answers may be -inf",
    points=1,
    hidden=True,
    needs=(one_piece, many_pieces, masked, gradients),
    hint="The sigmoid of -200 is 0 in single precision, and its log is -inf: F.logsigmoid computes both in one step. -inf times 0 is NaN: "
    "torch.where and masked_fill replace a number instead.",
)
def extreme(dpo_loss, draw: Draw):
    """Pairs whose margins are hundreds, both ways; and -inf where nothing is to be written."""
    (policy, reference), mask = _inputs(draw, scale=300.0), _spans(draw)
    far = dpo_loss(policy, reference, mask, 1.0)
    policy, reference = _inputs(draw)
    policy, reference = (each.masked_fill(~mask, -torch.inf).requires_grad_() for each in (policy, reference))
    infinite = dpo_loss(policy * 1, reference * 1, mask, 0.5)
    gradient = torch.zeros_like(policy)
    if infinite.requires_grad:
        (gradient,) = torch.autograd.grad(infinite, policy, allow_unused=True, materialize_grads=True)
    return {
        "the loss of margins of hundreds": far,
        "the loss with -inf outside of the answers": infinite,
        "the gradient with -inf outside of the answers": gradient,
    }
