"""What is right about `GroupedQueryAttention`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch13_today.probes import grouped_query_attention as probes
from autograder.compare import close, difference, explained, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_VALUES = "with a single position, every head returns the value of that position"
_SCORES = "the scores come from rotated queries and rotated keys, divided by √d_k, and no position sees a later one"
_GROUPS = "neighbouring query heads share a head of keys and values"
_CACHE = "new keys come after the cache, and positions continue from it"


def _attended(
    want: Any,
    *,
    turned: str = "qk",
    tiled: bool = False,
    scale: float = 0.0,
    masked: str = "causal",
    first: int | None = None,
    first_key: int | None = None,
    cached: str = "kv",
    merged: str = "right",
    through: bool = True,
    again: bool = False,
) -> Tensor:
    """The output, with one thing done otherwise."""
    inputs, weights, heads, shared = want["inputs"], want["weights"], want["heads"], want["shared"]
    batch, length, _ = inputs.shape

    def split(name: str, number: int) -> Tensor:
        return (inputs @ weights[name].T).unflatten(-1, (number, -1)).transpose(1, 2)

    query, key, value = split("to_query", heads), split("to_key", shared), split("to_value", shared)
    before = want["cache"][0].shape[2] if want["cache"] else 0
    start = before if first is None else first
    places = torch.arange(start, start + length)
    key_places = places if first_key is None else torch.arange(first_key, first_key + length)
    query = probes.turn(query, places) if "q" in turned else query
    key = probes.turn(key, key_places) if "k" in turned else key
    value = probes.turn(value, places) if "v" in turned else value
    if want["cache"]:
        old_key, old_value = want["cache"]
        if again:
            old_key = probes.turn(old_key, torch.arange(before))
        order = (slice(None), slice(None, None, -1))["after" in cached]
        key = torch.cat([old_key, key][order], dim=2) if "k" in cached else key
        value = torch.cat([old_value, value][order], dim=2) if "k" in cached else value
    group = heads // shared
    keys, values = (
        tensor.repeat(1, group, 1, 1) if tiled else tensor.repeat_interleave(group, dim=1) for tensor in (key, value)
    )
    scores = query @ keys.transpose(-2, -1) / (scale or probes.HEAD**0.5)
    seen = keys.shape[2]
    mask = torch.ones(length, seen, dtype=torch.bool)
    offset = {
        "causal": seen - length,
        "none": seen,
        "strict": seen - length - 1,
        "top": 0,
        "one more": seen - length + 1,
    }[masked]
    weights_of = scores.masked_fill(~mask.tril(offset), float("-inf")).softmax(dim=-1).nan_to_num(0.0)
    found = weights_of @ values
    joined = {
        "right": found.transpose(1, 2).flatten(2),
        "view": found.reshape(batch, length, -1),
        "heads inside": found.permute(0, 2, 3, 1).flatten(2),
    }[merged]
    return joined @ weights["output"].T if through else joined


@judge(
    _VALUES,
    probe=probes.alone,
    points=2,
    hint="One position attends to itself with weight 1, so only the values matter. Query heads 0 and 1 get the first head of values, 2 and 3 the second: "
    "compare repeat_interleave with repeat. Only queries and keys are rotated.",
)
def own_value(got: Any, want: Any) -> Verdict:
    """The path of the values."""
    mistakes = {
        "the heads were repeated in the wrong order, all of them and then all again: neighbouring query heads share one": _attended(
            want, tiled=True
        ),
        "the values were rotated too; only queries and keys are": _attended(want, turned="qkv"),
        "the values were rotated too, and the heads were repeated in the wrong order": _attended(
            want, turned="qkv", tiled=True
        ),
        "the concatenated heads did not go through `output`": _attended(want, through=False),
        "the components of the heads were interleaved, expected head 0 first, as a whole": _attended(
            want, merged="heads inside"
        ),
    }
    return explained(got["output"], want["output"], mistakes, "output")


@judge(
    _SCORES,
    probe=probes.scores,
    points=2,
    needs=(_VALUES,),
    hint="Both queries and keys go through self.rotate, with positions starting at 0. The scores are divided by √d_k, where d_k is the size of one head, "
    "and where a key is later than the query they become -inf before the softmax.",
)
def turned_and_masked(got: Any, want: Any) -> Verdict:
    """Scores and mask, with groups of one."""
    length = want["inputs"].shape[1]
    mistakes = {
        "nothing was rotated: queries and keys go through self.rotate": _attended(want, turned=""),
        "only the queries were rotated": _attended(want, turned="q"),
        "only the keys were rotated": _attended(want, turned="k"),
        "the values were rotated too; only queries and keys are": _attended(want, turned="qkv"),
        "the positions start at 1, expected 0": _attended(want, first=1),
        "the scores were not divided by √d_k": _attended(want, scale=1.0),
        "the scores were divided by d_k, expected √d_k": _attended(want, scale=float(probes.HEAD)),
        "the scores were divided by √d_model, expected √d_k, the root of the size of one head": _attended(
            want, scale=(probes.HEAD * want["heads"]) ** 0.5
        ),
        "every position sees all others: the mask is missing": _attended(want, masked="none"),
        "every position sees the next one": _attended(want, masked="one more"),
        "a position does not see itself": _attended(want, masked="strict"),
        "the heads were joined by a reshape alone, which mixes positions and heads": _attended(want, merged="view"),
        "the components of the heads were interleaved, expected head 0 first, as a whole": _attended(
            want, merged="heads inside"
        ),
    }
    if length and not is_close(got["output"][:, -1], want["output"][:, -1]):
        return explained(got["output"], want["output"], mistakes, "output")
    return explained(got["output"], want["output"], mistakes, "output, which is right at the last position")


@judge(
    _GROUPS,
    probe=probes.groups,
    points=2,
    needs=(_VALUES, _SCORES),
    hint="With six query heads and two heads of keys and values, query heads 0, 1, 2 attend to the first and 3, 4, 5 to the second, for keys and for values. "
    "The cache holds each head once.",
)
def in_groups(got: Any, want: Any) -> Verdict:
    """Groups of three."""
    mistakes = {
        "the heads were repeated in the wrong order, all of them and then all again: neighbouring query heads share one": _attended(
            want, tiled=True
        )
    }
    verdict = explained(got["output"], want["output"], mistakes, "output")
    if not verdict.ok:
        return verdict
    return _kept(got, want)


def _kept(got: Any, want: Any) -> Verdict:
    """The cache that came back."""
    if is_close(got["keys"], want["values"]) and is_close(got["values"], want["keys"]):
        return failed("the cache came back with the values first, expected keys, then values")
    for name in ("keys", "values"):
        if not is_close(got[name], want[name]):
            return failed(
                f"the {name} in the cache: {difference(got[name], want[name])}. The cache holds rotated keys and plain values"
            )
    return passed()


@judge(
    _CACHE,
    probe=probes.cached,
    points=2,
    needs=(_VALUES, _SCORES, _GROUPS),
    hint="With t positions in the cache the new ones are t, t + 1, …, for the rotation and for the mask. The keys of the cache are rotated already. They "
    "come first.",
)
def goes_on(got: Any, want: Any) -> Verdict:
    """One position after five."""
    mistakes = {
        "the new positions were numbered from 0, expected from the length of the cache": _attended(want, first=0),
        "the new keys were numbered from 0, expected from the length of the cache": _attended(want, first_key=0),
        "the positions are one too large: the first new one is t, the number of positions in the cache": _attended(
            want, first=6
        ),
        "the cache was not used": _attended(want, cached=""),
        "the new keys and values were put before those of the cache": _attended(want, cached="k after"),
        "the keys of the cache were rotated again": _attended(want, again=True),
        "the mask ignores the cache: query i sees the first i + 1 keys, expected t more": _attended(want, masked="top"),
        "a position does not see itself": _attended(want, masked="strict"),
    }
    verdict = explained(got["output"], want["output"], mistakes, "output")
    return verdict if not verdict.ok else _kept(got, want)


unchanged = judge(
    "the arguments are not changed",
    probe=probes.unchanged,
    points=1,
    arguments=True,
    needs=(_VALUES, _SCORES, _GROUPS, _CACHE),
    hint="`torch.cat` makes a new tensor. Methods that end in an underscore, and +=, change the caller's tensors.",
)(leaves_arguments("output"))

in_steps = judge(
    "it works token by token or in parts, with a single head of keys and values, and with a batch of one",
    probe=probes.in_steps,
    points=1,
    hidden=True,
    needs=(_VALUES, _SCORES, _GROUPS, _CACHE),
    hint="Several positions may follow a cache, and then they need a mask too. Take every size from the inputs and from the cache, whose third dimension "
    "is its length. squeeze() also removes a batch of one.",
)(close())
