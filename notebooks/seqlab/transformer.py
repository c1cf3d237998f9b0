"""Two translators on torch's own layers, which the chapter on the Transformer compares: a Transformer, and a recurrent one that attends.

The chapter builds the Transformer by hand. This one is for what is trained beforehand: the stored sweep, and anyone who
loads its weights.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqlab.corpus import Batch
from seqlab.models import Encoder, Step


class Translator(nn.Module):
    """The Transformer of Vaswani et al. (2017), with the norms before the sublayers or after them.

    Args:
        source_words: Number of source words.
        target_words: Number of target words, V.
        d_model: Size of a position's vector; even.
        num_heads: Heads of each attention.
        d_ff: Size of the feed-forward network's hidden layer.
        num_layers: Layers of the encoder, and of the decoder.
        dropout: How much is dropped in training, in all the places where torch's layers drop, and of the embeddings.
        pre_norm: Whether the norms come before the sublayers; each stack then ends with one more.
    """

    def __init__(
        self,
        source_words: int,
        target_words: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        dropout: float = 0.0,
        pre_norm: bool = True,
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.source_embedding = nn.Embedding(source_words, d_model)
        self.target_embedding = nn.Embedding(target_words, d_model)
        shape = (d_model, num_heads, d_ff, dropout)
        read = nn.TransformerEncoderLayer(*shape, batch_first=True, norm_first=pre_norm)
        write = nn.TransformerDecoderLayer(*shape, batch_first=True, norm_first=pre_norm)
        ends = [nn.LayerNorm(d_model) if pre_norm else None for _ in range(2)]
        self.encoder = nn.TransformerEncoder(read, num_layers, ends[0], enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(write, num_layers, ends[1])
        self.output = nn.Linear(d_model, target_words)
        self.dropout = nn.Dropout(dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)  # torch's stacks are copies: without this, their layers start equal
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Tensor:
        """Words (B, T) as vectors with their positions, (B, T, d_model)."""
        size, places = embedding.embedding_dim, torch.arange(tokens.shape[1], device=tokens.device)
        speeds = 10000 ** (-torch.arange(0, size, 2, device=tokens.device) / size)
        angles = torch.outer(places, speeds)  # a clock hand for each two numbers, which turns from place to place
        waves = torch.view_as_real(torch.polar(torch.ones_like(angles), angles)).flip(-1).flatten(1)  # (T, d_model)
        return self.dropout(embedding(tokens) * size**0.5 + waves)

    def encode(self, source: Tensor, mask: Tensor) -> Tensor:
        """Read the source.

        Args:
            source: Word ids, shape (B, S).
            mask: True on words, shape (B, S).

        Returns:
            The memory, shape (B, S, d_model).
        """
        return self.encoder(self.embed(self.source_embedding, source), src_key_padding_mask=~mask)

    def decode(self, tokens: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """Predict the next word at every position of a beginning.

        Args:
            tokens: Input words y_0 … y_{T-1}, shape (B, T); anything may follow the last word of a row.
            memory: What `encode` returned, shape (B, S, d_model).
            mask: True on source words, shape (B, S).

        Returns:
            The decoder's last vectors, shape (B, T, d_model); `output` turns them into logits.
        """
        length = tokens.shape[1]
        future = torch.ones(length, length, dtype=torch.bool, device=tokens.device).triu(1)
        inputs = self.embed(self.target_embedding, tokens)
        return self.decoder(inputs, memory, tgt_mask=future, memory_key_padding_mask=~mask)

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory = self.encode(batch.source, batch.source_mask)
        return self.output(self.decode(batch.target_in, memory, batch.source_mask))

    def search(self, batch: Batch) -> tuple[Step, Tensor]:
        """What a search needs: a function for one step, and the state before the first.

        The state is the words so far, shape (1, B, t), and every step reads them all again: simple, and slow for one sentence.
        """
        memory = self.encode(batch.source, batch.source_mask)

        def step(word: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
            state = torch.cat([state, word.unsqueeze(0)], dim=-1)
            return self.output(self.decode(state[0], memory, batch.source_mask)[:, -1:]), state

        return step, batch.source.new_empty(1, len(batch.source), 0)

    @torch.no_grad()
    def looks(self, batch: Batch) -> Tensor:
        """Where each head of each decoder layer looks in the source, with teacher forcing.

        Returns:
            The weights of the cross-attention, shape (layers, B, num_heads, T, S).
        """
        asked: list[tuple[nn.Module, Tensor, Tensor]] = []
        hooks = [
            layer.multihead_attn.register_forward_pre_hook(lambda module, given: asked.append((module, *given[:2])))
            for layer in self.decoder.layers
        ]
        self(batch)
        for hook in hooks:
            hook.remove()
        padding = ~batch.source_mask
        return torch.stack(
            [
                module(query, memory, memory, key_padding_mask=padding, average_attn_weights=False)[1]
                for module, query, memory in asked
            ]
        )


class RecurrentTranslator(nn.Module):
    """The recurrent translator that attends: a bidirectional GRU, a GRU in Luong's order, and scaled scores of learned keys.

    Args:
        source_words: Number of source words.
        target_words: Number of target words, V.
        size: Of embeddings and states, H.
    """

    def __init__(self, source_words: int, target_words: int, size: int) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.encoder = Encoder(source_words, size, size)
        self.to_key = nn.Linear(size, size, bias=False)
        self.embedding = nn.Embedding(target_words, size)
        self.rnn = nn.GRU(size, size, batch_first=True)
        self.combine = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, target_words)

    def decode(self, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Run over words (B, T) from a state (1, B, H): logits (B, T, V) and the last state."""
        states, state = self.rnn(self.embedding(tokens), state)
        context = F.scaled_dot_product_attention(states, self.to_key(memory), memory, mask.unsqueeze(1))
        return self.output(self.combine(torch.cat([context, states], dim=-1)).tanh()), state

    def forward(self, batch: Batch) -> Tensor:
        """Logits (B, T, V) with teacher forcing."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        return self.decode(batch.target_in, state, memory, batch.source_mask)[0]

    def search(self, batch: Batch) -> tuple[Step, Tensor]:
        """What a search needs: a function for one step, and the state before the first, shape (1, B, H)."""
        memory, state = self.encoder(batch.source, batch.source_lengths)
        return lambda word, state: self.decode(word, state, memory, batch.source_mask), state
