"""The recurrent language model that later chapters load, built on torch's own layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqlab.corpus import Vocabulary
from seqlab.presidents import SentenceBatch, make_sentence_batch

State = Tensor | tuple[Tensor, Tensor]
"""What a recurrence hands on: the hidden state of an RNN, or the pair (h, cell) of an LSTM."""


class LanguageModel(nn.Module):
    """Predict each next word from the hidden state of a recurrent network that has read those before.

    The last layer is an adaptive softmax (Grave et al., 2017): it first predicts whether the next word is one of the
    thousand most frequent, and which; only otherwise does it predict which of the others. `output.log_prob` gives the
    log-probabilities of all words.

    Args:
        vocab_size: Number of words, V.
        embed_dim: Size of a word's embedding, E.
        hidden_size: Size of the hidden state, H.
        kind: ``nn.LSTM`` or ``nn.RNN``.
    """

    def __init__(
        self, vocab_size: int, embed_dim: int, hidden_size: int, kind: type[nn.LSTM | nn.RNN] = nn.LSTM
    ) -> None:
        """Make the layers; see the class for the arguments."""
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = kind(embed_dim, hidden_size, batch_first=True)
        self.output = nn.AdaptiveLogSoftmaxWithLoss(hidden_size, vocab_size, cutoffs=[1000], div_value=4)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)  # small ones, which training soon outgrows
        if kind is nn.LSTM:  # its forget gate starts open
            self.rnn.get_parameter("bias_ih_l0").data[hidden_size : 2 * hidden_size] += 1.0

    def forward(self, words: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Run over T words.

        Args:
            words: Their ids, shape (B, T).
            state: The state before the first of them, shape (1, B, H) for each of its tensors; zeros where none is given.

        Returns:
            The hidden states, shape (B, T, H), and the last state.
        """
        states, state = self.rnn(self.embedding(words), state)
        return states, state


def next_word_loss(model: LanguageModel, batch: SentenceBatch) -> Tensor:
    """The mean loss per real word, in nats: shape ()."""
    states, _ = model(batch.inputs)
    loss: Tensor = model.output(states[batch.mask], batch.targets[batch.mask]).loss
    return loss


@torch.no_grad()
def word_log_probs(
    model: LanguageModel, sentences: list[tuple[str, ...]], vocab: Vocabulary, device: torch.device | str = "cpu"
) -> tuple[Tensor, Tensor]:
    """The log-probabilities that the model gives to the words of some sentences, including their ends.

    Args:
        model: The model, on the device.
        sentences: The sentences, as words.
        vocab: Turns words into ids.
        device: Where the model is.

    Returns:
        The log-probabilities, zeros at the padding, and the mask, shape (B, T) each, on the CPU.
    """
    whole = make_sentence_batch(sentences, vocab)
    log_probs = torch.zeros(whole.mask.shape)
    for start in range(0, len(sentences), 100):
        batch = make_sentence_batch(sentences[start : start + 100], vocab, device)
        states, _ = model(batch.inputs)
        found = model.output(states[batch.mask], batch.targets[batch.mask]).output
        log_probs[start : start + 100, : batch.mask.shape[1]][batch.mask.cpu()] = found.cpu()
    return log_probs, whole.mask
