"""What is asked of `dpo_loss`."""

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw

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


@probe("dpo_loss")
def one_piece(dpo_loss, draw: Draw):
    """Answers of one piece each."""
    (policy, reference), beta = _inputs(draw, 1, scale=1.5), _beta(draw)
    loss = dpo_loss(policy.clone(), reference.clone(), _all(1), beta)
    return {"loss": loss, "policy": policy, "reference": reference, "beta": beta}


@probe("dpo_loss")
def many_pieces(dpo_loss, draw: Draw):
    """Answers of seven pieces each."""
    (policy, reference), beta = _inputs(draw), _beta(draw)
    loss = dpo_loss(policy.clone(), reference.clone(), _all(), beta)
    return {"loss": loss, "policy": policy, "reference": reference, "beta": beta}


@probe("dpo_loss")
def masked(dpo_loss, draw: Draw):
    """Answers of different lengths."""
    (policy, reference), mask, beta = _inputs(draw), _spans(draw), _beta(draw)
    loss = dpo_loss(policy.clone(), reference.clone(), mask.clone(), beta)
    return {"loss": loss, "policy": policy, "reference": reference, "mask": mask, "beta": beta}


@probe("dpo_loss")
def gradients(dpo_loss, draw: Draw):
    """What comes back to both models."""
    (policy, reference), mask = _inputs(draw), _spans(draw)
    policy.requires_grad_(), reference.requires_grad_()
    loss = dpo_loss(policy * 1, reference * 1, mask, _beta(draw))
    if loss.requires_grad:
        (loss * draw.normal()).backward()
    both = {"policy": policy, "reference": reference}
    return {name: torch.zeros_like(each) if each.grad is None else each.grad for name, each in both.items()}


@probe("dpo_loss")
def arguments(dpo_loss, draw: Draw):
    """The arguments as they are after the call."""
    (policy, reference), mask = _inputs(draw), _spans(draw)
    loss = dpo_loss(policy, reference, mask, _beta(draw))
    return {"loss": loss, "policy": policy, "reference": reference, "mask": mask}


@probe("dpo_loss")
def usual(dpo_loss, draw: Draw):
    """β is not given."""
    policy, reference = _inputs(draw, scale=3.0)
    return {"loss": dpo_loss(policy, reference, _spans(draw))}


@probe("dpo_loss")
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
