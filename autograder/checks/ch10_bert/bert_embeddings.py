"""The checks of `BertEmbeddings`."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.fake_device import Elsewhere
from autograder.asking.probing import MisuseError, expect_weights
from autograder.asking.usage import Use, in_use, weigh
from autograder.checks.ch10_bert.batches import padded_pairs
from autograder.declare import Exercise, check
from autograder.judging.compare import close, dropped_together, is_close
from autograder.judging.verdict import Verdict, failed, passed

EXERCISE = Exercise("BertEmbeddings", "word, position and segment in one vector", minutes=10, difficulty=1)
_PIECES, _D_MODEL, _LONGEST = 23, 10, 600


@in_use()
def in_chapter(embeddings_class, draw: Draw) -> Use:
    """A padded batch, then a sequence as long as there are positions, of which the last are looked at."""
    module = weigh(embeddings_class(_PIECES, _D_MODEL, _LONGEST, dropout=0.0), draw)
    later, last = (padded_pairs(draw, _PIECES, 1, _LONGEST) for _ in range(2))

    def call(tokens: Tensor, segments: Tensor) -> Tensor:
        states: Tensor = module(tokens, segments)[:, -30:]
        return states

    return Use(call, padded_pairs(draw, _PIECES, 3, 21), later, (module,), last)


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
    return {"scaled result where the other two tables are zero": directions(run(module, tokens, segments))}


@check(
    "the vector at each position contains the embedding of its token",
    points=1,
    draws=2,
    compare=close(atol=1e-4),
    hint="Look the tokens up in the table `token`, and add the vectors from the two other tables: a sum, so that "
    "each of the three can be tested while the others are zero. Return one tensor, (B, S, d_model).",
)
def of_tokens(embeddings_class, draw: Draw):
    """The tokens alone, in as many rows as places."""
    return _of_table(embeddings_class, draw, "token", PLACES)


@of_tokens.explain
def silent(got, want):
    """What comes of a table that is not in the sum, where the other two are zero."""
    (result,) = got.values()
    if result.abs().max() > 1e-3:
        return None
    return (
        "the other two tables are zero here, and so is the result: is the third one used, and are the three vectors "
        "added? A product of them is zero too"
    )


@check(
    "the vector at each position contains the embedding of its segment",
    points=1,
    needs=of_tokens,
    draws=2,
    compare=close(atol=1e-4),
    hint="The table `segment` has two rows, for the first and the second sentence; `segments` says which one to "
    "use at each position.",
)
def of_segments(embeddings_class, draw: Draw):
    """The segments alone, in as many rows as places."""
    return _of_table(embeddings_class, draw, "segment", PLACES)


of_segments.explain(silent)


@check(
    "the vector at each position contains the embedding of its position",
    points=1,
    needs=of_tokens,
    draws=2,
    compare=close(atol=1e-4),
    hint="Positions are counted within a row, whatever its tokens are: 0, 1, …, S - 1, the same for every row of the "
    "batch. torch.arange creates these numbers.",
)
def of_positions(embeddings_class, draw: Draw):
    """The positions alone, in fewer rows than places."""
    return _of_table(embeddings_class, draw, "position", 3)


of_positions.explain(silent)


@check(
    "the sum of the three goes through norm",
    points=1,
    needs=(of_tokens, of_segments, of_positions),
    draws=2,
    hint="First add the three vectors, then apply `norm` to the sum, once. It has its own gain, bias and eps.",
)
def whole(embeddings_class, draw: Draw):
    """All three tables, and a norm with a gain, a bias and a large eps."""
    module, (tokens, segments) = built(embeddings_class, draw, eps=EPS), sequences(draw, 3, PLACES)
    return {"states": run(module, tokens, segments)}


@check(
    "a sequence may be shorter than max_length",
    points=1,
    needs=(of_tokens, of_segments, of_positions, whole),
    draws=2,
    hint="max_length is only the number of positions in the table. Take as many as this batch needs: tokens.shape[1].",
)
def shorter(embeddings_class, draw: Draw):
    """Sequences of fewer places than there are positions, and one of a single place."""
    module = built(embeddings_class, draw)
    states = {f"{length} positions": run(module, *sequences(draw, 3, length)) for length in (PLACES - 2, PLACES - 4)}
    lone = draw.integers(0, PIECES, 1, 1)
    return {**states, "1 position": run(module, lone, torch.zeros_like(lone))}


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
    kept = normed / (1 - DROPOUT)
    if not is_close(torch.where(zero, kept, training), kept):
        return failed("the values that dropout kept are not those of evaluation divided by 1 - p, where p is `dropout`")
    told = dropped_together({"the norm": ~zero}, DROPOUT)
    if told:
        return failed(told)
    return passed()


@check(
    "in training dropout comes last, and in evaluation there is none",
    points=1,
    needs=(of_tokens, of_segments, of_positions, whole),
    draws=2,
    compare=drops_last,
    hint="The layer `dropout` sets values to zero and scales the others up to compensate. Its output is the "
    "result; the layer knows by itself whether the model is in training mode.",
)
def dropped(embeddings_class, draw: Draw):
    """The same sequences in training and in evaluation."""
    module = built(embeddings_class, draw, size=WIDE, dropout=DROPOUT)
    tokens, segments = sequences(draw, 3, PLACES)
    evaluation = run(module, tokens.clone(), segments.clone())
    return {"evaluation": evaluation, "training": run(module.train(), tokens, segments)}


@check(
    "the positions are created on the device of the tokens",
    points=1,
    hidden=True,
    needs=(of_tokens, of_segments, of_positions, whole),
    draws=2,
    hint="A new tensor is created on the CPU by default, and cannot be looked up in a table on another device: "
    "pass device=tokens.device to torch.arange.",
)
def on_a_device(embeddings_class, draw: Draw):
    """Tokens, segments and weights on another device than the CPU."""
    module, (tokens, segments) = built(embeddings_class, draw), sequences(draw, 3, PLACES)
    with Elsewhere() as elsewhere:
        for weight in (*module.parameters(), *module.buffers()):
            weight.is_elsewhere = True
        states = run(module, elsewhere.put(tokens), elsewhere.put(segments))
    return {"states": states, "is on the device": elsewhere.has(states)}


@on_a_device.explain
def on_the_cpu(got, want):
    """Nothing is left on the CPU."""
    return None if got["is on the device"] else "the result is on the CPU, but tokens and weights are on another device"


@check(
    "tokens and segments may be parts of larger tensors, and are not changed",
    points=1,
    needs=(of_tokens, of_segments, of_positions, whole),
    draws=2,
    arguments=True,
    hint="A slice such as tokens[:, 2:9] is not contiguous, so view fails on it. Methods that end in an "
    "underscore, and assignments such as tokens[...] = ..., change the caller's tensor.",
)
def cut_out(embeddings_class, draw: Draw):
    """One sequence, and three, that are cut out of a larger batch, and the batch as it is afterwards."""
    module, (tokens, segments) = built(embeddings_class, draw), sequences(draw, 4, 2 * PLACES)
    places = slice(2, 2 + PLACES)
    cuts = {"three sequences": slice(0, 3), "one sequence": slice(3, 4)}
    states = {name: run(module, tokens[rows, places], segments[rows, places]) for name, rows in cuts.items()}
    return {**states, "tokens": tokens, "segments": segments}


@check(
    "the gradient reaches the three tables and the norm",
    points=1,
    hidden=True,
    needs=(of_tokens, of_segments, of_positions, whole),
    draws=2,
    hint="All three tables are learned: use torch's operations on them. detach, .data and no_grad stop the gradient.",
)
def embeddings_gradient(embeddings_class, draw: Draw):
    """What comes back to the tables and to the norm."""
    module, (tokens, segments) = built(embeddings_class, draw), sequences(draw, 3, PLACES)
    (run(module, tokens, segments) * draw.normal(3, PLACES, SIZE)).sum().backward()
    names = [f"{name}.weight" for name in (*_TABLES, "norm")] + ["norm.bias"]
    own = dict(module.named_parameters())
    return {name: own[name].grad for name in names}
