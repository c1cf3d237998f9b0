"""The judges of chapter 4: what is right, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch04_attention import probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_SOFTMAX = "with nothing masked it is the softmax of each row"
_MASKED = "masked places get no weight and the rest of the row sums to one"
_EMPTY = "a row with every place masked gives zeros"


@judge(
    _SOFTMAX,
    probe=probes.nothing_masked,
    points=1,
    hint="The source positions lie along the last dimension: each row of weights is one query's, and sums to one. "
    "True in the mask means that the place may be attended; here it is True everywhere.",
)
def plain_softmax(got: Any, want: Any) -> Verdict:
    """Rows of weights that sum to one over the source."""
    weights = got["weights"]
    if is_close(weights, want["weights"]):
        return passed()
    masked = "although no place is masked here. Is True in the mask taken for False?"
    if weights.isnan().all():
        return failed(f"all weights are NaN, {masked} (Another way to a NaN: 0 · ∞.)")
    if is_close(weights, torch.zeros_like(weights)):
        return failed(f"all weights are 0, {masked}")
    if is_close(weights, torch.full_like(weights, 1 / weights.shape[-1])):
        return failed(f"all weights are equal, {masked}")
    if is_close(weights, want["scores"]):
        return failed("the scores came back as they were given, without a softmax")
    if is_close(weights, want["scores"].log_softmax(-1)):
        return failed("the weights are log-probabilities, expected probabilities")
    if is_close(weights, want["weights"].softmax(-1)):
        return failed("the softmax ran twice, the second time over weights")
    for dim in (0, 1):
        if is_close(weights, want["scores"].softmax(dim)):
            return failed(f"the softmax ran over dimension {dim}; the source positions are the last dimension")
    return _row_sums(weights) or failed(f"each row sums to 1, but {difference(weights, want['weights'])}")


@judge(
    _MASKED,
    probe=probes.padding,
    points=2,
    needs=(_SOFTMAX,),
    hint="Change the scores before the softmax: a weight that is set to zero afterwards has taken its share from the others, "
    "and the row no longer sums to one. Which score gets no weight, whatever the others are?",
)
def padding_gets_none(got: Any, want: Any) -> Verdict:
    """The mask is applied before the softmax."""
    weights, scores, mask = got["weights"], want["scores"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, scores.softmax(-1) * mask):
        return failed("the softmax came first and the mask after it: the rows that lost a place sum to less than 1")
    if is_close(weights, scores.softmax(-1)):
        return failed("the mask changed nothing: the weights are those of the softmax without it")
    of_zeros = (scores * mask).softmax(-1)
    if is_close(weights, of_zeros) or is_close(weights, of_zeros * mask):
        return failed("the masked scores became 0, and a score of 0 has a weight like any other: exp(0) = 1")
    if is_close(weights * mask, torch.zeros_like(weights)):
        return failed("the places that may be attended got no weight: the mask is taken the wrong way round")
    if weights[~mask].abs().sum() > 1e-4:
        return failed(f"a masked place got the weight {weights[~mask].abs().max().item():.3g}, expected 0")
    return _row_sums(weights) or failed(difference(weights, want["weights"]))


@judge(
    _EMPTY,
    probe=probes.empty_row,
    points=1,
    needs=(_MASKED,),
    hint="Such a row attends to nothing, so all its weights are 0. The softmax cannot give that: of equal scores it makes equal "
    "weights, and of nothing but minus infinity it makes 0/0. Which places have a weight of 0 anyway?",
)
def empty_row_gives_zeros(got: Any, want: Any) -> Verdict:
    """No NaN and no uniform weights from an empty row."""
    weights, row = got["weights"], got["weights"][1, 2]
    if is_close(weights, want["weights"]):
        return passed()
    if row.isnan().any():
        return failed("the row that is wholly masked came back as NaN, expected zeros")
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return failed(f"the row that is wholly masked got equal weights of {1 / row.numel():g}, expected zeros")
    if not is_close(row, torch.zeros_like(row)):
        return failed(f"the row that is wholly masked sums to {row.sum().item():.3g}, expected zeros")
    return failed(f"the row that is wholly masked is right, but {difference(weights, want['weights'])}")


broadcasts = judge(
    "one mask serves all queries of a sentence",
    probe=probes.broadcast,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="A mask of shape (B, 1, S) stands for every query. Let torch broadcast it against the scores (B, T, S): to index with a "
    "mask needs equal shapes.",
)(close())

dimensions = judge(
    "scores may have any number of dimensions",
    probe=probes.any_dimensions,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="Scores are (..., S): one row alone, a batch of one, or four dimensions. Count dimensions from the end, and keep those "
    "of size one.",
)(close())

half = judge(
    "half precision works",
    probe=probes.half_precision,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="A constant such as -1e9 does not exist in float16. Minus infinity does, and so does torch.finfo(dtype).min, the least "
    "number of any dtype. The weights have the dtype of the scores.",
)(close())

far = judge(
    "scores far from zero do no harm",
    probe=probes.far_from_zero,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="Beside very negative scores, a fixed number such as -10000 is large. And exp of a number far from zero is 0 or "
    "infinite; torch's softmax sees to that.",
)(close(rtol=1e-2))

gradient = judge(
    "the gradient that comes back to the scores is right and never NaN",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_MASKED, _EMPTY),
    hint="Stay with torch's operations, and change no result in place. If the forward pass makes a NaN and replaces it, the "
    "backward pass still meets it: see to it that the softmax never sees a row of nothing but minus infinity.",
)(close())


@judge(
    "scores and mask are left as they were",
    probe=probes.arguments,
    points=1,
    hidden=True,
    needs=(_MASKED,),
    hint="Methods that end in an underscore, and assignments such as scores[~mask] = ..., change the caller's tensor.",
)
def leaves_arguments(got: Any, want: Any) -> Verdict:
    """The weights are right and the arguments are the caller's still."""
    for name in ("scores", "mask"):
        if not is_close(got[name], want[name]):
            return failed(f"the call changed its argument {name}")
    return close("weights")(got, want)


def _row_sums(weights: Tensor) -> Verdict | None:
    sums = weights.double().sum(-1)
    if weights.isnan().any():
        return failed(f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN")
    gap = (sums - 1).abs()
    if gap.max() < 1e-3:
        return None
    return failed(f"a row of weights sums to {sums.flatten()[gap.argmax()].item():.3g}, expected 1")


_VALUE = "with a memory of one position the context is its value"
_WEIGHTS = "the weights come from score(query, key)"
_SUM = "the context is the sum of the values by their weights"
_MASK = "the mask reaches masked_softmax"


@judge(
    _VALUE,
    probe=probes.one_position,
    points=1,
    hint="Return two things: the context first, then the weights. The weights say how much of each value goes into the context; "
    "keys are for the scores alone.",
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
    hint="Ask score for the scores of query and key, hand them to masked_softmax with the mask, and return what it gives.",
)
def weights_from_scores(got: Any, want: Any) -> Verdict:
    """The score path."""
    weights, scores = got["weights"], want["scores"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, scores):
        return failed("the scores came back where the weights are expected, the second result")
    if is_close(weights, want["swapped"].sigmoid()):
        return failed("score was asked with key and query, expected query and key")
    if is_close(weights, scores.softmax(-1)):
        return failed(
            "the weights are a softmax of your own; use the function masked_softmax that is given as an argument"
        )
    return failed(
        "the weights are not what masked_softmax makes of score(query, key). Use both functions that are given as arguments, "
        f"whatever they compute; {difference(weights, want['weights'])}"
    )


@judge(
    _SUM,
    probe=probes.weighted_sum,
    points=2,
    needs=(_VALUE, _WEIGHTS),
    hint="For each query, the sum over the S positions of weight times value. With weights (B, T, S) and values (B, S, d_v) a "
    "product of matrices does it for all queries at once.",
)
def sum_of_values(got: Any, want: Any) -> Verdict:
    """The weighted sum, whatever the weights."""
    context, weights, value = got["context"], want["weights"], want["value"]
    if is_close(context, want["context"]):
        return passed()
    if is_close(context, weights @ value / value.shape[1]):
        return failed("the context is the mean over the positions, expected the sum: the weights share out already")
    if is_close(context, weights.softmax(-1) @ value):
        return failed(
            "the weights went through one more softmax before the sum; take them as masked_softmax gives them"
        )
    return failed(f"context: {difference(context, want['context'])}")


@judge(
    _MASK,
    probe=probes.masked,
    points=1,
    needs=(_WEIGHTS,),
    hint="masked_softmax takes the scores and the mask; hand it the mask as it came.",
)
def masks(got: Any, want: Any) -> Verdict:
    """The mask is handed on."""
    weights, unmasked, mask = got["weights"], want["unmasked"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()
    if is_close(weights, unmasked):
        return failed("the weights are the same as without the mask")
    if is_close(weights, unmasked * ~mask):
        return failed("the mask went in the wrong way round: True means that a place may be attended")
    return failed(f"weights: {difference(weights, want['weights'])}")


per_query = judge(
    "every query may have a mask of its own",
    probe=probes.mask_per_query,
    points=1,
    hidden=True,
    needs=(_SUM, _MASK),
    hint="The mask is (B, 1, S) or (B, T, S). Hand it on as it is: do not squeeze it, expand it or take one row of it.",
)(close())

batch_of_one = judge(
    "one sentence and one query alone keep their dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_SUM, _MASK),
    hint="When translating, B and T are 1. squeeze() takes away every dimension of size one, also those that belong there.",
)(close())

attend_gradient = judge(
    "the gradient reaches query, key and value",
    probe=probes.attend_gradient,
    points=1,
    hidden=True,
    needs=(_WEIGHTS, _SUM, _MASK),
    hint="Stay with torch's operations on the tensors themselves: detach, .data, .item() and no_grad cut the gradient off.",
)(close())


_COMBINED = "context and state are combined in the order [c_t; s_t]"
_GIVEN_STATE = "the GRU starts from the state that is given"
_QUERY = "the query of step t is the state s_t"
_HIDES = "the mask of the source reaches the attention"
_LAST_STATE = "the state after the last token comes back, also for one sentence alone"


@judge(
    _COMBINED,
    probe=probes.combined,
    points=2,
    hint="Follow the numbered steps: put the context before the state, along the last dimension; then combine, tanh, output. "
    "Return three things: logits, weights, state.",
)
def context_first(got: Any, want: Any) -> Verdict:
    """The order in front of `combine`, and what follows it."""
    logits, context, states = got["logits"], want["context"], want["states"]
    if is_close(logits, want["logits"]):
        return passed()
    if is_close(logits, _logits(want, states, context).tanh() @ want["output"][0].T + want["output"][1]):
        return failed("the state stands before the context, [s_t; c_t]; expected [c_t; s_t]")
    if is_close(logits, _logits(want, context, states) @ want["output"][0].T + want["output"][1]):
        return failed("there is no tanh between combine and output")
    if is_close(logits, want["logits"].softmax(-1)):
        return failed("the logits are probabilities; leave the softmax to the loss")
    return failed(f"logits: {difference(logits, want['logits'])}")


def _logits(want: Any, first: Tensor, second: Tensor) -> Tensor:
    """What `combine` makes of the two, side by side."""
    combined: Tensor = torch.cat([first, second], dim=-1) @ want["combine"][0].T + want["combine"][1]
    return combined


@judge(
    _GIVEN_STATE,
    probe=probes.given_state,
    points=1,
    needs=(_COMBINED,),
    hint="The first state is what the encoder hands over. The GRU takes it as its second argument, and starts from zeros without.",
)
def starts_from_given(got: Any, want: Any) -> Verdict:
    """The first state is not zero."""
    if is_close(got["logits"], want["logits"]):
        return passed()
    if is_close(got["logits"], want["from_zeros"]):
        return failed("the logits are the same as from a state of zeros")
    return failed(f"logits: {difference(got['logits'], want['logits'])}")


@judge(
    _QUERY,
    probe=probes.queried,
    points=2,
    needs=(_COMBINED,),
    hint="Run the GRU over the tokens first. It gives s_1 to s_T at once, and these are the queries.",
)
def current_state_asks(got: Any, want: Any) -> Verdict:
    """The current state asks, not the one before."""
    weights, states, memory = got["weights"], want["states"], want["memory"]
    if is_close(weights, want["weights"]):
        return passed()
    before = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)
    others = {
        "the query was the state before, s_(t-1): that is Bahdanau's order; expected s_t": before,
        "every query was the first state, before any word; expected s_t": torch.zeros_like(states),
        "every query was the state after the last word; expected s_t": states[:, -1:].expand_as(states),
    }
    for message, query in others.items():
        if is_close(weights, probes.shows_its_query(query, memory)[1]):
            return failed(message)
    return failed(f"the attention was asked with other vectors than s_1 … s_T; {difference(weights, want['weights'])}")


@judge(
    _HIDES,
    probe=probes.decoder_mask,
    points=1,
    needs=(_COMBINED,),
    hint="The decoder's mask is (B, S); the attention takes (B, 1, S), one row for all queries.",
)
def masks_source(got: Any, want: Any) -> Verdict:
    """The mask is handed to the attention in its shape."""
    weights, mask, memory = got["weights"], want["mask"].unsqueeze(1), want["memory"]
    if is_close(weights, want["weights"]):
        return passed()
    length = weights.shape[1]
    query = torch.zeros(len(memory), length, memory.shape[-1])
    if is_close(weights, probes.shows_its_mask(query, memory, torch.ones_like(mask))[1]):
        return failed("the attention was given a mask that hides nothing, expected the source's")
    if is_close(weights, probes.shows_its_mask(query, memory, ~mask)[1]):
        return failed("the mask went in the wrong way round: True means that a place may be attended")
    return failed(f"the weights are not those of the mask that was given; {difference(weights, want['weights'])}")


hands_back_state = judge(
    _LAST_STATE,
    probe=probes.last_state,
    points=1,
    hidden=True,
    needs=(_COMBINED,),
    hint="The third result is the GRU's own last state, (1, B, H): the next call goes on from it.",
)(close())

continues = judge(
    "a sentence decoded word by word gives the right logits",
    probe=probes.word_by_word,
    points=1,
    hidden=True,
    needs=(_COMBINED, _GIVEN_STATE, _QUERY, _LAST_STATE),
    hint="When translating, B and T are 1, and each call goes on from the state of the call before. Keep dimensions of size one, "
    "and keep nothing in self from one call to the next.",
)(close())

decoder_gradient = judge(
    "the gradient reaches every weight and the memory",
    probe=probes.decoder_gradient,
    points=1,
    hidden=True,
    needs=(_COMBINED, _QUERY),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and no_grad cut the gradient off.",
)(close())
