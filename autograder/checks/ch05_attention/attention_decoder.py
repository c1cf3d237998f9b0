"""The checks of `AttentionDecoder`."""

from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, expect_weights, unpack
from autograder.asking.rules import ATTENTION
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch05_attention.stand_ins import looked_up, overtones, sines
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close
from autograder.judging.verdict import Verdict, passed

EXERCISE = Exercise(
    "AttentionDecoder", "a decoder that looks back at every step", minutes=30, difficulty=2, forbids=(ATTENTION,)
)


@in_use()
def in_chapter(decoder_class, draw: Draw) -> Use:
    """Padded sentences, as in training; then a single word, as in translating."""
    module = weigh(decoder_class(13, 10, 12, 7, looked_up), draw)

    def given(batch: int, length: int, places: int) -> tuple[Tensor, ...]:
        state, memory = draw.state(1, batch, 12), draw.state(batch, places, 7)
        return draw.integers(0, 13, batch, length), state, memory, draw.padding_mask(batch, places)

    return Use(module, given(2, 9, 20), given(1, 1, 23))


VOCABULARY, EMBEDDING, HIDDEN, MEMORY, SOURCE = 11, 5, 6, 6, 7


def built(decoder_class, draw: Draw, attention, *, alike: bool = False):
    """The student's decoder with drawn weights.

    With `alike`, the two halves of `combine` are the same, so that the order of context and state makes no difference.
    """
    decoder = decoder_class(VOCABULARY, EMBEDDING, HIDDEN, MEMORY, attention)
    shapes = {
        "embedding.weight": (VOCABULARY, EMBEDDING),
        "rnn.weight_ih_l0": (3 * HIDDEN, EMBEDDING),
        "rnn.weight_hh_l0": (3 * HIDDEN, HIDDEN),
        "rnn.bias_ih_l0": (3 * HIDDEN,),
        "rnn.bias_hh_l0": (3 * HIDDEN,),
        "combine.weight": (HIDDEN, MEMORY + HIDDEN),
        "combine.bias": (HIDDEN,),
        "output.weight": (VOCABULARY, HIDDEN),
        "output.bias": (VOCABULARY,),
    }
    expect_weights(decoder, shapes)
    drawn = {name: draw.normal(*shape, scale=0.5) for name, shape in shapes.items()}
    if alike:
        drawn["combine.weight"] = drawn["combine.weight"][:, :MEMORY].repeat(1, 2)
    decoder.load_state_dict(drawn, strict=False)
    return decoder


def run(decoder, tokens: Tensor, state: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Any, ...]:
    """The decoder's three results; without a mask nothing is masked."""
    batch, length = tokens.shape
    if mask is None:
        mask = torch.ones(batch, SOURCE, dtype=torch.bool)
    result = decoder(tokens, state, memory, mask)
    return unpack(result, logits=(batch, length, VOCABULARY), weights=(batch, length, SOURCE), state=(1, batch, HIDDEN))


def sentences(draw: Draw, batch: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, a first state of zeros, and a memory."""
    tokens = draw.integers(0, VOCABULARY, batch, length)
    return tokens, torch.zeros(1, batch, HIDDEN), draw.normal(batch, SOURCE, MEMORY)


def looks_at_first(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention that takes the first position for every query, and shows the query in its weights alone."""
    _, weights = shows_its_query(query, memory)
    return memory[:, :1].expand(-1, query.shape[1], -1).clone(), weights


def shows_its_query(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on query and memory, not on the mask; its context is no weighted sum."""
    _look_at_query(query, memory)
    weights = sines(query, memory) / 4
    return overtones(weights, memory.shape[-1]), weights


def shows_its_mask(query: Tensor, memory: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """An attention whose weights depend on memory and mask, not on the query."""
    _look_at_query(query, memory)
    batch, length, _ = query.shape
    if not isinstance(mask, Tensor):
        raise MisuseError(f"the mask passed to the attention is {kind_of(mask)}, expected one of shape (B, 1, S)")
    if mask.dtype != torch.bool or tuple(mask.shape) not in ((batch, 1, SOURCE), (batch, length, SOURCE)):
        raise MisuseError(
            f"the mask passed to the attention is {kind_of(mask)}, expected a bool tensor of shape (B, 1, S), here "
            f"({batch}, 1, {SOURCE})"
        )
    weights = torch.where(mask, memory[..., :1].transpose(1, 2), -2.0).expand(-1, length, -1).clone()
    return overtones(weights, memory.shape[-1]), weights


def _look_at_query(query: Tensor, memory: Tensor) -> None:
    if not isinstance(query, Tensor) or query.dim() != 3:
        raise MisuseError(f"the queries passed to the attention are {kind_of(query)}, expected (B, T, H)")
    if not isinstance(memory, Tensor) or memory.dim() != 3 or memory.shape[1] != SOURCE:
        raise MisuseError(
            f"the memory passed to attention(queries, memory, mask) is {kind_of(memory)}, expected (B, S, M), here with "
            f"S = {SOURCE}"
        )


def shows_its_states(got: Any, want: Any) -> Verdict:
    """Whether the states were right, which the logits show, and the weights too; another check is for what hides them."""
    return passed() if is_close(got["weights"], want["weights"]) else close("logits")(got, want)


@check(
    "the logits are W_o tanh(W_c [c_t; s_t] + b_c) + b_o",
    points=2,
    draws=2,
    reads=("logits",),
    hint="Follow the numbered steps: concatenate the context and the state, in this order, along the last dimension; "
    "then apply combine, tanh and output. Return three things: logits, weights, state.",
)
def combined(decoder_class, draw: Draw):
    """The logits, with an attention that does not depend on the query; computed twice, to see whether chance has a part."""
    decoder = built(decoder_class, draw, looks_at_first)
    tokens, state, memory = sentences(draw, 2, 3)
    logits, again = (run(decoder, tokens.clone(), state.clone(), memory.clone())[0] for _ in range(2))
    return {"logits": logits, "logits again": again}


@combined.explain
def random_logits(got, want):
    """Chance has no part in the formula."""
    told = "two calls with the same arguments give different logits: is there a dropout? The formula has none"
    return None if is_close(got["logits"], got["logits again"]) else told


@combined.explain
def shifted(got, want):
    """Logits that are right but for a number that all words of a position share."""
    away = got["logits"] - want["logits"]
    told = "at each position the logits of all words are off by the same number, as after a log_softmax; return the logits themselves"
    return told if is_close(away, away[..., :1].expand_as(away), atol=1e-4) else None


@combined.explain
def right_at_first(got, want):
    """Only what comes before the first word was left as it should be."""
    told = "the logits of the first word are right, those of the words after it are not: is each state computed from the one before it?"
    return told if is_close(got["logits"][:, 0], want["logits"][:, 0]) else None


@check(
    "the GRU starts from the given state",
    compare=shows_its_states,
    points=1,
    needs=combined,
    draws=2,
    hint="The first state comes from the encoder. The GRU takes it as its second argument; without it, the GRU starts "
    "from zeros.",
)
def given_state(decoder_class, draw: Draw):
    """A first state that is not zero, to be seen in the logits and in the weights: a mistake in one leaves the other."""
    decoder = built(decoder_class, draw, looks_at_first, alike=True)
    tokens, _, memory = sentences(draw, 2, 3)
    state = draw.normal(1, 2, HIDDEN)
    logits, weights, _ = run(decoder, tokens, state, memory)
    return {"logits": logits, "weights": weights}


@check(
    "the query of step t is the state s_t",
    points=2,
    needs=combined,
    draws=2,
    hint="Run the GRU over the tokens first. It returns s_1 to s_T at once, and these states are the queries.",
)
def queried(decoder_class, draw: Draw):
    """The weights, with an attention that shows which state it was asked with."""
    decoder = built(decoder_class, draw, shows_its_query)
    tokens, state, memory = sentences(draw, 3, 4)
    _, weights, _ = run(decoder, tokens, state, memory)
    return {"weights": weights}


@check(
    "the mask of the source reaches the attention",
    points=1,
    needs=combined,
    draws=2,
    hint="The decoder's mask is (B, S), but the attention takes (B, 1, S), one row for all queries.",
)
def decoder_mask(decoder_class, draw: Draw):
    """The weights, with an attention that shows its mask, of two words each and of one."""
    decoder, answers = built(decoder_class, draw, shows_its_mask), {}
    for name, length in {"weights": 2, "weights of a single word": 1}.items():
        mask = draw.padding_mask(3, SOURCE)
        answers[name] = run(decoder, *sentences(draw, 3, length), mask.clone())[1]
    return answers


@check(
    "the state after the last token is returned, even for one sentence alone",
    points=1,
    needs=combined,
    draws=2,
    hint="The third result is the GRU's last state, (1, B, H): the next call continues from it.",
)
def last_state(decoder_class, draw: Draw):
    """The state that is handed back, from three sentences, from one, and from three words alone."""
    asked = {"state": (3, 4), "state of one sentence": (1, 4), "state after a single word": (3, 1)}
    return {
        name: run(built(decoder_class, draw, looks_at_first), *sentences(draw, *sizes))[2]
        for name, sizes in asked.items()
    }


@check(
    "a sentence can be decoded word by word",
    compare=shows_its_states,
    points=1,
    hidden=True,
    needs=(combined, given_state, last_state),
    draws=2,
    hint="In translation B and T are 1, and each call continues from the state that the previous call returned. Keep "
    "dimensions of size one, and do not store anything in self from one call to the next.",
)
def word_by_word(decoder_class, draw: Draw):
    """One sentence decoded a word at a time, as when translating; its states can be seen in two results, as above."""
    decoder = built(decoder_class, draw, looks_at_first, alike=True)
    tokens, _, memory = sentences(draw, 1, 3)
    state, logits, weights = draw.normal(1, 1, HIDDEN), [], []
    for word in tokens.split(1, dim=1):
        of_word, look, state = run(decoder, word, state, memory)
        logits.append(of_word)
        weights.append(look)
    return {"logits": logits, "weights": weights}


@check(
    "the gradient reaches every weight and the memory",
    points=1,
    hidden=True,
    needs=(combined, queried),
    draws=2,
    hint="Use only torch operations on the tensors themselves: detach, .data and no_grad cut off the gradient.",
)
def decoder_gradient(decoder_class, draw: Draw):
    """What comes back to every weight and to the memory; to `combine`, added up over its halves, which are alike."""
    decoder = built(decoder_class, draw, shows_its_query, alike=True)
    tokens, state, memory = sentences(draw, 2, 3)
    memory.requires_grad_()
    logits, _, _ = run(decoder, tokens, state, memory)
    (logits * draw.normal(2, 3, VOCABULARY)).sum().backward()
    layers = {"embedding": decoder.embedding, "rnn": decoder.rnn, "combine": decoder.combine, "output": decoder.output}
    of_layers = {name: [weight.grad for weight in layer.parameters()] for name, layer in layers.items()}
    if decoder.combine.weight.grad is not None:
        of_layers["combine"][0] = decoder.combine.weight.grad.view(HIDDEN, 2, MEMORY).sum(dim=1)
    return {"memory": memory.grad, **of_layers}
