"""What is right about `MultiHeadAttention`, and what is said when it is not."""

from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch08_self_attention.probes import multi_head_attention as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_STORED = "keys and values each go through their own layer and are split"
_QUERY = "the queries are projected and split, and the keys are used as they are given"
_OUTPUT = "the outputs of the heads are merged and go through the output layer"
_MASK = "the mask is the same for all heads"
_MASKS = "the mask may differ between queries, or be the same for all sentences"


def _cut(vectors: Tensor, heads: int) -> dict[str, Tensor]:
    """What a student's own lines, in place of the function that is given, may make of vectors, by what is said of it."""
    batch, length, size = vectors.shape
    told = "were split, but not by self.split: call the function that is given instead of your own code"
    return {
        told: vectors.reshape(batch, length, heads, size // heads).transpose(1, 2),
        "were reshaped directly, which mixes positions and heads; call self.split, the function that is given": (
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
    hint="Return two things, first keys, then values. Each is the memory after its own layer, to_key or "
    "to_value, and then after self.split with self.num_heads.",
)
def keys_then_values(got: Any, want: Any) -> Verdict:
    """The two projections and their cut."""
    vectors = want["projected"]
    if is_close(got["key"], want["value"]) and is_close(got["value"], want["key"]):
        return failed("the values were returned first and the keys second, expected keys, then values")
    for name in ("key", "value"):
        if not is_close(got[name], want[name]):
            told = _wrongly_projected(got[name], vectors, f"to_{name}", probes.HEADS)
            return failed(f"the {name}s {told}" if told else f"{name}: {difference(got[name], want[name])}")
    return passed()


@judge(
    _QUERY,
    probe=probes.queries,
    points=1,
    hint="The query is not projected yet: it goes through to_query, then through self.split. Key and value are "
    "already projected and split: pass them to self.attention unchanged, in the order query, key, value, "
    "mask. Return the output, then the weights as self.attention returns them.",
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
                f"the keys went through `{name}` in look_up, but they are already projected and split, as "
                "keys_values returns them"
            )
    if is_close(weights, shown(asked, value)):
        return failed(
            "the scores are computed with the values, expected with the keys: the order is query, key, value, mask"
        )
    if is_close(weights, shown(asked, key).softmax(dim=-1)):
        return failed("a softmax of your own is applied to the weights; return them as self.attention returns them")
    for name, made in vectors.items():
        said = "are not projected" if name == "none" else f"went through `{name}`"
        if name != "to_query" and is_close(weights, shown(probes.split(made, 1), key)):
            return failed(f"the queries {said}, expected `to_query` and then split")
        if is_close(weights, shown(made.unsqueeze(1), key)):
            instead = "" if name == "to_query" else f" {said}, expected `to_query`, and they"
            return failed(f"the queries{instead} are not split by self.split, the function that is given")
    dots = asked @ key.transpose(-2, -1)
    if any(is_close(weights, (dots / scale).softmax(dim=-1)) for scale in (1, key.shape[-1] ** 0.5)):
        return failed("the attention is not the one that is given: call self.attention instead of your own code")
    return failed(
        "the weights are not those of self.attention for the split queries and the given keys. Use the functions "
        f"that are given, whatever they compute; {difference(weights, want['weights'])}"
    )


@judge(
    _OUTPUT,
    probe=probes.merged,
    points=2,
    needs=(_QUERY,),
    hint="The first result of attention is the output of every head, (B, num_heads, T, d_k). It is merged with "
    "self.merge, and then goes through the layer `output`.",
)
def merged_and_mixed(got: Any, want: Any) -> Verdict:
    """The way out."""
    output, merged, found = got["output"], want["merged"], want["found"]
    if is_close(output, want["output"]):
        return passed()
    batch, heads, length, size = found.shape
    others = {
        "there is no output layer: the outputs of the heads are merged and returned": merged["none"],
        "the merged heads went through `to_value`, expected `output`": merged["to_value"],
        "the merged heads went through `to_query`, expected `output`": merged["to_query"],
        "attention was given the keys as its values": want["of the keys"]["output"],
        "there is an activation after the output layer, expected none": merged["output"].relu(),
    }
    for message, values in others.items():
        if is_close(output, values):
            return failed(message)
    own = {
        "the outputs of the heads were merged by your own code; call self.merge, the function that is given": (
            found.transpose(1, 2).reshape(batch, length, heads * size)
        ),
        "the outputs of the heads were reshaped directly, which mixes positions and heads; call self.merge, the "
        "function that is given": (found.reshape(batch, length, heads * size)),
    }
    for message, values in own.items():
        if is_close(output, values):
            return failed(f"there is no output layer, and {message}")
        if is_close(output, torch.nn.functional.linear(values, *want["output layer"])):
            return failed(message)
    return failed(
        "the output is not that of the layer `output` after self.merge, applied to the first result of "
        "self.attention. Use the functions that are given, whatever they compute; "
        f"{difference(output, want['output'])}"
    )


@judge(
    _MASK,
    probe=probes.masked,
    points=2,
    needs=(_QUERY,),
    hint="The mask is (B, T, S) or (B, 1, S), the scores are (B, num_heads, T, S). Where do you have to insert a "
    "dimension of size one, so that all heads have the same mask?",
)
def one_mask_for_all_heads(got: Any, want: Any) -> Verdict:
    """The mask's sentences stay sentences."""
    weights, key, mask = got["weights"], want["key"], want["mask"]
    if is_close(weights, want["weights"]):
        return passed()

    def shown(which: Tensor) -> Tensor:
        return probes.shows_mask(torch.zeros(*weights.shape[:-1], key.shape[-1]), key, key, which)[1]

    others = {
        "attention was given a mask that hides nothing": torch.ones_like(mask).unsqueeze(1),
        "the mask is inverted: True means that a position may be attended to": ~mask.unsqueeze(1),
        "the masks of the sentences are applied to the heads: without another dimension, the first dimension of "
        "the mask is aligned with the heads. (There are as many heads as sentences here, so torch did not "
        "complain.)": mask,
        "every sentence got the mask of the first sentence": mask[:1].unsqueeze(1),
    }
    for message, which in others.items():
        if is_close(weights, shown(which)):
            return failed(message)
    return failed(f"the weights do not match the mask that was given; {difference(weights, want['weights'])}")


any_mask = judge(
    _MASKS,
    probe=probes.any_mask,
    points=1,
    hidden=True,
    needs=(_QUERY, _MASK),
    hint="The mask may be (B, T, S), (1, T, S) or (1, 1, S). Insert the dimension for the heads after the "
    "sentences, and do not index the mask or take sizes from it.",
)(close())

whole = judge(
    "forward works with the query as memory, with another memory, and with a single query, without a mask",
    probe=probes.whole,
    points=1,
    hidden=True,
    needs=(_STORED, _QUERY, _OUTPUT),
    hint="If there is no mask, it is None, and attention gets None. During translation B and T are 1: squeeze() "
    "removes every dimension of size one. T and S differ if the memory is another tensor.",
)(close())

gradient = judge(
    "the gradient reaches every layer, the query and the memory",
    probe=probes.gradient,
    points=1,
    hidden=True,
    needs=(_STORED, _QUERY, _OUTPUT),
    hint="Use torch's operations on the tensors themselves: detach, .data and no_grad stop the gradient.",
)(close())
