"""An encoder that reads a sentence, and a decoder that writes one, starting from the encoding."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    """Read a source in both directions, and compute the decoder's first state.

    With the last state of each direction, →h after the last word and ←h after the
    first, the decoder's first state is s_0 = tanh(W [→h; ←h] + b). Bahdanau et al.
    (2015) do the same, but with the backward direction only.

    Args:
        vocab_size: Number of source words.
        embed_dim: Size of a word's embedding, E.
        hidden_size: The hidden size, H, an even number: each direction has half of it.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(
            embed_dim, hidden_size // 2, batch_first=True, bidirectional=True
        )
        self.bridge = nn.Linear(hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Encode a batch so that padding does not change the result for any sentence.

        Args:
            source: Word ids, shape (B, S), padded at the end.
            lengths: The number of words in each sentence, shape (B,), at least 1, in
                any order.

        Returns:
            The memory, shape (B, S, H), with a hidden state for each word, forward half
            first, and zeros at padding; and the decoder's first state s_0, shape
            (1, B, H).
        """
        # 1. Embed the words: (B, S, E).
        # 2. Run the GRU over the words only: `pack_padded_sequence` with
        #    enforce_sorted=False hides the padding from it, and needs the lengths on
        #    the CPU. The GRU also returns the last state of each direction:
        #    (2, B, H / 2).
        # 3. Unpack the states, and keep all S positions: (B, S, H).
        # 4. Concatenate the two last states, the forward one first, and apply `bridge`
        #    and tanh: (B, H); then add the dimension of layers that a GRU expects:
        #    (1, B, H).
        ### BEGIN SOLUTION
        embedded = self.embedding(source)
        packed = pack_padded_sequence(
            embedded, lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        states, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(
            states, batch_first=True, total_length=source.shape[1]
        )
        both = torch.cat([last[0], last[1]], dim=-1)
        return memory, self.bridge(both).tanh().unsqueeze(0)
        ### END SOLUTION


class Decoder(nn.Module):
    """Predict each target word from the words before it and the encoder's state.

    The hidden state is s_t = GRU(e(y_(t-1)), s_(t-1)), and the logits of word t are W
    s_t + b. The decoder gets its information about the source from s_0 only.

    Args:
        vocab_size: Number of target words, V.
        embed_dim: Size of a word's embedding, E.
        hidden_size: The hidden size, H.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)

    def forward(self, tokens: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Process T words in one call, as in training, or one word, as in decoding.

        Args:
            tokens: Input words y_0 … y_(T-1), shape (B, T).
            state: The hidden state before the first of them, shape (1, B, H).

        Returns:
            The logits of y_1 … y_T, shape (B, T, V), and the last hidden state, shape
            (1, B, H).
        """
        # 1. Embed the words: (B, T, E).
        # 2. The states s_1 … s_T, (B, T, H), and the last one, (1, B, H).
        # 3. The logits: (B, T, V).
        ### BEGIN SOLUTION
        embedded = self.embedding(tokens)
        states, state = self.rnn(embedded, state)
        return self.output(states), state
        ### END SOLUTION
