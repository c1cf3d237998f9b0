"""What is right about `multiplicative_scores`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch05_attention.probes import multiplicative_scores as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_PAIR = "for one query and one key the score is qᵀ W k"
_EVERY = "every key is scored against every query of its sentence"
_SIZES = "queries and keys may differ in number and in size"


@judge(
    _PAIR,
    probe=probes.one_pair,
    points=1,
    hint="Read qᵀ W k from left to right: a row of d_q numbers, a matrix with d_q rows and d_k columns, and a column "
    "of d_k numbers. Their product is one number, and nothing more is done to it.",
)
def through_the_matrix(got: Any, want: Any) -> Verdict:
    """The formula for one pair: only the dot products over the sizes are in question."""
    scores, query, key, weight = got["scores"], want["query"], want["key"], want["weight"]
    if is_close(scores, want["scores"]):
        return passed()
    size = weight.shape[0]
    through, turned = query @ weight, query @ weight.T
    others = {
        "W is not used: the scores are the dot product qᵀ k": query * key,
        "W is the wrong way round: the scores are qᵀ Wᵀ k, which is kᵀ W q": turned * key,
        "only the diagonal of W is used: the scores are Σ_j q_j W_jj k_j, expected a sum over all rows and columns "
        "of W": query * weight.diagonal() * key,
        f"the scores are divided by √{size}, but this formula has no scale factor": through * key / size**0.5,
        f"the products are averaged over the {size} components, expected their sum": through * key / size,
        "every query is scored against the key of the first sentence, expected the key of its own sentence": through
        * key[:1],
        "the query is on both sides, qᵀ W q": through * query,
        "the key is on both sides, kᵀ W k": key @ weight * key,
    }
    for message, products in others.items():
        if is_close(scores, products.sum(-1, keepdim=True)):
            return failed(message)
    if is_close(scores, want["scores"].softmax(-1)):
        return failed("every score is 1, as after a softmax over a single key: return the scores, without a softmax")
    if is_close(scores, want["scores"].tanh()):
        return failed("the scores went through a tanh, which this formula does not have")
    return failed(f"scores: {difference(scores, want['scores'])}")


@judge(
    _EVERY,
    probe=probes.every_pair,
    points=1,
    needs=(_PAIR,),
    hint="The result has a row for each query and a column for each key, for every sentence. A matrix product sums "
    "over the last dimension of the left tensor and the second to last of the right one: which two dimensions of the "
    "keys have to be swapped?",
)
def every_pair(got: Any, want: Any) -> Verdict:
    """Which score stands where."""
    scores, key = got["scores"], want["key"]
    if is_close(scores, want["scores"]):
        return passed()
    batch, positions, size = key.shape
    if is_close(scores, want["scores"].transpose(1, 2)):
        return failed("rows and columns are swapped: expected a row for each query and a column for each key")
    if is_close(scores, want["query"] @ want["weight"] @ key.reshape(batch, size, positions)):
        return failed("the keys were reshaped, which mixes up their components; swap two of their dimensions instead")
    return failed(f"scores: {difference(scores, want['scores'])}")


sizes = judge(
    _SIZES,
    probe=probes.sizes,
    points=1,
    needs=(_PAIR, _EVERY),
    hint="T and S are the numbers of target and source words, and d_q and d_k are the sizes of decoder and encoder "
    "states. Take each from the shape of the tensor that has it, and check which dimension of W is d_q.",
)(close())

alone = judge(
    "one sentence with one query keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="In translation B and T are 1, and the scores are still (1, 1, S). squeeze() removes every dimension of size "
    "one, even those that belong there.",
)(close())

gradient = judge(
    "the gradient reaches query, key and W",
    probe=probes.score_gradient,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad "
    "cut off the gradient, so that W cannot be learned.",
)(close())

types = judge(
    "the scores have the floating-point type of their arguments",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_PAIR, _EVERY, _SIZES),
    hint="With arguments in half precision the scores are half, and with double they are double. torch.zeros and "
    "torch.empty create float32 tensors unless you pass a dtype; new_zeros of a tensor uses the dtype of that tensor.",
)(close(rtol=1e-9, atol=1e-9))
