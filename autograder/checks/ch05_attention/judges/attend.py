"""What is right about `attend`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch05_attention.probes import attend as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_VALUE = "with a memory of one position the context is its value"
_WEIGHTS = "the weights come from score(query, key)"
_SUM = "the context is the sum of the values, weighted by the weights"
_MASK = "the mask reaches masked_softmax"


@judge(
    _VALUE,
    probe=probes.one_position,
    points=1,
    hint="Return two things: first the context, then the weights. The weights determine how much of each value goes "
    "into the context; the keys are used only for the scores.",
)
def made_of_values(got: Any, want: Any) -> Verdict:
    """The value path, with nothing to choose between."""
    if is_close(got["context"], want["context"]):
        return passed()
    for name in ("key", "query"):
        if is_close(got["context"], want[name]):
            return failed(f"the context is the {name}, expected the value")
    return failed(f"context: {difference(got['context'], want['context'])}")


@judge(
    _WEIGHTS,
    probe=probes.weights,
    points=1,
    needs=(_VALUE,),
    hint=(
        "Call score with query and key, pass the scores and the mask to masked_softmax, and return the weights that "
        "it returns."
    ),
)
def weights_from_scores(got: Any, want: Any) -> Verdict:
    """The score path."""
    weights, scores = got["weights"], want["scores"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, scores):
        return failed("the second result is the scores, expected the weights")
    if is_close(weights, want["swapped"].sigmoid()):
        return failed("score was called with key and query, expected query and key")
    if is_close(weights, scores.softmax(-1)):
        return failed(
            "the weights come from another softmax; use the function masked_softmax that is given as an argument"
        )
    return failed(
        "the weights are not the result of masked_softmax for score(query, key). Use both functions that are given as "
        f"arguments, whatever they compute; {difference(weights, want['weights'])}"
    )


@judge(
    _SUM,
    probe=probes.weighted_sum,
    points=2,
    needs=(_VALUE, _WEIGHTS),
    hint="For each query, sum weight times value over the S positions. With weights (B, T, S) and values (B, S, d_v), "
    "one matrix product does this for all queries at once.",
)
def sum_of_values(got: Any, want: Any) -> Verdict:
    """The weighted sum, whatever the weights."""
    context, weights, value = got["context"], want["weights"], want["value"]
    if is_close(context, want["context"]):
        return passed()
    if is_close(context, weights @ value / value.shape[1]):
        return failed(
            "the context was divided by the number of positions, expected the weighted sum: the weights "
            "already sum to one"
        )
    if is_close(context, weights.softmax(-1) @ value):
        return failed(
            "the weights went through another softmax before the sum; use them as masked_softmax returns them"
        )
    return failed(f"context: {difference(context, want['context'])}")


@judge(
    _MASK,
    probe=probes.masked,
    points=1,
    needs=(_WEIGHTS,),
    hint="masked_softmax takes the scores and the mask; pass on the mask as it is.",
)
def masks(got: Any, want: Any) -> Verdict:
    """The mask is handed on."""
    weights, unmasked, mask = got["weights"], want["unmasked"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, unmasked):
        return failed("the weights are the same as without the mask")
    if is_close(weights, unmasked * ~mask):
        return failed("the mask was inverted: True means that a position may be attended to")
    return failed(f"weights: {difference(weights, want['weights'])}")


per_query = judge(
    "every query may have a mask of its own",
    probe=probes.mask_per_query,
    points=1,
    hidden=True,
    needs=(_SUM, _MASK),
    hint=(
        "The mask is (B, 1, S) or (B, T, S). Pass it on as it is: do not squeeze it, expand it or select one of its "
        "rows."
    ),
)(close())

batch_of_one = judge(
    "one sentence and one query alone keep their dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_SUM, _MASK),
    hint="In translation B and T are 1. squeeze() removes every dimension of size one, even those that belong there.",
)(close())

attend_gradient = judge(
    "the gradient reaches query, key and value",
    probe=probes.attend_gradient,
    points=1,
    hidden=True,
    needs=(_WEIGHTS, _SUM, _MASK),
    hint=(
        "Use only torch operations on the tensors themselves: detach, .data, .item() and no_grad cut off the gradient."
    ),
)(close())
