"""Mistakes in `LoRALinear`, and right answers in other styles."""

import copy
import math

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch12_post_training.lora_linear import any_shape, frozen, in_chapter, merging, product, start
from autograder.judging.catalogue import mistake, right


class Given(nn.Module):
    """The part that is not the student's: none."""


@right
class Written(nn.Module):
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


@mistake(in_chapter, "the product is left out in evaluation mode")
class OnlyInTraining(Written):
    def added(self, inputs):
        return super().added(inputs) * self.training


@mistake(start, "B starts random too, so that the product changes the layer from the start: expected zeros")
class BothRandom(Written):
    def begin(self):
        nn.init.normal_(self.up)


@mistake(start, "A and B both start at zero, so that neither gets a gradient: expected A random")
class BothZero(Written):
    def begin(self):
        nn.init.zeros_(self.down)


mistake(start, "A starts at zero and B random, expected A random and B zero").made_in(
    BothZero, ExchangedStart={"nn.init.zeros_(self.down)": "nn.init.zeros_(self.down); nn.init.normal_(self.up)"}
)
mistake(start, "A is not divided by the root of in_features").made_in(
    BothZero, WideStart={"nn.init.zeros_": "nn.init.normal_"}
)


@mistake(start, "torch is seeded, so that all layers start with the same A")
class Seeded(Written):
    def begin(self):
        torch.manual_seed(0)
        nn.init.normal_(self.down, std=self.linear.in_features**-0.5)


@mistake(
    start,
    "A starts like the weight of an nn.Linear, whose entries are smaller; expected a standard normal divided by the root of in_features",
)
class KaimingStart(Written):
    def begin(self):
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))


@mistake(start, "the wrapped layer's weight is initialised anew")
class FreshWeights(Written):
    def begin(self):
        nn.init.normal_(self.linear.weight)


mistake(start, "the scale multiplies the layer's outputs too").made_in(
    Written,
    ScalesTheLayer={
        "self.linear(inputs) + self.added(inputs)": "self.scale * self.linear(inputs) + self.added(inputs)"
    },
)
mistake(start, "A is divided by in_features, expected by its root").made_in(
    Written, DividedByAll={"linear.in_features**0.5": "linear.in_features"}
)
mistake(
    start,
    "A starts as xavier_normal_ makes it, whose width depends on the rank too; expected a standard normal divided by the root of in_features",
).made_in(Written, Xavier={"self.begin()\n": "self.begin(); nn.init.xavier_normal_(self.down)\n"})
mistake(start, "the wrapped layer's outputs are missing").made_in(
    Written, Replaces={"return self.linear(inputs) + self": "return self"}
)
mistake(start, "the wrapped layer's bias is missing").made_in(
    Written, NoBias={"self.linear(inputs)": "F.linear(inputs, self.linear.weight)"}
)


@mistake(start, "A has the shape of its transpose, expected (rank, in_features)")
class Transposed(Written):
    def __init__(self, linear, rank, alpha=16.0):
        super().__init__(linear, rank, alpha)
        self.down = nn.Parameter(self.down.detach().T.clone())

    def added(self, inputs):
        return inputs @ self.down @ self.up.T * self.scale


mistake(product, "the scale α / r is forgotten").made_in(Written, ScaleForgotten={"alpha / rank": "1.0"})
mistake(product, "the scale is α // r, rounded down, expected α / r").made_in(
    Written, ScaleFloored={"/ rank": "// rank"}
)
mistake(product, "the scale is applied twice").made_in(
    OnlyInTraining, ScaleTwice={"super().added(inputs) * self.training": "self.scale * super().added(inputs)"}
)
mistake(product, "the scale is α, expected α / r").made_in(Written, ScaleIsAlpha={" / rank": ""})
mistake(product, "the scale is r / α, expected α / r").made_in(Written, ScaleInverted={"alpha / rank": "rank / alpha"})
mistake(product, "the scale is 1 / r, expected α / r").made_in(Written, ScaleByRank={"alpha / rank": "1 / rank"})
mistake(product, "the scale is α over the root of r, expected α / r").made_in(
    Written, ScaleOfTheRoot={"/ rank": "/ math.sqrt(rank)"}
)
mistake(product, "α is 16, whatever was given").made_in(Written, AlphaFixed={"alpha / rank": "16.0 / rank"})


@mistake(product, "the scale multiplies the layer's outputs too")
class ScalesAll(Written):
    def forward(self, inputs):
        zero = not bool(self.up.any())
        return self.linear(inputs) if zero else self.scale * (self.linear(inputs) + self.added(inputs) / self.scale)


mistake(product, "the product is subtracted").made_in(
    Written, Subtracts={"+ self.added(inputs)": "- self.added(inputs)"}
)


@mistake(frozen, "the wrapped layer is not frozen")
class NotFrozen(Written):
    def freeze(self):
        """Forgotten."""


@mistake(frozen, "the wrapped layer's bias is not frozen, only its weight is")
class BiasNotFrozen(Written):
    def freeze(self):
        self.linear.weight.requires_grad_(False)


@mistake(frozen, "self.linear is a frozen copy, so the layer that was given still trains: expected the layer itself")
class Copies(Written):
    def freeze(self):
        self.linear = copy.deepcopy(self.linear).requires_grad_(False)


@mistake(frozen, "the wrapped layer gets frozen copies as its weights, so its own still train: expected them frozen")
class NewWeights(Written):
    def freeze(self):
        for name, weight in list(self.linear.named_parameters()):
            setattr(self.linear, name, nn.Parameter(weight.detach().clone(), requires_grad=False))


@mistake(frozen, "A and B are frozen too")
class AllFrozen(Written):
    def begin(self):
        self.requires_grad_(False)


@mistake(frozen, "the wrapped layer is called under no_grad, so no gradient reaches the inputs through it")
class NoGradForward(Written):
    def forward(self, inputs):
        with torch.no_grad():
            layer = self.linear(inputs)
        return layer + self.added(inputs)


mistake(frozen, "the inputs are detached before A, so no gradient reaches them through A and B").made_in(
    OnlyInTraining, DetachedInputs={"super().added(inputs) * self.training": "super().added(inputs.detach())"}
)


@mistake(merging, "merge changes the wrapped layer and returns it, expected a new layer")
class MergesInPlace(Written):
    @torch.no_grad()
    def merge(self):
        self.linear.weight += self.scale * self.up @ self.down
        return self.linear


mistake(merging, "merge forgets the scale α / r").made_in(
    Written, MergesWithoutScale={"self.scale * self.up": "self.up"}
)
mistake(merging, "merge leaves out the wrapped layer's weight").made_in(
    Written, MergesTheProductAlone={"return self.linear.weight + self": "return self"}
)
mistake(merging, "merge returns a copy of the wrapped layer, without the product").made_in(
    Written, MergesNothing={" + self.scale * self.up @ self.down": ".clone()"}
)


@mistake(merging, "merge leaves out the bias")
class MergesWithoutBias(Written):
    @torch.no_grad()
    def merge(self):
        merged = nn.Linear(self.linear.in_features, self.linear.out_features, bias=False).to(self.linear.weight)
        merged.weight.copy_(self.merged_weight())
        return merged


@mistake(merging, "merge does not copy the bias: a new nn.Linear starts with a random one")
class MergesWithARandomBias(Written):
    @torch.no_grad()
    def merge(self):
        bias = self.linear.bias is not None
        merged = nn.Linear(self.linear.in_features, self.linear.out_features, bias=bias).to(self.linear.weight)
        merged.weight.copy_(self.merged_weight())
        return merged


@mistake(merging, "the merged layer has the wrapped layer's own bias, expected a copy")
class MergesWithTheSameBias(Written):
    @torch.no_grad()
    def merge(self):
        merged = super().merge()
        merged.bias = self.linear.bias
        return merged


@mistake(merging, "merge returns the weight alone, expected an nn.Linear")
class MergesToATensor(Written):
    @torch.no_grad()
    def merge(self):
        return self.merged_weight()


@mistake(merging, "merge makes the new layer with in_features and out_features swapped, and replaces its weight")
class SwappedSizes(Written):
    @torch.no_grad()
    def merge(self):
        linear = self.linear
        merged = nn.Linear(linear.out_features, linear.in_features, bias=linear.bias is not None)
        merged.weight = nn.Parameter(self.merged_weight())
        if linear.bias is not None:
            merged.bias = nn.Parameter(linear.bias.clone())
        return merged


mistake(merging, "merge sets B to zero, so that a second call gives another layer").made_in(
    MergesWithTheSameBias, ClearsAfterMerging={"merged.bias = self.linear.bias": "self.up.zero_()"}
)


@mistake(merging, "merge returns the layer of its first call again, expected a new one each time")
class MergesOnce(Written):
    @torch.no_grad()
    def merge(self):
        if not hasattr(self, "merged"):
            self.__dict__["merged"] = super().merge()
        return self.merged


@mistake(merging, "the merged layer always has a bias, expected one only if the wrapped layer has one")
class AlwaysABias(Written):
    @torch.no_grad()
    def merge(self):
        merged = nn.Linear(self.linear.in_features, self.linear.out_features).to(self.linear.weight)
        merged.weight.copy_(self.merged_weight())
        if self.linear.bias is not None:
            merged.bias.copy_(self.linear.bias)
        return merged


@mistake(
    any_shape,
    "the inputs are transposed, which fails for inputs of more than two dimensions; expected A and B transposed",
)
class TwoDimensions(Written):
    def added(self, inputs):
        if inputs.dim() == 3:
            return super().added(inputs)
        return (self.up @ (self.down @ inputs.t())).t() * self.scale


@right
class Einsum(Written):
    def added(self, inputs):
        return self.scale * torch.einsum("...i,ri,or->...o", inputs, self.down, self.up)


@right
class OneProduct(Written):
    def added(self, inputs):
        return inputs @ (self.scale * (self.up @ self.down)).T


@right
class ScaleOnB(Written):
    def added(self, inputs):
        return inputs @ self.down.T @ (self.up * self.scale).T


@right
class NewLayer(Written):
    def merge(self):
        linear = self.linear
        merged = nn.Linear(linear.in_features, linear.out_features, bias=linear.bias is not None)
        merged = merged.to(linear.weight.device, linear.weight.dtype)
        merged.weight.data = (linear.weight + self.scale * torch.einsum("or,ri->oi", self.up, self.down)).detach()
        if linear.bias is not None:
            merged.bias.data = linear.bias.detach().clone()
        return merged


@right
class ByState(Written):
    @torch.no_grad()
    def merge(self):
        state = {name: weight.clone() for name, weight in self.linear.state_dict().items()}
        state["weight"] += self.scale * (self.up @ self.down)
        merged = copy.deepcopy(self.linear)
        merged.load_state_dict(state)
        return merged


@mistake(start, "A starts uniform, expected normally distributed")
class UniformStart(Written):
    def begin(self):
        bound = (3 / self.linear.in_features) ** 0.5
        nn.init.uniform_(self.down, -bound, bound)


@mistake(
    start,
    "A starts with positive entries alone: torch.rand draws from 0 to 1, randn from a standard normal distribution",
)
class PositiveStart(Written):
    def begin(self):
        nn.init.uniform_(self.down, 0, (3 / self.linear.in_features) ** 0.5)


mistake(
    start,
    "A starts with positive entries alone: torch.rand draws from 0 to 1, randn from a standard normal distribution",
).made_in(PositiveStart, PositiveAndSmall={"(3 / self.linear.in_features) ** 0.5": "self.linear.in_features**-0.5"})


@mistake(start, "A starts from a normal distribution that is cut off at two standard deviations, expected a whole one")
class TruncatedStart(Written):
    def begin(self):
        width = self.linear.in_features**-0.5
        nn.init.trunc_normal_(self.down, std=width, a=-2 * width, b=2 * width)


@mistake(start, "A is divided by the root of the rank, expected that of in_features")
class WidthOfTheRank(Written):
    def begin(self):
        nn.init.normal_(self.down, std=len(self.down) ** -0.5)


@mistake(start, "one row is drawn for all rows of A, expected random numbers for each")
class EqualRows(Written):
    def begin(self):
        with torch.no_grad():
            self.down[1:] = self.down[0]


@mistake(merging, "merge adds the product to the wrapped layer's own weight, expected a copy of it")
class MergesIntoTheWeight(Written):
    @torch.no_grad()
    def merge(self):
        merged = copy.deepcopy(self.linear)
        merged.weight.data = self.linear.weight.data
        merged.weight += self.scale * self.up @ self.down
        return merged


mistake(merging, "merge fails for a layer without bias: its bias is None").made_in(
    MergesWithTheSameBias, NeedsABias={"merged.bias = self.linear.bias": "merged.bias.copy_(self.linear.bias)"}
)


@mistake(in_chapter, "α is 1 if none is given, expected the default of the signature")
class OtherDefault(Written):
    def __init__(self, linear, rank, alpha=1.0):
        super().__init__(linear, rank, alpha)
