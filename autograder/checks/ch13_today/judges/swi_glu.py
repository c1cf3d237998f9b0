"""What is right about `SwiGLU`, and what is said when it is not."""

from typing import Any

from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch13_today.probes import swi_glu as probes
from autograder.compare import difference, explained, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_GATE = "the gate goes through swish and multiplies the other half"
_LAYERS = "each of the three layers is in its place"


def _mistakes(want: Any) -> dict[str, Tensor]:
    """What each mistake gives."""
    inputs, weights = want["inputs"], want["weights"]
    gate, up, down = (weights[f"{name}.weight"] for name in ("gate", "up", "down"))
    z, other = inputs @ gate.T, inputs @ up.T
    hidden = {
        "the gate went through the sigmoid alone; swish is z times the sigmoid of z": z.sigmoid() * other,
        "the gate went through ReLU, expected swish": z.relu() * other,
        "the gate went through GELU, expected swish": F.gelu(z) * other,
        "the gate went through tanh, expected swish": z.tanh() * other,
        "the gate went through no activation": z * other,
        "swish was applied to `up`, expected to `gate`": z * F.silu(other),
        "both halves went through swish, expected `gate` alone": F.silu(z) * F.silu(other),
        "swish was applied to the product": F.silu(z * other),
        "the two halves were added, expected their product": F.silu(z) + other,
        "`up` was not used": F.silu(z),
        "the gate was not used": other,
        "`gate` was used for both halves": F.silu(z) * z,
        "`up` was used for both halves": F.silu(other) * other,
    }
    found = {message: values @ down.T for message, values in hidden.items()}
    found["an activation follows `down`; the last layer is linear"] = want["outputs"].relu()
    found["the inputs were added to the outputs: the residual connection is outside this network"] = (
        want["outputs"] + inputs
    )
    if down.shape[0] == down.shape[1]:
        found["the hidden layer did not go through `down`"] = F.silu(z) * other
        found["`down` came first, and `up` last"] = (F.silu(z) * (inputs @ down.T)) @ up.T
    return found


@judge(
    _GATE,
    probe=probes.one_position,
    points=2,
    hint="swish(z) = z σ(z), which torch calls F.silu. Apply it to self.gate(inputs), and multiply the result by self.up(inputs), component by "
    "component.",
)
def gated(got: Any, want: Any) -> Verdict:
    """One vector."""
    return explained(got["outputs"], want["outputs"], _mistakes(want), "outputs")


@judge(
    _LAYERS,
    probe=probes.square,
    points=1,
    needs=(_GATE,),
    hint="`gate` and `up` are applied to the inputs, and `down` to their product.",
)
def in_place(got: Any, want: Any) -> Verdict:
    """Layers of one size."""
    return explained(got["outputs"], want["outputs"], _mistakes(want), "outputs")


@judge(
    "works with any number of dimensions and does not change its inputs",
    probe=probes.shapes,
    points=1,
    arguments=True,
    needs=(_GATE, _LAYERS),
    hint="The layers act on the last dimension, so nothing has to be reshaped.",
)
def any_shape(got: Any, want: Any) -> Verdict:
    """Outputs and inputs."""
    for name, right in want.items():
        if not is_close(got[name]["inputs"], right["inputs"]):
            return failed("the call changed its inputs")
        if not is_close(got[name]["outputs"], right["outputs"]):
            return failed(f"{name}: {difference(got[name]['outputs'], right['outputs'])}")
    return passed()


@judge(
    "large inputs work",
    probe=probes.large,
    points=1,
    hidden=True,
    needs=(_GATE, _LAYERS),
    hint="exp overflows for large inputs: F.silu and torch.sigmoid avoid that.",
)
def any_size(got: Any, want: Any) -> Verdict:
    """Numbers near ±80, relative to the largest."""
    outputs = want["outputs"]
    if is_close(got["outputs"], outputs, rtol=1e-4, atol=1e-4 * float(outputs.abs().max())):
        return passed()
    return failed(difference(got["outputs"], outputs))
