"""What is right about `GRUCell`, and what is said when it is not."""

from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch02_gates.judges.cells import (
    ALONE_HINT,
    ARGUMENTS_HINT,
    BIAS_HINT,
    CHANGED,
    FROM_ZEROS_HINT,
    GRADIENT_HINT,
    TYPES_HINT,
    parts,
)
from autograder.checks.ch02_gates.probes import gru_cell as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_GATES = "the gates go through the sigmoid, the candidate through the tanh"
_UPDATE = "the update gate is the share of the state that is kept"
_ORDER = "the weights are those of r, z and n, in this order"
_RESET = "the reset gate multiplies the state's contribution to the candidate, including its bias"
_ZEROS = "without a state it starts from zeros"
_ARGUMENTS = "state, input and weights are left as they were"


def _mixtures(gate: Tensor, candidate: Tensor, h: Tensor) -> list[Tensor]:
    """Candidate and state put together in the right way, and in wrong ones that are another check's business."""
    return [
        (1 - gate) * candidate + gate * h,
        gate * candidate + (1 - gate) * h,
        (1 - gate) * candidate,
        gate * candidate,
        candidate,
        candidate + gate * h,
        (1 - gate) * candidate + h,
    ]


def _candidates(read: Tensor, kept: Tensor, reset: Tensor, h: Tensor) -> list[Tensor]:
    """The candidate, and wrong ones in which the reset gate stands elsewhere, which is another check's business."""
    return [
        (read + reset * kept).tanh(),
        (reset * (read + kept)).tanh(),
        reset * (read + kept).tanh(),
        (read + reset * h).tanh(),
    ]


@judge(
    _GATES,
    probe=probes.mixed,
    points=1,
    hint="The components of a gate are between 0 and 1, those of a candidate are between -1 and 1. Check which of the two "
    "functions gives which range, and return only the new state.",
)
def functions(got: Any, want: Any) -> Verdict:
    """Sigmoid and tanh, where r, z and n are made of the same sum; how they are mixed is another check's business."""
    state, h = got["state"], want["h"]
    of_input, _ = parts(want, 3)
    inner, size = of_input[0], h.shape[1]
    bare = want["x"] @ want["weight_ih"][:size].T
    gate = inner.sigmoid()
    candidates = _candidates(inner, torch.zeros_like(inner), gate, h)
    if any(is_close(state, mixture) for candidate in candidates for mixture in _mixtures(gate, candidate, h)):
        return passed()
    _, second, third = torch.cat(of_input, dim=1).unflatten(1, (size, 3)).unbind(-1)
    others = {
        "the candidate did not go through the tanh": (inner.sigmoid(), inner),
        "the gates did not go through the sigmoid": (inner, inner.tanh()),
        "the gates went through the tanh, expected the sigmoid": (inner.tanh(), inner.tanh()),
        "the candidate went through the sigmoid, expected the tanh": (inner.sigmoid(), inner.sigmoid()),
        "the candidate went through relu, expected the tanh": (inner.sigmoid(), inner.relu()),
        "the gates went through a softmax, expected the sigmoid": (inner.softmax(-1), inner.tanh()),
        "the gates did not go through the sigmoid, and the candidate did not go through the tanh": (inner, inner),
        "bias_ih is missing": (bare.sigmoid(), bare.tanh()),
        "bias_ih is added twice, expected bias_hh instead where the state is multiplied": (
            (2 * inner - bare).sigmoid(),
            (inner + (2 * inner - bare).sigmoid() * (inner - bare)).tanh(),
        ),
        "the 3 H numbers were assigned one by one, r z n r z n …; expected three blocks of H, as chunk returns them": (
            second.sigmoid(),
            third.tanh(),
        ),
    }
    for message, (gate, candidate) in others.items():
        if any(is_close(state, mixture) for mixture in _mixtures(gate, candidate, h)):
            return failed(message)
    if is_close(state, h):
        return failed("the state was returned as it was given")
    return failed(f"the new state: {difference(state, want['state'])}")


@judge(
    _UPDATE,
    probe=probes.mixed,
    points=1,
    needs=(_GATES,),
    hint="Read the last line of the formula again: what is multiplied by z, and what by 1 - z?",
)
def keeps(got: Any, want: Any) -> Verdict:
    """How candidate and state are mixed."""
    state, h = got["state"], want["h"]
    if is_close(state, want["state"]):
        return passed()
    of_input, _ = parts(want, 3)
    inner, gate = of_input[0], of_input[0].sigmoid()
    candidates = _candidates(inner, torch.zeros_like(inner), gate, h)
    if any(is_close(state, _mixtures(gate, candidate, h)[0]) for candidate in candidates):
        return passed()
    others = (
        "z and 1 - z are swapped: with torch's weights z is the share of the state that is kept",
        "the previous state is not in the mixture",
        "the previous state is not in the mixture, and z is used instead of 1 - z",
        "this is the candidate alone: the update gate is not used",
        "the whole candidate is added, expected 1 - z of it",
        "the whole previous state is added, expected z of it",
    )
    for candidate in candidates:
        for message, mixture in zip(others, _mixtures(gate, candidate, h)[1:], strict=True):
            if is_close(state, mixture):
                return failed(message)
    return failed(f"the new state: {difference(state, want['state'])}")


def _read(of_input: list[Tensor], of_state: list[Tensor], h: Tensor, order: tuple[int, ...]) -> Tensor:
    """The new state if r, z and n are read from these places."""
    r, z, n = order
    reset, update = (of_input[r] + of_state[r]).sigmoid(), (of_input[z] + of_state[z]).sigmoid()
    return (1 - update) * (of_input[n] + reset * of_state[n]).tanh() + update * h


@judge(
    _ORDER,
    probe=probes.ordered,
    points=1,
    needs=(_GATES, _UPDATE),
    hint="weight_ih has 3 H rows: the first H are W_ir, the next H are W_iz, the last H are W_in, and the same holds for "
    "weight_hh and the biases. Each gate is computed from the contributions of the input and of the state.",
)
def in_order(got: Any, want: Any) -> Verdict:
    """Which weights are whose; the candidate does not use the state."""
    state, h = got["state"], want["h"]
    if is_close(state, want["state"]):
        return passed()
    of_input, of_state = parts(want, 3)
    reset, update = ((a + b).sigmoid() for a, b in zip(of_input[:2], of_state[:2], strict=True))
    candidates = _candidates(of_input[2], of_state[2], reset, h)
    if any(is_close(state, (1 - update) * candidate + update * h) for candidate in candidates):
        return passed()
    for order in permutations(range(3)):
        if is_close(state, _read(of_input, of_state, h, order)):
            names = [name for _, name in sorted(zip(order, "rzn", strict=True))]
            return failed(
                f"the weights were read as those of {names[0]}, {names[1]} and {names[2]}, expected r, z and n"
            )
    size = h.shape[1]
    halves = want["weight_hh"].split(size)
    bias = want["bias_hh"].split(size)
    turned = [h @ weight + b for weight, b in zip(halves, bias, strict=True)]
    none = [torch.zeros_like(h)] * 3
    others = {
        "the gates do not use the state: W_hr h and W_hz h are missing": none,
        "the gates do not use the state: only its bias b_hr, b_hz is there": [b.expand_as(h) for b in bias],
        "bias_hh is missing": [part - b for part, b in zip(of_state, bias, strict=True)],
        "the matrices of weight_hh are the wrong way round: row j of each gives component j of its gate": turned,
    }
    for message, parts_of_state in others.items():
        if is_close(state, _read(of_input, parts_of_state, h, (0, 1, 2))):
            return failed(message)
    return failed(f"the new state: {difference(state, want['state'])}")


@judge(
    _RESET,
    probe=probes.whole,
    points=2,
    needs=(_GATES, _UPDATE, _ORDER),
    hint="In the formula of n, look at what is inside the brackets after r: a product of a matrix and a vector, and a bias. "
    "The gate multiplies both.",
)
def resets(got: Any, want: Any) -> Verdict:
    """Where the reset gate stands."""
    state, h = got["state"], want["h"]
    if is_close(state, want["state"]):
        return passed()
    of_input, of_state = parts(want, 3)
    size = h.shape[1]
    weight, bias = want["weight_hh"][2 * size :], want["bias_hh"][2 * size :]
    reset, update = (a + b for a, b in zip(of_input[:2], of_state[:2], strict=True))
    raw, reset, update, read = reset, reset.sigmoid(), update.sigmoid(), of_input[2]
    outside = reset * (read + of_state[2]).tanh()
    if is_close(state, (1 - update) * outside + update * h):
        return failed(
            "the reset gate multiplies the whole candidate, outside the tanh; expected only the state's contribution"
        )
    others = {
        "the reset gate multiplies the state before the product, W_hn (r ⊙ h), as in Cho et al. (2014); torch's weights need "
        "it after, r ⊙ (W_hn h + b_hn)": read + (reset * h) @ weight.T + bias,
        "the bias b_hn is outside the reset gate, expected inside the brackets: r ⊙ (W_hn h + b_hn)": read
        + reset * (h @ weight.T)
        + bias,
        "the reset gate is not used": read + of_state[2],
        "the reset gate did not go through the sigmoid": read + raw * of_state[2],
        "the reset gate is inverted: 1 - r is used instead of r": read + (1 - reset) * of_state[2],
        "the reset gate also multiplies the input's contribution, expected only the state's contribution": reset
        * (read + of_state[2]),
        "the reset gate multiplies the input's contribution, expected the state's contribution": reset * read
        + of_state[2],
        "the update gate is used instead of the reset gate": read + update * of_state[2],
        "the candidate does not use the state": read,
        "the bias b_hn is missing": read + reset * (h @ weight.T),
        "W_hn is missing: the candidate was given r ⊙ h": read + reset * h,
        "W_hn is the wrong way round": read + reset * (h @ weight + bias),
    }
    for message, inner in others.items():
        if is_close(state, (1 - update) * inner.tanh() + update * h):
            return failed(message)
    return failed(f"the new state: {difference(state, want['state'])}")


from_zeros = judge(
    _ZEROS,
    probe=probes.from_nothing,
    points=1,
    needs=(_GATES, _UPDATE, _ORDER, _RESET),
    hint=FROM_ZEROS_HINT,
)(close())

alone = judge(
    "one sequence alone, step after step",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_GATES, _UPDATE, _ORDER, _RESET),
    hint=ALONE_HINT,
)(close())

without_bias = judge(
    "it works without biases",
    probe=probes.without_bias,
    points=1,
    hidden=True,
    needs=(_GATES, _UPDATE, _ORDER, _RESET),
    hint=BIAS_HINT,
)(close())


arguments = judge(
    _ARGUMENTS,
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_GATES, _UPDATE, _ORDER, _RESET),
    hint=ARGUMENTS_HINT,
)(leaves_arguments("state", told=CHANGED))


gradient = judge(
    "the gradient reaches all weights, the input and the state",
    probe=probes.cell_gradient,
    points=1,
    hidden=True,
    needs=(_GATES, _UPDATE, _ORDER, _RESET, _ARGUMENTS),
    hint=GRADIENT_HINT,
)(close())

types = judge(
    "in double precision the state is double",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_GATES, _UPDATE, _ORDER, _RESET, _ZEROS),
    hint=TYPES_HINT,
)(close(rtol=1e-9, atol=1e-9))
