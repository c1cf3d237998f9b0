"""What is right about `rnn_step`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch01_rnn_lm.probes import rnn_step as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_INPUT = "from a state of zeros, the new state is tanh(W_x x)"
_STATE = "the state before takes part through W_h"
_BIAS = "the bias is added"
_ARGUMENTS = "the arguments are left as they were"


@judge(
    _INPUT,
    probe=probes.of_input,
    points=1,
    hint="W_x has a row for each number of the state and a column for each number of the input. The inputs of a batch are rows, x "
    "(B, D): which way round must W_x be for a product that is (B, H)? And what stands around the whole sum?",
)
def of_input(got: Any, want: Any) -> Verdict:
    """The input path and the tanh; the state is zero, and so is the bias."""
    state, x, weight = got["state"], want["x"], want["input_weight"]
    if is_close(state, want["state"]):
        return passed()
    inside, turned = x @ weight.T, x @ weight
    others = {
        "W_x is the wrong way round: row j of W_x makes number j of the state": turned.tanh(),
        "W_x is the wrong way round, and there is no tanh": turned,
        "there is no tanh around the sum": inside,
        "relu stands in the place of tanh: a state has negative numbers too": inside.relu(),
        "the sigmoid stands in the place of tanh: a state has negative numbers too": inside.sigmoid(),
        "a softmax stands in the place of tanh": inside.softmax(-1),
        "the tanh is around the input alone, W_x tanh(x); expected around the whole sum": x.tanh() @ weight.T,
        "the input was given W_h, expected W_x": (x @ want["state_weight"].T).tanh(),
        "the tanh ran twice": inside.tanh().tanh(),
        "only the first input of the batch was read": inside[:1].tanh().expand_as(inside),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(message)
    if not state.any():
        return failed("nothing of the input is in the new state: it is zero, as the state before and the bias are here")
    return failed(f"the new state: {difference(state, want['state'])}")


@judge(
    _STATE,
    probe=probes.of_state,
    points=1,
    needs=(_INPUT,),
    hint="Both products are added inside the one tanh. W_h is square, so torch takes it either way round: a row of it makes one "
    "number of the new state, as a row of W_x does.",
)
def of_state(got: Any, want: Any) -> Verdict:
    """The state path, beside the input's."""
    state, h, weight = got["state"], want["h"], want["state_weight"]
    if is_close(state, want["state"]):
        return passed()
    read, kept = want["x"] @ want["input_weight"].T, h @ weight.T
    others = {
        "the state before is not in the new one": read.tanh(),
        "W_h is the wrong way round: row j of W_h makes number j of the state": (read + h @ weight).tanh(),
        "the state before is added as it was, without W_h": (read + h).tanh(),
        "W_h was given the input, expected the state before": (read + want["x"] @ weight.T).tanh(),
        "the state's part is added behind the tanh, expected inside": read.tanh() + kept,
        "the state before is added behind the tanh, expected W_h h inside it": read.tanh() + h,
        "each part has a tanh of its own; expected one around their sum": read.tanh() + kept.tanh(),
        "the two parts are multiplied, expected their sum": (read * kept).tanh(),
        "h went through a tanh of its own before W_h: it came out of one already": (read + h.tanh() @ weight.T).tanh(),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(message)
    return failed(f"the new state: {difference(state, want['state'])}")


@judge(
    _BIAS,
    probe=probes.of_bias,
    points=1,
    needs=(_INPUT,),
    hint="b, (H,), is added to the sum of each sequence, inside the tanh; torch broadcasts it over the batch.",
)
def of_bias(got: Any, want: Any) -> Verdict:
    """The bias, beside the input's part."""
    state, bias = got["state"], want["bias"]
    if is_close(state, want["state"]):
        return passed()
    read = want["x"] @ want["input_weight"].T
    others = {
        "there is no bias in the new state": read.tanh(),
        "the bias is added behind the tanh, expected inside": read.tanh() + bias,
        "the bias is subtracted": (read - bias).tanh(),
        "the bias is added twice": (read + 2 * bias).tanh(),
        "the bias went through W_h, as if it were added to the state before; expected as it is": (
            read + bias @ want["state_weight"].T
        ).tanh(),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(message)
    return failed(f"the new state: {difference(state, want['state'])}")


alone = judge(
    "one sequence alone keeps its dimension",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_INPUT, _STATE, _BIAS),
    hint="With B = 1 the state is (1, H) still. squeeze() takes away every dimension of size one, also those that belong there.",
)(close())


arguments = judge(
    _ARGUMENTS,
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_INPUT, _STATE, _BIAS),
    hint="The way back will need every state again. Methods that end in an underscore, operators such as += and assignments to "
    "h[...] change the caller's tensor: make a new one.",
)(leaves_arguments("state"))


gradient = judge(
    "the gradient reaches all five arguments",
    probe=probes.step_gradient,
    points=1,
    hidden=True,
    needs=(_INPUT, _STATE, _BIAS, _ARGUMENTS),
    hint="Stay with torch's operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad cut the "
    "gradient off.",
)(close())


@judge(
    "the state has the floating-point type of its arguments",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_INPUT, _STATE, _BIAS),
    hint="In half precision the state is half, in double it is double. torch.zeros and torch.empty make float32, unless they are "
    "given the dtype of something; new_zeros of a tensor takes it from there.",
)
def of_its_type(got: Any, want: Any) -> Verdict:
    """Double precision to the last digits; in half precision it matters in which order the products are added up."""
    double = close("double precision", rtol=1e-9, atol=1e-9)(got, want)
    return close("half precision", atol=1e-2)(got, want) if double.ok else double
