"""Mistakes in `MultiHeadAttention`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch08_self_attention.multi_head_attention import (
    any_mask,
    gradient,
    in_chapter,
    keys_and_values,
    masked,
    merged,
    queries,
    whole,
)
from autograder.judging.catalogue import forbidden, mistake, right


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


mistake(keys_and_values, "the keys go through `to_query`, expected `to_key`").made_in(
    Written, KeysOfTheQuerysLayer={"self.to_key": "self.to_query"}
)


@mistake(keys_and_values, "the values go through `to_key`, expected `to_value`")
class ValuesOfTheKeysLayer(Written):
    def keys_values(self, memory):
        keys = self.split(self.to_key(memory), self.num_heads)
        return keys, keys


mistake(keys_and_values, "the values go through `to_key` and then `to_value`, expected `to_value` alone").made_in(
    Written, ValuesOfTheKeys={"self.to_value(memory)": "self.to_value(self.to_key(memory))"}
)
mistake(keys_and_values, "the values are not projected: expected `to_value` first, then split").made_in(
    Written, ValuesNotProjected={"self.to_value(memory)": "memory"}
)


@mistake(keys_and_values, "the values are returned first and the keys second, expected keys, then values")
class ValuesFirst(Written):
    def keys_values(self, memory):
        return super().keys_values(memory)[::-1]


@mistake(keys_and_values, "keys and values are not split before they are returned")
class NotSplit(Written):
    def keys_values(self, memory):
        return self.to_key(memory), self.to_value(memory)

    def look_up(self, query, key, value, mask=None):
        key, value = (t if t.dim() == 4 else self.split(t, self.num_heads) for t in (key, value))
        return super().look_up(query, key, value, mask)


@mistake(keys_and_values, "keys and values are split by your own code: call self.split, the function that is given")
class SplitByHand(Written):
    def cut(self, vectors):
        return vectors.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def keys_values(self, memory):
        return self.cut(self.to_key(memory)), self.cut(self.to_value(memory))


@mistake(
    keys_and_values,
    "keys and values are reshaped directly, which mixes positions and heads: call self.split, the function that is given",
)
class SplitByViewAlone(SplitByHand):
    def cut(self, vectors):
        return vectors.view(len(vectors), self.num_heads, vectors.shape[1], -1)


@mistake(keys_and_values, "the memory is split before the projection, expected after it")
class SplitBeforeProjection(Written):
    def keys_values(self, memory):
        pieces = self.split(memory, self.num_heads)
        return self.to_key(pieces), self.to_value(pieces)


@mistake(keys_and_values, "self.split is called without the number of heads")
class SplitWithoutNumber(Written):
    def keys_values(self, memory):
        return self.split(self.to_key(memory)), self.split(self.to_value(memory))


mistake(queries, "the queries are not projected, expected `to_query` and then split").made_in(
    Written, QueryNotProjected={"self.to_query(query)": "query"}
)
mistake(queries, "the queries go through `to_key`, expected `to_query` and then split").made_in(
    Written, QueryOfTheKeysLayer={"self.to_query": "self.to_key"}
)


@mistake(queries, "the queries are split by your own code: call self.split, the function that is given")
class QuerySplitByHand(Written):
    def asked(self, query):
        return self.to_query(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


@mistake(queries, "the keys go through `to_key` in look_up, but they are already projected and split")
class KeysProjectedAgain(Written):
    def found(self, query, key, value, mask):
        if self.num_heads > 1:  # Where it would not fit, another check would name it first.
            return super().found(query, key, value, mask)
        return self.attention(self.asked(query), self.to_key(key), value, self.masked(mask))


@mistake(queries, "look_up computes keys and values again, but they are already projected and split")
class MemoryAgain(Written):
    def look_up(self, query, key, value, mask=None):
        key, value = self.keys_values(key)
        return super().look_up(query, key, value, mask)


mistake(queries, "keys and values are swapped: self.attention takes query, key, value, mask").made_in(
    KeysProjectedAgain, KeysAndValuesSwapped={"self.to_key(key), value": "value, key"}
)
mistake(queries, "queries and keys are swapped: self.attention takes query, key, value, mask").made_in(
    Written, MemoryAsks={"self.asked(query), key": "key, self.asked(query)"}
)


@mistake(queries, "the attention is your own code: call self.attention, the function that is given")
class OwnAttention(Written):
    def found(self, query, key, value, mask):
        scores = self.asked(query) @ key.transpose(-2, -1) / key.shape[-1] ** 0.5
        weights = scores.softmax(dim=-1)
        return weights @ value, weights


@mistake(merged, "the output comes from torch's own attention, expected the first result of self.attention")
class TorchsAttention(Written):
    def found(self, query, key, value, mask):
        found = F.scaled_dot_product_attention(self.asked(query), key, value, self.masked(mask))
        return found, super().found(query, key, value, mask)[1]


@mistake(queries, "the weights are averaged over the heads, expected those of each head")
class MeanOfTheHeads(Written):
    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        return output, weights.mean(dim=1)


@mistake(queries, "the weights are returned before the output, expected the output first")
class WeightsFirst(Written):
    def look_up(self, query, key, value, mask=None):
        return super().look_up(query, key, value, mask)[::-1]


mistake(merged, "there is no output layer: the merged outputs of the heads are returned").made_in(
    Written, NoOutputLayer={"self.output(self.merge(found))": "self.merge(found)"}
)
mistake(merged, "the merged heads go through `to_value`, expected `output`").made_in(
    Written, WrongOutputLayer={"self.output": "self.to_value"}
)
mistake(merged, "the heads are merged by your own code: call self.merge, the function that is given").made_in(
    Written, MergedByHand={"self.merge(found)": "found.transpose(1, 2).flatten(2)"}
)
mistake(
    merged,
    "the outputs of the heads are reshaped directly, which mixes positions and heads: call self.merge, the function that is given",
).made_in(Written, HeadsMixed={"self.merge(found)": "found.reshape(query.shape)"})


@mistake(queries, "self.merge gets the weights, expected the first result of self.attention")
class MergedWeights(Written):
    def look_up(self, query, key, value, mask=None):
        weights = self.found(query, key, value, mask)[1]
        return self.output(self.merge(weights)), weights


mistake(merged, "there is an activation after the output layer, expected none").made_in(
    MeanOfTheHeads, ActivatedOutput={"output, weights.mean(dim=1)": "output.relu(), weights"}
)
mistake(masked, "the mask has no dimension for the heads, so torch aligns its sentences with the heads").made_in(
    Written, MaskAsItCame={"None if mask is None else mask.unsqueeze(1)": "mask"}
)
mistake(masked, "self.attention gets no mask").made_in(
    Written, MaskNotUsed={"None if mask is None else mask.unsqueeze(1)": "None"}
)


@mistake(queries, "a list is returned, expected a tuple")
class AList(Written):
    def look_up(self, query, key, value, mask=None):
        return list(super().look_up(query, key, value, mask))


mistake(in_chapter, "the returned weights are detached, expected with their gradient").made_in(
    MeanOfTheHeads, DetachedWeights={"weights.mean(dim=1)": "weights.detach()"}
)
mistake(masked, "the mask is inverted: True means that a position may be attended to").made_in(
    Written, MaskInverted={"mask.unsqueeze(1)": "~mask.unsqueeze(1)"}
)
mistake(masked, "the mask is converted to float, expected bool").made_in(
    Written, MaskAsNumbers={"unsqueeze(1)": "unsqueeze(1).float()"}
)
mistake(masked, "every sentence gets the mask of the first sentence").made_in(
    Written, MaskOfTheFirstSentence={"mask.unsqueeze": "mask[:1].unsqueeze"}
)
mistake(any_mask, "the dimension for the heads is inserted after that of the queries, expected before it").made_in(
    Written, MaskHeadsBehindTheQueries={"unsqueeze(1)": "unsqueeze(2)"}
)
mistake(any_mask, "every query gets the mask of the first query").made_in(
    Written, MaskOfTheFirstQuery={".unsqueeze(1)": "[:, None, :1]"}
)
mistake(whole, "a mask of None is treated as a tensor, but it means that there is no mask").made_in(
    Written, NeedsAMask={"return None if mask is None else mask": "return mask"}
)
mistake(whole, "a dimension of size one is removed that belongs to the result").made_in(
    MeanOfTheHeads, Squeezes={"output, weights.mean(dim=1)": "output.squeeze(), weights"}
)
mistake(gradient, "the memory is detached, so no gradient reaches it").made_in(
    ValuesFirst, DetachedMemory={"super().keys_values(memory)[::-1]": "super().keys_values(memory.detach())"}
)


@mistake(gradient, "everything is computed under no_grad, so no gradient comes back")
class NoGradient(Written):
    @torch.no_grad()
    def look_up(self, query, key, value, mask=None):
        return super().look_up(query, key, value, mask)


mistake(
    merged, "the queries are added to the output, but the residual connection belongs to the layer around it"
).made_in(MeanOfTheHeads, AddsTheQueries={"output, weights.mean(dim=1)": "query + output, weights"})


@mistake(queries, "the queries are divided by √d_k, but self.attention does so too")
class ScalesTheQueries(Written):
    def asked(self, query):
        asked = super().asked(query)
        return asked / asked.shape[-1] ** 0.5


@mistake(in_chapter, "keys and values are computed under no_grad, so no gradient reaches the memory and their layers")
class KeysWithoutGradient(Written):
    @torch.no_grad()
    def keys_values(self, memory):
        return super().keys_values(memory)


mistake(merged, "the bias of the output layer is not added").made_in(
    Written, OutputWithoutBias={"self.output(self.merge(found))": "self.merge(found) @ self.output.weight.T"}
)


@mistake(any_mask, "a mask that hides everything counts as no mask")
class NoMaskIfNothingIsSeen(Written):
    def masked(self, mask):
        return mask.unsqueeze(1) if mask is not None and mask.any() else None


@mistake(masked, "the mask is combined with a causal mask of your own, expected unchanged")
class CausalToo(Written):
    def found(self, query, key, value, mask):
        causal = torch.ones(query.shape[1], key.shape[2], dtype=torch.bool, device=query.device).tril()
        return super().found(query, key, value, causal if mask is None else mask & causal)


@mistake(queries, "the keys are projected again, but look_up is given keys as keys_values returns them")
class KeysTwice(Written):
    def found(self, query, key, value, mask):
        return super().found(query, self.split(self.to_key(self.merge(key)), self.num_heads), value, mask)


@right
class InOneProduct(Given):
    def keys_values(self, memory):
        weight = torch.cat([self.to_key.weight, self.to_value.weight])
        bias = torch.cat([self.to_key.bias, self.to_value.bias])
        both = F.linear(memory, weight, bias).chunk(2, dim=-1)
        return tuple(self.split(states=half, num_heads=self.num_heads) for half in both)

    def look_up(self, query, key, value, mask=None):
        asked = self.split(self.to_query(query), num_heads=self.num_heads)
        mask = mask if mask is None else mask[:, None]
        found, weights = self.attention(query=asked, key=key, value=value, mask=mask)
        return self.output(self.merge(states=found)), weights


@right
class HeadAfterHead(Written):
    def found(self, query, key, value, mask):
        asked = self.asked(query)
        heads = [self.attention(asked[:, h], key[:, h], value[:, h], mask) for h in range(self.num_heads)]
        return torch.stack([found for found, _ in heads], dim=1), torch.stack([weights for _, weights in heads], dim=1)


@right
class HeadsInTheBatch(Written):
    def found(self, query, key, value, mask):
        asked = self.asked(query)
        flat = (tensor.flatten(0, 1) for tensor in (asked, key, value))
        if mask is not None:
            mask = mask.expand(len(query), -1, -1).repeat_interleave(self.num_heads, dim=0)
        found, weights = self.attention(*flat, mask)
        return found.unflatten(0, (len(query), -1)), weights.unflatten(0, (len(query), -1))


@right
class MaskExpanded(Written):
    def found(self, query, key, value, mask):
        if mask is None:
            return self.attention(self.asked(query), key, value)
        shape = (len(query), self.num_heads, query.shape[1], key.shape[2])
        return self.attention(self.asked(query), key, value, mask.unsqueeze(1).expand(shape))


@right
class SentenceAfterSentence(Written):
    def look_up(self, query, key, value, mask=None):
        parts = []
        for b in range(len(query)):
            part = slice(b, b + 1)
            own = None if mask is None else mask[part] if len(mask) > 1 else mask
            parts.append(super().look_up(query[part], key[part], value[part], own))
        return torch.cat([output for output, _ in parts]), torch.cat([weights for _, weights in parts])


@right
class KeepsItsWeights(Written):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.last = None

    def look_up(self, query, key, value, mask=None):
        output, weights = super().look_up(query, key, value, mask)
        self.last = weights.detach()
        return output, weights


@right
def made_by_a_function(d_model, num_heads, attention, split, merge):
    return Written(d_model, num_heads, attention, split, merge)


@forbidden
class TorchsModule(Written):
    def look_up(self, query, key, value, mask=None):
        return nn.MultiheadAttention(query.shape[-1], self.num_heads, batch_first=True)(query, key, value)


@forbidden
class TorchsFunction(Written):
    def look_up(self, query, key, value, mask=None):
        weight, bias = self.output.weight, self.output.bias
        inner = torch.cat([weight, weight, weight]), torch.cat([bias, bias, bias])
        size = query.shape[-1]
        return F.multi_head_attention_forward(
            query, key, value, size, self.num_heads, *inner, None, None, False, 0.0, weight, bias
        )[0]


@forbidden
class SeqlabsOwn(Written):
    def look_up(self, query, key, value, mask=None):
        from seqlab import attention_layers

        return attention_layers.MultiHeadAttention.look_up(self, query, key, value, mask)


right(functools.partial(Written))
