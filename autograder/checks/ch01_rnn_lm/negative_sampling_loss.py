"""The checks of `negative_sampling_loss`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import has_finite_gradients, in_shape
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import difference, is_close

EXERCISE = Exercise("negative_sampling_loss", "true neighbours against words drawn at random", minutes=20, difficulty=2)


@in_use()
def in_chapter(negative_sampling_loss, draw: Draw) -> Use:
    """A batch of pairs, then one pair whose scores are far from 0."""

    def given(batch: int, negatives: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        pair = draw.normal(batch, 6, scale=scale), draw.normal(batch, 6, scale=scale)
        return *pair, draw.normal(batch, negatives, 6, scale=scale)

    return Use(negative_sampling_loss, given(9, 5, 0.6), given(1, 8, 6.0))


_SIZE = 5


def _near(draw: Draw, *shape: int) -> Tensor:
    """Embeddings whose scores are near zero: what is lost far from it is a check of its own."""
    return draw.normal(*shape, scale=0.6)


def _of_one(loss: Any) -> Any:
    """The loss of one pair; whether a mean was taken is another check's business."""
    return in_shape(loss)


def change(answer):
    """How the loss changes from the first word to the second: what does not depend on the word goes out."""
    first, second = answer["losses"]
    return {"change in the loss": (second.double() - first.double()).item()}


@check(
    "the term of the true neighbour is -log σ(score)",
    points=1,
    reads=change,
    hint="The score is the dot product of two embeddings, one number for each pair. σ turns it into the probability that the "
    "word is a true neighbour. The loss is minus the logarithm of this probability: low if the score is high.",
)
def seen(negative_sampling_loss, draw: Draw):
    """One centre with two words, one after the other, and one negative of zeros."""
    center, words = _near(draw, 1, _SIZE), _near(draw, 2, 1, _SIZE)
    zeros = torch.zeros(1, 1, _SIZE)
    losses = [_of_one(negative_sampling_loss(center.clone(), word.clone(), zeros.clone())) for word in words]
    return {"losses": losses, "center": center, "words": words}


@seen.explain
def with_the_score(got, want):
    """How the loss changes with the score."""
    before, after = (want["words"] * want["center"]).sum(dim=-1).flatten().tolist()
    (told,) = (difference(mine, right) for mine, right in zip(change(got).values(), change(want).values(), strict=True))
    return f"when the score goes from {before:.2f} to {after:.2f}, the change in the loss {told}"


@check(
    "the term of a negative is -log σ(-score)",
    points=2,
    reads=change,
    needs=seen,
    hint="σ(score) is the probability that a word is a true neighbour, so 1 - σ(score) = σ(-score) is the "
    "probability that it was drawn at random. The negatives are scored against the centre, and there is one "
    "minus sign in front of the score and another in front of the logarithm.",
)
def drawn(negative_sampling_loss, draw: Draw):
    """One centre with two negatives, one after the other, beside a word of zeros."""
    center, words = _near(draw, 1, _SIZE), _near(draw, 2, 1, _SIZE)
    zeros = torch.zeros(1, _SIZE)
    losses = [_of_one(negative_sampling_loss(center.clone(), zeros.clone(), word.unsqueeze(0))) for word in words]
    return {"losses": losses, "center": center, "words": words}


drawn.explain(with_the_score)


@check(
    "the terms of the negatives are summed",
    points=1,
    needs=(seen, drawn),
    hint="Each of the K negatives is a separate yes-or-no question, and the loss is the sum of their terms, whichever words they "
    "are.",
)
def several(negative_sampling_loss, draw: Draw):
    """One pair with six negatives: one is the neighbour, one the centre, and one came up twice."""
    center, context, negatives = _near(draw, 1, _SIZE), _near(draw, 1, _SIZE), _near(draw, 1, 6, _SIZE)
    negatives[0, 1], negatives[0, 3], negatives[0, 5] = context[0], center[0], negatives[0, 4]
    loss = negative_sampling_loss(center, context, negatives)
    return {"loss": _of_one(loss)}


@several.explain
def number(got, want):
    """How far off the number is."""
    return f"the loss {difference(got['loss'].item(), want['loss'].item())}"


@check(
    "the loss is the mean over the batch",
    points=1,
    needs=(seen, drawn, several),
    hint="Each pair has a loss of its own, with its own negatives; the result is the mean of the B losses, a tensor of shape "
    "().",
)
def batch(negative_sampling_loss, draw: Draw):
    """Four pairs with three negatives each."""
    center, context, negatives = _near(draw, 4, _SIZE), _near(draw, 4, _SIZE), _near(draw, 4, 3, _SIZE)
    return {"loss": negative_sampling_loss(center, context, negatives)}


batch.explain(number)


@check(
    "a single negative and embeddings of size one keep their dimensions",
    points=1,
    hidden=True,
    needs=(several, batch),
    hint="squeeze() removes every dimension of size one, even that of a single negative: name the dimension that you mean, as "
    "in squeeze(-1).",
)
def sizes(negative_sampling_loss, draw: Draw):
    """Many pairs with one negative each, as many pairs as negatives, and embeddings of one number."""
    shapes = {
        "one negative": (4, 1, _SIZE),
        "as many pairs as negatives": (3, 3, 3),
        "embeddings of one number": (3, 2, 1),
    }
    return {
        name: negative_sampling_loss(_near(draw, b, e), _near(draw, b, e), _near(draw, b, k, e))
        for name, (b, k, e) in shapes.items()
    }


@check(
    "scores far from zero give a finite loss",
    points=1,
    needs=(several, batch),
    hint="σ of a score far below zero is rounded to 0, and the logarithm of 0 is minus infinity. F.logsigmoid does both steps "
    "at once and stays accurate, so you need not add anything inside the logarithm.",
)
def far(negative_sampling_loss, draw: Draw):
    """Scores of 150 and more, all of them on the wrong side and then all on the right one."""
    center = draw.normal(3, _SIZE)
    toward = center * (150 + draw.integers(0, 100, 3, 1)) / (center * center).sum(dim=1, keepdim=True)
    near = draw.normal(3, 2, _SIZE)
    given = [tensor.requires_grad_() for tensor in (center.clone(), -toward, torch.stack([toward, toward], dim=1))]
    wrong = negative_sampling_loss(*(tensor * 1 for tensor in given))
    right = negative_sampling_loss(center.clone(), toward, torch.cat([-toward.unsqueeze(1), near], dim=1))
    return {"wrong side": wrong, "right side": right, "the gradient is finite": has_finite_gradients([wrong], given)}


@far.explain
def gradient_alone(got, want):
    """The loss is right, and its gradient is not."""
    if got["the gradient is finite"] or not all(
        is_close(got[side], want[side]) for side in ("wrong side", "right side")
    ):
        return None
    return "the loss is right, but its gradient is NaN or infinite: where() also computes, and differentiates, what it leaves out"


@check(
    "the gradient reaches all three embeddings",
    points=1,
    hidden=True,
    needs=(several, batch),
    hint="Use only torch operations on the tensors themselves: detach, .data and .item() cut off the gradient.",
)
def loss_gradient(negative_sampling_loss, draw: Draw):
    """What comes back to all three."""
    center, context, negatives = (_near(draw, *shape) for shape in ((3, _SIZE), (3, _SIZE), (3, 2, _SIZE)))
    for tensor in (center, context, negatives):
        tensor.requires_grad_()
    negative_sampling_loss(center * 1, context * 1, negatives * 1).backward()
    return {"center": center.grad, "context": context.grad, "negatives": negatives.grad}


@check(
    "half and double precision work, and the arguments are left as they were",
    points=1,
    needs=(several, batch, far),
    arguments=True,
    hint="Do not create a tensor of another dtype on the way: torch.zeros gives float32 unless you pass dtype=. view needs a "
    "tensor that is contiguous in memory; reshape does not. Methods that end in an underscore, and operators such as *= and -=, "
    "change the caller's tensor.",
)
def types(negative_sampling_loss, draw: Draw):
    """Half and double precision, of scores near zero, in tensors that were transposed; and the arguments as they are after the call."""
    given = [_near(draw, *shape) for shape in ((3, _SIZE), (3, _SIZE), (3, _SIZE, 2))]
    given[2] = given[2].transpose(1, 2)
    half = negative_sampling_loss(*(tensor.half() for tensor in given))
    double = negative_sampling_loss(*(tensor.double() for tensor in given))
    negative_sampling_loss(*given)
    return {"half precision": half, "double precision": double, "the arguments after the call": given}
