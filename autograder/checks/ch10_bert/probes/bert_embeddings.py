"""What is asked of `BertEmbeddings`.

Each table is looked at alone: the other two give zeros for whatever they are asked. What comes back is turned into the directions
of its vectors, so that it does not matter there whether the norm ran, or where.
"""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.declare import probe
from autograder.draw import Draw
from autograder.elsewhere import Elsewhere
from autograder.probing import MisuseError, expect_weights

PIECES, SIZE, PLACES = 6, 5, 7
DROPOUT, EPS, WIDE = 0.4, 0.5, 48
_TABLES = {"token": PIECES, "position": PLACES, "segment": 2}


def built(
    embeddings_class: Any, draw: Draw, *, alone: str = "", size: int = SIZE, dropout: float = 0.0, eps: float = 1e-12
) -> Any:
    """The student's embeddings with drawn weights.

    With `alone`, the other two tables give zeros, and the norm has a gain of one and no bias.
    """
    module = embeddings_class(PIECES, size, PLACES, dropout, eps)
    shapes = {f"{name}.weight": (rows, size) for name, rows in _TABLES.items()}
    norm = {"norm.weight": (size,), "norm.bias": (size,)}
    expect_weights(module, {**shapes, **norm})
    drawn = {name: draw.normal(*shape) for name, shape in shapes.items()}
    if not alone:
        drawn["norm.weight"], drawn["norm.bias"] = draw.normal(size), draw.normal(size)
    module.load_state_dict(drawn, strict=False)
    for name, rows in _TABLES.items():
        if alone and name != alone:
            setattr(module, name, Silent(rows, size))
    return module.eval()


class Silent(nn.Embedding):
    """A table of zeros that gives zeros for any number at all, also for one that it has no row for."""

    def __init__(self, rows: int, size: int) -> None:
        super().__init__(rows, size, _weight=torch.zeros(rows, size))

    def forward(self, input: Tensor) -> Tensor:
        """As many vectors as numbers."""
        return torch.zeros(*input.shape, self.embedding_dim)


def run(module: Any, tokens: Tensor, segments: Tensor) -> Any:
    """The result; two errors that are hard to read are told in words."""
    try:
        return module(tokens, segments)
    except IndexError as error:
        if "out of range in self" not in str(error):
            raise
        raise MisuseError(
            "the index of a row that a table does not have was looked up: `token` has one row for each piece, "
            "`position` has the rows 0 … max_length - 1, `segment` has two"
        ) from error
    except RuntimeError as error:
        batch, length = tokens.shape
        if "must match the size" not in str(error):
            raise
        told = {
            f"({batch})": f"{batch} positions, one for each row of the batch, were added to the {length} vectors "
            "of a row",
            f"({PLACES})": f"all {PLACES} positions of the table were added to the {length} vectors of a row",
        }
        message = next((message for size, message in told.items() if size in str(error)), "")
        if not message or length == PLACES and batch == PLACES:
            raise
        raise MisuseError(f"{message}; expected the positions 0 … {length - 1}") from error


def sequences(draw: Draw, batch: int, length: int) -> tuple[Tensor, Tensor]:
    """Tokens, and segments of which each row has both."""
    tokens = draw.integers(0, PIECES, batch, length)
    return tokens, (torch.arange(length) >= draw.integers(1, length, batch).unsqueeze(1)).long()


def directions(states: Any) -> Any:
    """The vectors of length √d around their means; a vector of zeros stays. Another kind of result as it is."""
    if not isinstance(states, Tensor) or not states.is_floating_point() or not states.dim():
        return states
    centred = states - states.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-12).sqrt()


def _of_table(embeddings_class: Any, draw: Draw, name: str, batch: int) -> dict[str, Any]:
    """The directions of the result where one table alone has something to say."""
    module, (tokens, segments) = built(embeddings_class, draw, alone=name), sequences(draw, batch, PLACES)
    states = run(module, tokens.clone(), segments.clone())
    table = getattr(module, name).weight
    return {"result": directions(states), "table": table, "tokens": tokens, "segments": segments}


@probe("BertEmbeddings", draws=2)
def of_tokens(embeddings_class, draw: Draw):
    """The tokens alone, in as many rows as places."""
    return _of_table(embeddings_class, draw, "token", PLACES)


@probe("BertEmbeddings", draws=2)
def of_segments(embeddings_class, draw: Draw):
    """The segments alone, in as many rows as places."""
    return _of_table(embeddings_class, draw, "segment", PLACES)


@probe("BertEmbeddings", draws=2)
def of_positions(embeddings_class, draw: Draw):
    """The positions alone, in fewer rows than places."""
    return _of_table(embeddings_class, draw, "position", 3)


@probe("BertEmbeddings", draws=2)
def whole(embeddings_class, draw: Draw):
    """All three tables, and a norm with a gain, a bias and a large eps."""
    module, (tokens, segments) = built(embeddings_class, draw, eps=EPS), sequences(draw, 3, PLACES)
    states = run(module, tokens.clone(), segments.clone())
    tables = [getattr(module, name).weight for name in _TABLES]
    norm = [module.norm.weight, module.norm.bias]
    return {"states": states, "tables": tables, "norm": norm, "tokens": tokens, "segments": segments}


@probe("BertEmbeddings", draws=2)
def shorter(embeddings_class, draw: Draw):
    """Sequences of fewer places than there are positions, and one of a single place."""
    module = built(embeddings_class, draw)
    states = {f"{length} positions": run(module, *sequences(draw, 3, length)) for length in (PLACES - 2, PLACES - 4)}
    lone = draw.integers(0, PIECES, 1, 1)
    return {**states, "1 position": run(module, lone, torch.zeros_like(lone))}


@probe("BertEmbeddings", draws=2)
def dropped(embeddings_class, draw: Draw):
    """The same sequences in training and in evaluation."""
    module = built(embeddings_class, draw, size=WIDE, dropout=DROPOUT)
    tokens, segments = sequences(draw, 3, PLACES)
    evaluation = run(module, tokens.clone(), segments.clone())
    return {"evaluation": evaluation, "training": run(module.train(), tokens, segments)}


@probe("BertEmbeddings", draws=2)
def on_a_device(embeddings_class, draw: Draw):
    """Tokens, segments and weights on another device than the CPU."""
    module, (tokens, segments) = built(embeddings_class, draw), sequences(draw, 3, PLACES)
    with Elsewhere() as elsewhere:
        for weight in (*module.parameters(), *module.buffers()):
            weight.is_elsewhere = True
        states = run(module, elsewhere.put(tokens), elsewhere.put(segments))
    return {"states": states, "is on the device": elsewhere.has(states)}


@probe("BertEmbeddings", draws=2)
def cut_out(embeddings_class, draw: Draw):
    """One sequence, and three, that are cut out of a larger batch, and the batch as it is afterwards."""
    module, (tokens, segments) = built(embeddings_class, draw), sequences(draw, 4, 2 * PLACES)
    places = slice(2, 2 + PLACES)
    cuts = {"three sequences": slice(0, 3), "one sequence": slice(3, 4)}
    states = {name: run(module, tokens[rows, places], segments[rows, places]) for name, rows in cuts.items()}
    return {**states, "tokens": tokens, "segments": segments}


@probe("BertEmbeddings", draws=2)
def embeddings_gradient(embeddings_class, draw: Draw):
    """What comes back to the tables and to the norm."""
    module, (tokens, segments) = built(embeddings_class, draw), sequences(draw, 3, PLACES)
    (run(module, tokens, segments) * draw.normal(3, PLACES, SIZE)).sum().backward()
    names = [f"{name}.weight" for name in (*_TABLES, "norm")] + ["norm.bias"]
    own = dict(module.named_parameters())
    return {name: own[name].grad for name in names}
