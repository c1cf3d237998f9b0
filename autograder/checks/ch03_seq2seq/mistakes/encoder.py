"""Mistakes in `Encoder`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

from autograder.checks.ch03_seq2seq.encoder import (
    alone,
    any_order,
    encoder_gradient,
    memory,
    memory_of_padded,
    memory_of_padding,
    state,
    state_of_padded,
)
from autograder.judging.catalogue import forbidden, mistake, right


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden_size // 2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(hidden_size, hidden_size)

    def read(self, source, lengths):
        """The memory and the two last states, (2, B, H / 2); for the mistakes that are made elsewhere."""
        packed = pack_padded_sequence(self.embedding(source), lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        return pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])[0], last

    def first(self, last):
        """The decoder's first state; for the mistakes that are made elsewhere."""
        return self.bridge(torch.cat([last[0], last[1]], dim=-1)).tanh().unsqueeze(0)


@right
class Usual(Given):
    def forward(self, source, lengths):
        memory, last = self.read(source, lengths)
        return memory, self.first(last)


@mistake(
    memory, "the backward states come first in the memory, expected the forward states first, as the GRU returns them"
)
class HalvesSwapped(Given):
    def forward(self, source, lengths):
        memory, last = self.read(source, lengths)
        forward, backward = memory.chunk(2, dim=-1)
        return torch.cat([backward, forward], dim=-1), self.first(last)


@mistake(memory, "only the memory is returned, expected the memory and the decoder's first state")
class MemoryAlone(Given):
    def forward(self, source, lengths):
        return self.read(source, lengths)[0]


mistake(memory, "the state is returned first, expected the memory first").made_in(
    Usual, StateBeforeMemory={"memory, self.first(last)": "self.first(last), memory"}
)


@mistake(memory, "the memory is still packed: pad_packed_sequence turns it into a tensor")
class MemoryIsPacked(Given):
    def forward(self, source, lengths):
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        return states, self.first(last)


mistake(
    memory, "the memory is both results of pad_packed_sequence, states and lengths; expected only the states"
).made_in(MemoryIsPacked, MemoryWithLengths={"return states": "return pad_packed_sequence(states, batch_first=True)"})
mistake(memory, "the memory is unpacked with the positions as the first dimension: pass batch_first=True").made_in(
    MemoryIsPacked, StepsFirst={"return states": "return pad_packed_sequence(states, total_length=source.shape[1])[0]"}
)


@mistake(memory, "the memory is the embeddings, expected the GRU's states")
class EmbeddingsAsMemory(Given):
    def forward(self, source, lengths):
        return self.embedding(source), self.first(self.read(source, lengths)[1])


mistake(memory, "the memory contains only the forward states, expected those of both directions").made_in(
    Usual, OneWay={"return memory": "return memory.chunk(2, dim=-1)[0]"}
)
mistake(memory, "a tanh is applied to the memory, expected the GRU's states as they are").made_in(
    Usual, TanhOfMemory={"return memory": "return memory.tanh()"}
)
mistake(memory, "bridge and tanh are applied to the memory too, expected the GRU's states as they are").made_in(
    Usual, BridgedMemory={"return memory": "return self.bridge(memory).tanh()"}
)
mistake(memory, "the forward and backward states are added in the memory, expected them side by side").made_in(
    Usual, DirectionsAdded={"return memory": "return sum(memory.chunk(2, dim=-1))"}
)


@mistake(memory, "the GRU is replaced by one that reads in one direction; leave __init__ as it was")
class OtherLayers(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.rnn = nn.GRU(embed_dim, hidden_size, batch_first=True)

    def forward(self, source, lengths):
        memory, last = self.rnn(self.embedding(source))
        return memory, self.bridge(last[0]).tanh().unsqueeze(0)


@mistake(memory, "forward is missing")
class NoForward(Given):
    pass


mistake(state, "the tanh after bridge is missing").made_in(
    Usual, NoTanh={"first(last)": "bridge(torch.cat([last[0], last[1]], dim=-1)).unsqueeze(0)"}
)
mistake(state, "bridge and tanh are left out: the state is the concatenation of the two last states").made_in(
    Usual,
    NoBridge={"return memory, self.first(last)": "return memory, torch.cat([last[0], last[1]], dim=-1).unsqueeze(0)"},
)
mistake(state, "bridge is left out: the state is the tanh of the two last states").made_in(
    Usual, NoBridgeButTanh={"self.first(last)": "torch.cat([last[0], last[1]], dim=-1).tanh().unsqueeze(0)"}
)
mistake(
    state, "the last backward state comes first in the concatenation, expected the last forward state first"
).made_in(Usual, BackwardFirst={"(last)": "(last.flip(0))"})


@mistake(
    state,
    "reshape and view read all of one direction first, so the last states of different sentences are concatenated: use last[0] and last[1]",
)
class Reshaped(Given):
    def forward(self, source, lengths):
        memory, last = self.read(source, lengths)
        both = last.reshape(source.shape[0], -1)
        return memory, self.bridge(both).tanh().unsqueeze(0)


@mistake(state, "the state is computed from the mean of all states, expected the last state of each direction")
class MeanOfStates(Given):
    def forward(self, source, lengths):
        memory, _ = self.read(source, lengths)
        mean = memory.sum(dim=1) / lengths.unsqueeze(1)
        return memory, self.bridge(mean).tanh().unsqueeze(0)


mistake(
    state,
    "the state is computed from the GRU's states at the first word, where the forward direction has only begun to read",
).made_in(
    Usual, StateOfFirstWord={"memory, last": "memory, _", "first(last)": "bridge(memory[:, 0]).tanh().unsqueeze(0)"}
)
mistake(state, "the dimension of layers is missing from the state, expected (1, B, H)").made_in(
    Usual, StateWithoutLayer={"(last)": "(last)[0]"}
)
mistake(
    state, "the last states are returned as the GRU returns them, expected what bridge and tanh make of them"
).made_in(MemoryAlone, StateOfTwoLayers={"self.read(source, lengths)[0]": "self.read(source, lengths)"})


@mistake(
    state,
    "the state is computed from the GRU's states at the last word, where the backward direction has only begun to read",
)
class StateAtLastWord(Given):
    def forward(self, source, lengths):
        memory, _ = self.read(source, lengths)
        at_last = memory[torch.arange(len(source)), lengths - 1]
        return memory, self.bridge(at_last).tanh().unsqueeze(0)


@mistake(
    state_of_padded,
    "the GRU reads the padding too, so the last state of its forward direction is the one after the padding",
)
class OverPadding(Given):
    def forward(self, source, lengths):
        memory, last = self.rnn(self.embedding(source))
        real = torch.arange(source.shape[1]) < lengths.unsqueeze(1)
        return memory * real.unsqueeze(-1), self.first(last)


@mistake(
    state_of_padded, "the forward state is taken at each last word, but the backward direction reads the padding first"
)
class BackwardFromPadding(Given):
    def forward(self, source, lengths):
        memory, last = self.rnn(self.embedding(source))
        real = torch.arange(source.shape[1]) < lengths.unsqueeze(1)
        half = memory.shape[-1] // 2
        forward = memory[torch.arange(len(source)), lengths - 1, :half]
        both = torch.cat([forward, last[1]], dim=-1)
        return memory * real.unsqueeze(-1), self.bridge(both).tanh().unsqueeze(0)


@mistake(
    state_of_padded, "the embeddings are 0 at padding, but the GRU still reads them, and each step changes its state"
)
class PaddingWithEmbeddingsOfZero(Given):
    def forward(self, source, lengths):
        real = (torch.arange(source.shape[1]) < lengths.unsqueeze(1)).unsqueeze(-1)
        memory, last = self.rnn(self.embedding(source) * real)
        return memory * real, self.first(last)


@mistake(memory_of_padded, "the backward direction reads the padding before the words, which changes all its states")
class MemoryOverPadding(Given):
    def forward(self, source, lengths):
        _, last = self.read(source, lengths)
        real = torch.arange(source.shape[1]) < lengths.unsqueeze(1)
        return self.rnn(self.embedding(source))[0] * real.unsqueeze(-1), self.first(last)


mistake(
    memory_of_padding, "the memory ends with the longest sentence, expected all S positions: pass total_length"
).made_in(
    MemoryIsPacked, AsLongAsTheLongest={"return states": "return pad_packed_sequence(states, batch_first=True)[0]"}
)


@mistake(memory_of_padding, "the memory is not 0 at padding")
class MinusOneAtPadding(Given):
    def forward(self, source, lengths):
        packed = pack_padded_sequence(self.embedding(source), lengths, batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(states, batch_first=True, padding_value=-1.0, total_length=source.shape[1])
        return memory, self.first(last)


@mistake(
    any_order, "enforce_sorted is True by default, which refuses sentences in any other order than the longest first"
)
class WantsSorted(Given):
    def forward(self, source, lengths):
        states, last = self.rnn(pack_padded_sequence(self.embedding(source), lengths, batch_first=True))
        memory, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return memory, self.first(last)


@mistake(any_order, "the sentences are sorted by length and not put back into their original order")
class SortedAndLeftSo(Given):
    def forward(self, source, lengths):
        order = lengths.argsort(descending=True, stable=True)
        memory, last = self.read(source[order], lengths[order])
        return memory, self.first(last)


mistake(
    any_order, "the sentences are sorted by length, and then sorted again instead of put back into their original order"
).made_in(SortedAndLeftSo, SortedTwice={"memory, self.first(last)": "memory[order], self.first(last[:, order])"})
mistake(any_order, "the memory is put back into the original order, but the state is not").made_in(
    SortedAndLeftSo, StateLeftSorted={"return memory": "return memory[order.argsort()]"}
)
mistake(alone, "a dimension of size one is removed that belongs to the result").made_in(
    Usual,
    Squeezes={"return memory": "return memory.squeeze(0)"},
    SqueezesOneWord={"return memory": "return memory.squeeze(1)"},
)
mistake(
    encoder_gradient, "the last states are detached, so no gradient flows back from the decoder's first state"
).made_in(Usual, DetachedState={"(last)": "(last.detach())"})
mistake(encoder_gradient, "the memory is detached, so no gradient flows back from it").made_in(
    Usual, DetachedMemory={"return memory": "return memory.detach()"}
)


@mistake(encoder_gradient, "the embeddings are detached, so no gradient reaches them")
class DetachedEmbeddings(Given):
    def forward(self, source, lengths):
        embedded = self.embedding(source).data
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return memory, self.first(last)


mistake(state, "the tanh is applied before bridge, expected after it").made_in(
    Usual, TanhBeforeBridge={"first(last)": "bridge(torch.cat([last[0], last[1]], dim=-1).tanh()).unsqueeze(0)"}
)
mistake(state, "both halves of the input to bridge are the last forward state").made_in(
    Usual, ForwardTwice={"(last)": "(last[[0, 0]])"}
)
mistake(state_of_padded, "the lengths are counted from the ids that are not 0, expected the given lengths").made_in(
    Usual, LengthsFromZeros={"(source, lengths)": "(source, (source != 0).sum(dim=1))"}
)


@mistake(
    state_of_padded, "the forward state is taken at the last position of the row, which is padding in a short sentence"
)
class ForwardStateOfTheLastPlace(Given):
    def forward(self, source, lengths):
        memory, _ = self.read(source, lengths)
        half = memory.shape[-1] // 2
        return memory, self.first([memory[:, -1, :half], memory[:, 0, half:]])


@right
class EachAlone(Given):
    def forward(self, source, lengths):
        memories, firsts = [], []
        for row, length in zip(source, lengths.tolist(), strict=True):
            states, last = self.rnn(self.embedding(row[:length]))  # (S, H), (2, H / 2)
            memories.append(F.pad(states, (0, 0, 0, len(row) - length)))
            firsts.append(torch.tanh(self.bridge(last.flatten())))
        return torch.stack(memories), torch.stack(firsts).unsqueeze(0)


@right
class SortedByHand(Given):
    def forward(self, source, lengths):
        lengths, order = lengths.sort(descending=True)
        packed = pack_padded_sequence(self.embedding(source[order]), lengths.cpu(), batch_first=True)
        states, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(states, batch_first=True, total_length=source.size(1))
        back = order.argsort()
        return memory[back], self.first(last[:, back])


@right
class PackedFromAList(Given):
    def forward(self, source, lengths):
        rows = [self.embedding(row[:length]) for row, length in zip(source, lengths, strict=True)]
        states, last = self.rnn(pack_sequence(rows, enforce_sorted=False))
        assert isinstance(states, PackedSequence)
        memory, _ = pad_packed_sequence(states, batch_first=True)
        memory = F.pad(memory, (0, 0, 0, source.shape[1] - memory.shape[1]))
        return memory, self.first(last)


@right
class ByMasks(Given):
    def direction(self, embedded, real, ending):
        weights = [
            getattr(self.rnn, name + ending) for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        ]
        hidden = embedded.new_zeros(len(embedded), weights[1].shape[1])
        places = range(embedded.shape[1])
        states = [hidden] * embedded.shape[1]
        for place in reversed(places) if ending else places:
            given = F.linear(embedded[:, place], weights[0], weights[2]).chunk(3, dim=-1)
            kept = F.linear(hidden, weights[1], weights[3]).chunk(3, dim=-1)
            reset, update = (given[0] + kept[0]).sigmoid(), (given[1] + kept[1]).sigmoid()
            new = (1 - update) * (given[2] + reset * kept[2]).tanh() + update * hidden
            word = real[:, place : place + 1]
            hidden = torch.where(word, new, hidden)
            states[place] = new * word
        return torch.stack(states, dim=1), hidden

    def forward(self, source, lengths):
        real = torch.arange(source.shape[1], device=source.device) < lengths[:, None]
        embedded = self.embedding(source)
        forward, last = self.direction(embedded, real, "")
        backward, first = self.direction(embedded, real, "_reverse")
        return torch.cat([forward, backward], dim=-1), self.first([last, first])


@right
class FlippedByHand(Given):
    def forward(self, source, lengths):
        places = torch.arange(source.shape[1], device=source.device)
        turned = torch.where(places < lengths[:, None], lengths[:, None] - 1 - places, places)
        embedded = self.embedding(source)
        rows = torch.arange(len(source))[:, None]
        halves, lasts = [], []
        for ending, order in ("", places.expand_as(turned)), ("_reverse", turned):
            one_way = nn.GRU(self.rnn.input_size, self.rnn.hidden_size, batch_first=True)
            weights = {name: getattr(self.rnn, name + ending) for name in dict(one_way.named_parameters())}
            states = torch.func.functional_call(one_way, weights, embedded[rows, order])[0]
            lasts.append(states[rows[:, 0], lengths - 1])
            halves.append(states[rows, order])
        memory = torch.cat(halves, dim=-1)
        return memory.masked_fill((places >= lengths[:, None]).unsqueeze(-1), 0.0), self.first(lasts)


@right
class PaddedAgain(Given):
    def forward(self, source, lengths):
        runs = [self.rnn(self.embedding(row[None, :length])) for row, length in zip(source, lengths, strict=True)]
        memory = pad_sequence([states[0] for states, _ in runs], batch_first=True)
        missing = memory.new_zeros(len(source), source.shape[1] - memory.shape[1], memory.shape[2])
        last = torch.cat([last for _, last in runs], dim=1)
        return torch.cat([memory, missing], dim=1), self.first(last)


@right
class Transposed(Given):
    def forward(self, source, lengths):
        memory, last = self.read(source, lengths)
        return memory, torch.tanh(self.bridge(last.transpose(0, 1).flatten(1)))[None]


@mistake(memory, "memory and state are returned in a list, expected a tuple")
class Listed(Transposed):
    def forward(self, source, lengths):
        return list(super().forward(source, lengths))


@right
def made_by_a_function(vocab_size, embed_dim, hidden_size):
    return SortedByHand(vocab_size, embed_dim, hidden_size)


@right
class WordsFirst(Given):
    def __init__(self, vocab_size, embed_dim, hidden_size):
        super().__init__(vocab_size, embed_dim, hidden_size)
        self.rnn = nn.GRU(embed_dim, hidden_size // 2, bidirectional=True)

    def forward(self, source, lengths):
        packed = pack_padded_sequence(self.embedding(source.T), lengths.cpu(), enforce_sorted=False)
        states, last = self.rnn(packed)
        memory, _ = pad_packed_sequence(states, total_length=source.shape[1])
        return memory.transpose(0, 1), self.first(last)


@forbidden
class SeqlabsOwn(Given):
    def forward(self, source, lengths):
        from seqlab import models

        return models.Encoder.forward(self, source, lengths)


right(functools.partial(Transposed))
