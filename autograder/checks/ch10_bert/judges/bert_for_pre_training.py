"""What is right about `BertForPreTraining`, and what is said when it is not."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.checks.ch10_bert.probes import bert_for_pre_training as probes
from autograder.compare import close, difference, is_close
from autograder.declare import judge
from autograder.verdict import Verdict, failed, passed

_ASKED = "tokens, segments and mask are passed to the embeddings and the encoder"
_PAIRS = "the logits of a pair come from the first position, through pooler, tanh and next_sentence"
_TIED = "the matrix of the word head is the table of token embeddings"
_WORDS = "the hidden states go through transform, gelu and norm, and the bias is added"
_GELU = "the gelu is the exact one"


@judge(
    _ASKED,
    probe=probes.asked,
    points=1,
    hint="`encode` takes the arguments of forward, unchanged and in the same order, and returns the hidden "
    "states. Return two things: the logits of the pieces, then those of the pair.",
)
def reaches_encoder(got: Any, want: Any) -> Verdict:
    """What the encoder was asked with."""
    tokens, segments, mask = want["given tokens"], want["given segments"], want["given mask"]
    if not is_close(got["states"], want["states"]):
        others = {
            "the segments were not passed on: every position was given segment 0": probes.embedded(
                tokens, segments * 0
            ),
            "the segments are swapped: 0 is the first sentence, 1 the second": probes.embedded(tokens, 1 - segments),
            "tokens and segments are swapped: embeddings(tokens, segments)": probes.embedded(segments, tokens),
            "the encoder was given rows of the table `token`, expected the result of embeddings(tokens, segments)": want[
                "table"
            ][tokens],
        }
        for message, states in others.items():
            if is_close(got["states"], states):
                return failed(message)
        return failed(
            f"the encoder was not given the result of the embeddings; {difference(got['states'], want['states'])}"
        )
    if is_close(got["mask"], mask):
        return passed()
    if is_close(got["mask"], ~mask):
        return failed("the mask for the encoder was inverted: True means a real piece, for both")
    if got["mask"].all():
        return failed("the encoder was given a mask that hides nothing, expected the mask unchanged")
    return failed("the encoder was given a different mask, expected that of forward")


@judge(
    _PAIRS,
    probe=probes.of_pairs,
    points=2,
    needs=(_ASKED,),
    hint="The first position is [CLS], which represents the pair: hidden[:, 0] is (B, d_model). Then pooler, "
    "tanh, next_sentence, in this order; the softmax belongs to the loss.",
)
def first_place_tells(got: Any, want: Any) -> Verdict:
    """Which state is read, and what it goes through."""
    logits, hidden, mask = got["logits of the pairs"], want["hidden"], want["mask"]
    if is_close(logits, want["logits of the pairs"]):
        return passed()
    real = mask.unsqueeze(-1)
    read = {
        "": hidden[:, 0],
        "they come from the last position": hidden[:, -1],
        "they come from the last real piece": hidden[torch.arange(len(hidden)), mask.sum(dim=1) - 1],
        "they come from the second position": hidden[:, 1],
        "they come from the mean over all positions": hidden.mean(dim=1),
        "they come from the mean over the real pieces": (hidden * real).sum(dim=1) / real.sum(dim=1),
        "they come from the sum over all positions": hidden.sum(dim=1),
        "they come from the maximum of each component over all positions": hidden.amax(dim=1),
        "they come from the word head's result at the first position": _transformed(want)[:, 0],
    }
    for place, state in read.items():
        pooled, sentence = _linear(state, want["pooler"]), want["next_sentence"]
        right = _linear(pooled.tanh(), sentence)
        ways = {
            "": right,
            "there is no tanh between pooler and next_sentence": _linear(pooled, sentence),
            "pooler was left out: the state went through tanh to next_sentence": _linear(state.tanh(), sentence),
            "pooler and tanh were left out: the state went directly to next_sentence": _linear(state, sentence),
            "the tanh comes before pooler, expected after it": _linear(_linear(state.tanh(), want["pooler"]), sentence),
            "the tanh comes after next_sentence, expected before it": _linear(pooled, sentence).tanh(),
            "there is a relu between pooler and next_sentence, expected a tanh": _linear(pooled.relu(), sentence),
            "there is a gelu between pooler and next_sentence, expected a tanh": _linear(F.gelu(pooled), sentence),
            "there is a sigmoid between pooler and next_sentence, expected a tanh": _linear(pooled.sigmoid(), sentence),
            "they are probabilities: leave the softmax to the loss": right.softmax(-1),
            "they are log-probabilities: leave the softmax to the loss": right.log_softmax(-1),
        }
        for way, values in ways.items():
            if is_close(logits, values):
                where = place and f"{place}, expected the first position, [CLS]"
                return failed("logits of the pairs: " + "; and ".join(filter(None, (where, way))))
    return failed(f"logits of the pairs: {difference(logits, want['logits of the pairs'])}")


@judge(
    _TIED,
    probe=probes.table_of_words,
    points=1,
    needs=(_ASKED,),
    hint="self.embeddings.token.weight is E, (V, d_model), and E transposed is the last matrix. Use the table "
    "itself each time forward runs, so that it gets gradients from both uses.",
)
def follows_table(got: Any, want: Any) -> Verdict:
    """The table itself, in both directions."""
    logits, share = got["logits of the pieces"], got["share of the gradient"]
    if is_close(logits, want["logits of the pieces"]):
        if is_close(share, want["share of the gradient"]):
            return passed()
        if share == 0:
            return failed(
                "the values are those of the table, but it gets no gradient from the word head: .data, detach, "
                "no_grad or a copy stops it"
            )
        return failed("the values are those of the table, but its gradient from the word head is wrong")
    stale = _transformed(want) @ want["before"].T
    if is_close(logits, stale / stale[..., :1]):
        return failed(
            "the matrix is a copy of the table from the time when the model was created. The table has been "
            "changed since, as in training, but the logits have not"
        )
    return failed(
        "for this test, each row of the table was made a multiple of one vector, and the bias 0, so the logits "
        "at a position had to be the same multiples of each other. They are not: the matrix is a different one, "
        "or something is added after it"
    )


_Gelu = Callable[[Tensor], Tensor]
_NEAR_GELU: dict[str, _Gelu] = {
    "the gelu is the approximation by tanh, which differs by up to 0.0005; expected the exact one, F.gelu(x) "
    "with its defaults": lambda x: F.gelu(x, approximate="tanh"),
    "the gelu is the approximation x · sigmoid(1.702 x), which differs by about 0.02; expected the exact one, "
    "F.gelu(x)": lambda x: x * (1.702 * x).sigmoid(),
}


def _transformed(want: Any, gelu: _Gelu = F.gelu, layer: str = "transform") -> Tensor:
    """The hidden states in front of the table."""
    values, (gain, shift) = gelu(_linear(want["hidden"], want[layer])), want["norm"]
    return F.layer_norm(values, values.shape[-1:], gain, shift, eps=1e-12)


def _linear(values: Tensor, layer: list[Tensor]) -> Tensor:
    """What a layer, its weight and its bias, makes of the values."""
    return F.linear(values, *layer)


@judge(
    _WORDS,
    probe=probes.of_words,
    points=2,
    needs=(_ASKED, _TIED),
    hint="In this order: the layer `transform`, gelu, the layer `norm`, the transposed table, and finally "
    "`bias`, one number for each piece.",
)
def transforms(got: Any, want: Any) -> Verdict:
    """The order, and nothing left out; another check looks at which gelu it is."""
    logits, table, bias = got["logits of the pieces"], want["table"], want["bias"]
    near = [_transformed(want, gelu) @ table.T + bias for gelu in _NEAR_GELU.values()]
    if any(is_close(logits, values) for values in [want["logits of the pieces"], *near]):
        return passed()
    hidden, (gain, shift) = want["hidden"], want["norm"]

    def linear(values: Tensor) -> Tensor:
        return _linear(values, want["transform"])

    def norm(values: Tensor) -> Tensor:
        return F.layer_norm(values, values.shape[-1:], gain, shift, eps=1e-12)

    transformed = linear(hidden)
    ways = {
        "": norm(F.gelu(transformed)),
        "there is no gelu after transform": norm(transformed),
        "there is no norm after the gelu": F.gelu(transformed),
        "there is neither gelu nor norm after transform": transformed,
        "transform, gelu and norm were left out: the hidden states went directly to the table": hidden,
        "transform was left out": norm(F.gelu(hidden)),
        "transform and gelu were left out": norm(hidden),
        "the gelu comes after the norm, expected between transform and norm": F.gelu(norm(transformed)),
        "the norm comes before transform, expected after the gelu": F.gelu(linear(norm(hidden))),
        "the gelu comes before transform, expected after it": norm(linear(F.gelu(hidden))),
        "there is a relu after transform, expected a gelu": norm(transformed.relu()),
        "there is a relu after transform, expected a gelu and a norm": transformed.relu(),
        "there is a tanh after transform, expected a gelu": norm(transformed.tanh()),
        "there is a tanh after transform, expected a gelu and a norm": transformed.tanh(),
        "there is a silu after transform, expected a gelu": norm(F.silu(transformed)),
        "the hidden states went through pooler, expected transform": _transformed(want, layer="pooler"),
        "the norm lacks the gain and the bias of the layer `norm`": F.layer_norm(
            F.gelu(transformed), hidden.shape[-1:]
        ),
    }
    biases = {
        "": bias,
        "the bias is missing, one number for each piece": bias * 0,
        "the bias was subtracted, expected added": -bias,
    }
    for way, values in ways.items():
        for slip, added in biases.items():
            if is_close(logits, values @ table.T + added):
                return failed("; and ".join(filter(None, (way, slip))))
    return failed(f"logits of the pieces: {difference(logits, want['logits of the pieces'])}")


@judge(
    _GELU,
    probe=probes.of_words,
    points=1,
    needs=(_WORDS,),
    hint="gelu(x) is x times the probability that a standard normal variable is below x. There are faster "
    "approximations, but weights that were trained with one formula give different results with another.",
)
def exact_gelu(got: Any, want: Any) -> Verdict:
    """The exact one to the tolerance of single precision."""
    logits = got["logits of the pieces"]
    if is_close(logits, want["logits of the pieces"]):
        return passed()
    for message, gelu in _NEAR_GELU.items():
        if is_close(logits, _transformed(want, gelu) @ want["table"].T + want["bias"]):
            return failed(message)
    return failed(f"logits of the pieces: {difference(logits, want['logits of the pieces'])}")


keeps_dimensions = judge(
    "a single sequence and a single position keep their dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_PAIRS, _TIED, _WORDS, _GELU),
    hint="B and S can be 1: squeeze() removes every dimension of size one, including those that you need. Also, "
    "an encoder's states need not be contiguous: reshape and flatten work, view does not.",
)(close())

model_gradient = judge(
    "the gradient of both losses reaches every weight and the encoder",
    probe=probes.model_gradient,
    points=1,
    hidden=True,
    needs=(_PAIRS, _TIED, _WORDS, _GELU),
    hint="Both tasks train the same encoder: use torch's operations on the tensors themselves. detach, .data and "
    "no_grad stop the gradient.",
)(close())
