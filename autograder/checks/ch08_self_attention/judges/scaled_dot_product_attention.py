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
_SUM = "the output is the weighted sum of the values"
_MASK = "masked positions have weight zero, and the other weights of the row sum to one"
_EMPTY = "a query with nothing to attend to gets zeros"
_HEADS = "there may be leading dimensions for sentences and heads"


@judge(
    _VALUE,
    probe=probes.one_key,
    points=1,
    hint="Return two things: the output first, then the weights. A single key has the weight 1, whatever its "
    "score. The weights decide how much of each value is in the output; the keys are used for the scores "
    "only.",
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
        return failed("the value was multiplied by the score itself, expected by its weight after the softmax")
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
    hint="The scores have a row for each query and a column for each key. The weights of a query sum to 1 over "
    "the keys: along which dimension does the softmax run?",
)
def softmax_over_keys(got: Any, want: Any) -> Verdict:
    """The softmax and its axis, up to the scale of the scores."""
    weights, query, key = got["weights"], want["query"], want["key"]
    if _is_tempered(weights, want["weights"]):
        return passed()
    if weights.isnan().any():
        return failed(f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN, although there is no mask")
    batch, positions, size = key.shape
    products = query @ key.transpose(1, 2)
    for scores in (products / size**0.5, products):
        others = {
            "the second result is the scores, expected the weights": scores,
            "the softmax runs over the queries, expected over the keys: each row must sum to 1": scores.softmax(dim=1),
            "all keys have the same weight": torch.full_like(scores, 1 / positions),
            "the softmax runs over the sentences, expected over the keys: each row must sum to 1": scores.softmax(
                dim=0
            ),
            "one softmax runs over all scores of a sentence, expected one for each query": scores.flatten(1)
            .softmax(dim=-1)
            .view_as(scores),
            "rows and columns are swapped: expected a row for each query and a column for each key": (
                scores.transpose(1, 2).softmax(dim=-1)
            ),
            "the softmax was applied twice, the second time to weights": scores.softmax(dim=-1).softmax(dim=-1),
            "the weights are log-probabilities, expected probabilities": scores.log_softmax(dim=-1),
            "each score went through a sigmoid, expected a softmax over the keys": scores.sigmoid(),
            "the exponentials of the scores are not divided by their sum over the keys": scores.exp(),
            "the keys were reshaped, which mixes up their components; transpose their last two dimensions instead": (
                (query @ key.reshape(batch, size, positions) * (scores / products).mean()).softmax(dim=-1)
            ),
            "the scores of the queries are computed with the queries themselves, expected with the keys": (
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
    hint="A sum of d_k products of independent numbers of variance 1 has the variance d_k. By what must it be "
    "divided, so that its variance is 1? And which dimension of the arguments is d_k?",
)
def divided_by_root(got: Any, want: Any) -> Verdict:
    """The scale, on two sizes: which factor is too much tells what was done."""
    if is_close(got, want):
        return passed()
    factors = {name: _factor(got[name], want[name]) for name in want}
    if not all(_is_tempered(got[name], want[name]) for name in want):
        return failed(f"weights: {difference(got, want)}")
    for message, exponent, other in (
        ("the scores are plain dot products: they are not divided by anything", 0.5, 1.0),
        ("the scores are divided by d_k itself, expected its square root", -0.5, 1.0),
        ("the scores are multiplied by √d_k, expected a division", 1.0, 1.0),
        (
            "the scores are divided by the fourth root of d_k, as if only one of query and key had been scaled",
            0.25,
            1.0,
        ),
        ("the scores are divided by √d_v, where d_v is the size of the values", 0.5, probes.VALUE**0.5),
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
    told = " and ".join(f"{factor:.3g} with {name}" for name, factor in factors.items())
    return failed(f"the scores before the softmax are too large, by a factor of {told}, expected 1")


@judge(
    _SUM,
    probe=probes.weighted_sum,
    points=1,
    needs=(_VALUE, _WEIGHTS, _SCALE),
    hint="For each query, the output is the sum over the S keys of weight times value. With weights (..., T, S) "
    "and values (..., S, d_v), one matrix product computes it for all queries.",
)
def sum_of_values(got: Any, want: Any) -> Verdict:
    """The weighted sum."""
    output, weights, value = got["output"], want["weights"], want["value"]
    if is_close(output, want["output"]):
        return close("weights")(got, want)
    scores = want["query"] @ want["key"].transpose(1, 2)
    others = {
        "the sum runs over the queries, expected over the keys: the weights were transposed": weights.transpose(1, 2)
        @ value,
        "the output is the mean over the keys, expected the sum: the weights already sum to 1": weights
        @ value
        / value.shape[1],
        "another softmax was applied to the weights before the sum": weights.softmax(dim=-1) @ value,
        "the values were weighted with the scores, expected with the weights": scores @ value,
        "every query got only the value with the largest weight, expected the weighted sum": value.gather(
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
    hint="Change the scores before the softmax: if you set a weight to zero after it, the row no longer sums to "
    "one. True means that a position may be attended to.",
)
def padding_gets_none(got: Any, want: Any) -> Verdict:
    """The mask is applied before the softmax, and to what goes into the output."""
    weights, scores, mask, value = got["weights"], want["scores"], want["mask"], want["value"]
    if is_close(weights, want["weights"]):
        if is_close(got["output"], scores.softmax(dim=-1) @ value):
            return failed("the weights are right, but the output was computed with the weights before masking")
        return passed()
    unmasked = scores.softmax(dim=-1)
    if is_close(weights, unmasked * mask):
        return failed("the mask was applied after the softmax: rows with a masked position sum to less than 1")
    if is_close(weights, unmasked):
        return failed("the mask has no effect: the weights are the same as without it")
    of_zeros = (scores * mask).softmax(dim=-1)
    if is_close(weights, of_zeros) or is_close(weights, of_zeros * mask):
        return failed("the masked scores became 0, but a score of 0 still gets a weight: exp(0) = 1")
    if is_close(weights, (scores + mask).softmax(dim=-1)):
        return failed(
            "the mask was added to the scores as ones and zeros, but it is Boolean and says which positions count"
        )
    if weights.isnan().any():
        return failed(
            f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN, although no row is fully masked here"
        )
    if is_close(weights * mask, torch.zeros_like(weights)):
        return failed("the positions that may be attended to have weight zero: the mask is inverted")
    if weights[~mask].abs().sum() > 1e-4:
        return failed(f"a masked position has the weight {weights[~mask].abs().max().item():.3g}, expected 0")
    return failed(f"weights: {difference(weights, want['weights'])}")


@judge(
    _EMPTY,
    probe=probes.empty_row,
    points=1,
    needs=(_SUM, _MASK),
    hint="All positions of such a row are masked, so all its weights are 0, and so is its output. The softmax "
    "alone cannot give that: if all scores are equal, it gives equal weights, and if all are minus "
    "infinity, it gives 0/0. Which positions must have the weight 0 in any case?",
)
def empty_row_gives_zeros(got: Any, want: Any) -> Verdict:
    """No NaN and no uniform weights from an empty row."""
    row, output = got["weights"][1, 2], got["output"][1, 2]
    if is_close(got["weights"], want["weights"]) and is_close(output, want["output"][1, 2]):
        return passed()
    if row.isnan().any():
        return failed("the weights of a query that may attend to nothing are NaN, expected zeros")
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return failed(f"a query that may attend to nothing has equal weights of {1 / row.numel():g}, expected zeros")
    if not is_close(row, torch.zeros_like(row)):
        return failed(
            f"the weights of a query that may attend to nothing sum to {row.sum().item():.3g}, expected zeros"
        )
    if not is_close(output, torch.zeros_like(output)):
        return failed("the weights of a query that may attend to nothing are zeros, but its output is not")
    return failed(
        f"a query that may attend to nothing is handled correctly, but {difference(got['weights'], want['weights'])}"
    )


@judge(
    _HEADS,
    probe=probes.heads,
    points=1,
    needs=(_VALUE, _WEIGHTS),
    hint="In (..., S, d_k) the dots are any number of dimensions; with heads the shape is (B, num_heads, S, "
    "d_k). Count dimensions from the end: the last is -1, the one before it -2.",
)
def any_number_in_front(got: Any, want: Any) -> Verdict:
    """Four dimensions, up to the scale; what is summed is another check's business."""
    if _is_tempered(got["weights"], want["weights"]):
        return passed()
    query, key, weights = want["query"], want["key"], got["weights"]
    for scale in (query.shape[-1] ** -0.5, 1.0):
        scores = query @ key.transpose(-2, -1) * scale
        others = {
            "dimensions 1 and 2 of the keys are swapped: with three dimensions these are the last two, but not "
            "with heads": (query @ key.transpose(1, 2) * scale).softmax(dim=-1),
            "dimensions 1 and 3 of the keys are swapped, expected the last two": (
                query @ key.transpose(1, 3) * scale
            ).softmax(dim=-1),
            "the softmax runs over dimension 2, which is the queries: with three dimensions this was the keys": (
                scores.softmax(dim=2)
            ),
            "the softmax runs over dimension 1, which is the heads": scores.softmax(dim=1),
        }
        for message, other in others.items():
            if is_close(weights, other):
                return failed(message)
    return failed(f"weights: {difference(weights, want['weights'])}")


broadcasts = judge(
    "one mask can be shared by all queries, heads and sentences",
    probe=probes.broadcast,
    points=1,
    hidden=True,
    needs=(_SCALE, _SUM, _MASK, _HEADS),
    hint="A mask may be (B, 1, 1, S), or (T, S), or anything else that broadcasts to (..., T, S). Use it "
    "unchanged and let torch broadcast it to the scores: indexing with a mask needs equal shapes.",
)(close())

numbers = judge(
    "any precision works, and scores far from zero are handled correctly",
    probe=probes.numbers,
    points=1,
    hidden=True,
    needs=(_SCALE, _SUM, _MASK, _EMPTY),
    hint="A constant such as -1e9 does not exist in float16, and if the other scores are very negative, it may "
    "even be the largest; torch.finfo(dtype).min is the lowest number of any dtype. exp of a number far "
    "from zero is 0 or infinite, but torch's softmax takes care of that. Both results have the dtype of the "
    "arguments.",
)(close(rtol=1e-2))

gradient = judge(
    "the gradient for query, key and value is right and never NaN",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_SCALE, _SUM, _MASK, _EMPTY),
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient. If the "
    "forward pass produces a NaN and replaces it, the backward pass still gets it.",
)(close())


def _but_for_scale(got: Any, want: Any) -> Verdict:
    """Weights and output, up to one factor of all scores."""
    if not _is_tempered(got["weights"], want["weights"]):
        return failed(f"weights: {difference(got['weights'], want['weights'])}")
    output = _tempered(got["weights"], want["weights"]) @ want["value"]
    return passed() if is_close(got["output"], output) else failed(f"output: {difference(got['output'], output)}")


@judge(
    "views, one query and no batch dimension work, and the arguments are not changed",
    probe=probes.views,
    points=1,
    arguments=True,
    needs=(_WEIGHTS, _SUM, _MASK, _HEADS),
    hint="Heads are views of larger tensors, which are not contiguous. During translation T is 1, and squeeze() "
    "removes every dimension of size one. Without leading dimensions, query is (T, d_k). Methods that end "
    "in an underscore, and /=, change the caller's tensor.",
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
