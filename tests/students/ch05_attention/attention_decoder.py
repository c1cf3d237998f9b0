"""What students hand in for `AttentionDecoder`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule. The constructor is given with the exercise, so each stands on `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "AttentionDecoder"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, vocab_size, embed_dim, hidden_size, memory_size, attention):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)
        self.combine = nn.Linear(memory_size + hidden_size, hidden_size)
        self.output = nn.Linear(hidden_size, vocab_size)
        self.attention = attention

    def words(self, context, states):
        """The logits; for the mistakes that are made elsewhere."""
        return self.output(self.combine(torch.cat([context, states], dim=-1)).tanh())


class StateFirst(Given):
    """State and context are swapped in front of combine."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(states, context), weights, state


class NoTanh(Given):
    """Nothing stands between the two linear layers."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.output(self.combine(torch.cat([context, states], dim=-1))), weights, state


class TanhLast(Given):
    """The tanh stands behind the output."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.output(self.combine(torch.cat([context, states], dim=-1))).tanh(), weights, state


class Relu(Given):
    """A ReLU is used instead of the tanh."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.output(self.combine(torch.cat([context, states], dim=-1)).relu()), weights, state


class Probabilities(Given):
    """A softmax over the logits."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states).softmax(dim=-1), weights, state


class NotCombined(Given):
    """The context is not used."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        _, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.output(states), weights, state


class ContextOfOneStep(Given):
    """Side by side along the steps in the place of the features."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.output(self.combine(torch.cat([context, states], dim=1)).tanh()), weights, state


class LogitsOnly(Given):
    """One result for three."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, _ = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states)


class StateBeforeWeights(Given):
    """The results in another order."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), state, weights


class MemoryAsks(Given):
    """The attention gets memory and states in the wrong order."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(memory, states, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class OtherLayers(Given):
    """The constructor was changed."""

    def __init__(self, vocab_size, embed_dim, hidden_size, memory_size, attention):
        super().__init__(vocab_size, embed_dim, hidden_size, memory_size, attention)
        self.rnn = nn.LSTM(embed_dim, hidden_size, batch_first=True)

    def forward(self, tokens, state, memory, mask):
        states, (state, _) = self.rnn(self.embedding(tokens), (state, torch.zeros_like(state)))
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class NoForward(Given):
    """forward was deleted."""


class StartsFromZeros(Given):
    """The state that is given is not used."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens))
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class StateBefore(Given):
    """Bahdanau's order: the state before asks."""

    def forward(self, tokens, state, memory, mask):
        states, last = self.rnn(self.embedding(tokens), state)
        before = torch.cat([state.transpose(0, 1), states[:, :-1]], dim=1)
        context, weights = self.attention(before, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, last


class FirstStateAsks(Given):
    """The encoder's state asks at every step."""

    def forward(self, tokens, state, memory, mask):
        states, last = self.rnn(self.embedding(tokens), state)
        query = state.transpose(0, 1).expand_as(states)
        context, weights = self.attention(query, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, last


class LastStateAsks(Given):
    """The state after the last word asks at every step."""

    def forward(self, tokens, state, memory, mask):
        states, last = self.rnn(self.embedding(tokens), state)
        query = last.transpose(0, 1).expand_as(states)
        context, weights = self.attention(query, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, last


class WordAsks(Given):
    """The embedding is used as the query."""

    def forward(self, tokens, state, memory, mask):
        embedded = self.embedding(tokens)
        states, state = self.rnn(embedded, state)
        context, weights = self.attention(embedded, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class NoMask(Given):
    """A mask that hides nothing."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, torch.ones_like(mask).unsqueeze(1))
        return self.words(context, states), weights, state


class MaskIsNone(Given):
    """The attention gets no mask."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, None)
        return self.words(context, states), weights, state


class MaskLeftOut(Given):
    """The attention is called without its mask."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory)
        return self.words(context, states), weights, state


class MaskWithoutQueries(Given):
    """The mask lacks the axis of the queries."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask)
        return self.words(context, states), weights, state


class MaskTurned(Given):
    """The axis of the queries stands at the end."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(2))
        return self.words(context, states), weights, state


class MaskInverted(Given):
    """The mask goes in the wrong way round."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, ~mask.unsqueeze(1))
        return self.words(context, states), weights, state


class FirstStateBack(Given):
    """The given state is returned, expected the last state of the GRU."""

    def forward(self, tokens, state, memory, mask):
        states, _ = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class AllStatesBack(Given):
    """All states are returned, expected only the last."""

    def forward(self, tokens, state, memory, mask):
        states, _ = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, states


class LastStateBatchFirst(Given):
    """The last state comes back with the batch first, which a batch of one does not show."""

    def forward(self, tokens, state, memory, mask):
        states, _ = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, states[:, -1:]


class LastStateWithoutLayer(Given):
    """The last state comes back without its first dimension."""

    def forward(self, tokens, state, memory, mask):
        states, _ = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, states[:, -1]


class KeepsState(Given):
    """The first state that was ever given is kept, and what comes back later is not used."""

    kept = None

    def forward(self, tokens, state, memory, mask):
        if self.kept is None:
            self.kept = state
        states, state = self.rnn(self.embedding(tokens), self.kept)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class SqueezesOneWord(Given):
    """One word alone loses its dimension."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states).squeeze(1), weights, state


class SqueezesOneSentence(Given):
    """One sentence alone loses its dimension."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states).squeeze(0), weights, state


class DetachedContext(Given):
    """No gradient reaches the memory."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context.detach(), states), weights, state


class DetachedStates(Given):
    """No gradient reaches the GRU."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        states = states.detach()
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class DetachedQueries(Given):
    """No gradient flows back through the attention weights."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states.detach(), memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class NoGradient(Given):
    """All of it is computed without a gradient."""

    @torch.no_grad()
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


class DropsInEvaluation(Given):
    """F.dropout is not told whether the model is in training mode."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        attentional = self.combine(torch.cat([context, states], dim=-1)).tanh()
        return self.output(F.dropout(attentional, 0.1)), weights, state


_COMBINED = "context and state are combined in the order [c_t; s_t]"
_GIVEN = "the GRU starts from the given state"
_QUERY = "the query of step t is the state s_t"
_MASK = "the mask of the source reaches the attention"
_LAST = "the state after the last token is returned, even for one sentence alone"
_WORDS = "a sentence can be decoded word by word"
_GRADIENT = "the gradient reaches every weight and the memory"

WRONG = {
    DropsInEvaluation: _COMBINED,
    StateFirst: _COMBINED,
    NoTanh: _COMBINED,
    TanhLast: _COMBINED,
    Relu: _COMBINED,
    Probabilities: _COMBINED,
    NotCombined: _COMBINED,
    ContextOfOneStep: _COMBINED,
    LogitsOnly: _COMBINED,
    StateBeforeWeights: _GIVEN,
    MemoryAsks: _COMBINED,
    OtherLayers: _COMBINED,
    NoForward: _COMBINED,
    StartsFromZeros: _GIVEN,
    StateBefore: _QUERY,
    FirstStateAsks: _QUERY,
    LastStateAsks: _QUERY,
    WordAsks: _QUERY,
    NoMask: _MASK,
    MaskIsNone: _MASK,
    MaskLeftOut: _MASK,
    MaskWithoutQueries: _MASK,
    MaskTurned: _MASK,
    MaskInverted: _MASK,
    FirstStateBack: _LAST,
    AllStatesBack: _LAST,
    LastStateBatchFirst: _LAST,
    LastStateWithoutLayer: _LAST,
    KeepsState: _WORDS,
    SqueezesOneWord: _WORDS,
    SqueezesOneSentence: _WORDS,
    DetachedContext: _GRADIENT,
    DetachedStates: _GRADIENT,
    DetachedQueries: _GRADIENT,
    NoGradient: _GRADIENT,
}


class WordAfterWord(Given):
    """The GRU and the attention, one word at a time."""

    def forward(self, tokens, state, memory, mask):
        logits, rows = [], []
        for word in tokens.unbind(dim=1):
            out, state = self.rnn(self.embedding(word).unsqueeze(1), state)
            context, weights = self.attention(out, memory, mask[:, None, :])
            logits.append(self.output(torch.tanh(self.combine(torch.cat((context, out), dim=2)))))
            rows.append(weights)
        return torch.cat(logits, dim=1), torch.cat(rows, dim=1), state


class ByHand(Given):
    """The GRU's cell written out, and combine as two products."""

    def forward(self, tokens, state, memory, mask):
        hidden, states = state[0], []
        for embedded in self.embedding(tokens).unbind(dim=1):
            given = nn.functional.linear(embedded, self.rnn.weight_ih_l0, self.rnn.bias_ih_l0).chunk(3, dim=-1)
            kept = nn.functional.linear(hidden, self.rnn.weight_hh_l0, self.rnn.bias_hh_l0).chunk(3, dim=-1)
            reset, update = (given[0] + kept[0]).sigmoid(), (given[1] + kept[1]).sigmoid()
            new = (given[2] + reset * kept[2]).tanh()
            hidden = (1 - update) * new + update * hidden
            states.append(hidden)
        states = torch.stack(states, dim=1)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        of_context, of_state = self.combine.weight.split([memory.shape[-1], states.shape[-1]], dim=1)
        combined = context @ of_context.T + states @ of_state.T + self.combine.bias
        return self.output(combined.tanh()), weights, hidden.unsqueeze(0)


class MaskForEveryQuery(Given):
    """The mask is expanded to one row for every query."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        mask = mask[:, None].expand(-1, tokens.size(1), -1)
        context, weights = self.attention(states, memory, mask)
        return self.words(context, states), weights, state


class StoresMore(Given):
    """A buffer and what it last saw are kept beside the layers."""

    def __init__(self, vocab_size, embed_dim, hidden_size, memory_size, attention):
        super().__init__(vocab_size, embed_dim, hidden_size, memory_size, attention)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, tokens, state, memory, mask):
        self.calls += 1
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        self.last_weights = weights.detach()
        return self.words(context, states), weights, state


class StatesOfTheLastDimension(Given):
    """The last state is taken from all states, in the right shape."""

    def forward(self, tokens, state, memory, mask):
        states = self.rnn(self.embedding(tokens), state)[0]
        context, weights = self.attention(states, memory, mask.unsqueeze(-2))
        return [self.words(context, states), weights, states[:, -1:].transpose(0, 1).contiguous()]


def made_by_a_function(vocab_size, embed_dim, hidden_size, memory_size, attention):
    """A function that builds one."""
    return WordAfterWord(vocab_size, embed_dim, hidden_size, memory_size, attention)


RIGHT = {
    "word after word": WordAfterWord,
    "by hand": ByHand,
    "a mask for every query": MaskForEveryQuery,
    "stores more": StoresMore,
    "the last of the states": StatesOfTheLastDimension,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(WordAfterWord),
}


class TorchsOwn(Given):
    """The rule is that this is not used."""

    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        _, weights = self.attention(states, memory, mask.unsqueeze(1))
        context = nn.functional.scaled_dot_product_attention(states, memory, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


FORBIDDEN = (TorchsOwn,)
