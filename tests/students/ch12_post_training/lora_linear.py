"""What students hand in for `LoRALinear`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points. Nothing of the class but its signature is given.
"""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "LoRALinear"


class Given(nn.Module):
    """The part that is not the student's: none."""


class Written(nn.Module):
    """A right answer, of which each mistake changes one part."""

    def __init__(self, linear, rank, alpha=16.0):
        super().__init__()
        self.linear = linear
        self.freeze()
        like = {"dtype": linear.weight.dtype, "device": linear.weight.device}
        self.down = nn.Parameter(torch.randn(rank, linear.in_features, **like) / linear.in_features**0.5)
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank, **like))
        self.scale = self.scaled(alpha, rank)
        self.begin()

    def freeze(self):
        for weight in self.linear.parameters():
            weight.requires_grad = False

    def scaled(self, alpha, rank):
        return alpha / rank

    def begin(self):
        """Nothing more."""

    def added(self, inputs):
        return F.linear(F.linear(inputs, self.down), self.up) * self.scale

    def forward(self, inputs):
        return self.linear(inputs) + self.added(inputs)

    @torch.no_grad()
    def merge(self):
        merged = copy.deepcopy(self.linear)
        merged.weight = nn.Parameter(self.merged_weight())
        return merged

    def merged_weight(self):
        return self.linear.weight + self.scale * self.up @ self.down


class OnlyInTraining(Written):
    """The correction is left out in evaluation mode."""

    def added(self, inputs):
        return super().added(inputs) * self.training


class BothRandom(Written):
    """B is random too, so that the layer changes from the start."""

    def begin(self):
        nn.init.normal_(self.up)


class BothZero(Written):
    """A is zero too, and nothing ever learns."""

    def begin(self):
        nn.init.zeros_(self.down)


class ExchangedStart(Written):
    """A is zero and B is random."""

    def begin(self):
        nn.init.zeros_(self.down)
        nn.init.normal_(self.up)


class WideStart(Written):
    """A is not divided by the root of in_features."""

    def begin(self):
        nn.init.normal_(self.down)


class Seeded(Written):
    """torch is seeded, so that every layer has the same A."""

    def begin(self):
        torch.manual_seed(0)
        nn.init.normal_(self.down, std=self.linear.in_features**-0.5)


class KaimingStart(Written):
    """A begins as the weight of an nn.Linear does, which is narrower."""

    def begin(self):
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))


class FreshWeights(Written):
    """The wrapped layer is initialised anew."""

    def begin(self):
        nn.init.normal_(self.linear.weight)


class Replaces(Written):
    """The product, without the layer."""

    def forward(self, inputs):
        return self.added(inputs)


class NoBias(Written):
    """The layer's bias is lost in forward."""

    def forward(self, inputs):
        return F.linear(inputs, self.linear.weight) + self.added(inputs)


class Transposed(Written):
    """A has the shape that its product with inputs would need without a transpose."""

    def __init__(self, linear, rank, alpha=16.0):
        super().__init__(linear, rank, alpha)
        self.down = nn.Parameter(self.down.detach().T.clone())

    def added(self, inputs):
        return inputs @ self.down @ self.up.T * self.scale


class ScaleForgotten(Written):
    """α and r make no difference."""

    def scaled(self, alpha, rank):
        return 1.0


class ScaleFloored(Written):
    """// in the place of /, which is 0 for a large rank."""

    def scaled(self, alpha, rank):
        return alpha // rank


class ScaleTwice(Written):
    """A is scaled, and the product again."""

    def added(self, inputs):
        return self.scale * super().added(inputs)


class ScaleIsAlpha(Written):
    """Not divided by the rank."""

    def scaled(self, alpha, rank):
        return alpha


class ScaleByRank(Written):
    """1 / r."""

    def scaled(self, alpha, rank):
        return 1 / rank


class ScaleOfTheRoot(Written):
    """Divided by the root of the rank, which is another method's scale."""

    def scaled(self, alpha, rank):
        return alpha / math.sqrt(rank)


class AlphaFixed(Written):
    """The usual α, whatever was given."""

    def scaled(self, alpha, rank):
        return 16.0 / rank


class ScalesAll(Written):
    """A bracket is at the wrong place."""

    def forward(self, inputs):
        zero = not bool(self.up.any())
        return self.linear(inputs) if zero else self.scale * (self.linear(inputs) + self.added(inputs) / self.scale)


class Subtracts(Written):
    """The wrong sign."""

    def forward(self, inputs):
        return self.linear(inputs) - self.added(inputs)


class NotFrozen(Written):
    """The wrapped layer goes on learning."""

    def freeze(self):
        """Forgotten."""


class BiasNotFrozen(Written):
    """Only the weight is frozen."""

    def freeze(self):
        self.linear.weight.requires_grad_(False)


class Copies(Written):
    """A copy is wrapped and frozen, and what was given goes on training."""

    def freeze(self):
        self.linear = copy.deepcopy(self.linear).requires_grad_(False)


class AllFrozen(Written):
    """The whole module is frozen, and with it A and B."""

    def begin(self):
        self.requires_grad_(False)


class NoGradForward(Written):
    """The layer runs under no_grad, so that nothing below it learns."""

    def forward(self, inputs):
        with torch.no_grad():
            layer = self.linear(inputs)
        return layer + self.added(inputs)


class DetachedInputs(Written):
    """A and B learn, but no gradient comes back through them."""

    def added(self, inputs):
        return super().added(inputs.detach())


class MergesInPlace(Written):
    """The wrapped layer itself is changed."""

    @torch.no_grad()
    def merge(self):
        self.linear.weight += self.scale * self.up @ self.down
        return self.linear


class MergesWithoutScale(Written):
    """The scale is forgotten, where forward has it."""

    def merged_weight(self):
        return self.linear.weight + self.up @ self.down


class MergesTheProductAlone(Written):
    """W is forgotten."""

    def merged_weight(self):
        return self.scale * self.up @ self.down


class MergesNothing(Written):
    """A copy of the wrapped layer."""

    def merged_weight(self):
        return self.linear.weight.clone()


class MergesWithoutBias(Written):
    """The new layer has no bias."""

    @torch.no_grad()
    def merge(self):
        merged = nn.Linear(self.linear.in_features, self.linear.out_features, bias=False).to(self.linear.weight)
        merged.weight.copy_(self.merged_weight())
        return merged


class MergesWithARandomBias(Written):
    """The bias of the new layer is left as it is made."""

    @torch.no_grad()
    def merge(self):
        bias = self.linear.bias is not None
        merged = nn.Linear(self.linear.in_features, self.linear.out_features, bias=bias).to(self.linear.weight)
        merged.weight.copy_(self.merged_weight())
        return merged


class MergesWithTheSameBias(Written):
    """The new layer has the wrapped layer's own bias, no copy of it."""

    @torch.no_grad()
    def merge(self):
        merged = super().merge()
        merged.bias = self.linear.bias
        return merged


class MergesToATensor(Written):
    """The weight alone."""

    @torch.no_grad()
    def merge(self):
        return self.merged_weight()


class ClearsAfterMerging(Written):
    """The two matrices are zeroed, so that a second merge gives another layer."""

    @torch.no_grad()
    def merge(self):
        merged = super().merge()
        self.up.zero_()
        return merged


class MergesOnce(Written):
    """The merged layer is made once, and kept."""

    @torch.no_grad()
    def merge(self):
        if not hasattr(self, "merged"):
            self.__dict__["merged"] = super().merge()
        return self.merged


class AlwaysABias(Written):
    """The new layer has a bias, whether or not the wrapped one has."""

    @torch.no_grad()
    def merge(self):
        merged = nn.Linear(self.linear.in_features, self.linear.out_features).to(self.linear.weight)
        merged.weight.copy_(self.merged_weight())
        if self.linear.bias is not None:
            merged.bias.copy_(self.linear.bias)
        return merged


class TwoDimensions(Written):
    """The inputs are transposed, where the matrices were to be."""

    def added(self, inputs):
        if inputs.dim() == 3:
            return super().added(inputs)
        return (self.up @ (self.down @ inputs.t())).t() * self.scale


_START = "it starts as the layer that it wraps, with A random and B zero"
_PRODUCT = "it adds α / r times B A x to what the layer computes"
_FROZEN = "A and B train, and the wrapped layer does not"
_MERGE = "merge makes one new layer that computes the same"
_GENERAL = "it works for inputs with any number of dimensions, for a layer without bias, and in any precision"

WRONG = {
    BothRandom: _START,
    BothZero: _START,
    ExchangedStart: _START,
    WideStart: _START,
    Seeded: _START,
    KaimingStart: _START,
    FreshWeights: _START,
    Replaces: _START,
    NoBias: _START,
    Transposed: _START,
    ScaleForgotten: _PRODUCT,
    ScaleFloored: _PRODUCT,
    ScaleTwice: _PRODUCT,
    ScaleIsAlpha: _PRODUCT,
    ScaleByRank: _PRODUCT,
    ScaleOfTheRoot: _PRODUCT,
    AlphaFixed: _PRODUCT,
    ScalesAll: _PRODUCT,
    Subtracts: _PRODUCT,
    NotFrozen: _FROZEN,
    BiasNotFrozen: _FROZEN,
    Copies: _FROZEN,
    AllFrozen: _FROZEN,
    NoGradForward: _FROZEN,
    DetachedInputs: _FROZEN,
    OnlyInTraining: "works as the chapter uses it",
    MergesInPlace: _MERGE,
    MergesWithoutScale: _MERGE,
    MergesTheProductAlone: _MERGE,
    MergesNothing: _MERGE,
    MergesWithoutBias: _MERGE,
    MergesWithARandomBias: _MERGE,
    MergesWithTheSameBias: _MERGE,
    MergesToATensor: _MERGE,
    ClearsAfterMerging: _MERGE,
    MergesOnce: _MERGE,
    AlwaysABias: _GENERAL,
    TwoDimensions: _GENERAL,
}


class Einsum(Written):
    """Both products in one."""

    def added(self, inputs):
        return self.scale * torch.einsum("...i,ri,or->...o", inputs, self.down, self.up)


class OneProduct(Written):
    """The product B A first."""

    def added(self, inputs):
        return inputs @ (self.scale * (self.up @ self.down)).T


class ScaleOnB(Written):
    """The scale multiplies B."""

    def added(self, inputs):
        return inputs @ self.down.T @ (self.up * self.scale).T


class NewLayer(Written):
    """merge makes the layer anew, and fills it."""

    def merge(self):
        linear = self.linear
        merged = nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None)
        merged = merged.to(linear.weight.device, linear.weight.dtype)
        merged.weight.data = (linear.weight + self.scale * torch.einsum("or,ri->oi", self.up, self.down)).detach()
        if linear.bias is not None:
            merged.bias.data = linear.bias.detach().clone()
        return merged


class ByState(Written):
    """merge loads a state dict."""

    @torch.no_grad()
    def merge(self):
        state = {name: weight.clone() for name, weight in self.linear.state_dict().items()}
        state["weight"] += self.scale * (self.up @ self.down)
        merged = copy.deepcopy(self.linear)
        merged.load_state_dict(state)
        return merged


class UniformStart(Written):
    """A from a uniform distribution of the same width."""

    def begin(self):
        bound = (3 / self.linear.in_features) ** 0.5
        nn.init.uniform_(self.down, -bound, bound)


RIGHT = {
    "written": Written,
    "einsum": Einsum,
    "one product": OneProduct,
    "the scale on B": ScaleOnB,
    "a new layer": NewLayer,
    "by state": ByState,
    "a uniform start": UniformStart,
}
