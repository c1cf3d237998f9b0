"""What is right about `MultiHeadAttention`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import multi_head_attention as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_STORED = "keys and values have each a layer of their own, and are split"
_QUERY = "the queries are projected and split, and meet the keys as they came"
_OUTPUT = "what the heads found is merged and goes through the output layer"
_MASK = "the mask is the same for all heads"
_MASKS = "a mask may differ from query to query, or be one for all sentences"


def _cut(vectors: Tensor, heads: int) -> dict[str, Tensor]:
    """What a student's own lines, in place of the function that is given, may make of vectors, by what is said of it."""
    batch, length, size = vectors.shape
    told = "were split, but not by self.split: call the function that is given, in place of lines of your own"
    return {
        told: vectors.reshape(batch, length, heads, size // heads).transpose(1, 2),
        "were reshaped at once, which mixes positions and heads; call self.split, the function that is given": (
            vectors.reshape(batch, heads, length, size // heads)
        ),
    }


def _wrongly_projected(got: Tensor, want: dict[str, Tensor], layer: str, heads: int) -> str:
    """Which layer, or which cut, makes what came back; empty where none does."""
    for name, vectors in want.items():
        made = "were not projected" if name == "none" else f"went through `{name}`"
        if name != layer and is_close(got, probes.split(vectors, heads)):
            return f"{made}, expected `{layer}`" if name != "none" else f"{made}: expected `{layer}` first, then split"
        for told, pieces in _cut(vectors, heads).items():
            if is_close(got, pieces):
                return told if name == layer else f"{made}, expected `{layer}`; and they {told}"
    return ""


@judge(
    _STORED,
    probe=probes.keys_and_values,
    points=2,
    hint="Two things, keys first, then values. Each is the memory through its own layer, to_key or to_value, and then through self.split "
    "with self.num_heads.",
)
def keys_then_values(got: Any, want: Any) -> Verdict:
    """The two projections and their cut."""
    vectors = want["projected"]
    if is_close(got["key"], want["value"]) and is_close(got["value"], want["key"]):
        return failed("the values came back first and the keys second, expected keys, then values")
    for name in ("key", "value"):
        if not is_close(got[name], want[name]):
            told = _wrongly_projected(got[name], vectors, f"to_{name}", probes.HEADS)
            return failed(f"the {name}s {told}" if told else f"{name}: {difference(got[name], want[name])}")
    return passed()


@judge(
    _QUERY,
    probe=probes.queries,
    points=1,
    hint="The query is not projected yet: it goes through to_query, then through self.split. Key and value are projected and split already: hand "
    "them to self.attention as they came, in the order query, key, value, mask. Return the output, then the weights as attention gives them.",
)
def queries_ask(got: Any, want: Any) -> Verdict:
    """Which vectors ask, and which are asked."""
    weights, vectors, key, value = got["weights"], want["projected"], want["key"], want["value"]
    if is_close(weights, want["weights"]):
        return passed()

    def shown(query: Tensor, offered: Tensor) -> Tensor:
        return probes.shows_query(query, offered, value)[1]

    asked = probes.split(vectors["to_query"], 1)
    for name, again in want["key projected"].items():
        if name != "none" and is_close(weights, shown(asked, again)):
            return failed(
                f"the keys went through `{name}` in look_up: they come projected and split, as keys_values gives them"
            )
    if is_close(weights, shown(asked, value)):
        return failed("the values were asked, expected the keys: the order is query, key, value, mask")
    if is_close(weights, shown(asked, key).softmax(dim=-1)):
        return failed("the weights went through a softmax of your own; return them as self.attention gives them")
    for name, made in vectors.items():
        said = "are not projected" if name == "none" else f"went through `{name}`"
        if name != "to_query" and is_close(weights, shown(probes.split(made, 1), key)):
            return failed(f"the queries {said}, expected `to_query` and then split")
        if is_close(weights, shown(made.unsqueeze(1), key)):
            instead = "" if name == "to_query" else f" {said}, expected `to_query`, and they"
            return failed(f"the queries{instead} are not split by self.split, the function that is given")
    dots = asked @ key.transpose(-2, -1)
    if any(is_close(weights, (dots / scale).softmax(dim=-1)) for scale in (1, key.shape[-1] ** 0.5)):
        return failed("the attention is not the one that is given: call self.attention, in place of lines of your own")
    return failed(
        "the weights are not what self.attention makes of the split queries and the keys as they came. Use the functions that are given, "
        f"whatever they compute; {difference(weights, want['weights'])}"
    )


@judge(
    _OUTPUT,
    probe=probes.merged,
    points=2,
    needs=(_QUERY,),
    hint="What attention returns first is what every head found, (B, num_heads, T, d_k). It is merged with self.merge, and then mixed by the "
    "layer `output`.",
)
def merged_and_mixed(got: Any, want: Any) -> Verdict:
    """The way out."""
    output, merged, found = got["output"], want["merged"], want["found"]
    if is_close(output, want["output"]):
        return passed()
    batch, heads, length, size = found.shape
    others = {
        "there is no output layer: what the heads found was merged, and that is all": merged["none"],
        "what was merged went through `to_value`, expected `output`": merged["to_value"],
        "what was merged went through `to_query`, expected `output`": merged["to_query"],
        "what the attention was given as values are the keys": want["of the keys"]["output"],
        "an activation follows the output layer; it is linear": merged["output"].relu(),
    }
    for message, values in others.items():
        if is_close(output, values):
            return failed(message)
    own = {
        "what the heads found was merged by lines of your own; call self.merge, the function that is given": (
            found.transpose(1, 2).reshape(batch, length, heads * size)
        ),
        "what the heads found was reshaped at once, which mixes positions and heads; call self.merge, the function that is given": (
            found.reshape(batch, length, heads * size)
        ),
    }
    for message, values in own.items():
        if is_close(output, values):
            return failed(f"there is no output layer, and {message}")
        if is_close(output, torch.nn.functional.linear(values, *want["output layer"])):
            return failed(message)
    return failed(
        "the output is not what `output` makes of self.merge, given the first of the two things that self.attention returns. Use the functions "
        f"that are given, whatever they compute; {difference(output, want['output'])}"
    )


@judge(
    _MASK,
    probe=probes.masked,
    points=2,
    needs=(_QUERY,),
    hint="The mask is (B, T, S) or (B, 1, S), the scores are (B, num_heads, T, S). Where must a dimension of size one be put in, so that the mask "
    "is the same for all heads?",
)
def one_mask_for_all_heads(got: Any, want: Any) -> Verdict:
    """The mask's sentences stay sentences."""
    weights, key, mask = got["weights"], want["key"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()

    def shown(which: Tensor) -> Tensor:
        return probes.shows_mask(torch.zeros(*weights.shape[:-1], key.shape[-1]), key, key, which)[1]

    others = {
        "the attention was given a mask that hides nothing": torch.ones_like(mask).unsqueeze(1),
        "the mask went in the wrong way round: True means that a place may be attended": ~mask.unsqueeze(1),
        "the mask of a sentence met a head: as it came, its first dimension lines up with the heads. (There are as many heads as "
        "sentences here, so that torch did not complain.)": mask,
        "every sentence got the mask of the first": mask[:1].unsqueeze(1),
    }
    for message, which in others.items():
        if is_close(weights, shown(which)):
            return failed(message)
    return failed(f"the weights are not those of the mask that was given; {difference(weights, want['weights'])}")


any_mask = judge(
    _MASKS,
    probe=probes.any_mask,
    points=1,
    hidden=True,
    needs=(_QUERY, _MASK),
    hint="The mask may be (B, T, S), (1, T, S) or (1, 1, S). Put the dimension for the heads behind the sentences, and take no row of it and no "
    "size from it.",
)(close())

whole = judge(
    "it looks up itself, another memory, and one query alone, without a mask",
    probe=probes.whole,
    points=1,
    hidden=True,
    needs=(_STORED, _QUERY, _OUTPUT),
    hint="Without a mask it is None, and goes to the attention as None. When translating, B and T are 1: squeeze() takes away every dimension of "
    "size one. T and S differ where the memory is another.",
)(close())

gradient = judge(
    "the gradient reaches every layer, the query and the memory",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_STORED, _QUERY, _OUTPUT),
    hint="Stay with torch's operations on the tensors themselves: detach, .data and no_grad cut the gradient off.",
)(close())
