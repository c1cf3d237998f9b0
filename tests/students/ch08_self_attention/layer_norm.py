"""What students hand in for `LayerNorm`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule. The constructor is given with the exercise, so each stands on `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "LayerNorm"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, size, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))


class Written(Given):
    """A right answer, of which each mistake changes one part."""

    def centred(self, inputs):
        return inputs - inputs.mean(dim=-1, keepdim=True)

    def spread(self, inputs):
        return (inputs.var(dim=-1, keepdim=True, correction=0) + self.eps).sqrt()

    def forward(self, inputs):
        return self.weight * self.centred(inputs) / self.spread(inputs) + self.bias


class OverPositions(Written):
    """The wrong axis."""

    def forward(self, inputs):
        mean, variance = inputs.mean(dim=-2, keepdim=True), inputs.var(dim=-2, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


class OverDimensionOne(Written):
    """The axis of a batch of single vectors."""

    def forward(self, inputs):
        mean, variance = inputs.mean(1, keepdim=True), inputs.var(1, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


class OverTheBatch(Written):
    """A batch normalisation."""

    def forward(self, inputs):
        dims = tuple(range(inputs.dim() - 1))
        mean, variance = inputs.mean(dims, keepdim=True), inputs.var(dims, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


class OverEverything(Written):
    """One mean and one variance for all."""

    def forward(self, inputs):
        return self.weight * (inputs - inputs.mean()) / (inputs.var(correction=0) + self.eps).sqrt() + self.bias


class OverSentences(Written):
    """One mean and one variance for each sentence."""

    def forward(self, inputs):
        mean, variance = inputs.mean((-2, -1), keepdim=True), inputs.var((-2, -1), keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


class NoKeptDimension(Written):
    """The mean has lost its dimension."""

    def centred(self, inputs):
        return inputs - inputs.mean(dim=-1)


class DividedByVariance(Written):
    """The root is forgotten."""

    def spread(self, inputs):
        return inputs.var(dim=-1, keepdim=True, correction=0) + self.eps


class OnlyCentred(Written):
    """Nothing is divided."""

    def spread(self, inputs):
        return torch.ones_like(inputs)


class NotCentred(Written):
    """The mean stays."""

    def centred(self, inputs):
        return inputs


class RootMeanSquare(Written):
    """A later norm, without a mean."""

    def forward(self, inputs):
        return self.weight * inputs / (inputs.square().mean(-1, keepdim=True) + self.eps).sqrt() + self.bias


class SumOfSquares(Written):
    """The squares are added up, not averaged."""

    def spread(self, inputs):
        return (self.centred(inputs).square().sum(-1, keepdim=True) + self.eps).sqrt()


class Unbiased(Written):
    """Torch's variance as it comes."""

    def spread(self, inputs):
        return (inputs.var(dim=-1, keepdim=True) + self.eps).sqrt()


class UnbiasedByHand(Written):
    """d - 1 as in a statistics book."""

    def spread(self, inputs):
        squares = self.centred(inputs).square().sum(dim=-1, keepdim=True)
        return (squares / (inputs.shape[-1] - 1) + self.eps).sqrt()


class EpsOutside(Written):
    """ε is added to the standard deviation."""

    def spread(self, inputs):
        return inputs.std(dim=-1, keepdim=True, correction=0) + self.eps


class NoEps(Written):
    """ε is forgotten."""

    def spread(self, inputs):
        return inputs.std(dim=-1, keepdim=True, correction=0)


class EpsOfItsOwn(Written):
    """A constant in the place of the argument."""

    def spread(self, inputs):
        return (inputs.var(dim=-1, keepdim=True, correction=0) + 1e-5).sqrt()


class EpsAsTheLeast(Written):
    """The variance is kept from being less than ε."""

    def spread(self, inputs):
        return inputs.var(dim=-1, keepdim=True, correction=0).clamp_min(self.eps).sqrt()


class NoAffine(Written):
    """Weight and bias are not used."""

    def forward(self, inputs):
        return self.centred(inputs) / self.spread(inputs)


class NoBias(Written):
    """The bias is not used."""

    def forward(self, inputs):
        return self.weight * self.centred(inputs) / self.spread(inputs)


class BiasFirst(Written):
    """Shifted before it is stretched."""

    def forward(self, inputs):
        return self.weight * (self.centred(inputs) / self.spread(inputs) + self.bias)


class ThreeDimensions(Written):
    """The last dimension is the third."""

    def forward(self, inputs):
        mean, variance = inputs.mean(2, keepdim=True), inputs.var(2, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


class ChangesItsInputs(Written):
    """The mean is taken away from the caller's vectors."""

    def forward(self, inputs):
        inputs -= inputs.mean(dim=-1, keepdim=True)
        return self.weight * inputs / self.spread(inputs) + self.bias


class Squeezes(Written):
    """Dimensions of size one are lost."""

    def forward(self, inputs):
        return super().forward(inputs).squeeze()


class SinglePrecision(Written):
    """The result is always float32, whatever the dtype of the inputs."""

    def forward(self, inputs):
        return super().forward(inputs.float())


class RootThenEps(Written):
    """Zero by zero, replaced where it is too late."""

    def forward(self, inputs):
        centred, variance = self.centred(inputs), inputs.var(dim=-1, keepdim=True, correction=0)
        return self.weight * centred / variance.sqrt() * (variance / (variance + self.eps)).sqrt() + self.bias


class DetachedStatistics(Written):
    """Mean and variance are treated as constants in the gradient."""

    def forward(self, inputs):
        constant = inputs.detach()
        mean = constant.mean(dim=-1, keepdim=True)
        return self.weight * (inputs - mean) / self.spread(constant) + self.bias


class NoGradient(Written):
    """All of it without a gradient."""

    @torch.no_grad()
    def forward(self, inputs):
        return super().forward(inputs)


class WeightCopied(Written):
    """The weight is copied, and its gradient lost."""

    def forward(self, inputs):
        return self.weight.data * self.centred(inputs) / self.spread(inputs) + self.bias


class MeanOfSquares(Given):
    """The mean of the squares less the square of the mean."""

    def forward(self, inputs):
        mean = inputs.mean(dim=-1, keepdim=True)
        variance = inputs.square().mean(dim=-1, keepdim=True) - mean.square()
        return self.weight * (inputs - mean) / (variance.clamp_min(0) + self.eps).sqrt() + self.bias


_NORMALISED = "each vector has mean zero, and all have the same variance"
_VARIANCE = "the variance is the mean of the squares"
_EPS = "ε is added to the variance, under the square root"
_AFFINE = "the result is multiplied by weight, and bias is added"
_SHAPES = "any number of dimensions works, and the inputs are not changed"
_NUMBERS = "half and double precision work, and so do equal values and values far from zero"
_GRADIENT = "the gradient for inputs, weight and bias is right"

WRONG = {
    OverPositions: _NORMALISED,
    OverDimensionOne: _NORMALISED,
    OverTheBatch: _NORMALISED,
    OverEverything: _NORMALISED,
    OverSentences: _NORMALISED,
    NoKeptDimension: _NORMALISED,
    DividedByVariance: _NORMALISED,
    OnlyCentred: _NORMALISED,
    NotCentred: _NORMALISED,
    RootMeanSquare: _NORMALISED,
    SumOfSquares: _NORMALISED,
    Unbiased: _VARIANCE,
    UnbiasedByHand: _VARIANCE,
    EpsOutside: _EPS,
    NoEps: _EPS,
    EpsOfItsOwn: _EPS,
    EpsAsTheLeast: _EPS,
    NoAffine: _AFFINE,
    NoBias: _AFFINE,
    BiasFirst: _AFFINE,
    ThreeDimensions: _SHAPES,
    ChangesItsInputs: _SHAPES,
    Squeezes: _SHAPES,
    SinglePrecision: _NUMBERS,
    MeanOfSquares: _NUMBERS,
    RootThenEps: _NUMBERS,
    DetachedStatistics: _GRADIENT,
    NoGradient: _GRADIENT,
    WeightCopied: _GRADIENT,
}


class ByHand(Given):
    """The formula, word for word."""

    def forward(self, inputs):
        size = inputs.shape[-1]
        mean = inputs.sum(dim=-1, keepdim=True) / size
        variance = ((inputs - mean) ** 2).sum(dim=-1, keepdim=True) / size
        return self.weight * (inputs - mean) * torch.rsqrt(variance + self.eps) + self.bias


class WithVarMean(Given):
    """Both in one call."""

    def forward(self, inputs):
        variance, mean = torch.var_mean(inputs, dim=-1, keepdim=True, correction=0)
        return torch.addcmul(self.bias, self.weight, (inputs - mean) / torch.sqrt(variance + self.eps))


class WithTheOldWord(Given):
    """`unbiased` as older code has it."""

    def forward(self, inputs):
        variance = inputs.var(-1, unbiased=False, keepdim=True)
        return (inputs - inputs.mean(-1, keepdim=True)) / (variance + self.eps) ** 0.5 * self.weight + self.bias


class VectorAfterVector(Given):
    """One vector after the other."""

    def forward(self, inputs):
        rows = []
        for vector in inputs.reshape(-1, inputs.shape[-1]):
            centred = vector - vector.mean()
            rows.append(centred / (centred.dot(centred) / len(vector) + self.eps).sqrt() * self.weight + self.bias)
        return torch.stack(rows).reshape(inputs.shape)


class StandardDeviation(Given):
    """The deviation is squared again before ε comes in; with float32 inside half precision."""

    def forward(self, inputs):
        wide = inputs if inputs.dtype == torch.float64 else inputs.float()
        mean = wide.mean(dim=-1, keepdim=True)
        variance = (wide - mean).square().mean(dim=-1, keepdim=True)
        normal = (wide - mean) / (variance + self.eps).sqrt()
        return self.weight * normal.to(inputs.dtype) + self.bias


class AGroupNorm(Given):
    """All numbers of a vector are one group."""

    def forward(self, inputs):
        vectors = inputs.reshape(-1, inputs.shape[-1])
        return F.group_norm(vectors, 1, self.weight, self.bias, self.eps).reshape(inputs.shape)


class WideMeanOfSquares(Given):
    """The same in double precision, where it may be."""

    def forward(self, inputs):
        wide = inputs.double()
        mean = wide.mean(dim=-1, keepdim=True)
        variance = wide.square().mean(dim=-1, keepdim=True) - mean.square()
        normal = (wide - mean) / (variance.clamp_min(0) + self.eps).sqrt()
        return self.weight * normal.to(inputs.dtype) + self.bias


RIGHT = {
    "by hand": ByHand,
    "with var_mean": WithVarMean,
    "with the old word": WithTheOldWord,
    "vector after vector": VectorAfterVector,
    "in single precision and back": StandardDeviation,
    "the mean of squares": WideMeanOfSquares,
    "a group norm": AGroupNorm,
    "a partial": functools.partial(ByHand),
}


class TorchsOwn(Given):
    """The rule is that this is not used."""

    def forward(self, inputs):
        return F.layer_norm(inputs, inputs.shape[-1:], self.weight, self.bias, self.eps)


class TorchsModule(Given):
    """The rule is that this is not used either."""

    def forward(self, inputs):
        return nn.LayerNorm(inputs.shape[-1], self.eps)(inputs) * self.weight + self.bias


FORBIDDEN = (TorchsOwn, TorchsModule)
