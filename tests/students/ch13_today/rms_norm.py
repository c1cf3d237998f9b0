"""What students hand in for `RMSNorm`: each mistake alone, and right answers of many styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "RMSNorm"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))


class Written(Given):
    """A right answer, of which each mistake changes one part."""

    def mean_square(self, inputs):
        return (inputs * inputs).mean(dim=-1, keepdim=True)

    def root(self, inputs):
        return (self.mean_square(inputs) + self.eps).sqrt()

    def forward(self, inputs):
        return self.weight * inputs / self.root(inputs)


class LayerNormed(Written):
    """The mean is subtracted, as in a layer norm."""

    def forward(self, inputs):
        return super().forward(inputs - inputs.mean(dim=-1, keepdim=True))


class Variance(Written):
    """The variance takes the place of the mean square."""

    def mean_square(self, inputs):
        return inputs.var(dim=-1, keepdim=True, correction=0)


class SumOfSquares(Written):
    """The squares are summed."""

    def mean_square(self, inputs):
        return inputs.square().sum(dim=-1, keepdim=True)


class NoRoot(Written):
    """The root is forgotten."""

    def root(self, inputs):
        return self.mean_square(inputs) + self.eps


class Multiplied(Written):
    """Multiplied by the root."""

    def forward(self, inputs):
        return self.weight * inputs * self.root(inputs)


class AbsoluteValues(Written):
    """The mean of the absolute values."""

    def root(self, inputs):
        return inputs.abs().mean(dim=-1, keepdim=True) + self.eps


class OverPositions(Written):
    """The wrong axis."""

    def mean_square(self, inputs):
        return inputs.square().mean(dim=-2, keepdim=True)


class OverEverything(Written):
    """One mean square for the whole batch."""

    def mean_square(self, inputs):
        return inputs.square().mean()


class NoKeptDimension(Written):
    """The mean square has lost its dimension."""

    def mean_square(self, inputs):
        return inputs.square().mean(dim=-1)


class EpsOutside(Written):
    """ε is added to the root."""

    def root(self, inputs):
        return self.mean_square(inputs).sqrt() + self.eps


class NoEps(Written):
    """ε is forgotten."""

    def root(self, inputs):
        return self.mean_square(inputs).sqrt()


class EpsOfItsOwn(Written):
    """A constant takes the place of the argument."""

    def root(self, inputs):
        return (self.mean_square(inputs) + 1e-6).sqrt()


class EpsAsTheLeast(Written):
    """ε is the least mean square."""

    def root(self, inputs):
        return self.mean_square(inputs).clamp_min(self.eps).sqrt()


class NoWeight(Written):
    """The weight is not used."""

    def forward(self, inputs):
        return inputs / self.root(inputs)


class OnePlusWeight(Written):
    """The weight is taken as a difference from 1."""

    def forward(self, inputs):
        return super().forward(inputs) + inputs / self.root(inputs)


class WeightFirst(Written):
    """The inputs are multiplied by the weight first."""

    def forward(self, inputs):
        scaled = self.weight * inputs
        return scaled / self.root(scaled)


class ThreeDimensions(Written):
    """The last dimension is the third."""

    def mean_square(self, inputs):
        return inputs.square().mean(2, keepdim=True)


class ChangesItsInputs(Written):
    """The caller's vectors are divided in place."""

    def forward(self, inputs):
        inputs /= self.root(inputs)
        return self.weight * inputs


class Squeezes(Written):
    """Dimensions of size one are lost."""

    def forward(self, inputs):
        return super().forward(inputs).squeeze()


class SinglePrecision(Written):
    """The result is always float32."""

    def forward(self, inputs):
        return super().forward(inputs.float())


class NoGradient(Written):
    """All of it without a gradient."""

    @torch.no_grad()
    def forward(self, inputs):
        return super().forward(inputs)


class DetachedRoot(Written):
    """The root is detached, so the gradient treats it as a constant."""

    def root(self, inputs):
        return super().root(inputs.detach())


_SQUARES = "each vector is divided by the root of its mean square"
_EPS = "ε is added to the mean square, under the root"
_WEIGHT = "the result is multiplied by weight"
_SHAPES = "works with any number of dimensions and does not change its inputs"
_NUMBERS = "half and double precision work, and so does a vector of zeros"

WRONG = {
    LayerNormed: _SQUARES,
    Variance: _SQUARES,
    SumOfSquares: _SQUARES,
    NoRoot: _SQUARES,
    Multiplied: _SQUARES,
    AbsoluteValues: _SQUARES,
    OverPositions: _SQUARES,
    OverEverything: _SQUARES,
    NoKeptDimension: _SQUARES,
    EpsOutside: _EPS,
    NoEps: _EPS,
    EpsOfItsOwn: _EPS,
    EpsAsTheLeast: _EPS,
    NoWeight: _WEIGHT,
    OnePlusWeight: _SQUARES,
    WeightFirst: _WEIGHT,
    ThreeDimensions: _SHAPES,
    ChangesItsInputs: _SHAPES,
    Squeezes: _SHAPES,
    SinglePrecision: _NUMBERS,
    NoGradient: "works as the chapter uses it",
    DetachedRoot: "works as the chapter uses it",
}


class Rsqrt(Given):
    """The usual line."""

    def forward(self, inputs):
        return inputs * torch.rsqrt(inputs.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class ByHand(Given):
    """Sums and a power."""

    def forward(self, inputs):
        squares = (inputs**2).sum(dim=-1, keepdim=True) / inputs.shape[-1]
        return self.weight * (inputs / (squares + self.eps) ** 0.5)


class VectorAfterVector(Given):
    """One vector after the other."""

    def forward(self, inputs):
        rows = [v / (v.dot(v) / len(v) + self.eps).sqrt() * self.weight for v in inputs.reshape(-1, inputs.shape[-1])]
        return torch.stack(rows).reshape(inputs.shape)


class Length(Given):
    """With the length of the vector."""

    def forward(self, inputs):
        length = torch.linalg.vector_norm(inputs, dim=-1, keepdim=True)
        return self.weight * inputs / (length * length / inputs.shape[-1] + self.eps).sqrt()


class WideInside(Given):
    """In single precision inside, as libraries do."""

    def forward(self, inputs):
        wide = inputs if inputs.dtype == torch.float64 else inputs.float()
        normal = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * normal.to(inputs.dtype)


RIGHT = {
    "rsqrt": Rsqrt,
    "by hand": ByHand,
    "vector after vector": VectorAfterVector,
    "with the length": Length,
    "wide inside": WideInside,
    "a partial": functools.partial(Rsqrt),
}


class TorchsOwn(Given):
    """The rule is that this is not used."""

    def forward(self, inputs):
        return F.rms_norm(inputs, inputs.shape[-1:], self.weight, self.eps)


FORBIDDEN = (TorchsOwn,)
