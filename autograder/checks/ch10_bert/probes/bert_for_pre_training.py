"""What is asked of `BertForPreTraining`.

Embeddings and encoder are stand-ins. Where the heads are the question, the encoder gives hidden states that were drawn beforehand,
whatever it was asked with. Where the word head is not the question there are as many pieces as numbers in a state, so that any
product with the table goes through. The word head is looked at in double precision: where transform gives nothing but large negative
numbers, gelu leaves next to nothing, and the norm makes that large again, rounding errors included.
"""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError, expect_weights, unpack

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


@probe("BertForPreTraining", draws=2)
def asked(bert_class, draw: Draw):
    """What the encoder was asked with."""
    encoder = ShowsItsArguments()
    model, (tokens, segments, mask) = built(bert_class, draw, encoder), sequences(draw)
    run(model, tokens, segments, mask)
    if encoder.seen is None:
        raise MisuseError("the encoder was not called: it computes the hidden states from the result of the embeddings")
    given = {"given tokens": tokens, "given segments": segments, "given mask": mask}
    return {**encoder.seen, **given, "table": model.embeddings.token.weight}


@probe("BertForPreTraining", draws=2)
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
    heads = _layers(model, "pooler", "next_sentence", "transform", "norm")
    return {"logits of the pairs": pairs, "hidden": hidden, "mask": given[-1], **heads}


@probe("BertForPreTraining", draws=2)
def table_of_words(bert_class, draw: Draw):
    """Whether the logits follow the table of token embeddings, whatever is multiplied with it.

    The table is changed behind the model's making, as training changes it: each row becomes a multiple of one vector, so that the
    logits of each place are the same multiples of one number. And they are linear in the table: the sum of each of its weights times
    what came back to it is the sum of each logit times what came back to that.
    """
    hidden, given = draw.normal(BATCH, LENGTH, SIZE, dtype=torch.float64), sequences(draw)
    model = built(bert_class, draw, Gives(hidden), PIECES, torch.float64)
    with torch.no_grad():
        table, before = model.embeddings.token.weight, model.embeddings.token.weight.clone()
        table[:] = draw.normal(PIECES, 1, dtype=torch.float64).exp() * draw.normal(SIZE, dtype=torch.float64)
        model.bias.zero_()
    words, _ = run(model, *given)
    return {**_followed(words, table), "before": before, "hidden": hidden, **_layers(model, "transform", "norm")}


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


def _layers(model: Any, *names: str) -> dict[str, list[Tensor]]:
    """The weights of these layers of the model."""
    return {name: list(getattr(model, name).parameters()) for name in names}


@probe("BertForPreTraining", draws=2)
def of_words(bert_class, draw: Draw):
    """The logits of the pieces, with what they are made of."""
    hidden, given = draw.normal(BATCH, LENGTH, SIZE, dtype=torch.float64), sequences(draw)
    model = built(bert_class, draw, Gives(hidden), PIECES, torch.float64)
    words, _ = run(model, *given)
    head = {"table": model.embeddings.token.weight, "bias": model.bias, **_layers(model, "pooler", "transform", "norm")}
    return {"logits of the pieces": words, "hidden": hidden, **head}


@probe("BertForPreTraining", draws=2)
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


@probe("BertForPreTraining", draws=2)
def model_gradient(bert_class, draw: Draw):
    """What comes back to every weight and to the hidden states, from both results."""
    hidden, given = draw.normal(BATCH, LENGTH, SIZE, dtype=torch.float64).requires_grad_(), sequences(draw)
    model = built(bert_class, draw, Gives(hidden), PIECES, torch.float64)
    words, pairs = run(model, *given)
    ((words * draw.normal(BATCH, LENGTH, PIECES)).sum() + (pairs * draw.normal(BATCH, 2)).sum()).backward()
    names = ("pooler", "next_sentence", "transform", "norm")
    of_layers = {name: [weight.grad for weight in getattr(model, name).parameters()] for name in names}
    return {"hidden": hidden.grad, "table": model.embeddings.token.weight.grad, "bias": model.bias.grad, **of_layers}
