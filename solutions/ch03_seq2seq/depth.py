"""Deep recurrent networks that can still be trained: with a residual connection around every layer."""

from torch import Tensor, nn


class ResidualStack(nn.Module):
    """Several GRU layers on top of each other, with a residual connection around each.

    Layer l reads x_l and returns x_(l+1) = GRU_l(x_l) + x_l (He et al., 2016). The sum
    needs two vectors of the same size: a layer whose input is wider or narrower than
    its output returns GRU_l(x_l) alone. This can only happen in the first layer, and
    only if D and H differ.

    Args:
        input_size: Size of the inputs of the first layer, D.
        hidden_size: Size of the outputs of every layer, H.
        num_layers: Number of layers, each with its own weights:
            ``layers.0.weight_ih_l0`` is the first weight of the first layer.
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(
            nn.GRU(size, hidden_size, batch_first=True) for size in sizes
        )

    def forward(self, inputs: Tensor) -> Tensor:
        """Run all layers, each over the whole sequence, starting from states of zeros.

        Args:
            inputs: The inputs of the first layer, shape (B, T, D).

        Returns:
            The outputs of the last layer, shape (B, T, H).
        """
        # For each layer, from the first to the last:
        # 1. compute its outputs: (B, T, H);
        # 2. add its inputs, if they have the same size: (B, T, H);
        # 3. the sum is the input of the next layer.
        ### BEGIN SOLUTION
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs
        ### END SOLUTION
