"""Deep recurrent networks that can still be trained: a short way past every layer."""

from torch import Tensor, nn


class ResidualStack(nn.Module):
    """Several GRU layers on top of each other, with a residual connection around each.

    Layer l reads x_l and hands on x_(l+1) = GRU_l(x_l) + x_l (He et al., 2016). The sum needs two
    vectors of one width: a layer whose input is wider or narrower than its output hands on
    GRU_l(x_l) alone. Only the first layer can be one, and is not where D = H.

    Args:
        input_size: Width of what the first layer reads, D.
        hidden_size: Width of what every layer hands on, H.
        num_layers: Number of layers, each with weights of its own: ``layers.0.weight_ih_l0`` is the
            first weight of the first layer.
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(nn.GRU(size, hidden_size, batch_first=True) for size in sizes)

    def forward(self, inputs: Tensor) -> Tensor:
        """Run all layers, each over the whole sequence, from states of zeros.

        Args:
            inputs: What the first layer reads, shape (B, T, D).

        Returns:
            What the last layer hands on, shape (B, T, H).
        """
        # For each layer, the first one first:
        # 1. its outputs: (B, T, H);
        # 2. plus its inputs, if they are as wide: (B, T, H);
        # 3. which is what the next layer reads.
        ### BEGIN SOLUTION
        for layer in self.layers:
            outputs, _ = layer(inputs)
            inputs = outputs + inputs if outputs.shape == inputs.shape else outputs
        return inputs
        ### END SOLUTION
