"""Mistakes in `GroupedQueryAttention`, and right answers in other styles."""

import functools

import torch
from torch import nn
from torch.nn import functional as F

from autograder.checks.ch14_today.grouped_query_attention import (
    alone,
    cached,
    groups,
    in_chapter,
    in_steps,
    scores,
    unchanged,
)
from autograder.judging.catalogue import forbidden, mistake, right


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


@mistake(
    alone,
    "the heads are repeated in the wrong order, all of them and then all again; expected neighbouring query heads to share one",
)
class Tiled(Written):
    def repeated(self, heads):
        return heads.repeat(1, self.num_heads // self.num_kv_heads, 1, 1)


mistake(alone, "the values are rotated too; only queries and keys are").made_in(
    Written, ValuesTurned={"(key, places), value": "(key, places), self.rotate(value, places)"}
)


@mistake(alone, "the concatenated heads do not go through `output`")
class NoOutput(Written):
    def forward(self, inputs, cache=None):
        output, after = super().forward(inputs, cache)
        return output @ torch.linalg.pinv(self.output.weight).T, after


mistake(scores, "nothing is rotated, expected the queries and the keys").made_in(
    Written, NothingTurned={"self.rotate(query, places), self.rotate(key, places)": "query, key"}
)
mistake(scores, "only the queries are rotated, expected the keys too").made_in(
    Written, KeysNotTurned={"self.rotate(key, places), value": "key, value"}
)
mistake(scores, "only the keys are rotated, expected the queries too").made_in(
    Written, QueriesNotTurned={"self.rotate(query, places)": "query"}
)
mistake(scores, "the positions start at 1, expected 0").made_in(
    Written, FromOne={", before + length": "+ 1, before + length + 1"}
)
mistake(scores, "the scores are not divided by √d_k").made_in(Written, NoScale={"self.head_size**0.5": "1.0"})
mistake(scores, "the scores are divided by d_k, expected √d_k").made_in(
    Written, NoRoot={"return self.head_size**0.5": "return float(self.head_size)"}
)
mistake(scores, "the scores are divided by √d_model, expected √d_k, the root of the size of one head").made_in(
    Written, ScaledByTheModel={"self.head_size**0.5": "(self.head_size * self.num_heads) ** 0.5"}
)
mistake(scores, "every position attends to later ones: the mask is missing").made_in(
    Written, NoMask={".tril(seen - length)": ""}
)
mistake(scores, "every position attends to the next one as well: the mask is shifted by one").made_in(
    Written, OneMore={"seen - length": "seen - length + 1"}
)
mistake(
    alone, "a position does not attend to itself, so the first one attends to nothing, and its softmax is NaN"
).made_in(Written, Strict={"seen - length": "seen - length - 1"})
mistake(scores, "the heads are joined by a reshape alone, which mixes positions and heads").made_in(
    Written, MergedByView={"found.transpose(1, 2).flatten(2)": "found.reshape(found.shape[0], found.shape[2], -1)"}
)
mistake(alone, "the components of the heads are interleaved, expected head 0 first, as a whole").made_in(
    Written, Interleaved={"found.transpose(1, 2)": "found.permute(0, 2, 3, 1)"}
)
mistake(cached, "the new positions are numbered from 0, expected from the length of the cache").made_in(
    Written, FromZero={"before, before + length": "length"}
)
mistake(
    cached, "both the rotation and the mask start at position 0, expected them to continue from the length of the cache"
).made_in(Written, NothingContinues={"before, before + length": "length", "(seen - length)": "()"})
mistake(cached, "the keys and values in the cache are not used").made_in(
    Written, CacheIgnored={"torch.cat([cache, new], dim=2)": "new"}
)
mistake(cached, "the new keys and values come before those of the cache").made_in(
    Written, NewFirst={"[cache, new]": "[new, cache]"}
)
mistake(
    cached,
    "the mask ignores the cache: query i attends to the first i + 1 keys, expected as many more as the cache holds",
).made_in(Written, MaskFromTheTop={"(seen - length)": "()"})


@mistake(cached, "the keys of the cache are rotated again")
class TurnedAgain(Written):
    def forward(self, inputs, cache=None):
        if cache is not None:
            places = torch.arange(cache[0].shape[2], device=inputs.device)
            cache = self.rotate(cache[0], places), cache[1]
        return super().forward(inputs, cache)


@mistake(groups, "the cache holds the repeated heads, expected each head of keys and values once")
class CacheOfAllHeads(Written):
    def forward(self, inputs, cache=None):
        output, (key, value) = super().forward(inputs, cache)
        return output, (self.repeated(key), self.repeated(value))


@mistake(groups, "the cache holds the keys before their rotation, expected after it")
class CachedBeforeRotation(Written):
    def forward(self, inputs, cache=None):
        output, (_, value) = super().forward(inputs, cache)
        key = self.split(self.to_key(inputs), self.num_kv_heads)
        return output, (key if cache is None else self.joined(cache[0], key), value)


mistake(groups, "the cache has the values first, expected the keys, then the values").made_in(
    CacheOfAllHeads, ValuesFirst={"self.repeated(key), self.repeated(value)": "value, key"}
)


@mistake(unchanged, "the caller's cache is changed in place")
class WritesIntoTheCache(Written):
    def forward(self, inputs, cache=None):
        output, after = super().forward(inputs, cache)
        if cache is not None:
            with torch.no_grad():
                cache[0].zero_()
        return output, after


@mistake(in_steps, "nothing is masked where there is a cache, as if tokens always came one at a time")
class MaskForPromptsAlone(Written):
    def mask(self, length, seen, device):
        mask = super().mask(length, seen, device)
        return mask if seen == length else torch.ones_like(mask)


@mistake(in_chapter, "the keys and the values are detached, so no gradient reaches their layers")
class Detached(Written):
    def repeated(self, heads):
        return super().repeated(heads).detach()


@mistake(in_steps, "the mask is part of a table of a fixed size, so it does not fit longer sequences")
class RoomFor128(Written):
    def mask(self, length, seen, device):
        table = torch.ones(128, 128, dtype=torch.bool, device=device).tril()
        return table[seen - length : seen, :seen]


@mistake(in_chapter, "the cache is detached, so no gradient reaches the keys and values of earlier calls")
class CacheDetached(Written):
    def forward(self, inputs, cache=None):
        output, after = super().forward(inputs, cache)
        return output, tuple(kept.detach() for kept in after)


mistake(alone, "all query heads attend to the first head of keys and values").made_in(
    Detached, FirstHeadForAll={"super().repeated(heads).detach()": "heads[:, :1].expand(-1, self.num_heads, -1, -1)"}
)


@mistake(scores, "each group has num_kv_heads query heads, expected num_heads / num_kv_heads")
class GroupsTooLarge(Written):
    def repeated(self, heads):
        shared = torch.arange(self.num_heads, device=heads.device) // self.num_kv_heads
        return heads[:, shared.clamp(max=self.num_kv_heads - 1)]


mistake(in_chapter.elsewhere, "the masked scores become -1e9, which half precision cannot represent").made_in(
    Written, LargeNumberForMasked={'float("-inf")': "-1e9"}
)
mistake(scores, "the masked scores are set to 0, expected -inf: a score of 0 gets a weight like any other").made_in(
    Written, ZeroForMasked={'scores.masked_fill(~mask, float("-inf")).softmax': "(scores * mask).softmax"}
)
mistake(scores, "the mask is applied after the softmax, so the weights of a query no longer sum to one").made_in(
    Written, MaskedAfterwards={'.masked_fill(~mask, float("-inf")).softmax(dim=-1)': ".softmax(dim=-1) * mask"}
)
mistake(scores, "the softmax is over the queries, expected over the keys, the last dimension").made_in(
    Written, SoftmaxOverQueries={'float("-inf")': "torch.finfo(scores.dtype).min", "(dim=-1)": "(dim=-2) * mask"}
)


@mistake(scores, "the heads are split by a reshape alone, which mixes positions and heads")
class SplitByView(Written):
    def split(self, states, heads):
        return states.reshape(states.shape[0], heads, states.shape[1], self.head_size)


mistake(unchanged, "the cache is a list, expected a tuple of keys and values").made_in(
    CacheDetached, CacheInAList={"tuple(kept.detach() for kept in after)": "list(after)"}
)
mistake(alone, "the cache is one tensor, expected a tuple of keys and values").made_in(
    CacheDetached, CacheInATensor={"tuple(kept.detach() for kept in after)": "torch.stack(after)"}
)


@mistake(scores, "the scores are limited, expected as large as they are")
class LimitedScores(Written):
    def weights(self, scores, mask):
        return super().weights(scores.clamp(-2, 2), mask)


@right
class Grouped(Written):
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


@right
class Expanded(Written):
    def repeated(self, heads):
        group = self.num_heads // self.num_kv_heads
        return heads.unsqueeze(2).expand(-1, -1, group, -1, -1).flatten(1, 2)


@right
class HeadAfterHead(Written):
    def repeated(self, heads):
        group = self.num_heads // self.num_kv_heads
        return torch.stack([heads[:, h // group] for h in range(self.num_heads)], dim=1)


@right
class OneProduct(Written):
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
        return self.output(self.merged(weights @ self.repeated(value))), (key, value)


@right
class ComparedPlaces(Written):
    def mask(self, length, seen, device):
        return torch.arange(seen, device=device) <= torch.arange(seen - length, seen, device=device).unsqueeze(1)


@forbidden
class TorchsFunction(Written):
    def forward(self, inputs, cache=None):
        query = self.split(self.to_query(inputs), self.num_heads)
        return self.output(self.merged(F.scaled_dot_product_attention(query, query, query))), (query, query)


right(functools.partial(Written))


@right
class RootOfATensor(Written):
    def scale(self):
        return torch.sqrt(torch.tensor(self.head_size, dtype=torch.float32))
