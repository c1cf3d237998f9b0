"""A picture as a sequence of patches, read by a Transformer's encoder (Dosovitskiy et al., 2021).

The chapter on pictures takes the parts one by one; this is what it trains.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.attention_layers import EncoderLayer


class PatchEncoder(nn.Module):
    """Cut pictures into patches, and let the patches attend to each other.

    Args:
        patch: Height and width of a patch, in pixels; a picture is cut into whole ones.
        hidden_size: Size of a memory vector and of the decoder's first state, H.
        num_heads: Heads of each layer's attention.
        num_layers: Layers of the encoder.
        positions: The encodings of the patches' positions, shape (S, H), row by row; None to leave them out.
    """

    def __init__(
        self, patch: int, hidden_size: int, num_heads: int, num_layers: int, positions: Tensor | None = None
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.patch = patch
        self.embed = nn.Linear(3 * patch * patch, hidden_size)
        self.layers = nn.ModuleList(EncoderLayer(hidden_size, num_heads, 2 * hidden_size) for _ in range(num_layers))
        self.norm = nn.LayerNorm(hidden_size)
        self.bridge = nn.Linear(hidden_size, hidden_size)
        self.register_buffer("positions", positions, persistent=False)

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Encode pictures (B, 3, H, W) as a memory (B, S, hidden_size) and a first state (1, B, hidden_size)."""
        patches = F.unfold(pictures, self.patch, stride=self.patch).transpose(1, 2)  # (B, S, 3 patch²)
        states = self.embed(patches)
        if self.positions is not None:
            states = states + self.positions
        everywhere = states.new_ones(1, 1, states.shape[1]).bool()
        for layer in self.layers:
            states = layer(states, everywhere)
        memory = self.norm(states)
        return memory, self.bridge(memory.mean(dim=1)).tanh().unsqueeze(0)
