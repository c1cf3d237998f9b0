"""Mistakes in `LayerNorm`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch08_self_attention.layer_norm import (
    affine,
    epsilon,
    gradient,
    in_chapter,
    normalised,
    numbers,
    shapes,
    variance,
)
from autograder.judging.catalogue import forbidden, mistake, right


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


@mistake(
    gradient, "the root is taken before ε is added: for equal components its gradient is infinite, and 0 · ∞ is NaN"
)
class RootAndSquare(Written):
    def spread(self, inputs):
        root = self.centred(inputs).square().mean(dim=-1, keepdim=True).sqrt()
        return (root.square() + self.eps).sqrt()


@mistake(shapes, "view needs a contiguous tensor; reshape works with any")
class Viewed(Written):
    def forward(self, inputs):
        return super().forward(inputs.view(-1, inputs.shape[-1])).view(inputs.shape)


@mistake(
    normalised,
    "the differences from the mean are divided by their mean absolute value, expected by the square root of the variance",
)
class MeanAbsolute(Written):
    def spread(self, inputs):
        return self.centred(inputs).abs().mean(dim=-1, keepdim=True) + self.eps


mistake(epsilon, "the square of ε is added to the variance, expected ε itself").made_in(
    Written, SquareOfEps={"self.eps": "self.eps**2"}
)


@mistake(normalised, "the sum of the squares is divided by the size of another dimension, expected by d")
class OtherSize(Written):
    def spread(self, inputs):
        return (self.centred(inputs).square().sum(dim=-1, keepdim=True) / inputs.shape[0] + self.eps).sqrt()


@mistake(
    normalised, "mean and variance are taken over the positions, expected over the last dimension, for each vector"
)
class OverPositions(Written):
    def forward(self, inputs):
        mean, variance = inputs.mean(dim=-2, keepdim=True), inputs.var(dim=-2, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


@mistake(
    normalised, "mean and variance are taken over the positions, expected over the last dimension, for each vector"
)
class OverDimensionOne(Written):
    def forward(self, inputs):
        mean, variance = inputs.mean(1, keepdim=True), inputs.var(1, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


@mistake(
    normalised,
    "mean and variance are taken over sentences and positions, as in batch normalisation; expected for each vector, over the last dimension",
)
class OverTheBatch(Written):
    def forward(self, inputs):
        dims = tuple(range(inputs.dim() - 1))
        mean, variance = inputs.mean(dims, keepdim=True), inputs.var(dims, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


@mistake(
    normalised,
    "mean and variance are taken over all values of the batch together; expected for each vector, over the last dimension",
)
class OverEverything(Written):
    def forward(self, inputs):
        return self.weight * (inputs - inputs.mean()) / (inputs.var(correction=0) + self.eps).sqrt() + self.bias


@mistake(
    normalised,
    "mean and variance are taken over positions and components together; expected for each vector, over the last dimension",
)
class OverSentences(Written):
    def forward(self, inputs):
        mean, variance = inputs.mean((-2, -1), keepdim=True), inputs.var((-2, -1), keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


mistake(
    normalised, "the mean loses its dimension, so it is not aligned with the vectors: keepdim=True keeps it"
).made_in(Written, NoKeptDimension={"(dim=-1, keepdim=True)": "(dim=-1)"})
mistake(normalised, "the vectors are divided by the variance itself, expected by its square root").made_in(
    Written, DividedByVariance={".sqrt()": ""}
)


@mistake(normalised, "the mean is subtracted, but nothing is divided by the square root of the variance")
class OnlyCentred(Written):
    def spread(self, inputs):
        return torch.ones_like(inputs)


mistake(normalised, "the mean is not subtracted").made_in(
    Written, NotCentred={" - inputs.mean(dim=-1, keepdim=True)": ""}
)


@mistake(
    normalised,
    "the vectors are divided by the square root of the mean of their squares, and the mean is not subtracted",
)
class RootMeanSquare(Written):
    def forward(self, inputs):
        return self.weight * inputs / (inputs.square().mean(-1, keepdim=True) + self.eps).sqrt() + self.bias


@mistake(normalised, "the vectors are divided by their norm, expected by the square root of the mean of the squares")
class SumOfSquares(Written):
    def spread(self, inputs):
        return (self.centred(inputs).square().sum(-1, keepdim=True) + self.eps).sqrt()


mistake(variance, "the sum of the squares is divided by d - 1, expected by d").made_in(
    Written, Unbiased={", correction=0": ""}
)


@mistake(variance, "the sum of the squares is divided by d - 1, expected by d")
class UnbiasedByHand(Written):
    def spread(self, inputs):
        squares = self.centred(inputs).square().sum(dim=-1, keepdim=True)
        return (squares / (inputs.shape[-1] - 1) + self.eps).sqrt()


mistake(epsilon, "ε is added after the square root, σ + ε; expected under it, √(σ² + ε)").made_in(
    OnlyCentred, EpsOutside={"torch.ones_like(inputs)": "inputs.std(dim=-1, keepdim=True, correction=0) + self.eps"}
)
mistake(epsilon, "ε has no effect, or it is a constant of your own; expected self.eps").made_in(
    OnlyCentred, NoEps={"torch.ones_like(inputs)": "inputs.std(dim=-1, keepdim=True, correction=0)"}
)
mistake(epsilon, "ε has no effect, or it is a constant of your own; expected self.eps").made_in(
    Written, EpsOfItsOwn={"self.eps": "1e-5"}
)
mistake(epsilon, "ε is used as the minimum of the variance, expected added to it").made_in(
    Written, EpsAsTheLeast={" + self.eps": ".clamp_min(self.eps)"}
)
mistake(affine, "weight and bias have no effect").made_in(
    Written, NoAffine={"return self.weight * self": "return self", " + self.bias": ""}
)
mistake(affine, "the bias has no effect").made_in(Written, NoBias={" + self.bias": ""})


@mistake(affine, "the bias is added before the multiplication by the weight, expected after it")
class BiasFirst(Written):
    def forward(self, inputs):
        return self.weight * (self.centred(inputs) / self.spread(inputs) + self.bias)


@mistake(shapes, "the last dimension is taken to be dimension 2: count from the end")
class ThreeDimensions(Written):
    def forward(self, inputs):
        mean, variance = inputs.mean(2, keepdim=True), inputs.var(2, keepdim=True, correction=0)
        return self.weight * (inputs - mean) / (variance + self.eps).sqrt() + self.bias


@mistake(shapes, "the mean is subtracted from the caller's tensor, in place")
class ChangesItsInputs(Written):
    def forward(self, inputs):
        inputs -= inputs.mean(dim=-1, keepdim=True)
        return self.weight * inputs / self.spread(inputs) + self.bias


@mistake(shapes, "a dimension of size one is removed that belongs to the result")
class Squeezes(Written):
    def forward(self, inputs):
        return super().forward(inputs).squeeze()


mistake(numbers, "the result is always float32, expected the dtype of the inputs").made_in(
    Squeezes, SinglePrecision={"super().forward(inputs).squeeze()": "super().forward(inputs.float())"}
)


@mistake(
    numbers,
    "the vectors are divided by σ before ε is used, which is 0 / 0 if all components are equal; expected ε under the square root",
)
class RootThenEps(Written):
    def forward(self, inputs):
        centred, variance = self.centred(inputs), inputs.var(dim=-1, keepdim=True, correction=0)
        return self.weight * centred / variance.sqrt() * (variance / (variance + self.eps)).sqrt() + self.bias


@mistake(gradient, "mean and variance are detached, so no gradient flows through them")
class DetachedStatistics(Written):
    def forward(self, inputs):
        constant = inputs.detach()
        mean = constant.mean(dim=-1, keepdim=True)
        return self.weight * (inputs - mean) / self.spread(constant) + self.bias


@mistake(gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Written):
    @torch.no_grad()
    def forward(self, inputs):
        return super().forward(inputs)


mistake(gradient, "the weight is detached, so no gradient reaches it").made_in(
    Written, WeightCopied={"self.weight": "self.weight.data"}
)


@mistake(
    numbers,
    "the variance is the mean of the squares minus the squared mean, which is inexact far from zero: subtract the mean first",
)
class MeanOfSquares(Given):
    def forward(self, inputs):
        mean = inputs.mean(dim=-1, keepdim=True)
        variance = inputs.square().mean(dim=-1, keepdim=True) - mean.square()
        return self.weight * (inputs - mean) / (variance.clamp_min(0) + self.eps).sqrt() + self.bias


@mistake(in_chapter, "the mean of the last call in training is used in evaluation; expected that of each vector")
class MeanOfTraining(Written):
    def centred(self, inputs):
        mean = inputs.mean(dim=-1, keepdim=True)
        if self.training:
            self.kept = mean.detach()
        kept = getattr(self, "kept", mean)
        return inputs - (kept if not self.training and kept.shape == mean.shape else mean)


mistake(normalised, "the factor is 1 + weight, expected weight, which is 1 at first").made_in(
    Squeezes, OneMore={".squeeze()": " + self.centred(inputs) / self.spread(inputs)"}
)


@mistake(epsilon, "ε is the least standard deviation, expected added to the variance")
class AtLeastEps(Written):
    def spread(self, inputs):
        return inputs.std(dim=-1, keepdim=True, correction=0).clamp(min=self.eps)


@right
class ByHand(Given):
    def forward(self, inputs):
        size = inputs.shape[-1]
        mean = inputs.sum(dim=-1, keepdim=True) / size
        variance = ((inputs - mean) ** 2).sum(dim=-1, keepdim=True) / size
        return self.weight * (inputs - mean) * torch.rsqrt(variance + self.eps) + self.bias


@right
class WithVarMean(Given):
    def forward(self, inputs):
        variance, mean = torch.var_mean(inputs, dim=-1, keepdim=True, correction=0)
        return torch.addcmul(self.bias, self.weight, (inputs - mean) / torch.sqrt(variance + self.eps))


@right
class WithTheOldWord(Given):
    def forward(self, inputs):
        variance = inputs.var(-1, unbiased=False, keepdim=True)
        return (inputs - inputs.mean(-1, keepdim=True)) / (variance + self.eps) ** 0.5 * self.weight + self.bias


@right
class VectorAfterVector(Given):
    def forward(self, inputs):
        rows = []
        for vector in inputs.reshape(-1, inputs.shape[-1]):
            centred = vector - vector.mean()
            rows.append(centred / (centred.dot(centred) / len(vector) + self.eps).sqrt() * self.weight + self.bias)
        return torch.stack(rows).reshape(inputs.shape)


@right
class StandardDeviation(Given):
    def forward(self, inputs):
        wide = inputs if inputs.dtype == torch.float64 else inputs.float()
        mean = wide.mean(dim=-1, keepdim=True)
        variance = (wide - mean).square().mean(dim=-1, keepdim=True)
        normal = (wide - mean) / (variance + self.eps).sqrt()
        return self.weight * normal.to(inputs.dtype) + self.bias


@forbidden
class AGroupNorm(Given):
    def forward(self, inputs):
        vectors = inputs.reshape(-1, inputs.shape[-1])
        return F.group_norm(vectors, 1, self.weight, self.bias, self.eps).reshape(inputs.shape)


@right
class WideMeanOfSquares(Given):
    def forward(self, inputs):
        wide = inputs.double()
        mean = wide.mean(dim=-1, keepdim=True)
        variance = wide.square().mean(dim=-1, keepdim=True) - mean.square()
        normal = (wide - mean) / (variance.clamp_min(0) + self.eps).sqrt()
        return self.weight * normal.to(inputs.dtype) + self.bias


@forbidden
class TorchsOwn(Given):
    def forward(self, inputs):
        return F.layer_norm(inputs, inputs.shape[-1:], self.weight, self.bias, self.eps)


@forbidden
class TorchsModule(Given):
    def forward(self, inputs):
        return nn.LayerNorm(inputs.shape[-1], self.eps)(inputs) * self.weight + self.bias


right(functools.partial(ByHand))
