"""The judges of chapter 4: what is right, and what is said when it is not."""

from typing import Any

import torch

from autograder.checks.ch04_attention import probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed


@judge(
    "with nothing masked it is the softmax of each row",
    probe=probes.nothing_masked,
    points=1,
    hint="The source positions lie along the last dimension: each row of weights is one query's, and sums to one.",
)
def plain_softmax(got: Any, want: Any) -> Verdict:
    """Rows of weights that sum to one over the source."""
    weights = got["weights"]
    if is_close(weights, want["weights"]):
        return passed()
    for dim in (0, 1):
        if is_close(weights.sum(dim), torch.ones_like(weights.sum(dim))):
            return failed(f"the weights sum to one over dimension {dim}, not over the last, where the source is")
    return _row_sums(weights) or failed(difference(weights, want["weights"]))


@judge(
    "masked places get no weight and the rest of the row sums to one",
    probe=probes.padding,
    points=2,
    needs=("with nothing masked it is the softmax of each row",),
    hint="Hide a place before the softmax: a weight set to zero afterwards leaves a row that no longer sums to one. "
    "True in the mask means that the place may be attended.",
)
def padding_gets_none(got: Any, want: Any) -> Verdict:
    """The mask is applied before the softmax."""
    weights, scores, mask = got["weights"], want["scores"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, scores.softmax(-1) * mask):
        return failed("the softmax came first and the mask after it: the rows that lost a place sum to less than one")
    if is_close(weights, scores.masked_fill(mask, -torch.inf).softmax(-1).nan_to_num() * ~mask):
        return failed("the mask is inverted: the places that may be attended got no weight")
    if is_close(weights, scores.softmax(-1)):
        return failed("the mask changed nothing")
    if is_close(weights, (scores * mask).softmax(-1)):
        return failed("a masked score became 0, and the softmax gives a score of 0 a weight of its own")
    if weights[~mask].abs().max() > 1e-4:
        return failed(f"a masked place got the weight {weights[~mask].abs().max().item():.3f}")
    return _row_sums(weights) or failed(difference(weights, want["weights"]))


@judge(
    "a row with every place masked gives zeros",
    probe=probes.empty_row,
    points=1,
    needs=("masked places get no weight and the rest of the row sums to one",),
    hint="The softmax of a row that is wholly minus infinity is 0/0. Such a row attends to nothing: all its weights are 0.",
)
def empty_row_gives_zeros(got: Any, want: Any) -> Verdict:
    """No NaN and no uniform weights from an empty row."""
    weights, row = got["weights"], got["weights"][1, 2]
    if is_close(weights, want["weights"]):
        return passed()
    if row.isnan().any():
        return failed("the row that is wholly masked came back as NaN, expected zeros")
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return failed("the row that is wholly masked got equal weights, expected zeros")
    return failed(difference(weights, want["weights"]))


broadcasts = judge(
    "one mask serves all queries of a sentence",
    probe=probes.broadcast,
    points=1,
    hidden=True,
    needs=("masked places get no weight and the rest of the row sums to one",),
    hint="A mask of shape (B, 1, S) stands for every query. Let torch broadcast it against the scores; do not index with it.",
)(close())

half = judge(
    "half precision works",
    probe=probes.half_precision,
    points=1,
    hidden=True,
    needs=("a row with every place masked gives zeros",),
    hint="A constant such as -1e9 does not exist in float16. Minus infinity does, and torch.finfo(dtype).min is the least "
    "number of any dtype.",
)(close())

far_below = judge(
    "masked places lose even against very negative scores",
    probe=probes.very_negative,
    points=1,
    hidden=True,
    needs=("masked places get no weight and the rest of the row sums to one",),
    hint="A small fixed number, such as -10000, may lie above the scores. The least number of the dtype never does.",
)(close())

gradient = judge(
    "the gradient that comes back to the scores is right and never NaN",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=("a row with every place masked gives zeros",),
    hint="If the forward pass makes a NaN and replaces it afterwards, the backward pass still meets it. See to it that the "
    "softmax never sees a row that is wholly minus infinity.",
)(close())


@judge(
    "scores and mask are left as they were",
    probe=probes.arguments,
    points=1,
    hidden=True,
    needs=("masked places get no weight and the rest of the row sums to one",),
    hint="Methods that end in an underscore, and assignments such as scores[~mask] = ..., change the caller's tensor.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The weights are right and the arguments are the caller's still."""
    for name in ("scores", "mask"):
        if not is_close(got[name], want[name]):
            return failed(f"the call changed its argument {name}")
    return close("weights")(got, want)


def _row_sums(weights: torch.Tensor) -> Verdict | None:
    sums = weights.double().sum(-1)
    if weights.isnan().any():
        return failed("some weights are NaN")
    gap = (sums - 1).abs()
    if gap.max() < 1e-3:
        return None
    return failed(f"a row of weights sums to {sums.flatten()[gap.argmax()].item():.3f}, expected 1")


@judge(
    "with a memory of one position the context is its value",
    probe=probes.one_position,
    points=1,
    hint="The weights say how much of each value goes into the context. Keys are for the scores alone.",
)
def made_of_values(got: Any, want: Any) -> Verdict:
    """The value path, with nothing to choose between."""
    if is_close(got["context"], want["context"]):
        return passed()
    if is_close(got["context"], want["key"].expand_as(got["context"])):
        return failed("the context is the key of the position, expected its value")
    return failed(difference(got["context"], want["context"]))


@judge(
    "the weights come from score(query, key)",
    probe=probes.weights,
    points=1,
    hint="Ask score for the scores of query and key, hand them to masked_softmax with the mask, and return what it gives.",
)
def weights_from_scores(got: Any, want: Any) -> Verdict:
    """The score path."""
    if is_close(got["weights"], want["weights"]):
        return passed()
    if is_close(got["weights"], want["scores"]):
        return failed("the scores themselves came back as weights: masked_softmax was not asked")
    return failed(
        "the weights are not what masked_softmax makes of score(query, key). The functions given as arguments are "
        f"to be used, whatever they compute; {difference(got['weights'], want['weights'])}"
    )


@judge(
    "the context is the sum of the values by their weights",
    probe=probes.weighted_sum,
    points=2,
    hint="For weights (B, T, S) and values (B, S, d_v) the sum over the S positions is a batched matrix product.",
)
def sum_of_values(got: Any, want: Any) -> Verdict:
    """The weighted sum with weights that are given."""
    if is_close(got["context"], want["context"]):
        return passed()
    if is_close(got["context"], want["of_keys"]):
        return failed("the keys were summed, expected the values")
    return failed(f"context: {difference(got['context'], want['context'])}")


@judge(
    "the mask reaches masked_softmax",
    probe=probes.masked,
    points=1,
    needs=("the weights come from score(query, key)",),
    hint="Pass the mask on as it came: True where a position may be attended.",
)
def passes_mask(got: Any, want: Any) -> Verdict:
    """The mask is handed on."""
    if is_close(got["weights"], want["weights"]):
        return passed()
    if is_close(got["weights"], want["unmasked"]):
        return failed("the weights are the same as without the mask")
    return failed(f"weights: {difference(got['weights'], want['weights'])}")


per_query = judge(
    "a batch of one, with another mask for every query",
    probe=probes.mask_per_query,
    points=1,
    hidden=True,
    needs=(
        "the weights come from score(query, key)",
        "the mask reaches masked_softmax",
        "the context is the sum of the values by their weights",
    ),
    hint="Nothing here depends on the batch being larger than one, or on the mask having a single row: do not squeeze.",
)(close())

attend_gradient = judge(
    "the gradient reaches query, key and value",
    probe=probes.attend_gradient,
    points=1,
    hidden=True,
    needs=(
        "the weights come from score(query, key)",
        "the mask reaches masked_softmax",
        "the context is the sum of the values by their weights",
    ),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and .item() cut the gradient off.",
)(close())


@judge(
    "context and state are combined in the order [c_t; s_t]",
    probe=probes.combined,
    points=2,
    hint="The first columns of combine's weight are for the context, the last for the state; tanh comes before output.",
)
def context_first(got: Any, want: Any) -> Verdict:
    """The order in front of `combine`."""
    if is_close(got["logits"], want["logits"]):
        return passed()
    if is_close(got["logits"], want["swapped"]):
        return failed("the state stands before the context: that is [s_t; c_t], expected [c_t; s_t]")
    return failed(f"logits: {difference(got['logits'], want['logits'])}")


@judge(
    "the query of step t is the state s_t",
    probe=probes.queried,
    points=2,
    hint="Run the GRU over the tokens first. It gives s_1 to s_T at once, and these are the queries.",
)
def current_state_asks(got: Any, want: Any) -> Verdict:
    """The current state asks, not the one before."""
    if is_close(got["weights"], want["weights"]):
        return passed()
    if is_close(got["weights"], want["of_the_state_before"]):
        return failed("the query was the state before, s_(t-1): that is Bahdanau's order; here it is s_t")
    return failed(f"weights: {difference(got['weights'], want['weights'])}")


@judge(
    "the mask of the source reaches the attention",
    probe=probes.decoder_mask,
    points=1,
    hint="The decoder's mask is (B, S); the attention takes (B, 1, S), one row for all queries.",
)
def masks_source(got: Any, want: Any) -> Verdict:
    """The mask is handed to the attention in its shape."""
    if is_close(got["weights"], want["weights"]):
        return passed()
    return failed(f"the weights are not those of the mask that was given; {difference(got['weights'], want['weights'])}")


hands_back_state = judge(
    "the state after the last token comes back, also for a batch of one",
    probe=probes.last_state,
    points=1,
    hidden=True,
    hint="The third result is the GRU's own last state, (1, B, H): the next call goes on from it.",
)(close())

continues = judge(
    "a sentence decoded in two pieces gives the same logits",
    probe=probes.word_by_word,
    points=1,
    hidden=True,
    needs=(
        "context and state are combined in the order [c_t; s_t]",
        "the query of step t is the state s_t",
        "the state after the last token comes back, also for a batch of one",
    ),
    hint="Start the GRU from the state that is given and hand back its last: then a call can take up where another ended.",
)(close())

decoder_gradient = judge(
    "the gradient reaches every weight and the memory",
    probe=probes.decoder_gradient,
    points=1,
    hidden=True,
    needs=(
        "context and state are combined in the order [c_t; s_t]",
        "the query of step t is the state s_t",
    ),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and no_grad cut the gradient off.",
)(close())
