"""What is right about `scaled_scores`, and what is said when it is not."""

from typing import Any

from torch import Tensor

from autograder.checks.ch05_attention.probes import scaled_scores as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_DOT = "the scores are dot products, apart from their scale"
_SCALE = "the scores are divided by √d"


@judge(
    _DOT,
    probe=probes.dot_products,
    points=1,
    hint="The result has a row for each query and a column for each key, for every sentence. A matrix product sums "
    "over the last dimension of the left tensor and the second to last of the right one: which two dimensions of the "
    "keys have to be swapped?",
)
def dot_products(got: Any, want: Any) -> Verdict:
    """Every key against every query, up to one factor."""
    scores, query, key = got["scores"], want["query"], want["key"]
    if is_close(_unit(scores), _unit(want["scores"])):
        return passed()
    batch, positions, size = key.shape
    dots = query @ key.transpose(1, 2)
    if is_close(scores, want["scores"].softmax(-1)) or is_close(scores, dots.softmax(-1)):
        return failed("these are weights already: return the scores, without a softmax")
    turned = dots.transpose(1, 2)
    cosines = dots / query.norm(dim=-1).unsqueeze(2) / key.norm(dim=-1).unsqueeze(1)
    others = {
        "rows and columns are swapped: expected a row for each query and a column for each key": turned,
        "the keys were reshaped, which mixes up their components; swap two of their dimensions instead": query
        @ key.reshape(batch, size, positions),
        "the queries are scored against themselves, expected the keys": query @ query.transpose(1, 2),
        "each score is divided by the lengths of its query and its key, |q| and |k|; expected one divisor for all "
        "scores, the square root of their dimension": cosines,
        "each score is divided by the length of its key, |k|; expected one divisor for all scores, the square root "
        "of its dimension": dots / key.norm(dim=-1).unsqueeze(1),
    }
    for message, other in others.items():
        if is_close(_unit(scores), _unit(other)):
            return failed(message)
    return failed(f"scores: {difference(scores, want['scores'])}")


def _unit(scores: Tensor) -> Tensor:
    """The scores over the length of them all, which takes their common factor away."""
    return scores / scores.norm()


@judge(
    _SCALE,
    probe=probes.scale,
    points=2,
    needs=(_DOT,),
    hint="A sum of d products of independent numbers with variance 1 has variance d. By what must the sum be divided "
    "so that its variance is 1, whatever d is? And which dimension of the arguments is d?",
)
def divided_by_root(got: Any, want: Any) -> Verdict:
    """The scale, on two sizes: which factor is too much tells what was done."""
    if is_close(got, want):
        return passed()
    factors = {name: _factor(got[name], want[name]) for name in want}
    if not all(is_close(got[name], factors[name] * want[name]) for name in want):
        return failed(difference(got, want))
    for message, exponent, other in (
        ("the scores are plain dot products: they are not divided by anything", 0.5, 1),
        ("the scores are divided by d itself, expected its square root", -0.5, 1),
        ("the scores are multiplied by √d, expected divided by it", 1.0, 1),
        ("the scores are divided by the fourth root of d, as if only one of query and key had been scaled", 0.25, 1),
        (
            "the scores are divided by √S, where S is the number of keys; expected the square root of their dimension",
            0.5,
            probes.KEYS,
        ),
        (
            (
                "the scores are divided by √T, where T is the number of queries; expected the square root of their "
                "dimension"
            ),
            0.5,
            probes.QUERIES,
        ),
        ("the scores are divided by √B, where B is the number of sentences; expected √d", 0.5, probes.BATCH),
    ):
        if all(is_close(factors[name], size**exponent / other**0.5, rtol=1e-3) for name, size in probes.SIZES.items()):
            return failed(message)
    told = " and ".join(f"{factor:.3g} with {name}" for name, factor in factors.items())
    return failed(f"the scores are the right ones multiplied by a factor of {told}, expected 1")


def _factor(got: Tensor, want: Tensor) -> float:
    """How many times as large the one is as the other."""
    return float((got * want).sum() / (want * want).sum())


def _but_for_scale(got: Any, want: Any) -> Verdict:
    """Everything up to one factor: a wrong scale costs its points once."""
    return close()(*({name: _unit(tensor) for name, tensor in answer.items()} for answer in (got, want)))


alone = judge(
    "one sentence with one query keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_DOT,),
    hint="In translation B and T are 1, and the scores are still (1, 1, S). squeeze() removes every dimension of size "
    "one, even those that belong there.",
)(_but_for_scale)

gradient = judge(
    "the gradient reaches query and key",
    probe=probes.score_gradient,
    points=1,
    hidden=True,
    needs=(_DOT,),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad "
    "cut off the gradient. It has to flow back through the division too.",
)(_but_for_scale)
