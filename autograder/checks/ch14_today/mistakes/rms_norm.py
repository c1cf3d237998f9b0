"""Mistakes in `RMSNorm`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch14_today.rms_norm import epsilon, in_chapter, normalised, numbers, shapes, stretched
from autograder.judging.catalogue import forbidden, mistake, right


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


@mistake(normalised, "the mean is subtracted, as in layer normalisation; expected the vectors as they are")
class LayerNormed(Written):
    def forward(self, inputs):
        return super().forward(inputs - inputs.mean(dim=-1, keepdim=True))


mistake(normalised, "the mean is subtracted before the division; expected the vectors as they are").made_in(
    Written, OnlyCentred={"self.weight * inputs": "self.weight * (inputs - inputs.mean(dim=-1, keepdim=True))"}
)
mistake(normalised, "the variance is used instead of the mean square").made_in(
    Written, Variance={"(inputs * inputs).mean(dim=-1, keepdim=True)": "inputs.var(dim=-1, keepdim=True, correction=0)"}
)
mistake(normalised, "the vectors are divided by their length: the squares are summed, expected their mean").made_in(
    Written, SumOfSquares={"(inputs * inputs).mean": "inputs.square().sum"}
)
mistake(normalised, "the vectors are divided by the mean square itself, expected its root").made_in(
    Written, NoRoot={"(self.mean_square(inputs) + self.eps).sqrt()": "self.mean_square(inputs) + self.eps"}
)
mistake(normalised, "the vectors are multiplied by the root, expected a division").made_in(
    Written, Multiplied={"/ self": "* self"}
)


@mistake(normalised, "the mean of the absolute values is used instead of the root of the mean square")
class AbsoluteValues(Written):
    def root(self, inputs):
        return inputs.abs().mean(dim=-1, keepdim=True) + self.eps


mistake(normalised, "the squares are averaged over the positions, expected over the last dimension").made_in(
    Written, OverPositions={"(inputs * inputs).mean": "inputs.square().mean", "dim=-1": "dim=-2"}
)
mistake(normalised, "the squares of the whole batch are averaged, expected those of each vector").made_in(
    Written, OverEverything={"(inputs * inputs).mean(dim=-1, keepdim=True)": "inputs.square().mean()"}
)
mistake(
    normalised, "the mean loses the last dimension, so it does not broadcast over the vectors; expected keepdim=True"
).made_in(Written, NoKeptDimension={"(inputs * inputs).mean(dim=-1, keepdim=True)": "inputs.square().mean(dim=-1)"})
mistake(epsilon, "ε is added to the root, expected under it").made_in(
    Written, EpsOutside={"(self.mean_square(inputs) + self.eps).sqrt()": "self.mean_square(inputs).sqrt() + self.eps"}
)
mistake(epsilon, "ε is not used, or it is a small number of your own; expected self.eps").made_in(
    Written,
    NoEps={"(self.mean_square(inputs) + self.eps).sqrt": "self.mean_square(inputs).sqrt"},
    EpsOfItsOwn={"self.eps": "1e-6"},
)
mistake(epsilon, "the square of ε is added, expected ε itself").made_in(Written, EpsSquared={"self.eps": "self.eps**2"})
mistake(epsilon, "ε is used as a lower limit of the mean square; expected it added").made_in(
    Written, EpsAsTheLeast={" + self.eps": ".clamp_min(self.eps)"}
)
mistake(stretched, "the weight is not used").made_in(Written, NoWeight={"self.weight * inputs": "inputs"})
mistake(stretched, "the weight is added, expected multiplied").made_in(
    Written, AddedWeight={"self.weight * inputs / self.root(inputs)": "inputs / self.root(inputs) + self.weight - 1"}
)


@mistake(normalised, "the outputs are multiplied by 1 + weight, expected by the weight, which is 1 at the start")
class OnePlusWeight(Written):
    def forward(self, inputs):
        return super().forward(inputs) + inputs / self.root(inputs)


@mistake(stretched, "the inputs are multiplied by the weight before they are normalised, expected afterwards")
class WeightFirst(Written):
    def forward(self, inputs):
        scaled = self.weight * inputs
        return scaled / self.root(scaled)


mistake(shapes, "the dimensions are counted from the front, expected the last one, whichever number it has").made_in(
    Written, ThreeDimensions={"(inputs * inputs).mean": "inputs.square().mean", "dim=-1": "2"}
)


@mistake(shapes, "the caller's inputs are changed in place")
class ChangesItsInputs(Written):
    def forward(self, inputs):
        inputs /= self.root(inputs)
        return self.weight * inputs


mistake(shapes, "a dimension of size one is removed that belongs to the result").made_in(
    OnePlusWeight, Squeezes={" + inputs / self.root(inputs)": ".squeeze()"}
)
mistake(numbers, "the outputs are float32, whatever the dtype of the inputs is").made_in(
    LayerNormed, SinglePrecision={"inputs - inputs.mean(dim=-1, keepdim=True)": "inputs.float()"}
)


@mistake(in_chapter, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Written):
    @torch.no_grad()
    def forward(self, inputs):
        return super().forward(inputs)


mistake(in_chapter, "the root is detached, so no gradient reaches the inputs through it").made_in(
    AbsoluteValues, DetachedRoot={"inputs.abs().mean(dim=-1, keepdim=True) + self.eps": "super().root(inputs.detach())"}
)
mistake(
    epsilon, "a root is taken of the mean square without ε, and for a vector of zeros the gradient of that is NaN"
).made_in(Written, RootWithoutEpsilon={"self.mean_square(inputs)": "self.mean_square(inputs).sqrt().square()"})


@mistake(in_chapter, "ε is 1e-6 if none is given, expected the default of the signature")
class OtherDefault(Written):
    def __init__(self, size, eps=1e-6):
        super().__init__(size, eps)


@right
class Rsqrt(Given):
    def forward(self, inputs):
        return inputs * torch.rsqrt(inputs.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


@right
class ByHand(Given):
    def forward(self, inputs):
        squares = (inputs**2).sum(dim=-1, keepdim=True) / inputs.shape[-1]
        return self.weight * (inputs / (squares + self.eps) ** 0.5)


@right
class VectorAfterVector(Given):
    def forward(self, inputs):
        rows = [v / (v.dot(v) / len(v) + self.eps).sqrt() * self.weight for v in inputs.reshape(-1, inputs.shape[-1])]
        return torch.stack(rows).reshape(inputs.shape)


@right
class EachVectorAlone(Given):
    def forward(self, inputs):
        def normalize(vector):
            return self.weight * vector * torch.rsqrt(vector.square().mean() + self.eps)

        return torch.vmap(normalize)(inputs.reshape(-1, inputs.shape[-1])).reshape(inputs.shape)


@right
class Length(Given):
    def forward(self, inputs):
        length = torch.linalg.vector_norm(inputs, dim=-1, keepdim=True)
        return self.weight * inputs / (length * length / inputs.shape[-1] + self.eps).sqrt()


@right
class WideInside(Given):
    def forward(self, inputs):
        wide = inputs if inputs.dtype == torch.float64 else inputs.float()
        normal = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * normal.to(inputs.dtype)


@forbidden
class TorchsOwn(Given):
    def forward(self, inputs):
        return F.rms_norm(inputs, inputs.shape[-1:], self.weight, self.eps)


right(functools.partial(Rsqrt))


@right
class VectorByVector(Written):
    def forward(self, inputs):
        vectors = inputs.reshape(-1, inputs.shape[-1]).unbind()
        found = [self.weight * vector * (vector.dot(vector) / len(vector) + self.eps) ** -0.5 for vector in vectors]
        return torch.stack(found).view(inputs.shape)
