"""What students submit for `ResidualStack`: each mistake alone, and right answers in many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points. The constructor is given with
the exercise, so each class is derived from `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "ResidualStack"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__()
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.GRU(size, hidden_size, batch_first=True) for size in sizes)


class AddsAnyWidth(Given):
    """The input is added whatever its size, which raises an error or broadcasts a single value."""

    def forward(self, inputs):
        for layer in self.layers:
            inputs = inputs + layer(inputs)[0]
        return inputs


class AddsOneWide(Given):
    """Inputs of size 1 are added too, because torch broadcasts them."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if inputs.shape[-1] in (1, outputs.shape[-1]) else outputs
        return inputs


class CutToWidth(Given):
    """Inputs that are too wide are truncated, and those that are too narrow are filled up with zeros."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + F.pad(inputs, (0, outputs.shape[-1] - inputs.shape[-1]))
        return inputs


class TupleOfLayer(Given):
    """A GRU returns two things."""

    def forward(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs


class StateOfLayer(Given):
    """The last state instead of the outputs."""

    def forward(self, inputs):
        for layer in self.layers:
            _, inputs = layer(inputs)
        return inputs


class OutputsAndState(Given):
    """Two results instead of one."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, state = layer(inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs, state


class OtherLayers(Given):
    """The constructor was changed to one GRU of many layers."""

    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__(input_size, hidden_size, 1)
        self.layers = nn.GRU(input_size, hidden_size, num_layers, batch_first=True)

    def forward(self, inputs):
        return self.layers(inputs)[0]


class NoForward(Given):
    """forward was deleted."""


class NoneAtAll(Given):
    """No residual connection."""

    def forward(self, inputs):
        for layer in self.layers:
            inputs, _ = layer(inputs)
        return inputs


class AllButTheFirst(Given):
    """The first layer never has a residual connection."""

    def forward(self, inputs):
        inputs, _ = self.layers[0](inputs)
        for layer in self.layers[1:]:
            inputs = inputs + layer(inputs)[0]
        return inputs


class Multiplied(Given):
    """A product instead of the sum."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs * inputs if outputs.shape == inputs.shape else outputs
        return inputs


class AddedTwice(Given):
    """The input is added twice."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + 2 * inputs if outputs.shape == inputs.shape else outputs
        return inputs


class Averaged(Given):
    """The mean instead of the sum."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = (outputs + inputs) / 2 if outputs.shape == inputs.shape else outputs
        return inputs


class Normalised(Given):
    """A layer normalisation after every sum."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = F.layer_norm(outputs + inputs, inputs.shape[-1:]) if outputs.shape == inputs.shape else outputs
        return inputs


class SideBySide(Given):
    """A concatenation instead of the sum."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = torch.cat([outputs, inputs], dim=-1) if outputs.shape == inputs.shape else outputs
        return inputs


class AroundAll(Given):
    """One residual connection around all layers."""

    def forward(self, inputs):
        outputs = inputs
        for layer in self.layers:
            outputs, _ = layer(outputs)
        return outputs + inputs if outputs.shape == inputs.shape else outputs


class FirstInputsAgain(Given):
    """The first inputs are added at every layer."""

    def forward(self, inputs):
        outputs = inputs
        for layer in self.layers:
            outputs, _ = layer(outputs)
            outputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return outputs


class AddedAtTheEnd(Given):
    """Only the last layer has a residual connection."""

    def forward(self, inputs):
        for layer in self.layers:
            before = inputs
            inputs, _ = layer(before)
        return inputs + before if before.shape == inputs.shape else inputs


class FirstLayerAgain(Given):
    """The first layer is run in place of every layer."""

    def forward(self, inputs):
        for _ in self.layers:
            outputs, _ = self.layers[0](inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs


class FirstLayerAlone(Given):
    """The return statement is inside the loop."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            return outputs + inputs if outputs.shape == inputs.shape else outputs


class LastLayerFirst(Given):
    """The layers run from the last to the first, where they can."""

    def forward(self, inputs):
        same = inputs.shape[-1] == self.layers[0].hidden_size
        for layer in reversed(self.layers) if same else self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs


class AllOrNothing(Given):
    """The size of the inputs is compared only once, for the whole stack."""

    def forward(self, inputs):
        same = inputs.shape[-1] == self.layers[0].hidden_size
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if same else outputs
        return inputs


class SecondWithoutToo(Given):
    """After a layer without a residual connection, the next layer has none either."""

    def forward(self, inputs):
        before = inputs.shape[-1]
        for layer in self.layers:
            outputs, _ = layer(inputs)
            same = before == outputs.shape[-1]
            before = inputs.shape[-1]
            inputs = outputs + inputs if same else outputs
        return inputs


class InPlace(Given):
    """The caller's inputs are changed in place."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs.clone())
            if outputs.shape == inputs.shape:
                inputs += outputs
            else:
                inputs = outputs
        return inputs


class DetachedInputs(Given):
    """No gradient flows through the residual connections."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs.detach() if outputs.shape == inputs.shape else outputs
        return inputs


class DetachedOutputs(Given):
    """No gradient flows through the layers."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs.detach() + inputs if outputs.shape == inputs.shape else outputs
        return inputs


class InPlaceOnOutputs(Given):
    """The GRU's outputs are changed in place, although the backward pass needs them."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs, _ = layer(inputs)
            if outputs.shape == inputs.shape:
                outputs.data.add_(inputs.data)
            inputs = outputs
        return inputs


class StateHandedUp(Given):
    """A layer starts from the last state of the one below."""

    def forward(self, inputs):
        state = None
        for layer in self.layers:
            outputs, state = layer(inputs, state)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs


class BentSums(Given):
    """There is a ReLU on each sum, as in networks for images."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs = layer(inputs)[0]
            inputs = (outputs + inputs if outputs.shape == inputs.shape else outputs).relu()
        return inputs


class AddsTheBareOutputBelow(Given):
    """The output of the GRU below is added, without that layer's own residual connection."""

    def forward(self, inputs):
        below = inputs
        for layer in self.layers:
            outputs = layer(inputs)[0]
            inputs = outputs + below if outputs.shape == below.shape else outputs
            below = outputs
        return inputs


_WIDTHS = "a layer whose input has another size returns the output of its GRU alone"
_ADDED = "a layer's input is added to its output"
_EACH = "each layer has its own residual connection, and reads the sum from the layer below"
_FIRST = "if D is not H, all layers but the first have a residual connection"
_INPUTS = "the inputs are not changed"
_GRADIENT = "the gradient flows through the layers and around them"

WRONG = {
    BentSums: _WIDTHS,
    AddsTheBareOutputBelow: _EACH,
    AddsAnyWidth: _WIDTHS,
    AddsOneWide: _WIDTHS,
    CutToWidth: _WIDTHS,
    TupleOfLayer: _WIDTHS,
    StateOfLayer: _WIDTHS,
    OutputsAndState: _WIDTHS,
    OtherLayers: _WIDTHS,
    NoForward: _WIDTHS,
    NoneAtAll: _ADDED,
    AllButTheFirst: _ADDED,
    Multiplied: _ADDED,
    AddedTwice: _ADDED,
    Averaged: _ADDED,
    Normalised: _ADDED,
    SideBySide: _ADDED,
    AroundAll: _EACH,
    FirstInputsAgain: _EACH,
    AddedAtTheEnd: _EACH,
    FirstLayerAgain: _EACH,
    FirstLayerAlone: _EACH,
    LastLayerFirst: _EACH,
    StateHandedUp: _EACH,
    AllOrNothing: _FIRST,
    SecondWithoutToo: _FIRST,
    InPlace: _INPUTS,
    DetachedInputs: _GRADIENT,
    DetachedOutputs: _GRADIENT,
    InPlaceOnOutputs: _GRADIENT,
}


class WithSizes(Given):
    """The widths are asked of the layers."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs = layer(inputs)[0]
            if layer.input_size == layer.hidden_size:
                outputs = outputs + inputs
            inputs = outputs
        return inputs


class FromAListOfOutputs(Given):
    """The outputs of all layers are kept."""

    def forward(self, inputs):
        handed_on = [inputs]
        for layer in self.layers:
            outputs, _ = layer(handed_on[-1])
            same = handed_on[-1].size(-1) == outputs.size(-1)
            handed_on.append(torch.add(outputs, handed_on[-1]) if same else outputs)
        return handed_on[-1]


class WordAfterWord(Given):
    """Each layer a word at a time."""

    def forward(self, inputs):
        for layer in self.layers:
            state, columns = None, []
            for column in inputs.split(1, dim=1):
                out, state = layer(column, state)
                columns.append(out + column if out.shape == column.shape else out)
            inputs = torch.cat(columns, dim=1)
        return inputs


class InPlaceOnItsOwn(Given):
    """A tensor of its own may be changed in place."""

    def forward(self, inputs):
        for layer in self.layers:
            outputs = layer(inputs)[0].clone()
            if outputs.shape == inputs.shape:
                outputs += inputs
            inputs = outputs
        return inputs


class Recursive(Given):
    """The stack up to a layer, and the layer."""

    def forward(self, inputs, layer=None):
        layer = len(self.layers) if layer is None else layer
        if layer == 0:
            return inputs
        below = self.forward(inputs, layer - 1)
        outputs, _ = self.layers[layer - 1](below)
        return outputs + below if outputs.shape == below.shape else outputs


def made_by_a_function(input_size, hidden_size, num_layers):
    """A function that builds one."""
    return WithSizes(input_size, hidden_size, num_layers)


class WordsFirst(Given):
    """GRUs with the same weights that want the words first, and the batch second."""

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


class InSequence(Given):
    """Layers that make the sum themselves, one after the other."""

    def __init__(self, input_size, hidden_size, num_layers):
        super().__init__(input_size, hidden_size, num_layers)
        sizes = [layer.input_size for layer in self.layers]
        self.layers = nn.Sequential(*(ResidualGRU(size, hidden_size, batch_first=True) for size in sizes))

    def forward(self, inputs):
        return self.layers(inputs)


RIGHT = {
    "with sizes": WithSizes,
    "from a list of outputs": FromAListOfOutputs,
    "word after word": WordAfterWord,
    "in place on its own": InPlaceOnItsOwn,
    "recursive": Recursive,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(FromAListOfOutputs),
    "words first": WordsFirst,
    "in sequence": InSequence,
}
