"""Mistakes in `AttentionDecoder`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch05_attention.attention_decoder import (
    combined,
    decoder_gradient,
    decoder_mask,
    given_state,
    in_chapter,
    last_state,
    queried,
    word_by_word,
)
from autograder.judging.catalogue import forbidden, mistake, right


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


@right
class Usual(Given):
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


@right
class WrittenOut(Given):
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.output(self.combine(torch.cat([context, states], dim=-1)).tanh()), weights, state


@mistake(
    combined, "the GRU starts anew from the given state at every word, expected from the state after the word before it"
)
class EachWordFromTheFirstState(Given):
    def forward(self, tokens, state, memory, mask):
        states = torch.cat([self.rnn(self.embedding(word), state)[0] for word in tokens.split(1, dim=1)], dim=1)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, states[:, -1].unsqueeze(0)


mistake(combined, "a log_softmax is applied to the logits; leave it to the loss").made_in(
    Usual, LogProbabilities={", weights, state": ".log_softmax(dim=-1), weights, state"}
)


@mistake(combined, "there is a dropout in training, which the formula does not have")
class DropsInTraining(Given):
    def forward(self, tokens, state, memory, mask):
        embedded = F.dropout(self.embedding(tokens), 0.1, self.training)
        states, state = self.rnn(embedded, state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


mistake(combined, "a sigmoid is used instead of the tanh").made_in(WrittenOut, Sigmoid={"tanh()": "sigmoid()"})
mistake(combined, "the tanh is applied before combine, expected after it").made_in(
    WrittenOut, TanhFirst={").tanh()": ".tanh())"}
)
mistake(combined, "the last state is combined with the context of every word, expected s_t with c_t").made_in(
    Usual, CombinesLastState={"self.words(context, states)": "self.words(context, states[:, -1:].expand_as(states))"}
)
mistake(
    combined, "the state is added before output, as in a residual connection, which the formula does not have"
).made_in(WrittenOut, AddsTheState={"tanh()": "tanh() + states"})
mistake(given_state, "a list is returned, expected a tuple").made_in(
    Usual, AList={"self.words(context, states), weights, state": "[self.words(context, states), weights, state]"}
)
mistake(combined, "the state was put before the context, [s_t; c_t]; expected [c_t; s_t]").made_in(
    Usual, StateFirst={"self.words(context, states)": "self.words(states, context)"}
)
mistake(combined, "there is no tanh between combine and output").made_in(WrittenOut, NoTanh={".tanh()": ""})
mistake(combined, "the tanh is applied after output, expected between combine and output").made_in(
    WrittenOut, TanhLast={".tanh())": ").tanh()"}
)
mistake(combined, "a ReLU is used instead of the tanh").made_in(WrittenOut, Relu={"tanh()": "relu()"})
mistake(combined, "the logits are probabilities; leave the softmax to the loss").made_in(
    Usual, Probabilities={", weights, state": ".softmax(dim=-1), weights, state"}
)
mistake(combined, "the logits do not depend on the context: the states went straight to output").made_in(
    Usual, NotCombined={"context, weights": "_, weights", "self.words(context, states)": "self.output(states)"}
)
mistake(combined, "context and state are concatenated along the steps, expected along the last dimension").made_in(
    WrittenOut, ContextOfOneStep={"dim=-1": "dim=1"}
)
mistake(combined, "only the logits are returned, expected logits, weights and state").made_in(
    Usual, LogitsOnly={"context, weights": "context, _", ", weights, state": ""}
)
mistake(given_state, "the state is returned before the weights, expected logits, weights, state").made_in(
    Usual, StateBeforeWeights={"weights, state": "state, weights"}
)
mistake(combined, "the attention gets the memory before the states").made_in(
    Usual, MemoryAsks={"states, memory": "memory, states"}
)


@mistake(combined, "__init__ was changed")
class OtherLayers(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size, memory_size, attention):
        super().__init__(vocab_size, embed_dim, hidden_size, memory_size, attention)
        self.rnn = nn.LSTM(embed_dim, hidden_size, batch_first=True)

    def forward(self, tokens, state, memory, mask):
        states, (state, _) = self.rnn(self.embedding(tokens), (state, torch.zeros_like(state)))
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


@mistake(combined, "forward is missing")
class NoForward(Given):
    pass


mistake(given_state, "the GRU starts from zeros: the given state is not passed to it").made_in(
    Usual, StartsFromZeros={"(tokens), state": "(tokens)"}
)


@mistake(queried, "the query was the previous state, s_(t-1), which is Bahdanau's order; expected s_t")
class StateBefore(Given):
    def forward(self, tokens, state, memory, mask):
        states, last = self.rnn(self.embedding(tokens), state)
        before = torch.cat([state.transpose(0, 1), states[:, :-1]], dim=1)
        context, weights = self.attention(before, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, last


@mistake(queried, "every query was the first state, before any word; expected s_t")
class FirstStateAsks(Given):
    def forward(self, tokens, state, memory, mask):
        states, last = self.rnn(self.embedding(tokens), state)
        query = state.transpose(0, 1).expand_as(states)
        context, weights = self.attention(query, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, last


mistake(queried, "every query was the state after the last word; expected s_t").made_in(
    FirstStateAsks, LastStateAsks={"state.transpose": "last.transpose"}
)


@mistake(queried, "the query is the embedding of the word, expected the state s_t")
class WordAsks(Given):
    def forward(self, tokens, state, memory, mask):
        embedded = self.embedding(tokens)
        states, state = self.rnn(embedded, state)
        context, weights = self.attention(embedded, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


mistake(decoder_mask, "the mask that the attention gets hides nothing").made_in(
    Usual, NoMask={"mask.unsqueeze": "torch.ones_like(mask).unsqueeze"}
)
mistake(decoder_mask, "the attention gets no mask").made_in(
    Usual, MaskIsNone={"(states, memory, mask.unsqueeze(1))": "(states, memory, None)"}
)
mistake(decoder_mask, "the mask lacks the dimension of the queries").made_in(
    Usual, MaskWithoutQueries={"(states, memory, mask.unsqueeze(1))": "(states, memory, mask)"}
)
mistake(decoder_mask, "the dimension of the queries is the last one of the mask, expected the middle one").made_in(
    Usual, MaskTurned={"mask.unsqueeze(1)": "mask.unsqueeze(2)"}
)
mistake(decoder_mask, "the mask was inverted: True means that a position may be attended to").made_in(
    Usual, MaskInverted={"mask.unsqueeze(1)": "~mask.unsqueeze(1)"}
)
mistake(decoder_mask, "with a single word, the mask that the attention gets hides nothing").made_in(
    Usual, NoMaskForOneWord={"mask.unsqueeze": "(mask if tokens.shape[1] > 1 else torch.ones_like(mask)).unsqueeze"}
)
mistake(last_state, "the given state is returned, expected the last state of the GRU").made_in(
    Usual, FirstStateBack={"states, state": "states, _"}
)
mistake(last_state, "all states are returned, expected only the last").made_in(
    Usual, AllStatesBack={"states, state": "states, _", "weights, state": "weights, states"}
)
mistake(last_state, "the last state is returned with the batch first, expected (1, B, H)").made_in(
    Usual, LastStateBatchFirst={"states, state": "states, _", "weights, state": "weights, states[:, -1:]"}
)
mistake(last_state, "the last state of a single word is returned with the batch first, expected (1, B, H)").made_in(
    Usual, OneWordBatchFirst={"weights, state": "weights, states if tokens.shape[1] == 1 else state"}
)
mistake(last_state, "the last state is returned without its first dimension, expected (1, B, H)").made_in(
    Usual, LastStateWithoutLayer={"states, state": "states, _", "weights, state": "weights, states[:, -1]"}
)


@mistake(word_by_word, "the first state that was ever given is kept in self and used for every call")
class KeepsState(Given):
    kept = None

    def forward(self, tokens, state, memory, mask):
        if self.kept is None:
            self.kept = state
        states, state = self.rnn(self.embedding(tokens), self.kept)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


mistake(word_by_word, "a dimension of size one is removed that belongs to the result").made_in(
    Usual,
    SqueezesOneWord={", weights, state": ".squeeze(1), weights, state"},
    SqueezesOneSentence={", weights, state": ".squeeze(0), weights, state"},
)
mistake(decoder_gradient, "the context is detached, so no gradient reaches the memory").made_in(
    Usual, DetachedContext={"self.words(context, states)": "self.words(context.detach(), states)"}
)
mistake(decoder_gradient, "the states are detached, so no gradient reaches the GRU").made_in(
    Usual, DetachedStates={"context, weights": "states = states.detach(); context, weights"}
)
mistake(decoder_gradient, "the queries are detached, so no gradient flows back through the attention weights").made_in(
    Usual, DetachedQueries={"states, memory": "states.detach(), memory"}
)


@mistake(decoder_gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Given):
    @torch.no_grad()
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


@mistake(combined, "there is a dropout that does not stop in evaluation mode: F.dropout has to be told self.training")
class DropsInEvaluation(Given):
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        attentional = self.combine(torch.cat([context, states], dim=-1)).tanh()
        return self.output(F.dropout(attentional, 0.1)), weights, state


mistake(combined, "only the logits of the last word are returned, expected those of every word").made_in(
    Usual, LastWordAlone={", weights, state": "[:, -1:], weights, state"}
)
mistake(
    combined, "the context is computed again from weights and memory, expected the one that attention returns"
).made_in(Usual, ContextComputedAgain={"context, weights": "_, weights", "context, states": "weights @ memory, states"})
mistake(in_chapter, "the returned state is detached, so no gradient reaches the words before it").made_in(
    Usual, DetachedState={"weights, state": "weights, state.detach()"}
)
mistake(in_chapter, "the returned weights are detached, expected with their gradient").made_in(
    Usual, DetachedWeights={"weights, state": "weights.detach(), state"}
)


@right
class WordAfterWord(Given):
    def forward(self, tokens, state, memory, mask):
        logits, rows = [], []
        for word in tokens.unbind(dim=1):
            out, state = self.rnn(self.embedding(word).unsqueeze(1), state)
            context, weights = self.attention(out, memory, mask[:, None, :])
            logits.append(self.output(torch.tanh(self.combine(torch.cat((context, out), dim=2)))))
            rows.append(weights)
        return torch.cat(logits, dim=1), torch.cat(rows, dim=1), state


@right
class ByHand(Given):
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


@right
class MaskForEveryQuery(Given):
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        mask = mask[:, None].expand(-1, tokens.size(1), -1)
        context, weights = self.attention(states, memory, mask)
        return self.words(context, states), weights, state


@right
class StoresMore(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size, memory_size, attention):
        super().__init__(vocab_size, embed_dim, hidden_size, memory_size, attention)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, tokens, state, memory, mask):
        self.calls += 1
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        self.last_weights = weights.detach()
        return self.words(context, states), weights, state


@right
class StatesOfTheLastDimension(Given):
    def forward(self, tokens, state, memory, mask):
        states = self.rnn(self.embedding(tokens), state)[0]
        context, weights = self.attention(states, memory, mask.unsqueeze(-2))
        return self.words(context, states), weights, states[:, -1:].transpose(0, 1).contiguous()


@right
def made_by_a_function(vocab_size, embed_dim, hidden_size, memory_size, attention):
    return WordAfterWord(vocab_size, embed_dim, hidden_size, memory_size, attention)


@forbidden
class TorchsOwn(Given):
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        _, weights = self.attention(states, memory, mask.unsqueeze(1))
        context = nn.functional.scaled_dot_product_attention(states, memory, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state


right(functools.partial(WordAfterWord))
