"""The gated feed-forward network."""

from torch import Tensor, nn
from torch.nn import functional as F


class SwiGLU(nn.Module):
    """A feed-forward network whose hidden layer is one layer times another, a gate.

    FFN(x) = W_down (swish(W_gate x) ⊙ W_up x), where swish(z) = z σ(z) (Shazeer, 2020).
    No layer has a bias.

    Args:
        d_model: Dimension of the inputs and of the outputs.
        d_ff: Dimension of the hidden layer.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        """Make the three layers."""
        super().__init__()
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, inputs: Tensor) -> Tensor:
        """Apply the network to each position separately.

        Args:
            inputs: Shape (..., d_model), with any number of dimensions, and numbers of
                any size.

        Returns:
            Shape (..., d_model).
        """
        # 1. Compute the gate, and apply swish to it: (..., d_ff).
        # 2. Multiply it by `up` of the inputs: (..., d_ff).
        # 3. Go back to the dimension of the inputs: (..., d_model).
        ### BEGIN SOLUTION
        return self.down(F.silu(self.gate(inputs)) * self.up(inputs))
        ### END SOLUTION
