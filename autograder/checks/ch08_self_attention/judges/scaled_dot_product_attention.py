"""What is right about `scaled_dot_product_attention`, and what is said when it is not."""

import math
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import scaled_dot_product_attention as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_VALUE = "with a single key the output is its value"
_WEIGHTS = "each query's weights are a softmax of its scores over the keys"
_SCALE = "the scores are divided by √d_k"
_SUM = "the output is the sum of the values by their weights"
_MASK = "masked places get no weight and the rest of the row sums to one"
_EMPTY = "a query with nothing to attend to gets zeros"
_HEADS = "sentences and heads may stand in front"


@judge(
    _VALUE,
    probe=probes.one_key,
    points=1,
    hint="Return two things: the output first, then the weights. One key has the weight 1, whatever its score. The weights say how "
    "much of each value goes into the output; keys are for the scores alone.",
)
def made_of_values(got: Any, want: Any) -> Verdict:
    """The value path, with nothing to choose between."""
    output = got["output"]
    if is_close(output, want["output"]):
        return passed()
    for name in ("key", "query"):
        if is_close(output, want[name]):
            return failed(f"the output is the {name}, expected the value")
    score = (want["query"] * want["key"]).sum(dim=-1, keepdim=True)
    if any(is_close(output, want["output"] * score / divisor) for divisor in (1, 2)):
        return failed("the value was multiplied by the score itself, expected by the weight that a softmax makes of it")
    return failed(f"output: {difference(output, want['output'])}")


def _logs(weights: Tensor) -> Tensor:
    """The scores that a softmax makes these weights of, as far as the weights tell: their mean over the keys is 0."""
    logs = weights.double().clamp_min(1e-45).log()
    return logs - logs.mean(dim=-1, keepdim=True)


def _factor(got: Tensor, want: Tensor) -> float:
    """How many times as large the scores of the one are as those of the other."""
    return float((_logs(got) * _logs(want)).sum() / _logs(want).square().sum())


def _tempered(got: Tensor, want: Tensor) -> Tensor:
    """The weights that were wanted if all scores were as many times as large as those that came: a wrong scale costs its points once."""
    factor = _factor(got, want)
    if not 0.01 < factor < 100:  # Nor NaN: whatever this is, it is no other scale.
        return want
    return (_logs(want) * factor).softmax(dim=-1).to(want.dtype)


def _is_tempered(got: Tensor, want: Tensor) -> bool:
    """Whether weights are right but for the scale; equal weights for all keys, of scores times 0, are not."""
    return bool(got.isfinite().all()) and _factor(got, want) > 0.1 and is_close(got, _tempered(got, want))


@judge(
    _WEIGHTS,
    probe=probes.every_key,
    points=1,
    needs=(_VALUE,),
    hint="The scores have a row for each query and a column for each key. A query shares out a weight of 1 over the keys: along which "
    "dimension does the softmax run?",
)
def softmax_over_keys(got: Any, want: Any) -> Verdict:
    """The softmax and its axis, up to the scale of the scores."""
    weights, query, key = got["weights"], want["query"], want["key"]
    if _is_tempered(weights, want["weights"]):
        return passed()
    if weights.isnan().any():
        return failed(f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN, with no mask at all")
    batch, positions, size = key.shape
    products = query @ key.transpose(1, 2)
    for scores in (products / size**0.5, products):
        others = {
            "the scores came back where the weights are expected, the second result": scores,
            "the softmax ran over the queries, expected over the keys: each row is to sum to 1": scores.softmax(dim=1),
            "all keys got the same weight": torch.full_like(scores, 1 / positions),
            "the softmax ran over the sentences, expected over the keys: each row is to sum to 1": scores.softmax(
                dim=0
            ),
            "one softmax ran over all scores of a sentence, expected one for each query": scores.flatten(1)
            .softmax(dim=-1)
            .view_as(scores),
            "rows and columns have changed places: expected a row for each query and a column for each key": (
                scores.transpose(1, 2).softmax(dim=-1)
            ),
            "the softmax ran twice, the second time over weights": scores.softmax(dim=-1).softmax(dim=-1),
            "the weights are log-probabilities, expected probabilities": scores.log_softmax(dim=-1),
            "each score went through a sigmoid, expected a softmax over the keys": scores.sigmoid(),
            "the exponentials of the scores are not divided by their sum over the keys": scores.exp(),
            "the keys were reshaped, which deals their numbers out anew; two of their dimensions have to change places instead": (
                (query @ key.reshape(batch, size, positions) * (scores / products).mean()).softmax(dim=-1)
            ),
            "the queries are scored against themselves, expected the keys": (
                (query @ query.transpose(1, 2) * (scores / products).mean()).softmax(dim=-1)
            ),
        }
        for message, other in others.items():
            if is_close(weights, other):
                return failed(message)
    return failed(f"weights: {difference(weights, want['weights'])}")


@judge(
    _SCALE,
    probe=probes.scale,
    points=1,
    needs=(_WEIGHTS,),
    hint="A sum of d_k products of independent numbers of variance 1 has the variance d_k. What has to divide it, so that its variance "
    "is 1? And which dimension of the arguments is d_k?",
)
def divided_by_root(got: Any, want: Any) -> Verdict:
    """The scale, on two sizes: which factor is too much tells what was done."""
    if is_close(got, want):
        return passed()
    factors = {name: _factor(got[name], want[name]) for name in want}
    if not all(_is_tempered(got[name], want[name]) for name in want):
        return failed(f"weights: {difference(got, want)}")
    for message, exponent, other in (
        ("the scores are plain dot products: nothing divides them", 0.5, 1.0),
        ("the scores are divided by d_k itself, expected its root", -0.5, 1.0),
        ("the scores are multiplied by √d_k, expected a division", 1.0, 1.0),
        (
            "the scores are divided by the fourth root of d_k, as if one of query and key alone had been scaled",
            0.25,
            1.0,
        ),
        ("the scores are divided by √d_v, the root of the size of the values", 0.5, probes.VALUE**0.5),
        ("the scores are divided by d_v, the size of the values", 0.5, probes.VALUE),
        ("the scores are divided by √S, where S is the number of keys", 0.5, probes.KEYS**0.5),
        ("the scores are divided by S, the number of keys", 0.5, probes.KEYS),
        ("the scores are divided by √T, where T is the number of queries", 0.5, probes.QUERIES**0.5),
        ("the scores are divided by T, the number of queries", 0.5, probes.QUERIES),
        ("the scores are divided by √B, where B is the number of sentences", 0.5, probes.BATCH**0.5),
    ):
        if all(
            math.isclose(factors[name], size**exponent / other, rel_tol=1e-2) for name, size in probes.SIZES.items()
        ):
            return failed(message if "√d_k" in message or "d_k" in message else f"{message}; expected √d_k")
    told = " and ".join(f"{factor:.3g} times with {name}" for name, factor in factors.items())
    return failed(f"the scores behind the weights are too large, by a factor which is {told}, expected 1")


@judge(
    _SUM,
    probe=probes.weighted_sum,
    points=1,
    needs=(_VALUE, _WEIGHTS, _SCALE),
    hint="For each query, the sum over the S keys of weight times value. With weights (..., T, S) and values (..., S, d_v) a product of "
    "matrices does it for all queries at once.",
)
def sum_of_values(got: Any, want: Any) -> Verdict:
    """The weighted sum."""
    output, weights, value = got["output"], want["weights"], want["value"]
    if is_close(output, want["output"]):
        return close("weights")(got, want)
    scores = want["query"] @ want["key"].transpose(1, 2)
    others = {
        "the sum runs over the queries, expected over the keys: the weights were turned": weights.transpose(1, 2)
        @ value,
        "the output is the mean over the keys, expected the sum: the weights share out already": weights
        @ value
        / value.shape[1],
        "the weights went through one more softmax before the sum": weights.softmax(dim=-1) @ value,
        "the values were summed by the scores, expected by the weights": scores @ value,
        "every query got the value of its greatest weight alone, expected the weighted sum": value.gather(
            1, weights.argmax(dim=-1, keepdim=True).expand(-1, -1, value.shape[-1])
        ),
    }
    for message, values in others.items():
        if is_close(output, values):
            return failed(message)
    return failed(f"output: {difference(output, want['output'])}")


@judge(
    _MASK,
    probe=probes.masked,
    points=1,
    needs=(_VALUE, _WEIGHTS, _SCALE),
    hint="Change the scores before the softmax: a weight that is set to zero afterwards has taken its share from the others, and the row "
    "no longer sums to one. True means that a place may be attended.",
)
def padding_gets_none(got: Any, want: Any) -> Verdict:
    """The mask is applied before the softmax, and to what goes into the output."""
    weights, scores, mask, value = got["weights"], want["scores"], want["mask"], want["value"]
    if is_close(weights, want["weights"]):
        if is_close(got["output"], scores.softmax(dim=-1) @ value):
            return failed("the weights are right, but the output is the sum by the weights without the mask")
        return passed()
    unmasked = scores.softmax(dim=-1)
    if is_close(weights, unmasked * mask):
        return failed("the softmax came first and the mask after it: the rows that lost a place sum to less than 1")
    if is_close(weights, unmasked):
        return failed("the mask changed nothing: the weights are those of the softmax without it")
    of_zeros = (scores * mask).softmax(dim=-1)
    if is_close(weights, of_zeros) or is_close(weights, of_zeros * mask):
        return failed("the masked scores became 0, and a score of 0 has a weight like any other: exp(0) = 1")
    if is_close(weights, (scores + mask).softmax(dim=-1)):
        return failed("the mask was added to the scores as ones and zeros; it is boolean, and says which places count")
    if weights.isnan().any():
        return failed(f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN, and no row is empty here")
    if is_close(weights * mask, torch.zeros_like(weights)):
        return failed("the places that may be attended got no weight: the mask is taken the wrong way round")
    if weights[~mask].abs().sum() > 1e-4:
        return failed(f"a masked place got the weight {weights[~mask].abs().max().item():.3g}, expected 0")
    return failed(f"weights: {difference(weights, want['weights'])}")


@judge(
    _EMPTY,
    probe=probes.empty_row,
    points=1,
    needs=(_SUM, _MASK),
    hint="All places of such a row are masked, so all its weights are 0, and with them its output. The softmax cannot give that: of equal "
    "scores it makes equal weights, and of nothing but minus infinity it makes 0/0. Which places have a weight of 0 anyway?",
)
def empty_row_gives_zeros(got: Any, want: Any) -> Verdict:
    """No NaN and no uniform weights from an empty row."""
    row, output = got["weights"][1, 2], got["output"][1, 2]
    if is_close(got["weights"], want["weights"]) and is_close(output, want["output"][1, 2]):
        return passed()
    if row.isnan().any():
        return failed("the weights of the query that may attend to nothing came back as NaN, expected zeros")
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return failed(f"the query that may attend to nothing got equal weights of {1 / row.numel():g}, expected zeros")
    if not is_close(row, torch.zeros_like(row)):
        return failed(
            f"the weights of the query that may attend to nothing sum to {row.sum().item():.3g}, expected zeros"
        )
    if not is_close(output, torch.zeros_like(output)):
        return failed("the weights of the query that may attend to nothing are zeros, but its output is not")
    return failed(f"the query that may attend to nothing is right, but {difference(got['weights'], want['weights'])}")


@judge(
    _HEADS,
    probe=probes.heads,
    points=1,
    needs=(_VALUE, _WEIGHTS),
    hint="Behind the dots of (..., S, d_k) may stand any number of dimensions; with heads it is (B, num_heads, S, d_k). Count dimensions "
    "from the end: the last is -1, the last but one -2.",
)
def any_number_in_front(got: Any, want: Any) -> Verdict:
    """Four dimensions, up to the scale; what is summed is another check's business."""
    if _is_tempered(got["weights"], want["weights"]):
        return passed()
    query, key, weights = want["query"], want["key"], got["weights"]
    for scale in (query.shape[-1] ** -0.5, 1.0):
        scores = query @ key.transpose(-2, -1) * scale
        others = {
            "dimensions 1 and 2 of the keys have changed places: with three dimensions these are the last two, with heads in "
            "front they are not": (query @ key.transpose(1, 2) * scale).softmax(dim=-1),
            "dimensions 1 and 3 of the keys have changed places, expected the last two": (
                query @ key.transpose(1, 3) * scale
            ).softmax(dim=-1),
            "the softmax ran over dimension 2, which are the queries: with three dimensions these were the keys": (
                scores.softmax(dim=2)
            ),
            "the softmax ran over dimension 1, which are the heads": scores.softmax(dim=1),
        }
        for message, other in others.items():
            if is_close(weights, other):
                return failed(message)
    return failed(f"weights: {difference(weights, want['weights'])}")


broadcasts = judge(
    "one mask serves all queries, heads and sentences",
    probe=probes.broadcast,
    points=1,
    hidden=True,
    needs=(_SCALE, _SUM, _MASK, _HEADS),
    hint="A mask may be (B, 1, 1, S), or (T, S), or anything else that broadcasts to (..., T, S). Use it as it came and let torch "
    "broadcast it against the scores: to index with a mask needs equal shapes.",
)(close())

numbers = judge(
    "any precision works, and scores far from zero do no harm",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_SCALE, _SUM, _MASK, _EMPTY),
    hint="A constant such as -1e9 does not exist in float16, and beside very negative scores a smaller one is large; "
    "torch.finfo(dtype).min is the least number of any dtype. exp of a number far from zero is 0 or infinite; torch's softmax sees to "
    "that. Both results have the dtype of the arguments.",
)(close(rtol=1e-2))

gradient = judge(
    "the gradient that comes back to query, key and value is right and never NaN",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_SCALE, _SUM, _MASK, _EMPTY),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and no_grad cut the gradient off. If the forward pass "
    "makes a NaN and replaces it, the backward pass still meets it.",
)(close())


def _but_for_scale(got: Any, want: Any) -> Verdict:
    """Weights and output, up to one factor of all scores."""
    if not _is_tempered(got["weights"], want["weights"]):
        return failed(f"weights: {difference(got['weights'], want['weights'])}")
    output = _tempered(got["weights"], want["weights"]) @ want["value"]
    return passed() if is_close(got["output"], output) else failed(f"output: {difference(got['output'], output)}")


@judge(
    "views, one query and no sentences at all work, and the arguments are left as they were",
    probe=probes.views,
    points=1,
    arguments=True,
    needs=(_WEIGHTS, _SUM, _MASK, _HEADS),
    hint="Heads are views of larger tensors, whose numbers do not lie side by side. When translating, T is 1, and squeeze() takes away "
    "every dimension of size one. With nothing in front, query is (T, d_k). Methods that end in an underscore, and /=, change the "
    "caller's tensor.",
)
def any_arguments(got: Any, want: Any) -> Verdict:
    """The results, up to the scale, and the arguments."""
    for case, right in want.items():
        for name in ("query", "key", "value", "mask"):
            if not is_close(got[case][name], right[name]):
                return failed(f"the call changed its argument {name}")
        verdict = _but_for_scale(got[case], right)
        if not verdict.ok:
            return failed(f"{case}: {verdict.message}")
    return passed()
