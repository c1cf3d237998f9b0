"""What is right about `masked_softmax`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes import masked_softmax as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SOFTMAX = "with nothing masked the result is the softmax of each row"
_MASKED = "masked positions get no weight and the rest of the row sums to one"
_EMPTY = "a fully masked row gives zeros"


@judge(
    _SOFTMAX,
    probe=probes.nothing_masked,
    points=1,
    hint="The source positions are along the last dimension: each row of weights belongs to one query and sums to "
    "one. True in the mask means that the position may be attended to; here it is True everywhere.",
)
def plain_softmax(got: Any, want: Any) -> Verdict:
    """Rows of weights that sum to one over the source."""
    weights = got["weights"]
    if is_close(weights, want["weights"]):
        return passed()
    masked = "although no position is masked here. Is True in the mask treated as False?"
    if weights.isnan().all():
        return failed(f"all weights are NaN, {masked} (0 · ∞ is NaN too.)")
    if is_close(weights, torch.zeros_like(weights)):
        return failed(f"all weights are 0, {masked}")
    if is_close(weights, torch.full_like(weights, 1 / weights.shape[-1])):
        return failed(f"all weights are equal, {masked}")
    if is_close(weights, want["scores"]):
        return failed("the scores were returned as they were given, without a softmax")
    if is_close(weights, want["scores"].log_softmax(-1)):
        return failed("the weights are log-probabilities, expected probabilities")
    if is_close(weights, want["weights"].softmax(-1)):
        return failed("the softmax was applied twice, the second time to weights")
    for dim in (0, 1):
        if is_close(weights, want["scores"].softmax(dim)):
            return failed(f"the softmax was taken over dimension {dim}; the source positions are the last dimension")
    return _row_sums(weights) or failed(f"each row sums to 1, but {difference(weights, want['weights'])}")


@judge(
    _MASKED,
    probe=probes.padding,
    points=2,
    needs=(_SOFTMAX,),
    hint="Change the scores before the softmax: if a weight is set to zero afterwards, the row no longer sums to one. "
    "Which score gets no weight, whatever the others are?",
)
def padding_gets_none(got: Any, want: Any) -> Verdict:
    """The mask is applied before the softmax."""
    weights, scores, mask = got["weights"], want["scores"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, scores.softmax(-1) * mask):
        return failed("the mask was applied after the softmax, so rows with masked positions sum to less than 1")
    if is_close(weights, scores.softmax(-1)):
        return failed("the mask has no effect: the weights are those of the softmax without it")
    of_zeros = (scores * mask).softmax(-1)
    if is_close(weights, of_zeros) or is_close(weights, of_zeros * mask):
        return failed("the masked scores were set to 0, but a score of 0 gets a weight like any other: exp(0) = 1")
    if is_close(weights * mask, torch.zeros_like(weights)):
        return failed("the positions that may be attended to got no weight: the mask is inverted")
    if weights[~mask].abs().sum() > 1e-4:
        return failed(f"a masked position got the weight {weights[~mask].abs().max().item():.3g}, expected 0")
    return _row_sums(weights) or failed(difference(weights, want["weights"]))


@judge(
    _EMPTY,
    probe=probes.empty_row,
    points=1,
    needs=(_MASKED,),
    hint="Such a row attends to nothing, so all its weights are 0. The softmax cannot return this: for equal scores "
    "it gives equal weights, and for a row of minus infinity it gives 0/0. Which positions have a weight of 0 anyway?",
)
def empty_row_gives_zeros(got: Any, want: Any) -> Verdict:
    """No NaN and no uniform weights from an empty row."""
    weights, row = got["weights"], got["weights"][1, 2]
    if is_close(weights, want["weights"]):
        return passed()
    if row.isnan().any():
        return failed("the fully masked row is NaN, expected zeros")
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return failed(f"the fully masked row got equal weights of {1 / row.numel():g}, expected zeros")
    if not is_close(row, torch.zeros_like(row)):
        return failed(f"the fully masked row sums to {row.sum().item():.3g}, expected zeros")
    return failed(f"the fully masked row is right, but {difference(weights, want['weights'])}")


broadcasts = judge(
    "one mask works for all queries of a sentence",
    probe=probes.broadcast,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="A mask of shape (B, 1, S) applies to every query. Let torch broadcast it against the scores (B, T, S); "
    "indexing with a mask needs equal shapes.",
)(close())

dimensions = judge(
    "scores may have any number of dimensions",
    probe=probes.any_dimensions,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="Scores have shape (..., S): a single row, a batch of one, or four dimensions. Count dimensions from the "
    "end, and keep those of size one.",
)(close())

half = judge(
    "half precision works",
    probe=probes.half_precision,
    points=1,
    hidden=True,
    needs=(_MASKED, _EMPTY),
    hint="A constant such as -1e9 does not exist in float16, and 1e-9 is 0 there. Minus infinity exists in every "
    "dtype, and torch.finfo(dtype).min is the smallest number of a dtype. The weights have the dtype of the scores.",
)(close())

far = judge(
    "scores far from zero are handled correctly",
    probe=probes.far_from_zero,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="Compared with very negative scores, a fixed number such as -10000 is large. And exp of a number far from "
    "zero is 0 or infinite; torch's softmax avoids both.",
)(close(rtol=1e-2))

gradient = judge(
    "the gradient with respect to the scores is right and never NaN",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_MASKED, _EMPTY),
    hint="Use torch operations, and do not change any result in place. If the forward pass produces a NaN and "
    "replaces it, the backward pass still gets it, so make sure that the softmax never gets a row of only minus "
    "infinity.",
)(close())


arguments = judge(
    "scores and mask are not changed",
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_MASKED,),
    hint="Methods that end in an underscore, and assignments such as scores[~mask] = ..., change the caller's tensor.",
)(leaves_arguments("weights"))


def _row_sums(weights: Tensor) -> Verdict | None:
    sums = weights.double().sum(-1)
    if weights.isnan().any():
        return failed(f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN")
    gap = (sums - 1).abs()
    if gap.max() < 1e-3:
        return None
    return failed(f"a row of weights sums to {sums.flatten()[gap.argmax()].item():.3g}, expected 1")
