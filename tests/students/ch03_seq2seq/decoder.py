"""What students submit for `Decoder`: each mistake alone, and right answers in many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
rule of the exercise. The constructor is given with
the exercise, so each class is derived from `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "Decoder"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)


class InputNotFed(Given):
    """The GRU runs over zeros: only the state carries information."""

    def forward(self, tokens, state):
        states, state = self.rnn(torch.zeros_like(self.embedding(tokens)), state)
        return self.output(states), state


class Probabilities(Given):
    """A softmax over the logits."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states).softmax(dim=-1), state


class LogProbabilities(Given):
    """A log-softmax over the logits."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states).log_softmax(dim=-1), state


class Tanh(Given):
    """A tanh after the output layer."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states).tanh(), state


class StatesForLogits(Given):
    """The output layer is missing."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return states, state


class WordsForLogits(Given):
    """The most likely words instead of the logits."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states).argmax(dim=-1), state


class LogitsAlone(Given):
    """One result instead of two."""

    def forward(self, tokens, state):
        return self.output(self.rnn(self.embedding(tokens), state)[0])


class StateFirst(Given):
    """The results in the wrong order."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return state, self.output(states)


class NoEmbedding(Given):
    """The word ids themselves go into the GRU."""

    def forward(self, tokens, state):
        states, state = self.rnn(tokens.float().unsqueeze(-1), state)
        return self.output(states), state


class OtherLayers(Given):
    """The constructor was changed."""

    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.rnn = nn.LSTM(embed_dim, hidden_size, batch_first=True)

    def forward(self, tokens, state):
        states, (state, _) = self.rnn(self.embedding(tokens), (state, torch.zeros_like(state)))
        return self.output(states), state


class NoForward(Given):
    """forward was deleted."""


class NoEncoderState(Given):
    """The given state is not used."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens))
        return self.output(states), state


class NewState(Given):
    """The given state is overwritten with zeros."""

    def forward(self, tokens, state):
        state = torch.zeros(1, tokens.shape[0], self.rnn.hidden_size)
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states), state


class StateDoubled(Given):
    """The state is added to the GRU's states too."""

    def forward(self, tokens, state):
        states, last = self.rnn(self.embedding(tokens), state)
        return self.output(states + state.transpose(0, 1)), last


class OwnWords(Given):
    """It reads its own words, in training too."""

    def forward(self, tokens, state):
        word, logits = tokens[:, :1], []
        for _ in range(tokens.shape[1]):
            states, state = self.rnn(self.embedding(word), state)
            logits.append(self.output(states))
            word = logits[-1].argmax(dim=-1)
        return torch.cat(logits, dim=1), state


class FirstWordAgain(Given):
    """It reads the first word at every position."""

    def forward(self, tokens, state):
        embedded = self.embedding(tokens[:, :1]).expand(-1, tokens.shape[1], -1)
        states, state = self.rnn(embedded, state)
        return self.output(states), state


class FirstWordAlone(Given):
    """It reads the first word and then zeros."""

    def forward(self, tokens, state):
        embedded = self.embedding(tokens)
        later = torch.arange(tokens.shape[1]) > 0
        states, state = self.rnn(embedded.masked_fill(later.unsqueeze(-1), 0.0), state)
        return self.output(states), state


class NotCarried(Given):
    """Each word is read from the same state."""

    def forward(self, tokens, state):
        logits = [self.output(self.rnn(self.embedding(word), state)[0]) for word in tokens.split(1, dim=1)]
        return torch.cat(logits, dim=1), self.rnn(self.embedding(tokens), state)[1]


class Backwards(Given):
    """The words are read from the last to the first."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens).flip(1), state)
        return self.output(states.flip(1)), state


class LogitsOfLastWord(Given):
    """Logits are computed for the last state only."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states[:, -1:]), state


class FirstStateBack(Given):
    """The given state is returned unchanged."""

    def forward(self, tokens, state):
        return self.output(self.rnn(self.embedding(tokens), state)[0]), state


class AllStatesBack(Given):
    """All states are returned."""

    def forward(self, tokens, state):
        states, _ = self.rnn(self.embedding(tokens), state)
        return self.output(states), states


class LastStateBatchFirst(Given):
    """The last state is returned with the batch first, which a batch of one does not show."""

    def forward(self, tokens, state):
        states, _ = self.rnn(self.embedding(tokens), state)
        return self.output(states), states[:, -1:]


class LastStateWithoutLayer(Given):
    """The last state is returned without its first dimension."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states), state[0]


class KeepsState(Given):
    """The first state that was ever given is kept for all calls."""

    kept = None

    def forward(self, tokens, state):
        if self.kept is None:
            self.kept = state
        states, state = self.rnn(self.embedding(tokens), self.kept)
        return self.output(states), state


class SqueezesOneWord(Given):
    """A single word loses its dimension, in a batch of one."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        logits = self.output(states)
        return logits.squeeze() if len(tokens) == 1 else logits, state


class SqueezesOneSentence(Given):
    """A single sentence loses its dimension."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states).squeeze(0), state


class DetachedState(Given):
    """No gradient reaches the encoder."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state.detach())
        return self.output(states), state


class DetachedStates(Given):
    """No gradient reaches the GRU."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states.detach()), state


class NoGradient(Given):
    """Everything is computed without a gradient."""

    @torch.no_grad()
    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states), state


class TruncatedGradient(Given):
    """The gradient flows back through one word only."""

    def forward(self, tokens, state):
        logits = []
        for word in tokens.split(1, dim=1):
            states, state = self.rnn(self.embedding(word), state)
            logits.append(self.output(states))
            state = state.detach()
        return torch.cat(logits, dim=1), state


class ReluBehindOutput(Given):
    """Negative logits become 0."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states).relu(), state


class BentEmbeddings(Given):
    """There is a ReLU after the embedding."""

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens).relu(), state)
        return self.output(states), state


class DropsInEvaluation(Given):
    """F.dropout is always in training mode."""

    def forward(self, tokens, state):
        states, state = self.rnn(F.dropout(self.embedding(tokens), 0.1), state)
        return self.output(states), state


_WORD = "a word is embedded, goes through the GRU, and comes out as logits"
_GIVEN = "the GRU starts from the encoder's state"
_IN_TURN = "with several words, each is read at its own position"
_LAST = "the state after the last word is returned"
_WORDS = "a sentence can be decoded word by word"
_GRADIENT = "the gradient reaches every weight and the encoder's state"

WRONG = {
    BentEmbeddings: _WORD,
    DropsInEvaluation: _WORD,
    InputNotFed: _WORD,
    Probabilities: _WORD,
    LogProbabilities: _WORD,
    Tanh: _WORD,
    StatesForLogits: _WORD,
    WordsForLogits: _WORD,
    LogitsAlone: _WORD,
    StateFirst: _WORD,
    NoEmbedding: _WORD,
    OtherLayers: _WORD,
    NoForward: _WORD,
    ReluBehindOutput: _WORD,
    NoEncoderState: _GIVEN,
    NewState: _GIVEN,
    StateDoubled: _GIVEN,
    OwnWords: _IN_TURN,
    FirstWordAgain: _IN_TURN,
    FirstWordAlone: _IN_TURN,
    NotCarried: _IN_TURN,
    Backwards: _IN_TURN,
    LogitsOfLastWord: _IN_TURN,
    FirstStateBack: _LAST,
    AllStatesBack: _LAST,
    LastStateBatchFirst: _LAST,
    LastStateWithoutLayer: _LAST,
    KeepsState: _WORDS,
    SqueezesOneWord: _WORDS,
    SqueezesOneSentence: _WORDS,
    DetachedState: _GRADIENT,
    DetachedStates: _GRADIENT,
    NoGradient: _GRADIENT,
    TruncatedGradient: _GRADIENT,
}


class WordAfterWord(Given):
    """One word at a time."""

    def forward(self, tokens, state):
        logits = []
        for word in tokens.unbind(dim=1):
            out, state = self.rnn(self.embedding(word).unsqueeze(1), state)
            logits.append(self.output(out.squeeze(1)))
        return torch.stack(logits, dim=1), state


class ByHand(Given):
    """The GRU's equations written out."""

    def forward(self, tokens, state):
        hidden, states = state[0], []
        for embedded in self.embedding(tokens).unbind(dim=1):
            given = F.linear(embedded, self.rnn.weight_ih_l0, self.rnn.bias_ih_l0).chunk(3, dim=-1)
            kept = F.linear(hidden, self.rnn.weight_hh_l0, self.rnn.bias_hh_l0).chunk(3, dim=-1)
            reset, update = (given[0] + kept[0]).sigmoid(), (given[1] + kept[1]).sigmoid()
            hidden = (1 - update) * (given[2] + reset * kept[2]).tanh() + update * hidden
            states.append(hidden)
        logits = torch.stack(states, dim=1) @ self.output.weight.T + self.output.bias
        return logits, hidden.unsqueeze(0)


class OneHot(Given):
    """The embedding as a product with one-hot vectors."""

    def forward(self, tokens, state):
        one_hot = F.one_hot(tokens, self.embedding.num_embeddings).to(self.embedding.weight.dtype)
        states, state = self.rnn(one_hot @ self.embedding.weight, hx=state)
        return [F.linear(states, self.output.weight, self.output.bias), state]


class LastOfTheStates(Given):
    """The last state is taken from all states, in the right shape."""

    def forward(self, tokens, state):
        states = self.rnn(self.embedding(tokens), state.contiguous())[0]
        return self.output(states), states[:, -1:].transpose(0, 1).contiguous()


class StoresMore(Given):
    """It counts its calls and keeps what it last saw."""

    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, tokens, state):
        self.calls += 1
        states, self.last = self.rnn(self.embedding(tokens), state)
        return self.output(states), self.last


def made_by_a_function(vocab_size, embed_dim, hidden_size):
    """A function that builds one."""
    return WordAfterWord(vocab_size, embed_dim, hidden_size)


class WordsFirst(Given):
    """A GRU with the same weights that wants the words first, and the batch second."""

    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.rnn = nn.GRU(embed_dim, hidden_size)

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens.T), state)
        return self.output(states).transpose(0, 1), state


RIGHT = {
    "word after word": WordAfterWord,
    "by hand": ByHand,
    "one-hot": OneHot,
    "the last of the states": LastOfTheStates,
    "stores more": StoresMore,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(ByHand),
    "words first": WordsFirst,
}


class SeqlabsOwn(Given):
    """The rule of the exercise forbids this."""

    def forward(self, tokens, state):
        from seqlab.models import Decoder as Own

        return Own.forward(self, tokens, state)


FORBIDDEN = (SeqlabsOwn,)
