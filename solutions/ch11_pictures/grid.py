"""A picture as a memory: one vector for each cell of a grid, in the form in which a decoder attends to words."""

from collections.abc import Callable

from torch import Tensor, nn


class GridEncoder(nn.Module):
    """Turn pictures into a memory that a decoder attends to, and its first state.

    If f_i are the features of cell i over all channels and p_i is the encoding of its
    position, the memory is h_i = tanh(W_p (f_i + p_i) + b_p), and the first state is
    s_0 = tanh(W_b h̄ + b_b), where h̄ is the mean of all h_i.

    Args:
        convolutions: Takes pictures (B, 3, H, W), returns feature maps (B, C, h, w).
        channels: Number of feature maps, C.
        hidden_size: Size of a memory vector and of the state, H.
        positions: Takes h, w and C, returns the encodings of the cells, shape
            (h * w, C), row by row.
    """

    def __init__(
        self,
        convolutions: nn.Module,
        channels: int,
        hidden_size: int,
        positions: Callable[[int, int, int], Tensor],
    ) -> None:
        """Create the layers; see the class for the arguments."""
        super().__init__()
        self.convolutions = convolutions
        self.project = nn.Linear(channels, hidden_size)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.positions = positions

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Encode a batch of pictures.

        Args:
            pictures: Shape (B, 3, H, W).

        Returns:
            The memory, shape (B, h * w, hidden_size), cell (r, c) at position r * w +
            c; and the decoder's first state, shape (1, B, hidden_size). B, h and w may
            be 1.
        """
        # 1. The feature maps: (B, C, h, w).
        # 2. One vector of C features for each cell, row by row: (B, h * w, C).
        # 3. Add the encodings of the cells' positions, (h * w, C), in the dtype and on
        #    the device of the features; then apply `project` and tanh:
        #    (B, h * w, hidden_size).
        # 4. The mean over the cells, then `bridge` and tanh: (B, hidden_size); then add
        #    the layer dimension that a GRU expects: (1, B, hidden_size).
        ### BEGIN SOLUTION
        features = self.convolutions(pictures)
        channels, height, width = features.shape[1:]
        cells = features.flatten(2).transpose(1, 2)
        places = self.positions(height, width, channels).to(cells)
        memory = self.project(cells + places).tanh()
        state = self.bridge(memory.mean(dim=1)).tanh()
        return memory, state.unsqueeze(0)
        ### END SOLUTION
