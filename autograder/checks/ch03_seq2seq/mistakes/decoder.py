"""Mistakes in `Decoder`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch03_seq2seq.decoder import (
    decoder_gradient,
    first_state,
    last_state,
    one_word,
    word_by_word,
    words_in_turn,
)
from autograder.judging.catalogue import forbidden, mistake, right


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.output = nn.Linear(hidden_size, vocab_size)


@right
class Usual(Given):
    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states), state


mistake(one_word, "the GRU is not given the embedded words").made_in(
    Usual, InputNotFed={"self.embedding(tokens)": "torch.zeros_like(self.embedding(tokens))"}
)
mistake(one_word, "a softmax is applied to the logits; leave it to the loss").made_in(
    Usual, Probabilities={"(states), state": "(states).softmax(dim=-1), state"}
)
mistake(one_word, "a log-softmax is applied to the logits; leave it to the loss").made_in(
    Usual, LogProbabilities={"(states), state": "(states).log_softmax(dim=-1), state"}
)
mistake(one_word, "a tanh is applied after output, but the logits should have none").made_in(
    Usual, Tanh={"(states), state": "(states).tanh(), state"}
)
mistake(one_word, "a tanh is applied to the GRU's states before output, expected the states as they are").made_in(
    Usual, TanhBeforeOutput={"(states), state": "(states.tanh()), state"}
)
mistake(one_word, "a ReLU is applied to the GRU's states before output, expected the states as they are").made_in(
    Usual, ReluBeforeOutput={"(states), state": "(states.relu()), state"}
)
mistake(one_word, "the embeddings are transposed to (T, B, E), but the GRU has batch_first=True").made_in(
    Usual, WordsFirstForBatchFirst={"(tokens)": "(tokens).transpose(0, 1)"}
)
mistake(
    one_word, "the dimension of positions is missing from the logits, expected (B, T, V) even for one word"
).made_in(
    Usual,
    LogitsOfTheLast={"(states), state": "(states[:, -1]), state"},
    SqueezesPositions={"(states), state": "(states).squeeze(1), state"},
)


@mistake(one_word, "the logits are computed from the state before each word, expected the state after it")
class StatesBefore(Given):
    def forward(self, tokens, state):
        states, last = self.rnn(self.embedding(tokens), state)
        before = torch.cat([state.transpose(0, 1), states[:, :-1]], dim=1)
        return self.output(before), last


mistake(one_word, "the result is the GRU's states: output is not applied to them").made_in(
    Usual, StatesForLogits={"return self.output(states), state": "return states, state"}
)
mistake(one_word, "the result is the most likely words, expected the logits of all words").made_in(
    Usual, WordsForLogits={"(states), state": "(states).argmax(dim=-1), state"}
)


@mistake(one_word, "only the logits are returned, expected the logits and the last state")
class LogitsAlone(Given):
    def forward(self, tokens, state):
        return self.output(self.rnn(self.embedding(tokens), state)[0])


mistake(one_word, "the state is returned first, expected the logits first").made_in(
    Usual, StateFirst={"self.output(states), state": "state, self.output(states)"}
)
mistake(one_word, "the GRU is given the ids of the words, expected their embeddings").made_in(
    Usual, NoEmbedding={"self.embedding(tokens)": "tokens.float().unsqueeze(-1)"}
)


@mistake(one_word, "the GRU is replaced by an LSTM; leave __init__ as it was")
class OtherLayers(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.rnn = nn.LSTM(embed_dim, hidden_size, batch_first=True)

    def forward(self, tokens, state):
        states, (state, _) = self.rnn(self.embedding(tokens), (state, torch.zeros_like(state)))
        return self.output(states), state


@mistake(one_word, "forward is missing")
class NoForward(Given):
    pass


mistake(
    first_state,
    "the GRU starts from zeros, expected the given state: otherwise the translation does not depend on the source",
).made_in(
    Usual,
    NoEncoderState={"(tokens), state": "(tokens)"},
    NewState={"states,": "state = torch.zeros(1, tokens.shape[0], self.rnn.hidden_size); states,"},
)
mistake(first_state, "the given state is also added to the GRU's states").made_in(
    Usual, StateDoubled={"states, state": "states, last", "(states), state": "(states + state.transpose(0, 1)), last"}
)


@mistake(
    words_in_turn,
    "the decoder reads its own most likely words, expected the given tokens; its own words are read only at test time",
)
class OwnWords(Given):
    def forward(self, tokens, state):
        word, logits = tokens[:, :1], []
        for _ in range(tokens.shape[1]):
            states, state = self.rnn(self.embedding(word), state)
            logits.append(self.output(states))
            word = logits[-1].argmax(dim=-1)
        return torch.cat(logits, dim=1), state


@mistake(words_in_turn, "the first word is read at every position")
class FirstWordAgain(Given):
    def forward(self, tokens, state):
        embedded = self.embedding(tokens[:, :1]).expand(-1, tokens.shape[1], -1)
        states, state = self.rnn(embedded, state)
        return self.output(states), state


@mistake(words_in_turn, "only the first word is read, and zeros at the other positions")
class FirstWordAlone(Given):
    def forward(self, tokens, state):
        embedded = self.embedding(tokens)
        later = torch.arange(tokens.shape[1]) > 0
        states, state = self.rnn(embedded.masked_fill(later.unsqueeze(-1), 0.0), state)
        return self.output(states), state


@mistake(words_in_turn, "each word is read from the first state: the state after a word is not carried on to the next")
class NotCarried(Given):
    def forward(self, tokens, state):
        logits = [self.output(self.rnn(self.embedding(word), state)[0]) for word in tokens.split(1, dim=1)]
        return torch.cat(logits, dim=1), self.rnn(self.embedding(tokens), state)[1]


mistake(words_in_turn, "the word 0 is treated as padding, but it is a word like any other").made_in(
    Usual,
    StatesWithoutZero={"(states), state": "(states * (tokens != 0).unsqueeze(-1)), state"},
    LogitsWithoutZero={"(states), state": "(states) * (tokens != 0).unsqueeze(-1), state"},
    EmbeddingsWithoutZero={"(tokens)": "(tokens) * (tokens != 0).unsqueeze(-1)"},
)
mistake(words_in_turn, "the words are read from the last to the first").made_in(
    Usual, Backwards={"(tokens)": "(tokens).flip(1)", "(states), state": "(states.flip(1)), state"}
)
mistake(words_in_turn, "the logits are computed only for the last position, expected for all positions").made_in(
    Usual, LogitsOfLastWord={"(states), state": "(states[:, -1:]), state"}
)


@mistake(last_state, "the given state is returned unchanged, expected the GRU's last state")
class FirstStateBack(Given):
    def forward(self, tokens, state):
        return self.output(self.rnn(self.embedding(tokens), state)[0]), state


mistake(last_state, "the states at all positions are returned, expected only the last one").made_in(
    Usual, AllStatesBack={"states, state": "states, _", "(states), state": "(states), states"}
)
mistake(last_state, "the last state has the batch as its first dimension, expected (1, B, H)").made_in(
    Usual, LastStateBatchFirst={"states, state": "states, _", "(states), state": "(states), states[:, -1:]"}
)
mistake(last_state, "the dimension of layers is missing from the last state, expected (1, B, H)").made_in(
    Usual, LastStateWithoutLayer={"(states), state": "(states), state[0]"}
)
mistake(last_state, "the last state of a single word has the batch as its first dimension, expected (1, B, H)").made_in(
    Usual, OneWordBatchFirst={"(states), state": "(states), states if tokens.shape[1] == 1 else state"}
)


@mistake(word_by_word, "the first state ever given is stored in self and used for all later calls")
class KeepsState(Given):
    kept = None

    def forward(self, tokens, state):
        if self.kept is None:
            self.kept = state
        states, state = self.rnn(self.embedding(tokens), self.kept)
        return self.output(states), state


@mistake(word_by_word, "a dimension of size one is removed that belongs to the result")
class SqueezesOneWord(Given):
    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        logits = self.output(states)
        return logits.squeeze() if len(tokens) == 1 else logits, state


mistake(word_by_word, "a dimension of size one is removed that belongs to the result").made_in(
    Usual, SqueezesOneSentence={"(states), state": "(states).squeeze(0), state"}
)
mistake(decoder_gradient, "the state is detached, so no gradient reaches the encoder").made_in(
    Usual, DetachedState={"(self.embedding(tokens), state)": "(self.embedding(tokens), state.detach())"}
)
mistake(decoder_gradient, "the GRU's states are detached, so no gradient reaches the GRU").made_in(
    Usual, DetachedStates={"(states), state": "(states.detach()), state"}
)


@mistake(decoder_gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Given):
    @torch.no_grad()
    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens), state)
        return self.output(states), state


@mistake(decoder_gradient, "the state is detached after each word, so no gradient reaches the words before")
class TruncatedGradient(Given):
    def forward(self, tokens, state):
        logits = []
        for word in tokens.split(1, dim=1):
            states, state = self.rnn(self.embedding(word), state)
            logits.append(self.output(states))
            state = state.detach()
        return torch.cat(logits, dim=1), state


mistake(one_word, "a ReLU is applied after output, so negative logits become 0").made_in(
    Usual, ReluBehindOutput={"(states), state": "(states).relu(), state"}
)
mistake(one_word, "a ReLU is applied to the embeddings before the GRU").made_in(
    Usual, BentEmbeddings={"(tokens)": "(tokens).relu()"}
)
mistake(one_word, "dropout is applied, but no layer that __init__ makes is one of dropout").made_in(
    Usual,
    DropsEmbeddings={"(self.embedding(tokens), state)": "(F.dropout(self.embedding(tokens), 0.1), state)"},
    DropsHalfOfEmbeddings={"(self.embedding(tokens), state)": "(F.dropout(self.embedding(tokens)), state)"},
    DropsStates={"(states), state": "(F.dropout(states, 0.1)), state"},
    DropsHalfOfStates={"(states), state": "(F.dropout(states)), state"},
)


@right
class WordAfterWord(Given):
    def forward(self, tokens, state):
        logits = []
        for word in tokens.unbind(dim=1):
            out, state = self.rnn(self.embedding(word).unsqueeze(1), state)
            logits.append(self.output(out.squeeze(1)))
        return torch.stack(logits, dim=1), state


@right
class ByHand(Given):
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


@right
class OneHot(Given):
    def forward(self, tokens, state):
        one_hot = F.one_hot(tokens, self.embedding.num_embeddings).to(self.embedding.weight.dtype)
        states, state = self.rnn(one_hot @ self.embedding.weight, hx=state)
        return F.linear(states, self.output.weight, self.output.bias), state


@mistake(one_word, "logits and state are returned in a list, expected a tuple")
class Listed(OneHot):
    def forward(self, tokens, state):
        return list(super().forward(tokens, state))


@right
class LastOfTheStates(Given):
    def forward(self, tokens, state):
        states = self.rnn(self.embedding(tokens), state.contiguous())[0]
        return self.output(states), states[:, -1:].transpose(0, 1).contiguous()


@right
class StoresMore(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, tokens, state):
        self.calls += 1
        states, self.last = self.rnn(self.embedding(tokens), state)
        return self.output(states), self.last


@right
def made_by_a_function(vocab_size, embed_dim, hidden_size):
    return WordAfterWord(vocab_size, embed_dim, hidden_size)


@right
class WordsFirst(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.rnn = nn.GRU(embed_dim, hidden_size)

    def forward(self, tokens, state):
        states, state = self.rnn(self.embedding(tokens.T), state)
        return self.output(states).transpose(0, 1), state


@forbidden
class SeqlabsOwn(Given):
    def forward(self, tokens, state):
        from seqlab.models import Decoder as Own

        return Own.forward(self, tokens, state)


right(functools.partial(ByHand))
