"""An encoder that reads a sentence, and a decoder that writes one from what the encoder hands over."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    """Read a source sentence in both directions, and sum it up in a first state for the decoder.

    With the last state of each direction, →h after the last word and ←h after the first, that
    state is s_0 = tanh(W [→h; ←h] + b), as in Bahdanau et al. (2015), but of both directions.

    Args:
        vocab_size: Number of source words.
        embed_dim: Size of a word's embedding, E.
        hidden_size: Size of a state, H, an even number: each direction has half of it.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size // 2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Encode a batch, so that no sentence notices how much padding it has.

        Args:
            source: Word ids, shape (B, S), padded at the end.
            lengths: How many of them are words, shape (B,), each at least 1, in any order.

        Returns:
            The memory, a state for each word, forward half first, and zeros at padding, shape
            (B, S, H); and the decoder's first state s_0, shape (1, B, H).
        """
        # 1. Embed the words: (B, S, E).
        # 2. Run the GRU over the words alone: `pack_padded_sequence` with enforce_sorted=False
        #    hides the padding from it, and wants the lengths on the CPU. It also gives the last
        #    state of each direction: (2, B, H / 2).
        # 3. Unpack the states, and keep a place for each of the S: (B, S, H).
        # 4. The two last states side by side, the forward one first, through `bridge` and tanh:
        #    (B, H); then with the axis of layers that a GRU wants: (1, B, H).
        ### BEGIN SOLUTION
        embedded = self.embedding(source)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        both = torch.cat([last[0], last[1]], dim=-1)
        return memory, self.bridge(both).tanh().unsqueeze(0)
        ### END SOLUTION


class Decoder(nn.Module):
    """Predict each next target word from the words before it and from the encoder's state.

    The state is s_t = GRU(e(y_(t-1)), s_(t-1)), and the logits of word t are W s_t + b. All that
    the decoder knows of the source is s_0.

    Args:
        vocab_size: Number of target words, V.
        embed_dim: Size of a word's embedding, E.
        hidden_size: Size of the state, H.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)

    def forward(self, tokens: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Run over T words at once, as in training, or over one, as in translating.

        Args:
            tokens: Input words y_0 … y_(T-1), shape (B, T).
            state: The state before the first of them, shape (1, B, H).

        Returns:
            The logits of y_1 … y_T, shape (B, T, V), and the last state, shape (1, B, H).
        """
        # 1. Embed the words: (B, T, E).
        # 2. The states s_1 … s_T, (B, T, H), and the last one, (1, B, H).
        # 3. The logits: (B, T, V).
        ### BEGIN SOLUTION
        embedded = self.embedding(tokens)
        states, state = self.rnn(embedded, state)
        return self.output(states), state
        ### END SOLUTION
