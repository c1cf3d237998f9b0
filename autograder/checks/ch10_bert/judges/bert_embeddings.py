"""What is right about `BertEmbeddings`, and what is said when it is not."""

import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch10_bert.probes import bert_embeddings as probes
from autograder.compare import close, difference, dropped_together, explained, is_close, leaves_arguments
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_TOKEN = "the vector at each position contains the embedding of its token"
_SEGMENT = "the vector at each position contains the embedding of its segment"
_POSITION = "the vector at each position contains the embedding of its position"
_NORM = "the sum of the three goes through norm"
_SHORTER = "a sequence may be shorter than max_length"


def _compare(got: Any, want: Any, others: dict[str, Tensor], fallback: str) -> Verdict:
    """The directions, held against those of the table's rows that a mistake would take."""
    if is_close(got["result"], want["result"], atol=1e-4):
        return passed()
    if is_close(got["result"], torch.zeros_like(want["result"]), atol=1e-4):
        return failed(f"nothing was returned: {fallback}")
    for message, rows in others.items():
        if is_close(got["result"], probes.directions(rows), atol=1e-4):
            return failed(message)
    return failed(
        "with the other two tables at zero and every vector scaled to the same length, "
        f"{difference(got['result'], want['result'])}"
    )


@judge(
    _TOKEN,
    probe=probes.of_tokens,
    points=1,
    hint="Look the tokens up in the table `token`, and add the vectors from the two other tables: a sum, so that "
    "each of the three can be tested while the others are zero. Return one tensor, (B, S, d_model).",
)
def of_tokens(got: Any, want: Any) -> Verdict:
    """The token's row is in the sum."""
    table, segments = want["table"], want["segments"]
    others = {
        "the segments were looked up in the table `token`, expected the tokens": table[segments],
        "the positions were looked up in the table `token`, expected the tokens": table[
            torch.arange(segments.shape[1]) % len(table)
        ].expand(*segments.shape, -1),
    }
    return _compare(
        got,
        want,
        others,
        "is the table `token` used, and are the three vectors added? A product of them is zero where the other "
        "two tables are zero, as here",
    )


@judge(
    _SEGMENT,
    probe=probes.of_segments,
    points=1,
    needs=(_TOKEN,),
    hint="The table `segment` has two rows, for the first and the second sentence; `segments` says which one to "
    "use at each position.",
)
def of_segments(got: Any, want: Any) -> Verdict:
    """The segment's row is in the sum."""
    table, segments = want["table"], want["segments"]
    others = {
        "every position got the vector of the first sentence": table[segments * 0],
        "the two sentences are swapped: segment 0 got row 1, and segment 1 got row 0": table[1 - segments],
    }
    return _compare(got, want, others, "the segments are not in the sum")


@judge(
    _POSITION,
    probe=probes.of_positions,
    points=1,
    needs=(_TOKEN,),
    hint="Positions are counted within a row, whatever its tokens are: 0, 1, …, S - 1, the same for every row of the "
    "batch. torch.arange creates these numbers.",
)
def of_positions(got: Any, want: Any) -> Verdict:
    """The place's row is in the sum."""
    table, tokens, segments = want["table"], want["tokens"], want["segments"]
    batch, length = tokens.shape
    in_segment = torch.arange(length) - segments * (1 - segments).sum(dim=1, keepdim=True)
    others = {
        "the token ids were looked up in the table `position`, expected the positions 0 … S-1": table[tokens],
        "every position of a row got the vector for the number of its row in the batch; expected that for its "
        "position in the row": (table[:batch].unsqueeze(1).expand(-1, length, -1)),
        "the segments were looked up in the table `position`, expected the positions 0 … S-1": table[segments],
        "every position got the vector of position 0": table[tokens * 0],
        "every position got the vector of the last position": table[tokens * 0 + length - 1],
        "the positions are in reverse order": table.flip(0).expand(batch, -1, -1),
        "the positions start again at 0 in the second sentence, expected to continue": table[in_segment],
        "the positions are one too high or too low": table.roll(-1, 0).expand(batch, -1, -1),
    }
    return _compare(got, want, others, "the positions are not in the sum")


@judge(
    _NORM,
    probe=probes.whole,
    points=1,
    needs=(_TOKEN, _SEGMENT, _POSITION),
    hint="First add the three vectors, then apply `norm` to the sum, once. It has its own gain, bias and eps.",
)
def normed_sum(got: Any, want: Any) -> Verdict:
    """The norm, behind the sum."""
    states = got["states"]
    if is_close(states, want["states"]):
        return passed()
    table, position, segment = want["tables"]
    tokens = table[want["tokens"]]
    places, sentences = position.expand_as(tokens), segment[want["segments"]]
    total, (gain, shift) = tokens + places + sentences, want["norm"]

    def norm(values: Tensor, eps: float = probes.EPS) -> Tensor:
        return F.layer_norm(values, values.shape[-1:], gain, shift, eps)

    others = {
        "there is no norm: the sum of the three was returned as it is": total,
        "the norm was applied before the sum, to the token embeddings only": norm(tokens) + places + sentences,
        "the norm was applied before the sum was complete: the segment embeddings were added after it": norm(
            tokens + places
        )
        + sentences,
        "the norm was applied before the sum was complete: the position embeddings were added after it": norm(
            tokens + sentences
        )
        + places,
        "the norm was applied to each of the three before the sum": norm(tokens) + norm(places) + norm(sentences),
        "the norm was applied twice": norm(norm(total)),
        "the norm was applied to the mean of the three, expected to their sum": norm(total / 3),
        "the token embeddings were multiplied by √d_model, as in the Transformer; expected no factor here": norm(
            tokens * math.sqrt(tokens.shape[-1]) + places + sentences
        ),
        "the sum was normalised without the gain and the bias of the layer `norm`": F.layer_norm(
            total, total.shape[-1:], eps=probes.EPS
        ),
        "the sum was normalised with a different eps, expected that of the layer `norm`, which is an argument": norm(
            total, 1e-5
        ),
        "the sum was normalised with an eps of 1e-12, expected that of the layer `norm`, which is an argument": norm(
            total, 1e-12
        ),
        "the sum was normalised with neither the layer `norm` nor its eps": F.layer_norm(total, total.shape[-1:]),
    }
    return explained(states, want["states"], others, "states")


fits_any_length = judge(
    _SHORTER,
    probe=probes.shorter,
    points=1,
    needs=(_TOKEN, _SEGMENT, _POSITION, _NORM),
    hint="max_length is only the number of positions in the table. Take as many as this batch needs: tokens.shape[1].",
)(close())


@judge(
    "in training dropout comes last, and in evaluation there is none",
    probe=probes.dropped,
    points=1,
    hidden=True,
    needs=(_TOKEN, _SEGMENT, _POSITION, _NORM),
    hint="The layer `dropout` sets values to zero and scales the others up to compensate. Its output is the "
    "result; the layer knows by itself whether the model is in training mode.",
)
def drops_last(got: Any, want: Any) -> Verdict:
    """In training each number is either zero or the normalised one, made larger; in evaluation it is as it was."""
    training, normed = got["training"], want["evaluation"]
    if not is_close(got["evaluation"], normed):
        return failed("in evaluation something was dropped: F.dropout always drops, unless you pass training=False")
    if is_close(training, normed):
        return failed("in training nothing was dropped: is the layer `dropout` called?")
    zero = training == 0
    if not zero.any():
        return failed(
            "in training no value is 0, although the values differ from those in evaluation: dropout has to be "
            "the last step, after the norm"
        )
    kept = normed / (1 - probes.DROPOUT)
    if not is_close(torch.where(zero, kept, training), kept):
        return failed("the values that dropout kept are not those of evaluation divided by 1 - p, where p is `dropout`")
    told = dropped_together({"the norm": ~zero}, probes.DROPOUT)
    if told:
        return failed(told)
    return passed()


@judge(
    "the positions are created on the device of the tokens",
    probe=probes.on_a_device,
    points=1,
    hidden=True,
    needs=(_TOKEN, _SEGMENT, _POSITION, _NORM),
    hint="A new tensor is created on the CPU by default, and cannot be looked up in a table on another device: "
    "pass device=tokens.device to torch.arange.",
)
def follows_device(got: Any, want: Any) -> Verdict:
    """Nothing is left on the CPU."""
    if not got["is on the device"]:
        return failed("the result is on the CPU, but tokens and weights are on another device")
    return close("states")(got, want)


parts_of_larger = judge(
    "tokens and segments may be parts of larger tensors, and are not changed",
    probe=probes.cut_out,
    points=1,
    arguments=True,
    needs=(_TOKEN, _SEGMENT, _POSITION, _NORM),
    hint="A slice such as tokens[:, 2:9] is not contiguous, so view fails on it. Methods that end in an "
    "underscore, and assignments such as tokens[...] = ..., change the caller's tensor.",
)(leaves_arguments("one sequence", "three sequences"))

embeddings_gradient = judge(
    "the gradient reaches the three tables and the norm",
    probe=probes.embeddings_gradient,
    points=1,
    hidden=True,
    needs=(_TOKEN, _SEGMENT, _POSITION, _NORM),
    hint="All three tables are learned: use torch's operations on them. detach, .data and no_grad stop the gradient.",
)(close())
