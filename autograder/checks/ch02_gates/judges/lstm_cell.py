"""What is right about `LSTMCell`, and what is said when it is not."""

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
from autograder.checks.ch02_gates.probes import lstm_cell as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_CELL = "the cell forgets a part and takes in a part of the candidate: f ⊙ cell + i ⊙ g"
_OUTPUT = "the state is o ⊙ tanh(cell), with the new cell"
_ORDER = "the weights are those of i, f, g and o, in this order"
_STATE = "the previous state enters every gate"
_ZEROS = "without a state it starts from zeros"
_ARGUMENTS = "state, cell, input and weights are left as they were"


def _updated(want: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Of weights that are alike: their sum for any gate, the gate, and the new cell."""
    inner = parts(want, 4)[0][0]
    gate = inner.sigmoid()
    return inner, gate, gate * want["cell"] + gate * inner.tanh()


@judge(
    _CELL,
    probe=probes.mixed,
    points=2,
    hint="i, f and o are between 0 and 1 and go through the sigmoid; the candidate g goes through the tanh. Input and output "
    "are pairs in the same order: first the state h, then the cell.",
)
def updated(got: Any, want: Any) -> Verdict:
    """The new cell, where i, f, g and o are made of the same sum."""
    cell, before, h = got["new cell"], want["cell"], want["h"]
    if is_close(cell, want["new cell"]):
        return passed()
    inner, gate, right = _updated(want)
    if is_close(cell, want["new h"]) and is_close(got["new h"], right):
        return failed("the two results were returned in the order cell, h; expected h, cell")
    bare = want["x"] @ want["weight_ih"][: h.shape[1]].T
    i, f, g, _ = torch.cat(parts(want, 4)[0], dim=1).unflatten(1, (h.shape[1], 4)).unbind(-1)
    twice = 2 * inner - bare
    others = {
        "the state was read as a pair (cell, h), expected (h, cell)": gate * h + gate * inner.tanh(),
        "the candidate g did not go through the tanh": gate * before + gate * inner,
        "the candidate g went through the sigmoid, expected the tanh": gate * before + gate * gate,
        "the candidate g went through relu, expected the tanh": gate * before + gate * inner.relu(),
        "the gates did not go through the sigmoid": inner * before + inner * inner.tanh(),
        "the gates went through the tanh, expected the sigmoid": inner.tanh() * before + inner.tanh() ** 2,
        "it went through a tanh, which belongs only in the new state": right.tanh(),
        "nothing is forgotten: the whole old cell is in the new one": before + gate * inner.tanh(),
        "the old cell is not in the new one": gate * inner.tanh(),
        "the whole candidate is taken in, without the input gate": gate * before + inner.tanh(),
        "the candidate is not taken in": gate * before,
        "1 - f is used instead of f": (1 - gate) * before + gate * inner.tanh(),
        "1 - f is used instead of i, as in a GRU; the input gate has weights of its own": gate * before
        + (1 - gate) * inner.tanh(),
        "1 was added to the input of the forget gate, as some libraries do; with torch's weights it belongs in the bias": (
            inner + 1
        ).sigmoid()
        * before
        + gate * inner.tanh(),
        "bias_ih is missing": bare.sigmoid() * before + bare.sigmoid() * bare.tanh(),
        "bias_ih is added twice, expected bias_hh instead where the state is multiplied": twice.sigmoid() * before
        + twice.sigmoid() * twice.tanh(),
        "the 4 H numbers were assigned one by one, i f g o i f g o …; expected four blocks of H, as chunk returns "
        "them": f.sigmoid() * before + i.sigmoid() * g.tanh(),
        "the new state was returned in its place, too": gate * right.tanh(),
        "the cell was returned as it was given": before,
    }
    for message, values in others.items():
        if is_close(cell, values):
            return failed(f"the new cell: {message}")
    return failed(f"the new cell: {difference(cell, want['new cell'])}")


@judge(
    _OUTPUT,
    probe=probes.mixed,
    points=1,
    needs=(_CELL,),
    hint=(
        "The components of the cell may be larger than 1, but those of the state may not. Read the last line of the "
        "formula again."
    ),
)
def let_out(got: Any, want: Any) -> Verdict:
    """The new state, where i, f, g and o are made of the same sum."""
    state, before = got["new h"], want["cell"]
    if is_close(state, want["new h"]):
        return passed()
    inner, gate, cell = _updated(want)
    others = {
        "the tanh of the cell is missing: this is o ⊙ cell": gate * cell,
        "it is computed from the old cell, expected from the new one": gate * before.tanh(),
        "the output gate is missing: this is tanh(cell)": cell.tanh(),
        "the output gate is inside the tanh, expected outside: o ⊙ tanh(cell)": (gate * cell).tanh(),
        "the cell went through the sigmoid, expected the tanh": gate * cell.sigmoid(),
        "this is the new cell itself": cell,
        "the state was returned as it was given": want["h"],
        "the output gate did not go through the sigmoid": inner * cell.tanh(),
        "the output gate went through the tanh, expected the sigmoid": inner.tanh() * cell.tanh(),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(f"the new state: {message}")
    return failed(f"the new state: {difference(state, want['new h'])}")


def _read(sums: list[Tensor], cell: Tensor, order: tuple[int, ...] = (0, 1, 2, 3)) -> tuple[Tensor, Tensor]:
    """New state and cell if i, f, g and o are read from these places."""
    i, f, g, o = (sums[place] for place in order)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def _is_read(got: Any, sums: list[Tensor], cell: Tensor, order: tuple[int, ...] = (0, 1, 2, 3)) -> bool:
    state, cell = _read(sums, cell, order)
    return is_close(got["new h"], state) and is_close(got["new cell"], cell)


@judge(
    _ORDER,
    probe=probes.ordered,
    points=1,
    needs=(_CELL, _OUTPUT),
    hint="weight_ih has 4 H rows: the first H are W_ii, the next W_if, then W_ig, and the last H are W_io. Which of them is "
    "the "
    "candidate? And both biases are added.",
)
def in_order(got: Any, want: Any) -> Verdict:
    """Which weights are whose; the state has no part in them."""
    if close("new h", "new cell")(got, want).ok:
        return passed()
    of_input, of_state = parts(want, 4)
    sums = [a + b for a, b in zip(of_input, of_state, strict=True)]
    for order in permutations(range(4)):
        if _is_read(got, sums, want["cell"], order):
            names = [name for _, name in sorted(zip(order, "ifgo", strict=True))]
            return failed(f"the weights were read as those of {', '.join(names)}, expected i, f, g, o")
    if _is_read(got, of_input, want["cell"]):
        return failed("bias_hh is missing")
    worse = "new cell" if not is_close(got["new cell"], want["new cell"]) else "new h"
    return failed(f"the {worse}: {difference(got[worse], want[worse])}")


@judge(
    _STATE,
    probe=probes.whole,
    points=1,
    needs=(_CELL, _OUTPUT, _ORDER),
    hint="Every gate is computed from two products: of the input with weight_ih, and of the previous state h with weight_hh. "
    "The cell does not enter any of them.",
)
def looks_at_state(got: Any, want: Any) -> Verdict:
    """The part of the state in the sums."""
    if close("new h", "new cell")(got, want).ok:
        return passed()
    of_input, of_state = parts(want, 4)
    of_cell = parts(want, 4, first="cell")[1]
    size = want["h"].shape[1]
    bias = [b.expand_as(want["h"]) for b in want["bias_hh"].split(size)]
    matrices = want["weight_hh"].split(size)
    turned = [want["h"] @ weight + b for weight, b in zip(matrices, bias, strict=True)]
    others = {
        "the gates do not use the state: weight_hh is not used": bias,
        "weight_hh multiplies the cell, expected the state h": of_cell,
        "the matrices of weight_hh are the wrong way round: row j of each gives component j of its gate": turned,
        "the cell enters the gates, too, through peepholes, which torch's LSTM does not have": [
            part + want["cell"] for part in of_state
        ],
        "weight_hh multiplies tanh(h), expected h": [
            part + (want["h"].tanh() - want["h"]) @ weight.T for part, weight in zip(of_state, matrices, strict=True)
        ],
    }
    for message, said in others.items():
        sums = [a + b for a, b in zip(of_input, said, strict=True)]
        if _is_read(got, sums, want["cell"]):
            return failed(message)
    for place, name in enumerate("ifgo"):
        said = [bias[n] if n == place else part for n, part in enumerate(of_state)]
        if _is_read(got, [a + b for a, b in zip(of_input, said, strict=True)], want["cell"]):
            return failed(f"the state does not enter {name}")
    worse = "new cell" if not is_close(got["new cell"], want["new cell"]) else "new h"
    return failed(f"the {worse}: {difference(got[worse], want[worse])}")


from_zeros = judge(
    _ZEROS,
    probe=probes.from_nothing,
    points=1,
    needs=(_CELL, _OUTPUT, _ORDER, _STATE),
    hint=FROM_ZEROS_HINT,
)(close())

alone = judge(
    "one sequence alone, step after step",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_CELL, _OUTPUT, _ORDER, _STATE),
    hint=ALONE_HINT,
)(close())

without_bias = judge(
    "it works without biases",
    probe=probes.without_bias,
    points=1,
    hidden=True,
    needs=(_CELL, _OUTPUT, _ORDER, _STATE),
    hint=BIAS_HINT,
)(close())


arguments = judge(
    _ARGUMENTS,
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_CELL, _OUTPUT, _ORDER, _STATE),
    hint=ARGUMENTS_HINT,
)(leaves_arguments("new h", "new cell", told=CHANGED))


gradient = judge(
    "the gradient reaches all weights, the input, the state and the cell",
    probe=probes.cell_gradient,
    points=1,
    hidden=True,
    needs=(_CELL, _OUTPUT, _ORDER, _STATE, _ARGUMENTS),
    hint=GRADIENT_HINT,
)(close())

types = judge(
    "in double precision state and cell are double",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_CELL, _OUTPUT, _ORDER, _STATE, _ZEROS),
    hint=TYPES_HINT,
)(close(rtol=1e-9, atol=1e-9))
