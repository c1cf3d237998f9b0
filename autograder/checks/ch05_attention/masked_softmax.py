"""The checks of `masked_softmax`."""

import torch

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close

EXERCISE = Exercise("masked_softmax", "a softmax that ignores masked positions", minutes=15, difficulty=1)


@in_use()
def in_chapter(masked_softmax, draw: Draw) -> Use:
    """A padded batch with a row of padding alone and a row of one word, and scores that come again; then scores that are far from 0."""
    mask = draw.padding_mask(4, 21)
    mask[1], mask[2, 1:] = False, False
    scores = draw.integers(-3, 4, 4, 4, 21) / 2
    later = draw.normal(1, 24, scale=80.0) - 300, draw.mask(1, 24)
    return Use(masked_softmax, (scores, mask.unsqueeze(1)), later)


@check(
    "with nothing masked the result is the softmax of each row",
    points=1,
    hint="The source positions are along the last dimension: each row of weights belongs to one query and sums to "
    "one. True in the mask means that the position may be attended to; here it is True everywhere.",
)
def nothing_masked(masked_softmax, draw: Draw):
    """Every place may be attended: this is the softmax alone."""
    scores = draw.normal(2, 3, 5)
    return {"weights": masked_softmax(scores, torch.ones(2, 3, 5, dtype=torch.bool))}


@nothing_masked.explain
def all_alike(got, want):
    """What an inverted mask leaves of a row in which nothing is masked."""
    weights, told = got["weights"], "although no position is masked here. Is True in the mask treated as False?"
    if weights.isnan().all():
        return f"all weights are NaN, {told}"
    if is_close(weights, torch.zeros_like(weights)):
        return f"all weights are 0, {told}"
    if is_close(weights, torch.full_like(weights, 1 / weights.shape[-1])):
        return f"all weights are equal, {told}"
    return None


@nothing_masked.explain
def row_sums(got, want):
    """Weights are shares of one."""
    sums = got["weights"].double().sum(-1).flatten()
    gap = (sums - 1).abs()
    return f"a row of weights sums to {sums[gap.argmax()].item():.4g}, expected 1" if gap.max() > 2e-4 else None


@check(
    "masked positions get no weight and the rest of the row sums to one",
    points=2,
    needs=nothing_masked,
    hint="Change the scores before the softmax: if a weight is set to zero afterwards, the row no longer sums to one. "
    "Which score gets no weight, whatever the others are?",
)
def padding(masked_softmax, draw: Draw):
    """Some places are masked, none of the rows wholly."""
    scores, mask = draw.normal(3, 4, 6), draw.mask(3, 4, 6)
    return {"weights": masked_softmax(scores, mask.clone()), "mask": mask}


@padding.explain
def hidden_positions(got, want):
    """Where the weight is that should be elsewhere."""
    weights, mask = got["weights"], want["mask"]
    if is_close(weights * mask, torch.zeros_like(weights)):
        return "the positions that may be attended to got no weight: is the mask inverted?"
    most = weights[~mask].abs().max().item()
    return f"a masked position got the weight {most:.3g}, expected 0" if most > 1e-4 else row_sums(got, want)


@check(
    "a fully masked row gives zeros",
    points=1,
    needs=padding,
    hint="Such a row attends to nothing, so all its weights are 0. The softmax cannot return this: for equal scores "
    "it gives equal weights, and for a row of minus infinity it gives 0/0. Which positions have a weight of 0 anyway?",
)
def empty_row(masked_softmax, draw: Draw):
    """One row has no place to attend to, and the others are whole."""
    scores, mask = draw.normal(2, 3, 5), torch.ones(2, 3, 5, dtype=torch.bool)
    mask[1, 2] = False
    return {"weights": masked_softmax(scores, mask)}


@empty_row.explain
def empty_row_alone(got, want):
    """What a softmax makes of a row with no position to attend to."""
    row = got["weights"][1, 2]
    if row.isnan().any():
        return "the fully masked row is NaN, expected zeros"
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return f"the fully masked row got equal weights of {1 / row.numel():g}, expected zeros"
    return f"the fully masked row sums to {row.sum().item():.3g}, expected zeros" if row.any() else None


@check(
    "one mask works for all queries of a sentence",
    points=1,
    hidden=True,
    needs=padding,
    hint="A mask of shape (B, 1, S) applies to every query. Let torch broadcast it against the scores (B, T, S); "
    "indexing with a mask needs equal shapes.",
)
def broadcast(masked_softmax, draw: Draw):
    """One mask for all the queries of a sentence."""
    return {"weights": masked_softmax(draw.normal(3, 4, 6), draw.padding_mask(3, 6).unsqueeze(1))}


@check(
    "scores may have any number of dimensions",
    points=1,
    hidden=True,
    needs=(padding, broadcast),
    hint="Scores have shape (..., S): a single row, a batch of one, or four dimensions; and a mask (S,) applies to every "
    "row. Count dimensions from the end, and keep those of size one.",
)
def any_dimensions(masked_softmax, draw: Draw):
    """One row alone, a batch of one, and four dimensions; then one mask for all rows."""
    shapes = {"one row": (5,), "a batch of one": (1, 1, 5), "four dimensions": (2, 2, 3, 5)}
    found = {name: masked_softmax(draw.normal(*shape), draw.mask(*shape)) for name, shape in shapes.items()}
    return {**found, "one mask for all rows": masked_softmax(draw.normal(2, 3, 5), draw.mask(1, 5)[0])}


@check(
    "scores far from zero are handled correctly",
    points=1,
    needs=padding,
    compare=close(rtol=0.01),
    hint="Compared with very negative scores, a fixed number such as -10000 or -65504 is large. And exp of a number far from "
    "zero is 0 or infinite; torch's softmax avoids both.",
)
def far_from_zero(masked_softmax, draw: Draw):
    """Rows of scores far below and far above zero, whose masked places stand above the rest."""
    mask = draw.mask(2, 3, 5)
    away = draw.integers(7, 10, 2, 3, 1) * 10_000.0
    away[0] *= -1
    return {"weights": masked_softmax(draw.normal(2, 3, 5) + away + 1_000.0 * ~mask, mask)}


@check(
    "half precision works",
    points=1,
    needs=(padding, empty_row, far_from_zero),
    hint="A constant such as -1e9 does not exist in float16, and 1e-9 is 0 there. Minus infinity exists in every "
    "dtype, and torch.finfo(dtype).min is the smallest number of a dtype. The weights have the dtype of the scores.",
)
def half_precision(masked_softmax, draw: Draw):
    """Half precision holds no number beyond 65504, and none between 0 and 6e-8; one row has nothing to share out."""
    mask = draw.mask(2, 3, 5)
    mask[0, 1] = False
    return {"weights": masked_softmax(draw.normal(2, 3, 5, dtype=torch.float16), mask)}


@check(
    "the gradient with respect to the scores is right and never NaN",
    points=1,
    hidden=True,
    needs=(padding, empty_row, far_from_zero),
    hint="Use torch operations, and do not change any result in place. If the forward pass produces NaN or infinity and "
    "replaces it, the backward pass still gets it: make sure that the softmax never gets a row of only minus infinity, "
    "and exp no large number.",
)
def gradient(masked_softmax, draw: Draw):
    """What comes back to the scores, with an empty row among them, and masked scores that stand above the rest."""
    leaf, mask, outer = draw.normal(2, 3, 5).requires_grad_(), draw.mask(2, 3, 5), draw.normal(2, 3, 5)
    mask[0, 1] = False
    scores = leaf + 100 * ~mask  # No leaf, so that a change in place is not an error: another check looks for that.
    (masked_softmax(scores, mask) * outer).sum().backward()
    return {"gradient": leaf.grad}


@check(
    "scores and mask are not changed, and the scores may be a slice or a transpose of another tensor",
    points=1,
    needs=padding,
    arguments=True,
    hint="Methods that end in an underscore, and assignments such as scores[~mask] = ..., change the caller's tensor. view needs a contiguous "
    "tensor, reshape works with any.",
)
def arguments(masked_softmax, draw: Draw):
    """The arguments as they are after the call; the scores are the transpose of other ones."""
    scores, mask = draw.normal(2, 5, 3).transpose(1, 2), draw.mask(2, 3, 5)
    weights = masked_softmax(scores, mask)
    return {"weights": weights, "scores": scores, "mask": mask}
