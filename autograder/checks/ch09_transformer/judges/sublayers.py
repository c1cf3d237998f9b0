"""The ways in which sublayer, norm and residual can stand to each other: what each makes of the inputs, and what is said of it."""

from collections.abc import Callable, Sequence
from itertools import combinations

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention import dropping
from autograder.compare import difference, dropped_together, is_close
from autograder.verdict import Verdict, failed, passed

Function = Callable[[Tensor], Tensor]
Arrangement = Callable[[Tensor, Function, Function], Tensor]


def pre(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """The norm in front of the sublayer, the residual past both."""
    return states + sublayer(norm(states))


def post(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """The norm behind the sum."""
    return norm(states + sublayer(states))


def bare(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """No norm."""
    return states + sublayer(states)


def alone(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """No residual, and no norm behind it."""
    return sublayer(norm(states))


def alone_normed(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """No residual, and the norm behind the sublayer."""
    return norm(sublayer(states))


def around_normed(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """The residual starts behind the norm."""
    normed = norm(states)
    return normed + sublayer(normed)


def outcome_normed(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """The norm on what the sublayer found, in front of the sum."""
    return states + norm(sublayer(states))


def twice_normed(states: Tensor, sublayer: Function, norm: Function) -> Tensor:
    """The norm in front of the sublayer and behind the sum."""
    return norm(states + sublayer(norm(states)))


OF_PRE: dict[Arrangement, str] = {
    around_normed: "the residual of {place} adds the normalised inputs: norm(x) + sublayer(norm(x)), expected x + "
    "sublayer(norm(x))",
    post: "the norm is applied after the sum of {place}, as in post-norm: is pre_norm ignored or inverted?",
    outcome_normed: "the output of {place} is normalised: x + norm(sublayer(x)), expected x + sublayer(norm(x))",
    twice_normed: "the sum after {place} is normalised too, expected only the input of the sublayer",
    bare: "there is no norm before {place}",
    alone: "there is no residual around {place}",
}
OF_POST: dict[Arrangement, str] = {
    pre: "the norm is applied before {place}, as in pre-norm: is pre_norm ignored or inverted?",
    outcome_normed: "only the output of {place} is normalised: x + norm(sublayer(x)), expected norm(x + sublayer(x))",
    around_normed: "the norm is applied before {place} and its residual, expected after the sum",
    twice_normed: "the input of {place} is normalised too, expected only the sum",
    bare: "the sum of {place} is not normalised",
    alone_normed: "there is no residual around {place}",
}


def through(
    inputs: Tensor, sublayers: Sequence[Function], norms: Sequence[Function], arrangements: Sequence[Arrangement]
) -> Tensor:
    """Inputs through all sublayers, each with its norm and its residual in one arrangement."""
    for arrangement, sublayer, norm in zip(arrangements, sublayers, norms, strict=True):
        inputs = arrangement(inputs, sublayer, norm)
    return inputs


def misplaced(
    inputs: Tensor,
    sublayers: dict[str, Function],
    norms: Sequence[Function],
    right: Arrangement,
    mistakes: dict[Arrangement, str],
) -> dict[str, Tensor]:
    """What comes of each wrong arrangement, made around one of the sublayers or around all, by what is said of it."""
    places, functions = list(sublayers), list(sublayers.values())
    found = {}
    for wrong, told in mistakes.items():
        for at, place in enumerate(places):
            arrangements = [wrong if at == other else right for other in range(len(places))]
            found[told.format(place=place)] = through(inputs, functions, norms, arrangements)
        found[told.format(place="each sublayer")] = through(inputs, functions, norms, [wrong] * len(places))
    return found


def exchanged(
    inputs: Tensor, sublayers: dict[str, Function], norms: Sequence[Function], right: Arrangement
) -> dict[str, Tensor]:
    """What comes of norms in the wrong places, by what is said of it."""
    places, functions = list(sublayers), list(sublayers.values())
    count = len(places)
    orders: dict[str, list[int]] = {}
    for at, place in enumerate(places):
        for other in range(count):
            if other != at:
                orders[f"norms[{other}] is used at {place}, expected norms[{at}]"] = [
                    other if here == at else here for here in range(count)
                ]
    for one, other in combinations(range(count), 2):
        swapped = list(range(count))
        swapped[one], swapped[other] = other, one
        orders[f"norms[{one}] and norms[{other}] are swapped"] = swapped
    for at in range(count):
        orders[f"norms[{at}] is used at every sublayer: each has its own norm"] = [at] * count
    arrangements = [right] * count
    found = {
        told: through(inputs, functions, [norms[at] for at in order], arrangements) for told, order in orders.items()
    }
    ends = through(inputs, functions, norms, arrangements)
    found |= {f"there is one norm too many, norms[{at}] after the last sum": norms[at](ends) for at in range(count)}
    return found


def dropout(
    got: dict[str, list[Tensor]],
    want: dict[str, list[Tensor]],
    inputs: Tensor,
    mistakes: dict[str, Tensor],
    names: Sequence[str],
) -> Verdict:
    """Of two layers, pre-norm and post-norm, what they make in training, where all or half is dropped, and in evaluation.

    Args:
        got: The student's outputs, `training`, `evaluating` and `half`.
        want: The reference's.
        inputs: What the layers were given, and what is left when all is dropped.
        mistakes: What comes of other mistakes in training, by what is said of it.
        names: The sublayers', in order.
    """
    for at, name in enumerate(("pre-norm", "post-norm")):
        training, evaluating, full = got["training"][at], got["evaluating"][at], want["evaluating"][at]
        if not is_close(evaluating, full):
            return failed(
                f"in {name}, in evaluation, the outputs with and without dropout differ: pass "
                "training=self.training to F.dropout; self.dropout needs nothing"
            )
        if is_close(training, want["training"][at]):
            continue
        others = {
            "nothing is dropped, although the dropout probability is close to 1": full,
            "the sum is dropped, and the inputs with it: apply dropout to the output of the sublayer": torch.zeros_like(
                full
            ),
            **mistakes,
        }
        told = next((told for told, values in others.items() if is_close(training, values)), "")
        left = (
            "some of the sublayers' outputs are left, although the dropout probability is close to 1; "
            f"{difference(training, inputs)}"
        )
        return failed(f"in {name}, in training, {told or left}")
    for name, half in zip(("pre-norm", "post-norm"), got["half"], strict=True):
        told = _half_dropped(half * (1 - dropping.HALF), names)
        if told:
            return failed(f"in {name}, in training, {told}")
    return passed()


def _half_dropped(found: Tensor, names: Sequence[str]) -> str:
    """Why this is not what is left of 1, 10, 100, … where each was dropped by itself; empty where it is."""
    digits = {name: found.div(10**place).round().remainder(10) for place, name in enumerate(names)}
    total = sum((digit * 10**place for place, digit in enumerate(digits.values())), torch.zeros(()))
    if not is_close(total, found) or any((digit > 1).any() for digit in digits.values()):
        return (
            "the values that dropout keeps are not divided by 1 - p, or dropout is applied elsewhere; here p "
            f"is {dropping.HALF}"
        )
    return dropped_together({name: digit == 1 for name, digit in digits.items()}, dropping.HALF)
