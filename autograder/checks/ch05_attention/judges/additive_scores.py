"""What is right about `additive_scores`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes import additive_scores as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_PAIR = "of one query and one key the score is wᵀ tanh(W_q q + W_k k)"
_EVERY = "every key is scored against every query of its sentence"
_SIZES = "queries, keys and the layer may differ in number and in size"


@judge(
    _PAIR,
    probe=probes.one_pair,
    points=2,
    hint="Work from the inside out: project the query, project the key, add the two, take tanh of the h numbers of the sum, and let "
    "w make one number of them. A weight stored as (out, in) is applied as torch's layers do it: W x for one vector x, and for "
    "rows of vectors a product with its transpose.",
)
def through_the_layer(got: Any, want: Any) -> Verdict:
    """The formula for one pair, and every part of it that may be missing."""
    scores = got["scores"]
    if is_close(scores, want["scores"]):
        return passed()
    for message, other in _other_formulas(want).items():
        if is_close(scores, other):
            return failed(message)
    return failed(f"scores: {difference(scores, want['scores'])}")


def _other_formulas(given: Any) -> dict[str, Tensor]:
    """What else may come back for one pair, by what is to be said of it."""
    query, key, weight = given["query"], given["key"], given["score_weight"].unsqueeze(-1)
    query_weight, key_weight = given["query_weight"], given["key_weight"]
    queries, keys = query @ query_weight.T, key @ key_weight.T
    layer = (queries + keys).tanh()
    turned_query, turned_key = query @ query_weight, key @ key_weight
    apart = "tanh is taken of W_q q and of W_k k apart; expected tanh of their sum"
    stored = "a weight (h, d) is stored as torch's layers store it, out before in"
    return {
        "there is no tanh: the scores are wᵀ(W_q q + W_k k)": (queries + keys) @ weight,
        apart: (queries.tanh() + keys.tanh()) @ weight,
        "tanh comes last, over the whole score; expected before w": ((queries + keys) @ weight).tanh(),
        "tanh is taken twice, before w and after it": (layer @ weight).tanh(),
        "only the query is projected: W_k is not in the scores": (queries + key).tanh() @ weight,
        "only the key is projected: W_q is not in the scores": (query + keys).tanh() @ weight,
        "neither W_q nor W_k is in the scores": (query + key).tanh() @ weight,
        "the key is not in the scores": queries.tanh() @ weight,
        "the query is not in the scores": keys.tanh() @ weight,
        "W_q projects both the query and the key; the key has W_k": (queries + key @ query_weight.T).tanh() @ weight,
        "W_k projects both the query and the key; the query has W_q": (query @ key_weight.T + keys).tanh() @ weight,
        "W_q and W_k have changed places": (query @ key_weight.T + key @ query_weight.T).tanh() @ weight,
        f"W_q and W_k are the wrong way round: {stored}": (turned_query + turned_key).tanh() @ weight,
        f"W_q is the wrong way round: {stored}": (turned_query + keys).tanh() @ weight,
        f"W_k is the wrong way round: {stored}": (queries + turned_key).tanh() @ weight,
        "W_q q and W_k k are multiplied, expected their sum": (queries * keys).tanh() @ weight,
        "w is not in the scores: the h numbers are summed as they are": layer.sum(-1, keepdim=True),
        "w is not in the scores: the h numbers are averaged": layer.mean(-1, keepdim=True),
        "the h numbers are averaged after w, expected their sum": layer @ weight / layer.shape[-1],
        "the scores are divided by √h; this exercise does not ask for a scale": layer @ weight / layer.shape[-1] ** 0.5,
        "there is a ReLU in the place of tanh": (queries + keys).relu() @ weight,
        "there is a sigmoid in the place of tanh": (queries + keys).sigmoid() @ weight,
        "every score is 1, as after a softmax over a single key: return the scores, without a softmax": torch.ones_like(
            queries[..., :1]
        ),
    }


@judge(
    _EVERY,
    probe=probes.every_pair,
    points=1,
    needs=(_PAIR,),
    hint="The sums are (B, T, S, h): each query's h numbers are the same for all keys, each key's for all queries. Broadcasting does "
    "that, if queries and keys each have a dimension of size one in the place where the other has T or S.",
)
def every_pair(got: Any, want: Any) -> Verdict:
    """Which score stands where."""
    scores = got["scores"]
    if is_close(scores, want["scores"]):
        return passed()
    if is_close(scores, want["scores"].transpose(1, 2)):
        return failed("rows and columns have changed places: expected a row for each query and a column for each key")
    own = want["scores"].diagonal(dim1=1, dim2=2)
    if is_close(scores, own.unsqueeze(2).expand_as(scores)) or is_close(scores, own.unsqueeze(1).expand_as(scores)):
        return failed("query t was scored against key t alone, and that score repeated for all pairs")
    return failed(f"scores: {difference(scores, want['scores'])}")


sizes = judge(
    _SIZES,
    probe=probes.sizes,
    points=1,
    needs=(_PAIR, _EVERY),
    hint="T and S are as many as there are target and source words; d_q, d_k and h are three sizes. Take each from the tensor that "
    "has it.",
)(close())

alone = judge(
    "one sentence with one query keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="When translating, B and T are 1, and the scores are (1, 1, S) still. squeeze() takes away every dimension of size one, "
    "also those that belong there; squeeze(-1) takes the last alone.",
)(close())

gradient = judge(
    "the gradient reaches query, key and all three weights",
    probe=probes.score_gradient,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="Stay with torch's operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad cut the "
    "gradient off, and the weights cannot be learned. tanh_() on a view of an argument changes that argument.",
)(close())

slices = judge(
    "arguments may be slices or transposes of other tensors",
    probe=probes.slices,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="Half of a bidirectional encoder's states is such a slice: its numbers do not lie side by side in memory, and view refuses "
    "it. unsqueeze, expand and @ take any tensor, and so does reshape.",
)(close())
