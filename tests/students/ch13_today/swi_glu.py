"""What students hand in for `SwiGLU`: each mistake alone, and right answers of many styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "SwiGLU"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)


class Written(Given):
    """A right answer, of which each mistake changes one part."""

    def hidden(self, z, other):
        return F.silu(z) * other

    def forward(self, inputs):
        return self.down(self.hidden(self.gate(inputs), self.up(inputs)))


class SigmoidAlone(Written):
    """The gate of 2016."""

    def hidden(self, z, other):
        return z.sigmoid() * other


class Relu(Written):
    """ReLU for swish."""

    def hidden(self, z, other):
        return z.relu() * other


class Gelu(Written):
    """GELU for swish."""

    def hidden(self, z, other):
        return F.gelu(z) * other


class Bilinear(Written):
    """No activation."""

    def hidden(self, z, other):
        return z * other


class OtherHalf(Written):
    """Swish is applied to `up`."""

    def hidden(self, z, other):
        return z * F.silu(other)


class BothHalves(Written):
    """Swish is applied to both."""

    def hidden(self, z, other):
        return F.silu(z) * F.silu(other)


class AfterTheProduct(Written):
    """Swish is applied to the product."""

    def hidden(self, z, other):
        return F.silu(z * other)


class Added(Written):
    """The halves are added."""

    def hidden(self, z, other):
        return F.silu(z) + other


class NoUp(Written):
    """An ordinary network."""

    def hidden(self, z, other):
        return F.silu(z)


class GateTwice(Written):
    """`gate` is used for both halves."""

    def forward(self, inputs):
        return self.down(self.hidden(self.gate(inputs), self.gate(inputs)))


class ActivatedOutput(Written):
    """An activation after the last layer."""

    def forward(self, inputs):
        return super().forward(inputs).relu()


class Residual(Written):
    """The inputs are added."""

    def forward(self, inputs):
        return inputs + super().forward(inputs)


class NoDown(Written):
    """The last layer is forgotten."""

    def forward(self, inputs):
        return self.hidden(self.gate(inputs), self.up(inputs))


class ChangesItsInputs(Written):
    """The caller's vectors are written to."""

    def forward(self, inputs):
        result = super().forward(inputs)
        with torch.no_grad():
            inputs.zero_()
        return result


class ThreeDimensions(Written):
    """The inputs are taken to have three dimensions."""

    def forward(self, inputs):
        return super().forward(inputs.reshape(inputs.shape[0], -1, inputs.shape[-1]))


class ExpOfLarge(Written):
    """Swish by hand, with exp of large numbers."""

    def hidden(self, z, other):
        return z * z.exp() / (1 + z.exp()) * other


class NoGradient(Written):
    """All of it without a gradient."""

    @torch.no_grad()
    def forward(self, inputs):
        return super().forward(inputs)


_GATE = "the gate goes through swish and multiplies the other half"
_LAYERS = "each of the three layers is in its place"
_SHAPES = "works with any number of dimensions and does not change its inputs"

WRONG = {
    SigmoidAlone: _GATE,
    Relu: _GATE,
    Gelu: _GATE,
    Bilinear: _GATE,
    OtherHalf: _GATE,
    BothHalves: _GATE,
    AfterTheProduct: _GATE,
    Added: _GATE,
    NoUp: _GATE,
    GateTwice: _GATE,
    ActivatedOutput: _GATE,
    Residual: _GATE,
    NoDown: _LAYERS,
    ChangesItsInputs: _SHAPES,
    ThreeDimensions: _SHAPES,
    ExpOfLarge: "large inputs work",
    NoGradient: "works as the chapter uses it",
}


class ByHand(Written):
    """Swish with a sigmoid."""

    def hidden(self, z, other):
        return z * torch.sigmoid(z) * other


class Module(Given):
    """Torch's module."""

    def forward(self, inputs):
        return self.down(nn.SiLU()(self.gate(inputs)) * self.up(inputs))


class OneProduct(Given):
    """Both halves in one product."""

    def forward(self, inputs):
        z, other = F.linear(inputs, torch.cat([self.gate.weight, self.up.weight])).chunk(2, dim=-1)
        return F.linear(F.silu(z) * other, self.down.weight)


class Matrices(Given):
    """With matrices alone."""

    def forward(self, inputs):
        z = inputs @ self.gate.weight.T
        return (z / (1 + (-z).exp()) * (inputs @ self.up.weight.T)) @ self.down.weight.T


class Einsum(Given):
    """With einsum."""

    def forward(self, inputs):
        z = torch.einsum("...d,fd->...f", inputs, self.gate.weight)
        return torch.einsum("...f,...f,df->...d", F.silu(z), self.up(inputs), self.down.weight)


RIGHT = {
    "by hand": ByHand,
    "torch's module": Module,
    "one product": OneProduct,
    "matrices": Matrices,
    "einsum": Einsum,
    "a partial": functools.partial(Written),
}
FORBIDDEN = ()
