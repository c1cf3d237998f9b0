"""What is right about `ResidualStack`, and what is said when it is not."""

from typing import Any

from autograder.checks.ch03_seq2seq.probes import residual_stack as probes
from autograder.compare import close, difference, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_WIDTHS = "a layer whose input has another width hands on what its GRU gives, and no more"
_ADDED = "a layer's input is added to its output"
_EACH = "each layer has a connection of its own, and reads what the layer below hands on"


@judge(
    _WIDTHS,
    probe=probes.other_width,
    points=1,
    hint="A GRU returns two things; the first is its outputs, (B, T, H). Before you add, compare the last size of inputs and outputs: "
    "torch adds a width of 1 to any other without a word, and no other width.",
)
def nothing_added(got: Any, want: Any) -> Verdict:
    """One layer, nothing to add."""
    for name, right in want.items():
        outputs, inputs = got[name]["outputs"], right["inputs"]
        if is_close(outputs, right["outputs"]):
            continue
        if inputs.shape[-1] == 1 and is_close(outputs, right["outputs"] + inputs):
            return failed(
                f"inputs of width 1 were added to outputs of width {probes.HIDDEN}: torch repeats the one number for each of them"
            )
        return failed(
            f"of one layer with D = {inputs.shape[-1]} and H = {probes.HIDDEN}, outputs: {difference(outputs, right['outputs'])}"
        )
    return passed()


@judge(
    _ADDED,
    probe=probes.one_layer,
    points=1,
    needs=(_WIDTHS,),
    hint="Here D = H. What the layer hands on is the sum of what its GRU makes of the inputs and of the inputs themselves.",
)
def input_is_added(got: Any, want: Any) -> Verdict:
    """One layer, its input added."""
    outputs, inputs, of_layer = got["outputs"], want["inputs"], want["of the layer"]
    if is_close(outputs, want["outputs"]):
        return passed()
    others = {
        "the outputs are those of the GRU alone: its inputs were not added": of_layer,
        "the inputs came back as they were, without what the GRU makes of them": inputs,
        "the inputs were multiplied with the outputs, expected their sum": of_layer * inputs,
        "the inputs were added twice": of_layer + 2 * inputs,
        "the mean of inputs and outputs was taken, expected their sum": (of_layer + inputs) / 2,
        "the inputs were taken away from the outputs, expected their sum": of_layer - inputs,
    }
    for message, values in others.items():
        if is_close(outputs, values):
            return failed(message)
    return failed(f"of one layer with D = H, outputs: {difference(outputs, want['outputs'])}")


@judge(
    _EACH,
    probe=probes.three_layers,
    points=2,
    needs=(_ADDED,),
    hint="What a layer hands on, its sum, is what the next one reads, and what is added to that one's outputs.",
)
def around_each(got: Any, want: Any) -> Verdict:
    """Three layers."""
    outputs = got["outputs"]
    if is_close(outputs, want["outputs"]):
        return passed()
    others = {
        "the outputs are those of the layers without any connection": "plain",
        "the first layer's inputs were added once, at the end: one connection around all layers, expected one around each": "around all",
        "the first layer's inputs were added at every layer, expected each layer's own": "the first inputs again",
        "the last layer's inputs were added and the others' were not": "added at the end",
        "only the first layer was run": "the first layer alone",
        "the last state of a layer was given to the next as its first one, expected zeros for each": "state handed up",
    }
    for message, name in others.items():
        if is_close(outputs, want[name]):
            return failed(message)
    return failed(f"of three layers with D = H, outputs: {difference(outputs, want['outputs'])}")


only_the_first = judge(
    "where D is not H, all layers but the first have a connection",
    probe=probes.three_layers_of_other_width,
    points=1,
    hidden=True,
    needs=(_WIDTHS, _EACH),
    hint="Whether the widths agree is a question about each layer, not about the stack: behind the first layer every vector has H "
    "numbers.",
)(close())


leaves_inputs = judge(
    "the inputs are left as they were",
    probe=probes.own_inputs,
    points=1,
    arguments=True,
    needs=(_EACH,),
    hint="An assignment such as inputs += ... changes the caller's tensor; inputs = inputs + ... makes a new one.",
)(leaves_arguments("outputs"))


stack_gradient = judge(
    "the gradient goes through the layers and past them",
    probe=probes.stack_gradient,
    points=1,
    hidden=True,
    needs=(_EACH,),
    hint="The short way past a layer is there for the gradient. Stay with torch's operations on the tensors themselves: detach, .data and "
    "no_grad cut it off, and a change in place may spoil what a GRU has kept for it.",
)(close())
