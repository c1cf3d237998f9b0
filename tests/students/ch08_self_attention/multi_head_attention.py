"""What students hand in for `MultiHeadAttention`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points; `FORBIDDEN` break the
exercise's rule. The constructor and `forward` are given with the exercise, so each stands on `Given`.
"""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "MultiHeadAttention"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, d_model, num_heads, attention, split, merge):
        super().__init__()
        self.num_heads = num_heads
        self.to_query = nn.Linear(d_model, d_model)
        self.to_key = nn.Linear(d_model, d_model)
        self.to_value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)
        self.attention = attention
        self.split = split
        self.merge = merge

    def forward(self, query, memory, mask=None):
        return self.look_up(query, *self.keys_values(memory), mask)


class Written(Given):
    """A right answer, of which each mistake changes one part."""

    def keys_values(self, memory):
        return self.split(self.to_key(memory), self.num_heads), self.split(self.to_value(memory), self.num_heads)

    def asked(self, query):
        return self.split(self.to_query(query), self.num_heads)

    def masked(self, mask):
        return None if mask is None else mask.unsqueeze(1)

    def found(self, query, key, value, mask):
        return self.attention(self.asked(query), key, value, self.masked(mask))

    def look_up(self, query, key, value, mask=None):
        found, weights = self.found(query, key, value, mask)
        return self.output(self.merge(found)), weights


class KeysOfTheQuerysLayer(Written):
    """The keys go through the layer of the queries."""

    def keys_values(self, memory):
        return self.split(self.to_query(memory), self.num_heads), self.split(self.to_value(memory), self.num_heads)


class ValuesOfTheKeysLayer(Written):
    """One layer for keys and values."""

    def keys_values(self, memory):
        keys = self.split(self.to_key(memory), self.num_heads)
        return keys, keys


class ValuesNotProjected(Written):
    """The memory itself is the values."""

    def keys_values(self, memory):
        return self.split(self.to_key(memory), self.num_heads), self.split(memory, self.num_heads)


class ValuesFirst(Written):
    """The results in the other order."""

    def keys_values(self, memory):
        return super().keys_values(memory)[::-1]


class NotSplit(Written):
    """The projections come back whole, and are split where they are looked up."""

    def keys_values(self, memory):
        return self.to_key(memory), self.to_value(memory)

    def look_up(self, query, key, value, mask=None):
        key, value = (t if t.dim() == 4 else self.split(t, self.num_heads) for t in (key, value))
        return super().look_up(query, key, value, mask)


class SplitByHand(Written):
    """Lines of one's own in the place of the given function, and right ones."""

    def cut(self, vectors):
        return vectors.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def keys_values(self, memory):
        return self.cut(self.to_key(memory)), self.cut(self.to_value(memory))


class SplitByViewAlone(SplitByHand):
    """Lines of one's own, and wrong ones."""

    def cut(self, vectors):
        return vectors.view(len(vectors), self.num_heads, vectors.shape[1], -1)


class SplitBeforeProjection(Written):
    """The memory is split first; the layers do not fit."""

    def keys_values(self, memory):
        pieces = self.split(memory, self.num_heads)
        return self.to_key(pieces), self.to_value(pieces)


class SplitWithoutNumber(Written):
    """split is called without the number of heads."""

    def keys_values(self, memory):
        return self.split(self.to_key(memory)), self.split(self.to_value(memory))


class QueryNotProjected(Written):
    """The query asks as it came."""

    def asked(self, query):
        return self.split(query, self.num_heads)


class QueryOfTheKeysLayer(Written):
    """The queries go through the layer of the keys."""

    def asked(self, query):
        return self.split(self.to_key(query), self.num_heads)


class QuerySplitByHand(Written):
    """Lines of one's own for the queries alone."""

    def asked(self, query):
        return self.to_query(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


class KeysProjectedAgain(Written):
    """look_up projects what is projected already."""

    def found(self, query, key, value, mask):
        if self.num_heads > 1:  # Where it would not fit, another check would name it first.
            return super().found(query, key, value, mask)
        return self.attention(self.asked(query), self.to_key(key), value, self.masked(mask))


class MemoryAgain(Written):
    """look_up makes keys and values once more."""

    def look_up(self, query, key, value, mask=None):
        key, value = self.keys_values(key)
        return super().look_up(query, key, value, mask)


class KeysAndValuesSwapped(Written):
    """The attention gets values for keys."""

    def found(self, query, key, value, mask):
        if self.num_heads > 1:
            return super().found(query, key, value, mask)
        return self.attention(self.asked(query), value, key, self.masked(mask))


class MemoryAsks(Written):
    """The keys ask and the queries are asked."""

    def found(self, query, key, value, mask):
        return self.attention(key, self.asked(query), value, self.masked(mask))


class OwnAttention(Written):
    """Lines of one's own in the place of the given attention."""

    def found(self, query, key, value, mask):
        scores = self.asked(query) @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        return weights @ value, weights


class TorchsAttention(Written):
    """The output comes from torch's own attention, and only the weights from the given one."""

    def found(self, query, key, value, mask):
        found = F.scaled_dot_product_attention(self.asked(query), key, value, self.masked(mask))
        return found, super().found(query, key, value, mask)[1]


class MeanOfTheHeads(Written):
    """One map of weights for all heads, as torch has it by default."""

    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        return output, weights.mean(dim=1)


class WeightsFirst(Written):
    """The results in the other order."""

    def look_up(self, query, key, value, mask=None):
        return super().look_up(query, key, value, mask)[::-1]


class NoOutputLayer(Written):
    """The way out stops at merge."""

    def look_up(self, query, key, value, mask=None):
        found, weights = self.found(query, key, value, mask)
        return self.merge(found), weights


class WrongOutputLayer(Written):
    """The layer of the values once more."""

    def look_up(self, query, key, value, mask=None):
        found, weights = self.found(query, key, value, mask)
        return self.to_value(self.merge(found)), weights


class MergedByHand(Written):
    """Lines of one's own in the place of the given function, and right ones."""

    def look_up(self, query, key, value, mask=None):
        found, weights = self.found(query, key, value, mask)
        return self.output(found.transpose(1, 2).flatten(2)), weights


class HeadsMixed(Written):
    """Merged by a reshape, which mixes heads and positions."""

    def look_up(self, query, key, value, mask=None):
        found, weights = self.found(query, key, value, mask)
        return self.output(found.reshape(query.shape)), weights


class MergedWeights(Written):
    """merge gets the weights."""

    def look_up(self, query, key, value, mask=None):
        weights = self.found(query, key, value, mask)[1]
        return self.output(self.merge(weights)), weights


class ActivatedOutput(Written):
    """A relu behind the last layer."""

    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        return output.relu(), weights


class MaskAsItCame(Written):
    """The mask is handed on without a dimension for the heads."""

    def masked(self, mask):
        return mask


class MaskNotUsed(Written):
    """No mask is handed on."""

    def masked(self, mask):
        return None


class MaskInverted(Written):
    """Torch's own convention for masks."""

    def masked(self, mask):
        return None if mask is None else ~mask.unsqueeze(1)


class MaskAsNumbers(Written):
    """The mask becomes a float on the way."""

    def masked(self, mask):
        return None if mask is None else mask.unsqueeze(1).float()


class MaskOfTheFirstSentence(Written):
    """One mask for all sentences."""

    def masked(self, mask):
        return None if mask is None else mask[:1].unsqueeze(1)


class MaskHeadsBehindTheQueries(Written):
    """The dimension for the heads is put in behind that of the queries."""

    def masked(self, mask):
        return None if mask is None else mask.unsqueeze(2)


class MaskOfTheFirstQuery(Written):
    """One row of the mask for all queries."""

    def masked(self, mask):
        return None if mask is None else mask[:, None, :1]


class NeedsAMask(Written):
    """None is treated as a mask."""

    def masked(self, mask):
        return mask.unsqueeze(1)


class Squeezes(Written):
    """Dimensions of size one are lost."""

    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        return output.squeeze(), weights


class DetachedMemory(Written):
    """The gradient of keys and values is cut off."""

    def keys_values(self, memory):
        return super().keys_values(memory.detach())


class NoGradient(Written):
    """All of it without a gradient."""

    @torch.no_grad()
    def look_up(self, query, key, value, mask=None):
        return super().look_up(query, key, value, mask)


class AddsTheQueries(Written):
    """The queries are added to the output, but the residual connection belongs to the layer around it."""

    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        return query + output, weights


class ScalesTheQueries(Written):
    """The queries are divided by √d_k, and attention does so again."""

    def asked(self, query):
        asked = super().asked(query)
        return asked / asked.shape[-1] ** 0.5


class KeysWithoutGradient(Written):
    """Keys and values are computed under no_grad."""

    @torch.no_grad()
    def keys_values(self, memory):
        return super().keys_values(memory)


class OutputWithoutBias(Written):
    """The output layer's matrix is used, but not its bias."""

    def look_up(self, query, key, value, mask=None):
        found, weights = self.found(query, key, value, mask)
        return self.merge(found) @ self.output.weight.T, weights


_STORED = "keys and values each go through their own layer and are split"
_QUERY = "the queries are projected and split, and the keys are used as they are given"
_OUTPUT = "the outputs of the heads are merged and go through the output layer"
_MASK = "the mask is the same for all heads"
_MASKS = "the mask may differ between queries, or be the same for all sentences"
_WHOLE = "forward works with the query as memory, with another memory, and with a single query, without a mask"
_GRADIENT = "the gradient reaches every layer, the query and the memory"

WRONG = {
    AddsTheQueries: _OUTPUT,
    ScalesTheQueries: _QUERY,
    KeysWithoutGradient: "works as the chapter uses it",
    OutputWithoutBias: _OUTPUT,
    KeysOfTheQuerysLayer: _STORED,
    ValuesOfTheKeysLayer: _STORED,
    ValuesNotProjected: _STORED,
    ValuesFirst: _STORED,
    NotSplit: _STORED,
    SplitByHand: _STORED,
    SplitByViewAlone: _STORED,
    SplitBeforeProjection: _STORED,
    SplitWithoutNumber: _STORED,
    QueryNotProjected: _QUERY,
    QueryOfTheKeysLayer: _QUERY,
    QuerySplitByHand: _QUERY,
    KeysProjectedAgain: _QUERY,
    MemoryAgain: _QUERY,
    KeysAndValuesSwapped: _QUERY,
    MemoryAsks: _QUERY,
    OwnAttention: _QUERY,
    MeanOfTheHeads: _QUERY,
    WeightsFirst: _QUERY,
    TorchsAttention: _OUTPUT,
    NoOutputLayer: _OUTPUT,
    WrongOutputLayer: _OUTPUT,
    MergedByHand: _OUTPUT,
    HeadsMixed: _OUTPUT,
    MergedWeights: _QUERY,
    ActivatedOutput: _OUTPUT,
    MaskAsItCame: _MASK,
    MaskNotUsed: _MASK,
    MaskInverted: _MASK,
    MaskAsNumbers: _MASK,
    MaskOfTheFirstSentence: _MASK,
    MaskHeadsBehindTheQueries: _MASKS,
    MaskOfTheFirstQuery: _MASKS,
    NeedsAMask: _WHOLE,
    Squeezes: _WHOLE,
    DetachedMemory: _GRADIENT,
    NoGradient: _GRADIENT,
}


class InOneProduct(Given):
    """Keys and values in one product, and keyword arguments."""

    def keys_values(self, memory):
        weight = torch.cat([self.to_key.weight, self.to_value.weight])
        bias = torch.cat([self.to_key.bias, self.to_value.bias])
        both = F.linear(memory, weight, bias).chunk(2, dim=-1)
        return [self.split(states=half, num_heads=self.num_heads) for half in both]

    def look_up(self, query, key, value, mask=None):
        asked = self.split(self.to_query(query), num_heads=self.num_heads)
        mask = mask if mask is None else mask[:, None]
        found, weights = self.attention(query=asked, key=key, value=value, mask=mask)
        return [self.output(self.merge(states=found)), weights]


class HeadAfterHead(Written):
    """The heads are run one by one, each with the mask as it came."""

    def found(self, query, key, value, mask):
        asked = self.asked(query)
        heads = [self.attention(asked[:, h], key[:, h], value[:, h], mask) for h in range(self.num_heads)]
        return torch.stack([found for found, _ in heads], dim=1), torch.stack([weights for _, weights in heads], dim=1)


class HeadsInTheBatch(Written):
    """Sentences and heads in one dimension, and the mask repeated."""

    def found(self, query, key, value, mask):
        asked = self.asked(query)
        flat = (tensor.flatten(0, 1) for tensor in (asked, key, value))
        if mask is not None:
            mask = mask.expand(len(query), -1, -1).repeat_interleave(self.num_heads, dim=0)
        found, weights = self.attention(*flat, mask)
        return found.unflatten(0, (len(query), -1)), weights.unflatten(0, (len(query), -1))


class MaskExpanded(Written):
    """The mask in its full shape, and three arguments where there is none."""

    def found(self, query, key, value, mask):
        if mask is None:
            return self.attention(self.asked(query), key, value)
        shape = (len(query), self.num_heads, query.shape[1], key.shape[2])
        return self.attention(self.asked(query), key, value, mask.unsqueeze(1).expand(shape))


class SentenceAfterSentence(Written):
    """One sentence after the other."""

    def look_up(self, query, key, value, mask=None):
        parts = []
        for b in range(len(query)):
            part = slice(b, b + 1)
            own = None if mask is None else mask[part] if len(mask) > 1 else mask
            parts.append(super().look_up(query[part], key[part], value[part], own))
        return torch.cat([output for output, _ in parts]), torch.cat([weights for _, weights in parts])


class KeepsItsWeights(Written):
    """The last weights are kept for a picture."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.last = None

    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        self.last = weights.detach()
        return output, weights


def made_by_a_function(d_model, num_heads, attention, split, merge):
    """A function that builds one."""
    return Written(d_model, num_heads, attention, split, merge)


RIGHT = {
    "in one product": InOneProduct,
    "head after head": HeadAfterHead,
    "heads in the batch": HeadsInTheBatch,
    "the mask expanded": MaskExpanded,
    "sentence after sentence": SentenceAfterSentence,
    "keeps its weights": KeepsItsWeights,
    "made by a function": made_by_a_function,
    "a partial": functools.partial(Written),
}


class TorchsModule(Written):
    """The rule is that this is not used."""

    def look_up(self, query, key, value, mask=None):
        return nn.MultiheadAttention(query.shape[-1], self.num_heads, batch_first=True)(query, key, value)


class TorchsFunction(Written):
    """The rule is that this is not used either."""

    def look_up(self, query, key, value, mask=None):
        return F.multi_head_attention_forward(query, key, value, query.shape[-1], self.num_heads)


class SeqlabsOwn(Written):
    """Nor this, the library's."""

    def look_up(self, query, key, value, mask=None):
        from seqlab import attention_layers

        return attention_layers.MultiHeadAttention.look_up(self, query, key, value, mask)


FORBIDDEN = (TorchsModule, TorchsFunction, SeqlabsOwn)
