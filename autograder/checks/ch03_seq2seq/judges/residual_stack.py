"""What is right about `ResidualStack`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch03_seq2seq.probes import residual_stack as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WIDTHS = "a layer whose input has another size returns the output of its GRU alone"
_ADDED = "a layer's input is added to its output"
_EACH = "each layer has its own residual connection, and reads the sum from the layer below"


@judge(
    _WIDTHS,
    probe=probes.other_width,
    points=1,
    hint="A GRU returns two things; the first is its outputs, (B, T, H). Before you add, compare the last dimension of inputs and outputs: "
    "torch broadcasts a size of 1 without a warning, and raises an error for any other.",
)
def nothing_added(got: Any, want: Any) -> Verdict:
    """One layer, nothing to add."""
    for name, right in want.items():
        outputs, inputs = got[name]["outputs"], right["inputs"]
        if is_close(outputs, right["outputs"]):
            continue
        if inputs.shape[-1] == 1 and is_close(outputs, right["outputs"] + inputs):
            return failed(
                f"inputs of size 1 were added to outputs of size {probes.HIDDEN}: torch broadcasts the single value"
            )
        return failed(
            f"with one layer, D = {inputs.shape[-1]} and H = {probes.HIDDEN}, outputs: {difference(outputs, right['outputs'])}"
        )
    return passed()


@judge(
    _ADDED,
    probe=probes.one_layer,
    points=1,
    needs=(_WIDTHS,),
    hint="Here D = H. The layer returns the sum of the output of its GRU and its own inputs.",
)
def input_is_added(got: Any, want: Any) -> Verdict:
    """One layer, its input added."""
    outputs, inputs, of_layer = got["outputs"], want["inputs"], want["of the layer"]
    if is_close(outputs, want["outputs"]):
        return passed()
    others = {
        "the outputs are those of the GRU alone: its inputs were not added": of_layer,
        "the inputs were returned unchanged, without the outputs of the GRU": inputs,
        "the inputs were multiplied by the outputs, expected their sum": of_layer * inputs,
        "the inputs were added twice": of_layer + 2 * inputs,
        "the mean of inputs and outputs was taken, expected their sum": (of_layer + inputs) / 2,
        "the inputs were subtracted from the outputs, expected their sum": of_layer - inputs,
    }
    for message, values in others.items():
        if is_close(outputs, values):
            return failed(message)
    return failed(f"with one layer and D = H, outputs: {difference(outputs, want['outputs'])}")


@judge(
    _EACH,
    probe=probes.three_layers,
    points=2,
    needs=(_ADDED,),
    hint="The sum that a layer returns is the input of the next layer, and this input is also added to that layer's outputs.",
)
def around_each(got: Any, want: Any) -> Verdict:
    """Three layers."""
    outputs = got["outputs"]
    if is_close(outputs, want["outputs"]):
        return passed()
    others = {
        "the outputs are those of the layers without any residual connection": "plain",
        "the first layer's inputs were added once, at the end: one connection around all layers, expected one around each": "around all",
        "the first layer's inputs were added at every layer, expected each layer's own inputs": "the first inputs again",
        "only the last layer's inputs were added, expected each layer's own inputs": "added at the end",
        "only the first layer was run": "the first layer alone",
        "the last state of a layer was passed to the next layer as its first state, expected zeros for each layer": "state handed up",
    }
    for message, name in others.items():
        if is_close(outputs, want[name]):
            return failed(message)
    return failed(f"with three layers and D = H, outputs: {difference(outputs, want['outputs'])}")


only_the_first = judge(
    "if D is not H, all layers but the first have a residual connection",
    probe=probes.three_layers_of_other_width,
    points=1,
    hidden=True,
    needs=(_WIDTHS, _EACH),
    hint="Whether the sizes agree is a question about each layer, not about the stack: after the first layer every vector has H "
    "dimensions.",
)(close())


leaves_inputs = judge(
    "the inputs are not changed",
    probe=probes.own_inputs,
    points=1,
    arguments=True,
    needs=(_EACH,),
    hint="An assignment such as inputs += ... changes the caller's tensor; inputs = inputs + ... creates a new one.",
)(leaves_arguments("outputs"))


stack_gradient = judge(
    "the gradient flows through the layers and around them",
    probe=probes.stack_gradient,
    points=1,
    hidden=True,
    needs=(_EACH,),
    hint="A residual connection also carries the gradient. Use only torch operations on the tensors themselves: detach, .data and "
    "no_grad cut it off, and an in-place change may overwrite values that a GRU has saved for the backward pass.",
)(close())
