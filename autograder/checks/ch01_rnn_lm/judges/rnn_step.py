"""What is right about `rnn_step`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch01_rnn_lm.probes import rnn_step as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_INPUT = "from a state of zeros, the new state is tanh(W_x x)"
_STATE = "the previous state enters through W_h"
_BIAS = "the bias is added"
_ARGUMENTS = "the arguments are left as they were"


@judge(
    _INPUT,
    probe=probes.of_input,
    points=1,
    hint="W_x has a row for each component of the state and a column for each component of the input. The inputs of a batch "
    "are rows, x (B, D): which way round must W_x be so that the product is (B, H)? And which function is applied to the "
    "whole sum?",
)
def of_input(got: Any, want: Any) -> Verdict:
    """The input path and the tanh; the state is zero, and so is the bias."""
    state, x, weight = got["state"], want["x"], want["input_weight"]
    if is_close(state, want["state"]):
        return passed()
    inside, turned = x @ weight.T, x @ weight
    others = {
        "W_x is the wrong way round: row j of W_x gives component j of the state": turned.tanh(),
        "W_x is the wrong way round, and there is no tanh": turned,
        "there is no tanh around the sum": inside,
        "relu is used instead of tanh: a state has negative components, too": inside.relu(),
        "the sigmoid is used instead of tanh: a state has negative components, too": inside.sigmoid(),
        "a softmax is used instead of tanh": inside.softmax(-1),
        "the tanh is applied to the input alone, W_x tanh(x); expected to the whole sum": x.tanh() @ weight.T,
        "the input was multiplied by W_h, expected by W_x": (x @ want["state_weight"].T).tanh(),
        "the tanh was applied twice": inside.tanh().tanh(),
        "only the first input of the batch was read": inside[:1].tanh().expand_as(inside),
    }
    for message, values in others.items():
        if is_close(state, values):
            return failed(message)
    if not state.any():
        return failed(
            "the new state does not depend on the input: it is zero, like the previous state and the bias here"
        )
    return failed(f"the new state: {difference(state, want['state'])}")


@judge(
    _STATE,
    probe=probes.of_state,
    points=1,
    needs=(_INPUT,),
    hint="Both products are added inside a single tanh. W_h is square, so torch accepts it either way round: a row of it "
    "gives one component of the new state, as a row of W_x does.",
)
def of_state(got: Any, want: Any) -> Verdict:
    """The state path, beside the input's."""
    state, h, weight = got["state"], want["h"], want["state_weight"]
    if is_close(state, want["state"]):
        return passed()
    read, kept = want["x"] @ want["input_weight"].T, h @ weight.T
    others = {
        "the new state does not depend on the previous one": read.tanh(),
        "W_h is the wrong way round: row j of W_h gives component j of the state": (read + h @ weight).tanh(),
        "the previous state is added as it is, without W_h": (read + h).tanh(),
        "W_h multiplies the input, expected the previous state": (read + want["x"] @ weight.T).tanh(),
        "W_h h is added after the tanh, expected inside it": read.tanh() + kept,
        "the previous state is added after the tanh, expected W_h h inside it": read.tanh() + h,
        "each part has a tanh of its own; expected one around their sum": read.tanh() + kept.tanh(),
        "the two parts are multiplied, expected their sum": (read * kept).tanh(),
        "h went through another tanh before W_h: it is already the output of a tanh": (
            read + h.tanh() @ weight.T
        ).tanh(),
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
        "the bias is added after the tanh, expected inside": read.tanh() + bias,
        "the bias is subtracted": (read - bias).tanh(),
        "the bias is added twice": (read + 2 * bias).tanh(),
        "the bias went through W_h, as if it were added to the previous state; expected as it is": (
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
    hint="With B = 1, the state is still (1, H). squeeze() removes every dimension of size one, even those that belong there.",
)(close())


arguments = judge(
    _ARGUMENTS,
    probe=probes.arguments,
    points=1,
    arguments=True,
    needs=(_INPUT, _STATE, _BIAS),
    hint="The backward pass will need every state again. Methods that end in an underscore, operators such as += and "
    "assignments to "
    "h[...] change the caller's tensor: make a new one.",
)(leaves_arguments("state"))


gradient = judge(
    "the gradient reaches all five arguments",
    probe=probes.step_gradient,
    points=1,
    hidden=True,
    needs=(_INPUT, _STATE, _BIAS, _ARGUMENTS),
    hint="Use only torch operations on the tensors themselves: detach, .data, .item(), torch.tensor(...) and no_grad cut off "
    "the gradient.",
)(close())


@judge(
    "the state has the floating-point type of its arguments",
    probe=probes.types,
    points=1,
    hidden=True,
    needs=(_INPUT, _STATE, _BIAS),
    hint="With arguments in half precision the state is half, with double it is double. torch.zeros and torch.empty create "
    "float32 tensors unless you pass a dtype; new_zeros of a tensor uses the dtype of that tensor.",
)
def of_its_type(got: Any, want: Any) -> Verdict:
    """Double precision to the last digits; in half precision it matters in which order the products are added up."""
    double = close("double precision", rtol=1e-9, atol=1e-9)(got, want)
    return close("half precision", atol=1e-2)(got, want) if double.ok else double
