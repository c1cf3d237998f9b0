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

_ASKED = "tokens, segments and mask reach the embeddings and the encoder"
_PAIRS = "the logits of a pair come from the first place, through pooler, tanh and next_sentence"
_TIED = "the word head's matrix is the table of token embeddings"
_WORDS = "the hidden states go through transform, gelu and norm, and the bias is added"
_GELU = "the gelu is the exact one"


@judge(
    _ASKED,
    probe=probes.asked,
    points=1,
    hint="`encode` takes what forward was given, as it came and in the same order, and returns the hidden states. Return two things: the "
    "logits of the pieces, then those of the pair.",
)
def reaches_encoder(got: Any, want: Any) -> Verdict:
    """What the encoder was asked with."""
    tokens, segments, mask = want["given tokens"], want["given segments"], want["given mask"]
    if not is_close(got["states"], want["states"]):
        others = {
            "the segments were not handed on: every place was given the segment 0": probes.embedded(
                tokens, segments * 0
            ),
            "the segments are swapped: 0 is the first sentence, 1 the second": probes.embedded(tokens, 1 - segments),
            "tokens and segments are swapped: embeddings(tokens, segments)": probes.embedded(segments, tokens),
            "the encoder was given rows of the table `token`, expected what embeddings(tokens, segments) returns": want[
                "table"
            ][tokens],
        }
        for message, states in others.items():
            if is_close(got["states"], states):
                return failed(message)
        return failed(
            f"the encoder was not given what the embeddings return; {difference(got['states'], want['states'])}"
        )
    if is_close(got["mask"], mask):
        return passed()
    if is_close(got["mask"], ~mask):
        return failed("the mask went to the encoder the wrong way round: True means a real piece, here as there")
    if got["mask"].all():
        return failed("the encoder was given a mask that hides nothing, expected the mask as it came")
    return failed("the encoder was given another mask than forward")


@judge(
    _PAIRS,
    probe=probes.of_pairs,
    points=2,
    needs=(_ASKED,),
    hint="The first place is [CLS], which stands for the pair: hidden[:, 0] is (B, d_model). Then pooler, tanh, next_sentence, in this "
    "order; the softmax is the loss's business.",
)
def first_place_tells(got: Any, want: Any) -> Verdict:
    """Which state is read, and what it goes through."""
    logits, hidden, mask = got["logits of the pairs"], want["hidden"], want["mask"]
    if is_close(logits, want["logits of the pairs"]):
        return passed()
    real = mask.unsqueeze(-1)
    read = {
        "": hidden[:, 0],
        "they come from the last place": hidden[:, -1],
        "they come from the last real piece": hidden[torch.arange(len(hidden)), mask.sum(dim=1) - 1],
        "they come from the second place": hidden[:, 1],
        "they come from the mean over all places": hidden.mean(dim=1),
        "they come from the mean over the real pieces": (hidden * real).sum(dim=1) / real.sum(dim=1),
        "they come from the sum over all places": hidden.sum(dim=1),
        "they come from the largest number of each kind over all places": hidden.amax(dim=1),
        "they come from what the word head has made of the first place": _transformed(want)[:, 0],
    }
    for place, state in read.items():
        pooled, sentence = _linear(state, want["pooler"]), want["next_sentence"]
        right = _linear(pooled.tanh(), sentence)
        ways = {
            "": right,
            "there is no tanh between pooler and next_sentence": _linear(pooled, sentence),
            "pooler was left out: the state went through tanh to next_sentence": _linear(state.tanh(), sentence),
            "pooler and tanh were left out: the state went straight to next_sentence": _linear(state, sentence),
            "the tanh stands before pooler, expected behind it": _linear(
                _linear(state.tanh(), want["pooler"]), sentence
            ),
            "the tanh stands behind next_sentence, expected in front of it": _linear(pooled, sentence).tanh(),
            "there is a relu between pooler and next_sentence, expected a tanh": _linear(pooled.relu(), sentence),
            "there is a gelu between pooler and next_sentence, expected a tanh": _linear(F.gelu(pooled), sentence),
            "there is a sigmoid between pooler and next_sentence, expected a tanh": _linear(pooled.sigmoid(), sentence),
            "they are probabilities: leave the softmax to the loss": right.softmax(-1),
            "they are log-probabilities: leave the softmax to the loss": right.log_softmax(-1),
        }
        for way, values in ways.items():
            if is_close(logits, values):
                where = place and f"{place}, expected the first place, [CLS]"
                return failed("of the logits of the pairs: " + "; and ".join(filter(None, (where, way))))
    return failed(f"logits of the pairs: {difference(logits, want['logits of the pairs'])}")


@judge(
    _TIED,
    probe=probes.table_of_words,
    points=1,
    needs=(_ASKED,),
    hint="self.embeddings.token.weight is E, (V, d_model), and E transposed is the last matrix: the table itself, each time forward runs. "
    "Then it learns from both its ends.",
)
def follows_table(got: Any, want: Any) -> Verdict:
    """The table itself, in both directions."""
    logits, share = got["logits of the pieces"], got["share of the gradient"]
    if is_close(logits, want["logits of the pieces"]):
        if is_close(share, want["share of the gradient"]):
            return passed()
        if share == 0:
            return failed(
                "the numbers are those of the table, but no gradient comes back to it from the word head: .data, detach, no_grad and "
                "a copy cut it off"
            )
        return failed(
            "the numbers are those of the table, but it gets another gradient than the word head should give it"
        )
    stale = _transformed(want) @ want["before"].T
    if is_close(logits, stale / stale[..., :1]):
        return failed(
            "the matrix is a copy of the table as it was when the model was made. The table was changed since, as training changes "
            "it, and the logits did not follow"
        )
    return failed(
        "each row of the table was made a multiple of one vector, and the bias 0, so that the logits of a place had to be the same "
        "multiples of each other. They are not: the matrix is another one, or something is added behind it"
    )


_Gelu = Callable[[Tensor], Tensor]
_NEAR_GELU: dict[str, _Gelu] = {
    "the gelu is the approximation by tanh, which is up to 0.0005 away; expected the exact one, F.gelu(x) as it is": lambda x: (
        F.gelu(x, approximate="tanh")
    ),
    "the gelu is the approximation x · sigmoid(1.702 x), which is about 0.02 away; expected the exact one, F.gelu(x)": lambda x: (
        x * (1.702 * x).sigmoid()
    ),
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
    hint="In this order: the layer `transform`, gelu, the layer `norm`, the table transposed, and at last one number for each piece, "
    "`bias`.",
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
        "there is no gelu behind transform": norm(transformed),
        "there is no norm behind the gelu": F.gelu(transformed),
        "there is neither gelu nor norm behind transform": transformed,
        "transform, gelu and norm were left out: the hidden states went straight to the table": hidden,
        "transform was left out": norm(F.gelu(hidden)),
        "transform and gelu were left out": norm(hidden),
        "the gelu stands behind the norm, expected between transform and norm": F.gelu(norm(transformed)),
        "the norm stands before transform, expected behind the gelu": F.gelu(linear(norm(hidden))),
        "the gelu stands before transform, expected behind it": norm(linear(F.gelu(hidden))),
        "there is a relu behind transform, expected a gelu": norm(transformed.relu()),
        "there is a relu behind transform, expected a gelu and a norm": transformed.relu(),
        "there is a tanh behind transform, expected a gelu": norm(transformed.tanh()),
        "there is a tanh behind transform, expected a gelu and a norm": transformed.tanh(),
        "there is a silu behind transform, expected a gelu": norm(F.silu(transformed)),
        "the hidden states went through pooler, expected transform": _transformed(want, layer="pooler"),
        "the norm is one without the gain and the bias of the layer `norm`": F.layer_norm(
            F.gelu(transformed), hidden.shape[-1:]
        ),
    }
    biases = {
        "": bias,
        "the bias is missing, one number for each piece": bias * 0,
        "the bias was taken away, expected added": -bias,
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
    hint="gelu(x) is x times the probability that a normal variable is below x. There are quicker formulas that come near it; weights "
    "that were trained with the one do not give the same numbers with another.",
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
    "one sequence and one place alone keep their dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_PAIRS, _TIED, _WORDS, _GELU),
    hint="B and S can be 1: squeeze() takes away every dimension of size one, also those that belong there. And an encoder's states need "
    "not lie in one piece: reshape and flatten do not mind, view does.",
)(close())

model_gradient = judge(
    "the gradient of both losses reaches every weight and the encoder",
    probe=probes.model_gradient,
    points=1,
    hidden=True,
    needs=(_PAIRS, _TIED, _WORDS, _GELU),
    hint="Both tasks train one encoder: stay with torch's operations on the tensors themselves. detach, .data and no_grad cut the gradient "
    "off.",
)(close())
