"""What is right about `multiplicative_scores`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch05_attention.probes import multiplicative_scores as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_PAIR = "of one query and one key the score is qᵀ W k"
_EVERY = "every key is scored against every query of its sentence"
_SIZES = "queries and keys may differ in number and in size"


@judge(
    _PAIR,
    probe=probes.one_pair,
    points=1,
    hint="Read qᵀ W k from left to right: a row of d_q numbers, a matrix of d_q rows and d_k columns, a column of d_k numbers. "
    "What is left is one number, and nothing more is done to it.",
)
def through_the_matrix(got: Any, want: Any) -> Verdict:
    """The formula for one pair: only the dot products over the sizes are in question."""
    scores, query, key, weight = got["scores"], want["query"], want["key"], want["weight"]
    if is_close(scores, want["scores"]):
        return passed()
    size = weight.shape[0]
    through, turned = query @ weight, query @ weight.T
    others = {
        "W is not in the scores: they are the dot product qᵀ k": query * key,
        "W is the wrong way round: the scores are qᵀ Wᵀ k, which is kᵀ W q": turned * key,
        "only the diagonal of W is used: the scores are Σ_j q_j W_jj k_j, and a sum over the rows and the columns of W was "
        "asked for": query * weight.diagonal() * key,
        f"the scores are divided by √{size}; this exercise does not ask for a scale": through * key / size**0.5,
        f"the products are averaged over the {size} numbers, expected their sum": through * key / size,
        "every query is scored against the key of the first sentence, expected that of its own": through * key[:1],
        "the query is on both sides, qᵀ W q": through * query,
        "the key is on both sides, kᵀ W k": key @ weight * key,
    }
    for message, products in others.items():
        if is_close(scores, products.sum(-1, keepdim=True)):
            return failed(message)
    if is_close(scores, want["scores"].softmax(-1)):
        return failed("every score is 1, as after a softmax over a single key: return the scores, without a softmax")
    if is_close(scores, want["scores"].tanh()):
        return failed("the scores went through tanh, which this formula does not have")
    return failed(f"scores: {difference(scores, want['scores'])}")


@judge(
    _EVERY,
    probe=probes.every_pair,
    points=1,
    needs=(_PAIR,),
    hint="The result has a row for each query and a column for each key, sentence by sentence. In a product of matrices the last "
    "dimension of the left one meets the last but one of the right one: which two dimensions of the keys have to change places?",
)
def every_pair(got: Any, want: Any) -> Verdict:
    """Which score stands where."""
    scores, key = got["scores"], want["key"]
    if is_close(scores, want["scores"]):
        return passed()
    batch, positions, size = key.shape
    if is_close(scores, want["scores"].transpose(1, 2)):
        return failed("rows and columns have changed places: expected a row for each query and a column for each key")
    if is_close(scores, want["query"] @ want["weight"] @ key.reshape(batch, size, positions)):
        return failed(
            "the keys were reshaped, which deals their numbers out anew; two of their dimensions have to change places instead"
        )
    return failed(f"scores: {difference(scores, want['scores'])}")


sizes = judge(
    _SIZES,
    probe=probes.sizes,
    points=1,
    needs=(_PAIR, _EVERY),
    hint="T and S are as many as there are target and source words, d_q and d_k the sizes of decoder and encoder: take each from the "
    "tensor that has it, and look again at which side of W is d_q.",
)(close())

alone = judge(
    "one sentence with one query keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="When translating, B and T are 1, and the scores are (1, 1, S) still. squeeze() takes away every dimension of size one, "
    "also those that belong there.",
)(close())

gradient = judge(
    "the gradient reaches query, key and W",
    probe=probes.score_gradient,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="Stay with torch's operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad cut the "
    "gradient off, and W cannot be learned.",
)(close())

types = judge(
    "the scores have the floating-point type of their arguments",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="In half precision scores are half, in double they are double. torch.zeros and torch.empty make float32, unless they are "
    "given the dtype of something; new_zeros of a tensor takes it from there.",
)(close(rtol=1e-9, atol=1e-9))
