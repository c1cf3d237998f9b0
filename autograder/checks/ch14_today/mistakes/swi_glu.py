"""Mistakes in `SwiGLU`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch14_today.swi_glu import in_chapter, large, one_position, shapes, square
from autograder.judging.catalogue import mistake, right


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


mistake(one_position, "the gate goes through the sigmoid alone; swish is z times the sigmoid of z").made_in(
    Written, SigmoidAlone={"F.silu(z)": "z.sigmoid()"}
)
mistake(one_position, "the gate goes through ReLU, expected swish").made_in(Written, Relu={"F.silu(z)": "z.relu()"})
mistake(one_position, "the gate goes through GELU, expected swish").made_in(
    Written,
    Gelu={"F.silu": "F.gelu"},
    GeluByTanh={"F.silu(z)": 'F.gelu(z, approximate="tanh")'},
    GeluBySigmoid={"F.silu(z)": "z * torch.sigmoid(1.702 * z)"},
)
mistake(
    one_position, "the gate goes through an activation other than swish, which is z times the sigmoid of z"
).made_in(
    Written,
    Softmax={"F.silu(z)": "z.softmax(-1)"},
    TanhAlone={"F.silu(z)": "z.tanh()"},
    TimesTanh={"F.silu(z)": "z * z.tanh()"},
    HardSwish={"F.silu": "F.hardswish"},
    Mish={"F.silu": "F.mish"},
    Softplus={"F.silu": "F.softplus"},
    Elu={"F.silu": "F.elu"},
    LeakyRelu={"F.silu": "F.leaky_relu"},
    SquareTimesSigmoid={"F.silu(z)": "z * F.silu(z)"},
)
mistake(one_position, "the gate goes through no activation").made_in(
    Written, Bilinear={"return F.silu(z) * other": "return z * other"}
)
mistake(one_position, "swish is applied to `up`, expected to `gate`").made_in(
    Written, OtherHalf={"F.silu(z) * other": "z * F.silu(other)"}
)
mistake(one_position, "both halves go through swish, expected `gate` alone").made_in(
    Written, BothHalves={"* other": "* F.silu(other)"}
)
mistake(one_position, "swish is applied to the product, expected to `gate` alone").made_in(
    Written, AfterTheProduct={"(z) * other": "(z * other)"}
)
mistake(one_position, "the two halves are added, expected their product").made_in(Written, Added={"* other": "+ other"})
mistake(one_position, "`up` is not used").made_in(Written, NoUp={" * other": ""})
mistake(one_position, "`gate` is not used").made_in(Written, NoGate={"return F.silu(z) * other": "return other"})
mistake(one_position, "`gate` is used for both halves").made_in(Written, GateTwice={"self.up": "self.gate"})
mistake(one_position, "`up` is used for both halves").made_in(Written, UpTwice={"self.gate": "self.up"})


@mistake(one_position, "an activation follows `down`; the last layer is linear")
class ActivatedOutput(Written):
    def forward(self, inputs):
        return super().forward(inputs).relu()


mistake(one_position, "the inputs are added to the outputs: the residual connection is outside this network").made_in(
    ActivatedOutput, Residual={"super().forward(inputs).relu()": "inputs + super().forward(inputs)"}
)
mistake(square, "the hidden layer does not go through `down`").made_in(
    ActivatedOutput, NoDown={"super().forward(inputs).relu()": "self.hidden(self.gate(inputs), self.up(inputs))"}
)


@mistake(shapes, "the caller's inputs are changed in place")
class ChangesItsInputs(Written):
    def forward(self, inputs):
        result = super().forward(inputs)
        with torch.no_grad():
            inputs.zero_()
        return result


@mistake(shapes, "the inputs are reshaped to three dimensions, and the outputs keep that shape")
class ThreeDimensions(Written):
    def forward(self, inputs):
        return super().forward(inputs.reshape(inputs.shape[0], -1, inputs.shape[-1]))


mistake(large, "swish is computed with exp(z), which is infinite for large inputs, and ∞ / ∞ is NaN").made_in(
    Written, ExpOfLarge={"F.silu(z)": "z * z.exp() / (1 + z.exp())"}
)


@mistake(in_chapter, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Written):
    @torch.no_grad()
    def forward(self, inputs):
        return super().forward(inputs)


mistake(in_chapter, "exp of a large number overflows: the outputs are right, but the gradient is NaN").made_in(
    Written, DividedByExp={"F.silu(z)": "z / (1 + torch.exp(-z))"}
)


@mistake(
    in_chapter,
    "torch.where chooses between two formulas of which one overflows: the outputs are right, but the gradient is NaN",
)
class EitherFormula(Written):
    def hidden(self, z, other):
        return torch.where(z > 0, z / (1 + torch.exp(-z)), z * torch.exp(z) / (1 + torch.exp(z))) * other


@right
class ByHand(Written):
    def hidden(self, z, other):
        return z * torch.sigmoid(z) * other


@right
class Module(Given):
    def forward(self, inputs):
        return self.down(nn.SiLU()(self.gate(inputs)) * self.up(inputs))


@right
class OneProduct(Given):
    def forward(self, inputs):
        z, other = F.linear(inputs, torch.cat([self.gate.weight, self.up.weight])).chunk(2, dim=-1)
        return F.linear(F.silu(z) * other, self.down.weight)


@right
class Matrices(Given):
    def forward(self, inputs):
        z = inputs @ self.gate.weight.T
        return (z * torch.sigmoid(z) * (inputs @ self.up.weight.T)) @ self.down.weight.T


@right
class Einsum(Given):
    def forward(self, inputs):
        z = torch.einsum("...d,fd->...f", inputs, self.gate.weight)
        return torch.einsum("...f,...f,df->...d", F.silu(z), self.up(inputs), self.down.weight)


right(functools.partial(Written))
