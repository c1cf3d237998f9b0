"""What students hand in for `GroupedQueryAttention`: each mistake alone, and right answers of many styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

EXERCISE = "GroupedQueryAttention"


class Given(nn.Module):
    """The part that is not the student's."""

    def __init__(self, d_model, num_heads, num_kv_heads, rotate):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_size = d_model // num_heads
        self.to_query = nn.Linear(d_model, num_heads * self.head_size, bias=False)
        self.to_key = nn.Linear(d_model, num_kv_heads * self.head_size, bias=False)
        self.to_value = nn.Linear(d_model, num_kv_heads * self.head_size, bias=False)
        self.output = nn.Linear(num_heads * self.head_size, d_model, bias=False)
        self.rotate = rotate


class Written(Given):
    """A right answer, of which each mistake changes one part."""

    def split(self, states, heads):
        return states.unflatten(-1, (heads, self.head_size)).transpose(1, 2)

    def places(self, before, length, device):
        return torch.arange(before, before + length, device=device)

    def turned(self, query, key, value, places):
        return self.rotate(query, places), self.rotate(key, places), value

    def joined(self, cache, new):
        return torch.cat([cache, new], dim=2)

    def repeated(self, heads):
        return heads.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)

    def scale(self):
        return self.head_size**0.5

    def mask(self, length, seen, device):
        return torch.ones(length, seen, dtype=torch.bool, device=device).tril(seen - length)

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)

    def merged(self, found):
        return found.transpose(1, 2).flatten(2)

    def forward(self, inputs, cache=None):
        query = self.split(self.to_query(inputs), self.num_heads)
        key = self.split(self.to_key(inputs), self.num_kv_heads)
        value = self.split(self.to_value(inputs), self.num_kv_heads)
        before = 0 if cache is None else cache[0].shape[2]
        places = self.places(before, inputs.shape[1], inputs.device)
        query, key, value = self.turned(query, key, value, places)
        if cache is not None:
            key, value = self.joined(cache[0], key), self.joined(cache[1], value)
        scores = query @ self.repeated(key).transpose(-2, -1) / self.scale()
        mask = self.mask(inputs.shape[1], key.shape[2], inputs.device)
        weights = self.weights(scores, mask)
        return self.output(self.merged(weights @ self.repeated(value))), (key, value)


class Tiled(Written):
    """The heads are repeated one after the other, and then again."""

    def repeated(self, heads):
        return heads.repeat(1, self.num_heads // self.num_kv_heads, 1, 1)


class ValuesTurned(Written):
    """The values are rotated too."""

    def turned(self, query, key, value, places):
        return self.rotate(query, places), self.rotate(key, places), self.rotate(value, places)


class NoOutput(Written):
    """The output layer is missing."""

    def forward(self, inputs, cache=None):
        output, after = super().forward(inputs, cache)
        return output @ torch.linalg.pinv(self.output.weight).T, after


class NothingTurned(Written):
    """No positions at all."""

    def turned(self, query, key, value, places):
        return query, key, value


class KeysNotTurned(Written):
    """Only the queries are rotated."""

    def turned(self, query, key, value, places):
        return self.rotate(query, places), key, value


class QueriesNotTurned(Written):
    """Only the keys are rotated."""

    def turned(self, query, key, value, places):
        return query, self.rotate(key, places), value


class FromOne(Written):
    """Positions are counted from 1."""

    def places(self, before, length, device):
        return torch.arange(before + 1, before + length + 1, device=device)


class NoScale(Written):
    """The scores are not divided."""

    def scale(self):
        return 1.0


class ScaledByTheModel(Written):
    """The scores are divided by the root of d_model."""

    def scale(self):
        return (self.head_size * self.num_heads) ** 0.5


class NoMask(Written):
    """Every position sees all."""

    def mask(self, length, seen, device):
        return torch.ones(length, seen, dtype=torch.bool, device=device)


class OneMore(Written):
    """Every position sees the next one."""

    def mask(self, length, seen, device):
        return torch.ones(length, seen, dtype=torch.bool, device=device).tril(seen - length + 1)


class MergedByView(Written):
    """The heads are put together by a reshape alone."""

    def merged(self, found):
        return found.reshape(found.shape[0], found.shape[2], -1)


class FromZero(Written):
    """Positions do not go on from the cache."""

    def places(self, before, length, device):
        return torch.arange(length, device=device)


class CacheIgnored(Written):
    """The keys and values in the cache are not used."""

    def joined(self, cache, new):
        return new


class NewFirst(Written):
    """The new keys and values come before those of the cache."""

    def joined(self, cache, new):
        return torch.cat([new, cache], dim=2)


class MaskFromTheTop(Written):
    """The mask forgets the cache."""

    def mask(self, length, seen, device):
        return torch.ones(length, seen, dtype=torch.bool, device=device).tril()


class TurnedAgain(Written):
    """The keys of the cache are rotated once more."""

    def forward(self, inputs, cache=None):
        if cache is not None:
            places = torch.arange(cache[0].shape[2], device=inputs.device)
            cache = self.rotate(cache[0], places), cache[1]
        return super().forward(inputs, cache)


class CacheOfAllHeads(Written):
    """The cache holds the repeated heads."""

    def forward(self, inputs, cache=None):
        output, (key, value) = super().forward(inputs, cache)
        return output, (self.repeated(key), self.repeated(value))


class ValuesFirst(Written):
    """The cache comes back with the values first."""

    def forward(self, inputs, cache=None):
        output, (key, value) = super().forward(inputs, cache)
        return output, (value, key)


class WritesIntoTheCache(Written):
    """The cache is overwritten with zeros when it has been read."""

    def forward(self, inputs, cache=None):
        output, after = super().forward(inputs, cache)
        if cache is not None:
            with torch.no_grad():
                cache[0].zero_()
        return output, after


class MaskForPromptsAlone(Written):
    """With a cache nothing is masked, as if one token came at a time."""

    def mask(self, length, seen, device):
        mask = super().mask(length, seen, device)
        return mask if seen == length else torch.ones_like(mask)


class Detached(Written):
    """Keys and values are detached, so no gradient reaches their layers."""

    def repeated(self, heads):
        return super().repeated(heads).detach()


class RoomFor128(Written):
    """The mask is part of a table of 128 positions."""

    def mask(self, length, seen, device):
        table = torch.ones(128, 128, dtype=torch.bool, device=device).tril()
        return table[seen - length : seen, :seen]


class CacheDetached(Written):
    """The cache comes back detached, so no gradient flows through it."""

    def forward(self, inputs, cache=None):
        output, after = super().forward(inputs, cache)
        return output, tuple(kept.detach() for kept in after)


class FirstHeadForAll(Written):
    """All query heads attend to the first head of keys and values."""

    def repeated(self, heads):
        return heads[:, :1].expand(-1, self.num_heads, -1, -1)


class GroupsTooLarge(Written):
    """Query head h attends to head h // num_kv_heads, expected h // g."""

    def repeated(self, heads):
        shared = torch.arange(self.num_heads, device=heads.device) // self.num_kv_heads
        return heads[:, shared.clamp(max=self.num_kv_heads - 1)]


class ZeroForMasked(Written):
    """Masked scores become 0, expected -inf."""

    def weights(self, scores, mask):
        return (scores * mask).softmax(dim=-1)


class MaskedAfterwards(Written):
    """The mask is applied after the softmax, so the weights of a query no longer sum to one."""

    def weights(self, scores, mask):
        return scores.softmax(dim=-1) * mask


class SoftmaxOverQueries(Written):
    """The softmax is over the queries, expected over the keys, the last dimension."""

    def weights(self, scores, mask):
        return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-2) * mask


class SplitByView(Written):
    """The heads are split by a reshape alone, which mixes positions and heads."""

    def split(self, states, heads):
        return states.reshape(states.shape[0], heads, states.shape[1], self.head_size)


_VALUES = "with a single position, every head returns the value of that position"
_SCORES = "the scores come from rotated queries and rotated keys, divided by √d_k, and no position sees a later one"
_GROUPS = "neighbouring query heads share a head of keys and values"
_CACHE = "new keys come after the cache, and positions continue from it"
_UNCHANGED = "the arguments are not changed"
_STEPS = "it works token by token or in parts, with a single head of keys and values, and with a batch of one"

WRONG = {
    Tiled: _VALUES,
    ValuesTurned: _VALUES,
    NoOutput: _VALUES,
    NothingTurned: _SCORES,
    KeysNotTurned: _SCORES,
    QueriesNotTurned: _SCORES,
    FromOne: _SCORES,
    NoScale: _SCORES,
    ScaledByTheModel: _SCORES,
    NoMask: _SCORES,
    OneMore: _SCORES,
    MergedByView: _SCORES,
    FromZero: _CACHE,
    CacheIgnored: _CACHE,
    NewFirst: _CACHE,
    MaskFromTheTop: _CACHE,
    TurnedAgain: _CACHE,
    CacheOfAllHeads: _VALUES,
    FirstHeadForAll: _VALUES,
    GroupsTooLarge: _SCORES,
    ZeroForMasked: _SCORES,
    MaskedAfterwards: _SCORES,
    SoftmaxOverQueries: _SCORES,
    SplitByView: _SCORES,
    ValuesFirst: _GROUPS,
    WritesIntoTheCache: _UNCHANGED,
    MaskForPromptsAlone: _STEPS,
    RoomFor128: _STEPS,
    Detached: "works as the chapter uses it",
    CacheDetached: "works as the chapter uses it",
}


class Grouped(Written):
    """The groups as a dimension of their own."""

    def forward(self, inputs, cache=None):
        batch, length, _ = inputs.shape
        query = self.split(self.to_query(inputs), self.num_heads)
        key = self.split(self.to_key(inputs), self.num_kv_heads)
        value = self.split(self.to_value(inputs), self.num_kv_heads)
        before = 0 if cache is None else cache[0].shape[2]
        places = self.places(before, length, inputs.device)
        query, key = self.rotate(query, places), self.rotate(key, places)
        if cache is not None:
            key, value = self.joined(cache[0], key), self.joined(cache[1], value)
        groups = query.unflatten(1, (self.num_kv_heads, -1))
        scores = torch.einsum("bkgtd,bksd->bkgts", groups, key) * self.head_size**-0.5
        scores = scores + (~self.mask(length, key.shape[2], inputs.device)).to(scores) * -1e9
        found = torch.einsum("bkgts,bksd->btkgd", scores.softmax(-1), value)
        return self.output(found.reshape(batch, length, -1)), (key, value)


class Expanded(Written):
    """Repeated by expand."""

    def repeated(self, heads):
        group = self.num_heads // self.num_kv_heads
        return heads.unsqueeze(2).expand(-1, -1, group, -1, -1).flatten(1, 2)


class HeadAfterHead(Written):
    """The heads are picked by number."""

    def repeated(self, heads):
        group = self.num_heads // self.num_kv_heads
        return torch.stack([heads[:, h // group] for h in range(self.num_heads)], dim=1)


class OneProduct(Written):
    """Queries, keys and values in one product; a list comes back."""

    def forward(self, inputs, cache=None):
        weight = torch.cat([self.to_query.weight, self.to_key.weight, self.to_value.weight])
        heads = self.split(F.linear(inputs, weight), self.num_heads + 2 * self.num_kv_heads)
        query, key, value = heads.split([self.num_heads, self.num_kv_heads, self.num_kv_heads], dim=1)
        before = 0 if cache is None else cache[0].shape[2]
        places = self.places(before, inputs.shape[1], inputs.device)
        query, key, value = self.turned(query, key, value, places)
        if cache is not None:
            key, value = self.joined(cache[0], key), self.joined(cache[1], value)
        scores = (query / self.scale()) @ self.repeated(key).mT
        mask = self.mask(inputs.shape[1], key.shape[2], inputs.device)
        weights = torch.where(mask, scores, float("-inf")).softmax(dim=-1)
        return [self.output(self.merged(weights @ self.repeated(value))), [key, value]]


class ComparedPlaces(Written):
    """The mask compares positions."""

    def mask(self, length, seen, device):
        return torch.arange(seen, device=device) <= torch.arange(seen - length, seen, device=device).unsqueeze(1)


RIGHT = {
    "grouped": Grouped,
    "expanded": Expanded,
    "head after head": HeadAfterHead,
    "one product": OneProduct,
    "compared places": ComparedPlaces,
    "a partial": functools.partial(Written),
}


class TorchsFunction(Written):
    """The rule is that this is not used."""

    def forward(self, inputs, cache=None):
        query = self.split(self.to_query(inputs), self.num_heads)
        return self.output(self.merged(F.scaled_dot_product_attention(query, query, query))), (query, query)


FORBIDDEN = (TorchsFunction,)
