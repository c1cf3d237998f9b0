"""The network that this chapter's sweeps squeeze: the bridge between encoder and decoder is the product of two matrices, H to k and k to H."""

from __future__ import annotations

from torch import Tensor, nn

from seqlab.corpus import Batch, Corpus, Vocabulary
from seqlab.models import Decoder, Encoder, greedy_translate


class SqueezedTranslator(nn.Module):
    """An encoder and a decoder of hidden size H, and an encoding of k components between them."""

    def __init__(self, corpus: Corpus, hidden_size: int, k: int) -> None:
        """Make the layers; see the class."""
        super().__init__()
        self.target_vocab: Vocabulary = corpus.target_vocab
        sizes = hidden_size, hidden_size
        self.encoder = Encoder(len(corpus.source_vocab), *sizes)
        squeeze = nn.Sequential(nn.Linear(hidden_size, k), nn.Linear(k, hidden_size))
        self.encoder.bridge = squeeze  # type: ignore[assignment]  # H -> k -> H
        self.decoder = Decoder(len(corpus.target_vocab), *sizes)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        _, state = self.encoder(batch.source, batch.source_lengths)  # (1, B, H)
        return self.decoder(batch.target_in, state)[0]

    def translate(self, batch: Batch, max_words: int = 30) -> list[list[str]]:
        """Write the words of a batch greedily."""
        _, state = self.encoder(batch.source, batch.source_lengths)
        return greedy_translate(self.decoder, state, self.target_vocab, max_words)
