"""Mistakes in `ResidualStack`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch03_seq2seq.residual_stack import (
    one_layer,
    other_width,
    own_inputs,
    stack_gradient,
    three_layers,
    three_layers_of_other_width,
)
from autograder.judging.catalogue import mistake, right


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__()
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.GRU(size, hidden_size, batch_first=True) for size in sizes)


@right
class Usual(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs


@mistake(other_width, "the inputs are added even where their size differs from that of the outputs")
class AddsAnyWidth(Given):
    def forward(self, inputs):
        for layer in self.layers:
            inputs = inputs + layer(inputs)[0]
        return inputs


mistake(other_width, "the inputs are added even where their size differs from that of the outputs").made_in(
    Usual, AddsWiderInputs={"outputs.shape == inputs.shape": "inputs.shape[-1] >= outputs.shape[-1]"}
)
mistake(other_width, "inputs of size 1 are added too: torch broadcasts the single value").made_in(
    Usual, AddsOneWide={"outputs.shape == inputs.shape": "inputs.shape[-1] in (1, outputs.shape[-1])"}
)


@mistake(
    other_width,
    "inputs of another size are truncated or padded with zeros and added, expected the outputs of the GRU alone",
)
class CutToWidth(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + F.pad(inputs, (0, outputs.shape[-1] - inputs.shape[-1]))
        return inputs


mistake(other_width, "both results of a GRU are passed on, expected only the first, its outputs").made_in(
    AddsAnyWidth, TupleOfLayer={"inputs + layer(inputs)[0]": "layer(inputs)"}
)
mistake(other_width, "the last state of the GRU is passed on, expected its outputs").made_in(
    AddsAnyWidth, StateOfLayer={"inputs = inputs + layer(inputs)[0]": "_, inputs = layer(inputs)"}
)
mistake(other_width, "the outputs and a state are returned, expected the outputs alone").made_in(
    Usual, OutputsAndState={"outputs, _": "outputs, state", "return inputs": "return inputs, state"}
)


@mistake(other_width, "the layers are replaced by one GRU of many layers; leave __init__ as it was")
class OtherLayers(Given):
    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__(input_size, hidden_size, 1)
        self.layers = nn.GRU(input_size, hidden_size, num_layers, batch_first=True)

    def forward(self, inputs):
        return self.layers(inputs)[0]


@mistake(other_width, "forward is missing")
class NoForward(Given):
    pass


mistake(
    one_layer, "there is no residual connection around the only layer of a stack, which is both its first and its last"
).made_in(AddsAnyWidth, NoneAtAll={"inputs = inputs + layer(inputs)[0]": "inputs, _ = layer(inputs)"})


@mistake(
    one_layer, "there is no residual connection around the only layer of a stack, which is both its first and its last"
)
class AllButTheFirst(Given):
    def forward(self, inputs):
        inputs, _ = self.layers[0](inputs)
        for layer in self.layers[1:]:
            inputs = inputs + layer(inputs)[0]
        return inputs


mistake(
    one_layer, "there is no residual connection around the only layer of a stack, which is both its first and its last"
).made_in(
    Usual, AllButTheLast={"self.layers": "self.layers[:-1]", "return inputs": "return self.layers[-1](inputs)[0]"}
)
mistake(one_layer, "a tanh is applied to the sum, expected the sum as it is").made_in(
    Usual, TanhOfSum={"outputs + inputs": "(outputs + inputs).tanh()"}
)
mistake(one_layer, "the inputs are multiplied by the outputs, expected their sum").made_in(
    Usual, Multiplied={"outputs + inputs": "outputs * inputs"}
)
mistake(one_layer, "the inputs are added twice").made_in(Usual, AddedTwice={"outputs + inputs": "outputs + 2 * inputs"})
mistake(one_layer, "the result is the mean of inputs and outputs, expected their sum").made_in(
    Usual, Averaged={"outputs + inputs": "(outputs + inputs) / 2"}
)
mistake(one_layer, "dropout is applied, but no layer that __init__ makes is one of dropout").made_in(
    Usual,
    DropsOutputs={"outputs + inputs": "F.dropout(outputs, 0.1) + inputs"},
    DropsHalfOfOutputs={"outputs + inputs": "F.dropout(outputs) + inputs"},
)
mistake(one_layer, "there is a layer normalisation after every sum").made_in(
    Usual, Normalised={"outputs + inputs": "F.layer_norm(outputs + inputs, inputs.shape[-1:])"}
)
mistake(one_layer, "inputs and outputs are concatenated, expected their sum").made_in(
    Usual, SideBySide={"outputs + inputs": "torch.cat([outputs, inputs], dim=-1)"}
)


@mistake(
    three_layers,
    "the first layer's inputs are added once, at the end: one connection around all layers, expected one around each",
)
class AroundAll(Given):
    def forward(self, inputs):
        outputs = inputs
        for layer in self.layers:
            outputs, _ = layer(outputs)
        return outputs + inputs if outputs.shape == inputs.shape else outputs


@mistake(three_layers, "the first layer's inputs are added at every layer, expected each layer's own inputs")
class FirstInputsAgain(Given):
    def forward(self, inputs):
        outputs = inputs
        for layer in self.layers:
            outputs, _ = layer(outputs)
            outputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return outputs


@mistake(three_layers, "only the last layer's inputs are added, expected each layer's own inputs")
class AddedAtTheEnd(Given):
    def forward(self, inputs):
        for layer in self.layers:
            before = inputs
            inputs, _ = layer(before)
        return inputs + before if before.shape == inputs.shape else inputs


mistake(three_layers, "the first layer is run in place of every layer").made_in(
    Usual, FirstLayerAgain={"for layer": "for _", "layer(inputs)": "self.layers[0](inputs)"}
)
mistake(three_layers, "only the first layer is run: is the return inside the loop?").made_in(
    Usual, FirstLayerAlone={"inputs = outputs": "return outputs", "return inputs": ""}
)


@mistake(three_layers, "the layers are run from the last to the first")
class LastLayerFirst(Given):
    def forward(self, inputs):
        same = inputs.shape[-1] == self.layers[0].hidden_size
        for layer in reversed(self.layers) if same else self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs


mistake(
    three_layers_of_other_width,
    "the sizes of inputs and outputs are compared only once, for the whole stack; expected for each layer",
).made_in(
    LastLayerFirst,
    AllOrNothing={
        "reversed(self.layers) if same else self.layers": "self.layers",
        "outputs.shape == inputs.shape": "same",
    },
)


@mistake(three_layers_of_other_width, "after a layer without a residual connection, the next layer has none either")
class SecondWithoutToo(Given):
    def forward(self, inputs):
        before = inputs.shape[-1]
        for layer in self.layers:
            outputs, _ = layer(inputs)
            same = before == outputs.shape[-1]
            before = inputs.shape[-1]
            inputs = outputs + inputs if same else outputs
        return inputs


@mistake(own_inputs, "the caller's inputs are changed in place")
class InPlace(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs.clone())
            if outputs.shape == inputs.shape:
                inputs += outputs
            else:
                inputs = outputs
        return inputs


mistake(stack_gradient, "the inputs are detached, so no gradient flows through the residual connections").made_in(
    Usual, DetachedInputs={"outputs + inputs": "outputs + inputs.detach()"}
)
mistake(stack_gradient, "the GRU's outputs are detached, so no gradient flows through the layers").made_in(
    Usual, DetachedOutputs={"outputs + inputs": "outputs.detach() + inputs"}
)


@mistake(stack_gradient, "the GRU's outputs are changed in place, but the backward pass needs them")
class InPlaceOnOutputs(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            if outputs.shape == inputs.shape:
                outputs.data.add_(inputs.data)
            inputs = outputs
        return inputs


@mistake(
    three_layers,
    "the last state of a layer is passed to the next layer as its first state, expected zeros for each layer",
)
class StateHandedUp(Given):
    def forward(self, inputs):
        state = None
        for layer in self.layers:
            outputs, state = layer(inputs, state)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs


@mistake(other_width, "there is a ReLU on each layer's result, as in networks for images")
class BentSums(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs = layer(inputs)[0]
            inputs = (outputs + inputs if outputs.shape == inputs.shape else outputs).relu()
        return inputs


@mistake(three_layers, "the output of the GRU below is added, without that layer's own residual connection")
class AddsTheBareOutputBelow(Given):
    def forward(self, inputs):
        below = inputs
        for layer in self.layers:
            outputs = layer(inputs)[0]
            inputs = outputs + below if outputs.shape == below.shape else outputs
            below = outputs
        return inputs


@right
class WithSizes(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs = layer(inputs)[0]
            if layer.input_size == layer.hidden_size:
                outputs = outputs + inputs
            inputs = outputs
        return inputs


@right
class FromAListOfOutputs(Given):
    def forward(self, inputs):
        handed_on = [inputs]
        for layer in self.layers:
            outputs, _ = layer(handed_on[-1])
            same = handed_on[-1].size(-1) == outputs.size(-1)
            handed_on.append(torch.add(outputs, handed_on[-1]) if same else outputs)
        return handed_on[-1]


@right
class WordAfterWord(Given):
    def forward(self, inputs):
        for layer in self.layers:
            state, columns = None, []
            for column in inputs.split(1, dim=1):
                out, state = layer(column, state)
                columns.append(out + column if out.shape == column.shape else out)
            inputs = torch.cat(columns, dim=1)
        return inputs


@right
class InPlaceOnItsOwn(Given):
    def forward(self, inputs):
        for layer in self.layers:
            outputs = layer(inputs)[0].clone()
            if outputs.shape == inputs.shape:
                outputs += inputs
            inputs = outputs
        return inputs


@right
class Recursive(Given):
    def forward(self, inputs, layer=None):
        layer = len(self.layers) if layer is None else layer
        if layer == 0:
            return inputs
        below = self.forward(inputs, layer - 1)
        outputs, _ = self.layers[layer - 1](below)
        return outputs + below if outputs.shape == below.shape else outputs


@right
def made_by_a_function(input_size, hidden_size, num_layers):
    return WithSizes(input_size, hidden_size, num_layers)


@right
class WordsFirst(Given):
    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__(input_size, hidden_size, num_layers)
        self.layers = nn.ModuleList(nn.GRU(layer.input_size, hidden_size) for layer in self.layers)

    def forward(self, inputs):
        inputs = inputs.transpose(0, 1)
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if layer.input_size == layer.hidden_size else outputs
        return inputs.transpose(0, 1)


class ResidualGRU(nn.GRU):
    """A layer that adds its own input."""

    def forward(self, inputs):
        outputs, _ = super().forward(inputs)
        return outputs + inputs if self.input_size == self.hidden_size else outputs


@right
class InSequence(Given):
    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__(input_size, hidden_size, num_layers)
        sizes = [layer.input_size for layer in self.layers]
        self.layers = nn.Sequential(*(ResidualGRU(size, hidden_size, batch_first=True) for size in sizes))

    def forward(self, inputs):
        return self.layers(inputs)


right(functools.partial(FromAListOfOutputs))
