"""The translation models that later chapters start from, built on torch's own layers.

A chapter that needs an encoder, and is about something else, takes it from here.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqlab.corpus import BOS, EOS, Batch, Vocabulary

Step = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Encoder(nn.Module):
    """Read a source sentence in both directions: a state for every word, and a first state for a decoder.

    Args:
        vocab_size: Number of source words.
        embed_dim: Size of a word's embedding.
        hidden_size: Size of a state, H: the two directions have half of it each.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size // 2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(hidden_size, hidden_size)

    def forward(self, source: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Encode a batch.

        Args:
            source: Word ids, shape (B, S).
            lengths: How many of them are words, shape (B,).

        Returns:
            The states, shape (B, S, H), zeros at padding; and the decoder's first state, (1, B, H), made of each
            direction's last.
        """
        embedded = self.embedding(source)  # (B, S, E)
        packed = pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)  # last: (2, B, H / 2)
        memory, _ = pad_packed_sequence(states, batch_first=True)  # (B, S, H)
        both = torch.cat([last[0], last[1]], dim=-1)  # (B, H)
        return memory, self.bridge(both).tanh().unsqueeze(0)


class Decoder(nn.Module):
    """Predict each next target word from the decoder's state alone.

    Args:
        vocab_size: Number of target words, V.
        embed_dim: Size of a word's embedding.
        hidden_size: Size of the state, H.
    """

    def __init__(self, vocab_size: int, embed_dim: int, hidden_size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)

    def forward(self, tokens: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Run over T words.

        Args:
            tokens: Input words, shape (B, T).
            state: The state before the first of them, shape (1, B, H).

        Returns:
            Logits (B, T, V) and the last state (1, B, H).
        """
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states), state


def token_loss(logits: Tensor, batch: Batch) -> Tensor:
    """The mean cross-entropy per real target token, in nats.

    Args:
        logits: Shape (B, T, V).
        batch: Its target words; where they are padding, nothing is counted.

    Returns:
        The loss, shape ().
    """
    real = batch.target_mask  # (B, T)
    return F.cross_entropy(logits[real], batch.target_out[real])


@torch.no_grad()
def greedy_translate(step: Step, state: Tensor, vocabulary: Vocabulary, max_words: int = 80) -> list[list[str]]:
    """Write a translation for each sentence of a batch: at each step the most likely word, which is the next input.

    Args:
        step: Takes words (B, 1) and the state (1, B, H), returns logits (B, 1, V) and the next state.
        state: The first state, shape (1, B, H).
        vocabulary: The target words.
        max_words: The most words of a translation.

    Returns:
        The words of each translation, without the end mark.
    """
    batch = state.shape[1]
    word = torch.full((batch, 1), BOS, device=state.device)
    ended = torch.zeros_like(word, dtype=torch.bool)
    written: list[Tensor] = []
    while len(written) < max_words and not ended.all():
        logits, state = step(word, state)
        word = logits.argmax(dim=-1)  # (B, 1)
        ended |= word == EOS
        written.append(word)
    return [vocabulary.decode(row) for row in torch.cat(written, dim=1).tolist()]
