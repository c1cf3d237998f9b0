"""The checks of `scaled_dot_product_attention`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import unpack
from autograder.asking.rules import ATTENTION
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check
from autograder.judging.compare import close, difference, is_close

EXERCISE = Exercise(
    "scaled_dot_product_attention",
    "attention for any batch, in one product",
    minutes=20,
    difficulty=2,
    forbids=(ATTENTION,),
)


_HEADS = 2


@in_use()
def in_chapter(attention, draw: Draw) -> Use:
    """Heads over padded sentences, one row of which may see nothing, with the mask and without; then far larger scores.

    The first key is zero, which hides nothing. The root of d_k is a whole number, which is exact in any precision.
    """

    def call(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> list[Tensor]:
        return [*attention(query, key, value, mask), *attention(query, key, value)]

    def given(batch: int, queries: int, places: int, scale: float) -> tuple[Tensor, Tensor, Tensor]:
        front = batch, _HEADS
        query, key = draw.normal(*front, queries, 16, scale=scale), draw.normal(*front, places, 16)
        key[:, :, 0] = 0
        return query, key, draw.normal(*front, places, 5)

    mask = draw.padding_mask(2, 21)
    mask[1] = False
    return Use(call, (*given(2, 4, 21, 1.0), mask[:, None, None]), (*given(1, 1, 24, 8.0), draw.mask(1, 1, 1, 24)))


Given = tuple[Tensor, Tensor, Tensor]


SIZES = {"d_k = 5": 5, "d_k = 25": 25}
BATCH, QUERIES, KEYS, VALUE = 2, 3, 7, 6


def looked_up(attention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> dict[str, Any]:
    """The two results by name; without a mask the function is given three arguments."""
    given = (query, key, value) if mask is None else (query, key, value, mask)
    shapes = {
        "output": (*query.shape[:-1], value.shape[-1]),
        "weights": (*query.shape[:-1], key.shape[-2]),
    }
    return dict(zip(shapes, unpack(attention(*given), **shapes), strict=True))


def _drawn(draw: Draw, *front: int, queries: int, keys: int, value: int, size: int = 1) -> Given:
    """Query, key and value; the scores are neither all alike nor so far apart that one of them takes all."""
    return (
        draw.normal(*front, queries, size, scale=0.8),
        draw.normal(*front, keys, size, scale=0.8),
        draw.normal(*front, keys, value),
    )


def _scores(weights: Tensor) -> Tensor:
    """The scores behind weights, as far as these tell: scaled to length one, and with a mean of 0 over the keys."""
    logs = weights.double().clamp_min(1e-45).log()
    logs = logs - logs.mean(dim=-1, keepdim=True)
    return (logs / logs.norm()).float()


def but_for_scale(answer):
    """The weights, but for a factor of all scores, which is another check's business."""
    return {"scores": _scores(answer["weights"]), "row sums": answer["weights"].sum(dim=-1)}


def nan_weights(got, want):
    """Where no row is masked, every weight is a number."""
    weights = got["weights"]
    told = f"{int(weights.isnan().sum())} of {weights.numel()} weights are NaN, although no row is fully masked here"
    return told if weights.isnan().any() else None


def row_sums(got, want):
    """Weights are shares of one."""
    sums = got["weights"].double().sum(dim=-1).flatten()
    gap = (sums - 1).abs()
    return f"a row of weights sums to {sums[gap.argmax()].item():.3g}, expected 1" if gap.max() > 1e-3 else None


def weights_apart(got, want):
    """The weights themselves, as the scores behind them are in nobody's code."""
    return f"weights: {difference(got['weights'], want['weights'])}"


@check(
    "with a single key the output is its value",
    points=1,
    hint="Return two things: the output first, then the weights. A single key has the weight 1, whatever its "
    "score. The weights decide how much of each value is in the output; the keys are used for the scores "
    "only.",
)
def one_key(attention, draw: Draw):
    """One query and one key: the weights have nothing to choose between. A lost dimension is another check's business."""
    query, key, value = draw.normal(1, 1, 4), draw.normal(1, 1, 4), draw.normal(1, 1, 4)
    output = looked_up(attention, query, key, value)["output"]
    if isinstance(output, Tensor) and output.numel() == value.numel():
        output = output.reshape(value.shape)
    return {"output": output}


@check(
    "each query's weights are a softmax of its scores over the keys",
    points=1,
    needs=one_key,
    reads=but_for_scale,
    hint="The scores have a row for each query and a column for each key. The weights of a query sum to 1 over "
    "the keys: along which dimension does the softmax run?",
)
def every_key(attention, draw: Draw):
    """As many keys as queries, so that rows and columns go through either way round; the scale is another check's business."""
    query, key, value = _drawn(draw, 3, queries=4, keys=4, value=5, size=16)
    return {"weights": looked_up(attention, query, key, value)["weights"]}


every_key.explain(nan_weights)
every_key.explain(row_sums)
every_key.explain(weights_apart)


@check(
    "the scores are divided by √d_k",
    points=1,
    needs=every_key,
    hint="A sum of d_k products of independent numbers of variance 1 has the variance d_k. By what must it be "
    "divided, so that its variance is 1? And which dimension of the arguments is d_k?",
)
def scale(attention, draw: Draw):
    """Two sizes of the keys, neither with the root of another dimension's."""
    weights = {}
    for name, size in SIZES.items():
        query, key, value = _drawn(draw, BATCH, queries=QUERIES, keys=KEYS, value=VALUE, size=size)
        weights[name] = looked_up(attention, query, key, value)["weights"]
    return weights


@scale.explain
def factor(got, want):
    """Weights that are right but for a factor of all scores."""
    if not all(is_close(_scores(got[name]), _scores(right)) for name, right in want.items()):
        return None
    factors = {name: _spread(got[name]) / _spread(right) for name, right in want.items()}
    told = " and ".join(f"{factor:.3g} with {name}" for name, factor in factors.items())
    return f"the scores before the softmax are the right ones multiplied by a factor of {told}, expected 1"


def _spread(weights: Tensor) -> float:
    """How far apart the scores behind weights are."""
    return weights.double().clamp_min(1e-45).log().std(dim=-1).mean().item()


@check(
    "the output is the weighted sum of the values",
    points=1,
    needs=(one_key, every_key, scale),
    hint="For each query, the output is the sum over the S keys of weight times value. With weights (..., T, S) "
    "and values (..., S, d_v), one matrix product computes it for all queries.",
)
def weighted_sum(attention, draw: Draw):
    """The output, with as many keys as queries."""
    return looked_up(attention, *_drawn(draw, 3, queries=4, keys=4, value=5))


def what_is_masked(answer):
    """The weights, and whether the output depends on the mask; how values are summed up is another check's business."""
    depends = not is_close(answer["output"], answer["unmasked"])
    return {"weights": answer["weights"], "the mask changes the output": depends}


@check(
    "masked positions have weight zero, and the other weights of the row sum to one",
    points=1,
    needs=(one_key, every_key, scale),
    reads=what_is_masked,
    hint="Change the scores before the softmax: if you set a weight to zero after it, the row no longer sums to "
    "one. True means that a position may be attended to.",
)
def masked(attention, draw: Draw):
    """Some places are masked, none of the rows wholly; and the same with nothing masked."""
    query, key, value = _drawn(draw, 3, queries=5, keys=5, value=3)
    mask = draw.mask(3, 5, 5)
    found = looked_up(attention, query, key, value, mask.clone())
    unmasked = looked_up(attention, query, key, value, torch.ones_like(mask))["output"]
    return {**found, "unmasked": unmasked, "mask": mask}


masked.explain(nan_weights)


@masked.explain
def hidden_positions(got, want):
    """Where the weight is that should be elsewhere, and an output that it does not reach."""
    weights, mask = got["weights"], want["mask"]
    if is_close(weights * mask, torch.zeros_like(weights)):
        return "the positions that may be attended to have weight zero: is the mask inverted?"
    most = weights[~mask].abs().max().item()
    if most > 1e-4:
        return f"a masked position has the weight {most:.3g}, expected 0"
    if is_close(weights, want["weights"]):
        return "the weights are right, but the output is the same as without the mask"
    return row_sums(got, want) or weights_apart(got, want)


def weights_and_empty_row(answer):
    """All weights, and of the output the row that has nothing to attend to."""
    return {"weights": answer["weights"], "output": answer["output"][1, 2]}


@check(
    "a query with nothing to attend to gets zeros",
    points=1,
    needs=(weighted_sum, masked),
    reads=weights_and_empty_row,
    hint="All positions of such a row are masked, so all its weights are 0, and so is its output. The softmax "
    "alone cannot give that: if all scores are equal, it gives equal weights, and if all are minus "
    "infinity, it gives 0/0. Which positions must have the weight 0 in any case?",
)
def empty_row(attention, draw: Draw):
    """One query has nothing to attend to, and the others are free."""
    query, key, value = _drawn(draw, 2, queries=3, keys=5, value=4)
    mask = torch.ones(2, 3, 5, dtype=torch.bool)
    mask[1, 2] = False
    return looked_up(attention, query, key, value, mask)


@empty_row.explain
def empty_row_alone(got, want):
    """What an answer makes of a row with no position to attend to."""
    row, output = got["weights"][1, 2], got["output"][1, 2]
    if row.isnan().any():
        return "the weights of a query that may attend to nothing are NaN, expected zeros"
    if is_close(row, torch.full_like(row, 1 / row.numel())):
        return f"a query that may attend to nothing has equal weights of {1 / row.numel():g}, expected zeros"
    if not is_close(row, torch.zeros_like(row)):
        return f"the weights of a query that may attend to nothing sum to {row.sum().item():.3g}, expected zeros"
    told = "the weights of a query that may attend to nothing are zeros, but its output is not"
    return told if not is_close(output, torch.zeros_like(output)) else None


@check(
    "there may be leading dimensions for sentences and heads",
    points=1,
    needs=(one_key, every_key),
    reads=but_for_scale,
    hint="In (..., S, d_k) the dots are any number of dimensions; with heads the shape is (B, num_heads, S, "
    "d_k). Count dimensions from the end: the last is -1, the one before it -2.",
)
def heads(attention, draw: Draw):
    """Sentences and heads in front; as many heads as queries, keys and numbers, so that any two dimensions can change places."""
    return looked_up(attention, *_drawn(draw, 2, 3, queries=3, keys=3, value=3, size=3))


heads.explain(row_sums)
heads.explain(weights_apart)


@check(
    "one mask can be shared by all queries, heads and sentences",
    points=1,
    needs=(scale, weighted_sum, masked, heads),
    hint="A mask may be (B, 1, 1, S), (num_heads, T, S), (T, S), or anything else that broadcasts to (..., T, S). Use it "
    "unchanged and let torch broadcast it to the scores: indexing with a mask needs equal shapes.",
)
def broadcast(attention, draw: Draw):
    """Masks that serve several rows."""
    masks = {
        "(B, 1, 1, S)": draw.mask(2, 1, 1, 5),
        "(B, 1, T, S)": draw.mask(2, 1, 4, 5),
        "(num_heads, T, S)": draw.mask(3, 4, 5),
        "(T, S)": draw.mask(4, 5),
        "(S,)": draw.mask(5),
    }
    given = _drawn(draw, 2, 3, queries=4, keys=5, value=6)
    found = {name: looked_up(attention, *given, mask) for name, mask in masks.items()}
    as_many = _drawn(draw, 3, 3, queries=4, keys=5, value=6)
    return found | {"(num_heads, T, S), where B is num_heads": looked_up(attention, *as_many, draw.mask(3, 4, 5))}


@check(
    "any precision works, and scores far from zero are handled correctly",
    points=1,
    needs=(scale, weighted_sum, masked, empty_row),
    compare=close(rtol=0.01),
    hint="A constant such as -1e9 does not exist in float16, and if the other scores are very negative, it may "
    "even be the largest; torch.finfo(dtype).min is the lowest number of any dtype. exp of a number far "
    "from zero is 0 or infinite, but torch's softmax takes care of that. Both results have the dtype of the "
    "arguments.",
)
def numbers(attention, draw: Draw):
    """Half and double precision, and scores far below and far above zero whose masked places stand above the rest."""
    query, key, value = _drawn(draw, 2, queries=3, keys=5, value=4)
    mask = draw.mask(2, 3, 5)
    mask[0, 1] = False
    found = {}
    for name, dtype in {"half precision": torch.float16, "double precision": torch.float64}.items():
        positive = value.abs().to(dtype)  # Without signs no sum is a small rest.
        found[name] = looked_up(attention, query.to(dtype), key.to(dtype), positive, mask)
    places = draw.mask(2, 1, 5)
    places[:, :, :2] = torch.tensor([True, False])[
        draw.normal(2, 1, 2).argsort(dim=-1)
    ]  # Each sentence hides a place and shows one.
    places = places.expand(-1, 3, -1)
    away = torch.tensor([-1, 1]).reshape(2, 1, 1) * draw.integers(7, 10, 2, 1, 1) * 10_000.0
    far = draw.normal(2, 5, 1) + away + 1_000.0 * ~places[:, :1].transpose(1, 2)
    found["scores far from zero"] = looked_up(attention, torch.ones(2, 3, 1), far, value, places)
    return found


@check(
    "the gradient for query, key and value is right and never NaN",
    points=1,
    hidden=True,
    needs=(scale, weighted_sum, masked, empty_row),
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient. If the "
    "forward pass produces a NaN and replaces it, the backward pass still gets it.",
)
def gradient(attention, draw: Draw):
    """What comes back to query, key and value, with an empty row among them."""
    query, key, value = leaves = _drawn(draw, 2, queries=3, keys=5, value=4)
    mask = draw.mask(2, 3, 5)
    mask[0, 1] = False
    for leaf in leaves:
        leaf.requires_grad_()
    found = looked_up(attention, query * 1, key * 1, value * 1, mask)
    (found["output"] * draw.normal(2, 3, 4)).sum().backward()
    return {"query": query.grad, "key": key.grad, "value": value.grad}


def results_and_arguments(answer):
    """The arguments, the weights but for a factor of all scores, and whether the output is the weighted sum of the values."""
    return {
        case: {name: found[name] for name in ("query", "key", "value", "mask")}
        | but_for_scale(found)
        | {"output": is_close(found["output"], 2 * found["weights"])}
        for case, found in answer.items()
    }


@check(
    "views, one query and no batch dimension work, and the arguments are not changed",
    points=1,
    needs=(every_key, weighted_sum, masked, heads),
    arguments=True,
    reads=results_and_arguments,
    hint="Heads are views of larger tensors, which are not contiguous. During translation T is 1, and squeeze() "
    "removes every dimension of size one. Without leading dimensions, query is (T, d_k). Methods that end "
    "in an underscore, and /=, change the caller's tensor.",
)
def views(attention, draw: Draw):
    """Views of larger tensors, as heads are; one sentence with one query; nothing in front. And the arguments after the call.

    The value of each key is a column of twice the identity, so that the output is twice the weights, whatever their scale is.
    """
    split = tuple(draw.normal(2, 5, 3, 4, scale=0.8).transpose(1, 2) for _ in range(2))
    one = draw.normal(1, 2, 1, 4, scale=0.8), draw.normal(1, 2, 5, 4, scale=0.8)
    alone = draw.normal(3, 4, scale=0.8), draw.normal(5, 4, scale=0.8)
    answers = {}
    for name, (query, key) in {"views": split, "one query": one, "no batch dimension": alone}.items():
        value = 2 * torch.eye(5).repeat(*key.shape[:-2], 1, 1).mT
        mask = torch.ones(*query.shape[:-1], key.shape[-2], dtype=torch.bool)
        found = looked_up(attention, query, key, value, mask)
        answers[name] = {**found, "query": query, "key": key, "value": value, "mask": mask}
    return answers


@views.explain
def results_apart(got, want):
    """The weights themselves, and the output."""
    for case, right in want.items():
        if not is_close(but_for_scale(got[case]), but_for_scale(right)):
            return f"{case}: {weights_apart(got[case], right)}"
        if not is_close(got[case]["output"], 2 * got[case]["weights"]):
            return f"{case}: output: {difference(got[case]['output'], right['output'])}"
    return None
