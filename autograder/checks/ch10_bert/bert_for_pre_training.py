"""The checks of `BertForPreTraining`."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, expect_weights, unpack
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch10_bert.batches import padded_pairs
from autograder.declare import Exercise, check
from autograder.judging.compare import close, is_close
from autograder.judging.verdict import Verdict, passed

EXERCISE = Exercise("BertForPreTraining", "one encoder, two heads", minutes=25, difficulty=2)
_PIECES, _D_MODEL = 23, 10


class _Mixes(nn.Module):
    """In place of BERT's encoder: each place gets something of the mean over the places that are not padding. It counts its calls."""

    calls = 0

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Vectors (B, S, d_model) for such vectors and their mask (B, S)."""
        self.calls += 1
        real = mask.unsqueeze(-1)
        return states.tanh() + (states * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True)


class _Embeds(nn.Module):
    """In place of `BertEmbeddings`."""

    def __init__(self) -> None:
        super().__init__()
        self.token, self.segment = nn.Embedding(_PIECES, _D_MODEL), nn.Embedding(2, _D_MODEL)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        """Vectors (B, S, d_model)."""
        return self.token(tokens) - self.segment(segments)


@in_use()
def in_chapter(bert_class, draw: Draw) -> Use:
    """A padded batch, then one sequence of another length."""
    encoder = _Mixes()
    model = weigh(bert_class(_Embeds(), encoder, _D_MODEL, _PIECES), draw, scale=0.6)

    def call(*given: Tensor) -> list[Any]:
        before = encoder.calls
        return [*model(*given), encoder.calls - before]

    def given(batch: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
        tokens, segments = padded_pairs(draw, _PIECES, batch, length)
        return tokens, segments, (tokens != 0) | (torch.arange(length) == 0)

    return Use(call, given(2, 20), given(1, 23), modules=(model,), last=given(1, 23))


SIZE, PIECES, BATCH, LENGTH = 6, 9, 3, 5


class Embeddings(nn.Module):
    """In place of the embeddings: states that are no rows of the table, so that only the word head can use that."""

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.token = nn.Embedding.from_pretrained(table, freeze=False)

    def forward(self, tokens: Any = None, segments: Any = None) -> Tensor:
        """A wave for each place, whose frequency is told by the token and whose phase by the segment."""
        for name, value in {"tokens": tokens, "segments": segments}.items():
            if not isinstance(value, Tensor) or value.is_floating_point() or value.dim() != 2:
                raise MisuseError(
                    f"the {name} that embeddings(tokens, segments) was given are {kind_of(value)}, expected a "
                    "tensor of integers of shape (B, S)"
                )
        return embedded(tokens, segments).to(self.token.weight.dtype)


def embedded(tokens: Tensor, segments: Tensor) -> Tensor:
    """What the stand-in makes of tokens and segments."""
    return torch.sin((tokens.unsqueeze(-1) + 1) * torch.arange(1, SIZE + 1) / 7 + 2 * segments.unsqueeze(-1))


class ShowsItsArguments(nn.Module):
    """An encoder that keeps what it was asked with."""

    seen: dict[str, Tensor] | None = None

    def forward(self, states: Any = None, mask: Any = None) -> Tensor:
        """Half the states, so that they are no longer those of the embeddings."""
        if not isinstance(states, Tensor) or not states.is_floating_point() or states.dim() != 3:
            raise MisuseError(
                f"the states that encoder(states, mask) was given are {kind_of(states)}, expected the result of "
                "the embeddings, (B, S, d_model)"
            )
        if not isinstance(mask, Tensor) or mask.dtype != torch.bool or mask.shape != states.shape[:2]:
            raise MisuseError(
                f"the mask that encoder(states, mask) was given is {kind_of(mask)}, expected the mask unchanged, "
                f"a bool tensor of shape (B, S), here {tuple(states.shape[:2])}"
            )
        self.seen = {"states": states.detach().clone(), "mask": mask.clone()}
        return states / 2


class Gives(nn.Module):
    """An encoder that gives the same hidden states, whatever it is asked with."""

    def __init__(self, hidden: Tensor) -> None:
        super().__init__()
        self.hidden = hidden

    def forward(self, *args: Any, **kwargs: Any) -> Tensor:
        """The states that it was made with."""
        return self.hidden


def built(
    bert_class: Any, draw: Draw, encoder: nn.Module, pieces: int = SIZE, dtype: torch.dtype = torch.float32
) -> Any:
    """The student's model with drawn weights, on a table that is drawn before it is made."""
    embeddings = Embeddings(draw.normal(pieces, SIZE))
    model = bert_class(embeddings, encoder, SIZE, pieces)
    shapes = {
        "pooler.weight": (SIZE, SIZE),
        "pooler.bias": (SIZE,),
        "next_sentence.weight": (2, SIZE),
        "next_sentence.bias": (2,),
        "transform.weight": (SIZE, SIZE),
        "transform.bias": (SIZE,),
        "norm.weight": (SIZE,),
        "norm.bias": (SIZE,),
        "bias": (pieces,),
    }
    expect_weights(model, shapes)
    model.load_state_dict({name: draw.normal(*shape) for name, shape in shapes.items()}, strict=False)
    return model.to(dtype)


def sequences(draw: Draw, batch: int = BATCH, length: int = LENGTH) -> tuple[Tensor, Tensor, Tensor]:
    """Tokens, segments of which each row has both, and a mask; the first row is full, the others are not."""
    segments = (torch.arange(length) >= draw.integers(1, max(length, 2), batch).unsqueeze(1)).long()
    mask = torch.arange(length) < length - (torch.arange(batch) % max(length, 1)).unsqueeze(1)
    return draw.integers(0, SIZE, batch, length), segments, mask


def run(model: Any, tokens: Tensor, segments: Tensor, mask: Tensor) -> tuple[Any, ...]:
    """The model's two results."""
    result = model(tokens.clone(), segments.clone(), mask.clone())
    return unpack(result, word_logits=(*tokens.shape, len(model.bias)), next_logits=(len(tokens), 2))


@check(
    "tokens, segments and mask are passed to the embeddings and the encoder",
    points=1,
    draws=2,
    hint="`encode` takes the arguments of forward, unchanged and in the same order, and returns the hidden "
    "states. Return two things: the logits of the pieces, then those of the pair.",
)
def asked(bert_class, draw: Draw):
    """What the encoder was asked with."""
    encoder = ShowsItsArguments()
    model, (tokens, segments, mask) = built(bert_class, draw, encoder), sequences(draw)
    run(model, tokens, segments, mask)
    if encoder.seen is None:
        raise MisuseError("the encoder was not called: it computes the hidden states from the result of the embeddings")
    return encoder.seen


@asked.explain
def another_question(got, want):
    """What the encoder was given in place of what it should have been."""
    if not is_close(got["states"], want["states"]):
        return "the encoder was not given the result of embeddings(tokens, segments)"
    return "the encoder was given a mask that hides nothing, expected the mask unchanged" if got["mask"].all() else None


@check(
    "the logits of a pair come from the first position, through pooler, tanh and next_sentence",
    points=2,
    needs=asked,
    draws=2,
    hint="The first position is [CLS], which represents the pair: hidden[:, 0] is (B, d_model). Then pooler, "
    "tanh, next_sentence, in this order; the softmax belongs to the loss.",
)
def of_pairs(bert_class, draw: Draw):
    """The logits of the pairs."""
    hidden, given = draw.normal(BATCH, LENGTH, SIZE), sequences(draw)
    model = built(bert_class, draw, Gives(hidden))
    _, pairs = run(model, *given)
    told = {
        (BATCH, LENGTH, 2): "there are two logits for every position, expected two for every pair, from the "
        "first position only",
        (LENGTH, 2): "hidden[0] is the first sequence of the batch; hidden[:, 0] is the first position of each",
    }
    if isinstance(pairs, Tensor) and tuple(pairs.shape) in told:
        raise MisuseError(f"next_logits has shape {tuple(pairs.shape)}: {told[tuple(pairs.shape)]}")
    return {"logits of the pairs": pairs}


@of_pairs.explain
def softmax_applied(got, want):
    """Probabilities of two cases sum to one."""
    logits = got["logits of the pairs"]
    sums = {"probabilities": logits.sum(dim=-1) - 1, "log-probabilities": logits.logsumexp(dim=-1)}
    kind = next((kind for kind, values in sums.items() if values.abs().max() < 1e-5), None)
    return f"the logits of the pairs are {kind}: leave the softmax to the loss" if kind else None


@check(
    "the matrix of the word head is the table of token embeddings",
    points=1,
    needs=asked,
    draws=2,
    hint="self.embeddings.token.weight is E, (V, d_model), and E transposed is the last matrix. Use the table "
    "itself each time forward runs, so that it gets gradients from both uses.",
)
def table_of_words(bert_class, draw: Draw):
    """Whether the logits follow the table of token embeddings, whatever is multiplied with it.

    The table is changed behind the model's making, as training changes it: each row becomes a multiple of one vector, so that the
    logits of each place are the same multiples of one number. And they are linear in the table: the sum of each of its weights times
    what came back to it is the sum of each logit times what came back to that.
    """
    hidden, given = draw.normal(BATCH, LENGTH, SIZE, dtype=torch.float64), sequences(draw)
    model = built(bert_class, draw, Gives(hidden), PIECES, torch.float64)
    with torch.no_grad():
        table = model.embeddings.token.weight
        table[:] = draw.normal(PIECES, 1, dtype=torch.float64).exp() * draw.normal(SIZE, dtype=torch.float64)
        model.bias.zero_()
    words, _ = run(model, *given)
    return _followed(words, table)


@table_of_words.explain
def another_matrix(got, want):
    """What logits and gradient tell of the matrix."""
    if not is_close(got["logits of the pieces"], want["logits of the pieces"]):
        return (
            "for this test, each row of the table was made a multiple of one vector, and the bias 0, so the logits "
            "at a position had to be the same multiples of each other. They are not: the matrix is a different one, "
            "or something is added after it"
        )
    if got["share of the gradient"] == 0:
        return "the logits are those of the table, but it gets no gradient from the word head"
    return "the logits are those of the table, but its gradient from the word head is wrong"


def _followed(words: Any, table: nn.Parameter) -> dict[str, Any]:
    """The logits as multiples of the first piece's, and how much of their gradient the table got; another kind of result as it is."""
    if not isinstance(words, Tensor) or words.shape != (BATCH, LENGTH, PIECES):
        return {"logits of the pieces": words, "share of the gradient": 0.0}
    sums = {"probabilities": words.sum(dim=-1) - 1, "log-probabilities": words.logsumexp(dim=-1)}
    for kind, values in sums.items():
        if values.abs().max() < 1e-6:
            raise MisuseError(
                f"the word logits are {kind}: leave the softmax to the loss, which takes the logits themselves"
            )
    if words.requires_grad:
        (words * words.detach()).sum().backward()
    share = 0.0 if table.grad is None else ((table.grad * table).sum() / words.square().sum()).item()
    return {"logits of the pieces": words / words[..., :1], "share of the gradient": share}


def but_for_the_gelu(got: Any, want: Any) -> Verdict:
    """Which gelu it is has a check of its own: an approximation changes the logits by about one per cent, another function by more."""
    found, right = got["logits of the pieces"], want["logits of the pieces"]
    return passed() if (found - right).norm() < 0.02 * right.norm() else close()(got, want)


@check(
    "the hidden states go through transform, gelu and norm, and the bias is added",
    points=2,
    needs=(asked, table_of_words),
    draws=2,
    compare=but_for_the_gelu,
    hint="In this order: the layer `transform`, gelu, the layer `norm`, the transposed table, and finally "
    "`bias`, one number for each piece.",
)
def of_words(bert_class, draw: Draw):
    """The logits of the pieces, where transform gives small numbers: for these the approximations of gelu are nearest to it."""
    hidden, given = draw.normal(BATCH, LENGTH, SIZE, dtype=torch.float64), sequences(draw)
    model = built(bert_class, draw, Gives(hidden), PIECES, torch.float64)
    with torch.no_grad():
        for weight in model.transform.parameters():
            weight *= 0.15
    words, _ = run(model, *given)
    return {"logits of the pieces": words}


exact_gelu = check(
    "the gelu is the exact one",
    points=1,
    needs=of_words,
    draws=2,
    hint="gelu(x) is x times the probability that a standard normal variable is below x. There are faster "
    "approximations, but weights that were trained with one formula give different results with another.",
)(of_words)


@exact_gelu.explain
def of_an_approximation(got, want):
    """How little the logits differ."""
    found, right = got["logits of the pieces"], want["logits of the pieces"]
    share = ((found - right).norm() / right.norm()).item()
    return (
        f"the logits differ by {share:.2g} of their size, as with an approximation of the gelu"
        if share < 0.02
        else None
    )


@check(
    "a single sequence and a single position keep their dimensions",
    points=1,
    hidden=True,
    needs=(of_pairs, table_of_words, of_words, exact_gelu),
    draws=2,
    hint="B and S can be 1: squeeze() removes every dimension of size one, including those that you need. Also, "
    "an encoder's states need not be contiguous: reshape and flatten work, view does not.",
)
def alone(bert_class, draw: Draw):
    """One sequence, one place, and hidden states that do not lie in one piece."""
    answers = {}
    for name, (batch, length) in {
        "one sequence": (1, LENGTH),
        "one position": (1, 1),
        "turned": (BATCH, LENGTH),
    }.items():
        hidden = draw.normal(length, batch, SIZE, dtype=torch.float64).transpose(0, 1)
        words, pairs = run(
            built(bert_class, draw, Gives(hidden), PIECES, torch.float64), *sequences(draw, batch, length)
        )
        answers[name] = {"logits of the pieces": words, "logits of the pairs": pairs}
    return answers


@check(
    "the gradient of both losses reaches every weight and the encoder",
    points=1,
    hidden=True,
    needs=(of_pairs, table_of_words, of_words, exact_gelu),
    draws=2,
    hint="Both tasks train the same encoder: use torch's operations on the tensors themselves. detach, .data and "
    "no_grad stop the gradient.",
)
def model_gradient(bert_class, draw: Draw):
    """What comes back to every weight and to the hidden states, from both results."""
    hidden, given = draw.normal(BATCH, LENGTH, SIZE, dtype=torch.float64).requires_grad_(), sequences(draw)
    model = built(bert_class, draw, Gives(hidden), PIECES, torch.float64)
    words, pairs = run(model, *given)
    ((words * draw.normal(BATCH, LENGTH, PIECES)).sum() + (pairs * draw.normal(BATCH, 2)).sum()).backward()
    names = ("pooler", "next_sentence", "transform", "norm")
    of_layers = {name: [weight.grad for weight in getattr(model, name).parameters()] for name in names}
    return {"hidden": hidden.grad, "table": model.embeddings.token.weight.grad, "bias": model.bias.grad, **of_layers}
