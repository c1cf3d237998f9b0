"""What is right about `additive_scores`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch05_attention.probes import additive_scores as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_PAIR = "for one query and one key the score is wᵀ tanh(W_q q + W_k k)"
_EVERY = "every key is scored against every query of its sentence"
_SIZES = "the numbers and sizes of queries, keys and hidden units may all differ"


@judge(
    _PAIR,
    probe=probes.one_pair,
    points=2,
    hint="Work from the inside out: project the query, project the key, add the two, take the tanh of the h "
    "components of the sum, and multiply by w to get one number. A weight stored as (out, in) is applied as in "
    "torch's layers: W x for one vector x, and the product with its transpose for rows of vectors.",
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
    apart = "the tanh is applied to W_q q and to W_k k separately; expected to their sum"
    stored = "a weight (h, d) is stored as in torch's layers, (out, in)"
    return {
        "there is no tanh: the scores are wᵀ(W_q q + W_k k)": (queries + keys) @ weight,
        apart: (queries.tanh() + keys.tanh()) @ weight,
        "the tanh is applied to the whole score, expected before the product with w": (
            (queries + keys) @ weight
        ).tanh(),
        "the tanh is applied twice, before the product with w and after it": (layer @ weight).tanh(),
        "only the query is projected: W_k is not used": (queries + key).tanh() @ weight,
        "only the key is projected: W_q is not used": (query + keys).tanh() @ weight,
        "neither W_q nor W_k is used": (query + key).tanh() @ weight,
        "the scores do not depend on the key": queries.tanh() @ weight,
        "the scores do not depend on the query": keys.tanh() @ weight,
        "W_q projects both the query and the key; expected W_k for the key": (queries + key @ query_weight.T).tanh()
        @ weight,
        "W_k projects both the query and the key; expected W_q for the query": (query @ key_weight.T + keys).tanh()
        @ weight,
        "W_q and W_k are swapped": (query @ key_weight.T + key @ query_weight.T).tanh() @ weight,
        f"W_q and W_k are the wrong way round: {stored}": (turned_query + turned_key).tanh() @ weight,
        f"W_q is the wrong way round: {stored}": (turned_query + keys).tanh() @ weight,
        f"W_k is the wrong way round: {stored}": (queries + turned_key).tanh() @ weight,
        "W_q q and W_k k are multiplied, expected their sum": (queries * keys).tanh() @ weight,
        "w is not used: the h components are summed without weights": layer.sum(-1, keepdim=True),
        "w is not used: the h components are averaged": layer.mean(-1, keepdim=True),
        "the h components are averaged after the product with w, expected their sum": layer @ weight / layer.shape[-1],
        "the scores are divided by √h, but this formula has no scale factor": layer @ weight / layer.shape[-1] ** 0.5,
        "a ReLU is used instead of the tanh": (queries + keys).relu() @ weight,
        "a sigmoid is used instead of the tanh": (queries + keys).sigmoid() @ weight,
        "every score is 1, as after a softmax over a single key: return the scores, without a softmax": torch.ones_like(
            queries[..., :1]
        ),
    }


@judge(
    _EVERY,
    probe=probes.every_pair,
    points=1,
    needs=(_PAIR,),
    hint="The sums have shape (B, T, S, h): the h components of a query are the same for all keys, and those of a key "
    "are the same for all queries. Broadcasting does this if queries and keys each have a dimension of size one where "
    "the other has S or T.",
)
def every_pair(got: Any, want: Any) -> Verdict:
    """Which score stands where."""
    scores = got["scores"]
    if is_close(scores, want["scores"]):
        return passed()
    if is_close(scores, want["scores"].transpose(1, 2)):
        return failed("rows and columns are swapped: expected a row for each query and a column for each key")
    own = want["scores"].diagonal(dim1=1, dim2=2)
    if is_close(scores, own.unsqueeze(2).expand_as(scores)) or is_close(scores, own.unsqueeze(1).expand_as(scores)):
        return failed("query t was scored against key t alone, and this score was repeated for all pairs")
    return failed(f"scores: {difference(scores, want['scores'])}")


sizes = judge(
    _SIZES,
    probe=probes.sizes,
    points=1,
    needs=(_PAIR, _EVERY),
    hint="T and S are the numbers of target and source words, and d_q, d_k and h are three different sizes. Take each "
    "from the shape of the tensor that has it.",
)(close())

alone = judge(
    "one sentence with one query keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="In translation B and T are 1, and the scores are still (1, 1, S). squeeze() removes every dimension of size "
    "one, even those that belong there; squeeze(-1) removes only the last.",
)(close())

gradient = judge(
    "the gradient reaches query, key and all three weights",
    probe=probes.score_gradient,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad "
    "cut off the gradient, so that the weights cannot be learned. tanh_() on a view of an argument changes that "
    "argument.",
)(close())

slices = judge(
    "arguments may be slices or transposes of other tensors",
    probe=probes.slices,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="One half of a bidirectional encoder's states is such a slice: it is not contiguous in memory, so view "
    "raises an error. unsqueeze, expand, @ and reshape work with any tensor.",
)(close())
