"""The checks of `gradient_map`."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check
from autograder.judging.compare import close, difference, is_close

EXERCISE = Exercise("gradient_map", "how strongly each prediction depends on each word", minutes=20, difficulty=2)


class _Reads(nn.Module):
    """In place of a translator: log-probabilities of 9 words that depend on each source word ten times less than on the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Parameter(torch.zeros(4, 8)), nn.Parameter(torch.zeros(8, 9))

    def forward(self, embedded: Tensor) -> Tensor:
        """Log-probabilities (T,) of an embedded source (S, E)."""
        fading = 0.1 ** torch.arange(len(embedded), device=embedded.device, dtype=embedded.dtype)
        inner = (fading.unsqueeze(0) @ embedded @ self.first).tanh()
        return F.logsigmoid(inner @ self.second).squeeze(0)


@in_use(gradients=False, devices=False)
def in_chapter(gradient_map, draw: Draw) -> Use:
    """A source of which the last words are hardly felt, as without attention; the map is plotted on a scale of powers."""
    reads = weigh(_Reads(), draw)

    def call(embedded: Tensor) -> Tensor:
        felt: Tensor = gradient_map(reads, embedded).log10()
        return felt

    return Use(call, (draw.normal(13, 4),), (draw.normal(1, 4),), modules=(reads,))


_WORDS, _SIZE, _STEPS, _INNER = 5, 3, 4, 8


def reader(first: Tensor, second: Tensor, words: int, size: int) -> Callable[[Tensor], Tensor]:
    """Log-probabilities of the steps, (T,), for an embedded source (S, E): the weights are (S E, K) and (K, T)."""

    def log_probs_of(embedded: Tensor) -> Tensor:
        if not isinstance(embedded, Tensor) or tuple(embedded.shape) != (words, size):
            raise MisuseError(
                f"the argument of log_probs_of is {kind_of(embedded)}, expected the embedded source, (S, E), here "
                f"{(words, size)}"
            )
        inner = (embedded.reshape(1, -1) @ first).tanh()  # A matrix of one row: forward mode cannot batch vectors.
        return F.logsigmoid(inner @ second).squeeze(0)

    return log_probs_of


def _weights(
    draw: Draw, words: int, size: int, steps: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    first = draw.normal(words * size, _INNER, scale=(words * size) ** -0.5, dtype=dtype)
    return first, draw.normal(_INNER, steps, dtype=dtype)


def _first_felt(draw: Draw, steps: int) -> Callable[[Tensor], Tensor]:
    """A reader to whom the first number of each word alone matters, so that norms of all kinds are alike."""
    first, second = _weights(draw, _WORDS, _SIZE, steps)
    first.view(_WORDS, _SIZE, -1)[:, 1:] = 0
    return reader(first, second, _WORDS, _SIZE)


@check(
    "the entry for a word is the L2 norm of its gradient",
    points=1,
    hint="The gradient of one step's log-probability has the shape of the source, (S, E): a vector for each word. The "
    "L2 norm of this vector is the square root of the sum of its squares, over the last dimension. "
    "torch.autograd.grad gives the gradient without storing it.",
)
def one_step(gradient_map, draw: Draw):
    """One step, so that no other step can be mixed into it."""
    log_probs_of = reader(*_weights(draw, _WORDS, _SIZE, 1), _WORDS, _SIZE)
    return {"map": gradient_map(log_probs_of, draw.normal(_WORDS, _SIZE))}


@one_step.explain
def no_gradient(got, want):
    """Nothing came back."""
    if (got["map"] == 0).all():
        return "all entries are 0: no gradient reached the embedded words"
    return None


@one_step.explain
def nearly_right(got, want):
    """Every entry is a little off."""
    if is_close(got["map"], want["map"], rtol=0.01, atol=1e-3):
        return (
            "all entries are nearly right but none is exact, as with finite differences: let torch compute the gradient. "
            f"Map: {difference(got['map'], want['map'])}"
        )
    return None


@one_step.explain
def by_a_factor(got, want):
    """Every entry is off by the same factor."""
    ratio = (got["map"] / want["map"]).flatten()
    if ratio.isfinite().all() and is_close(ratio, ratio[:1].expand_as(ratio), rtol=1e-3):
        return f"every entry is {ratio[0].item():.4g} times what was expected"
    return None


@check(
    "each step has a row of its own, without the gradients of other steps",
    points=2,
    needs=one_step,
    hint="backward() adds to .grad instead of replacing it, so at the second step the gradient of the first is still "
    "there. Clear it between the steps, or use torch.autograd.grad, which stores nothing. The same graph can be used "
    "for all steps with retain_graph=True.",
)
def steps(gradient_map, draw: Draw):
    """Four steps, of which kind of norm is another check's business."""
    return {"map": gradient_map(_first_felt(draw, _STEPS), draw.normal(_WORDS, _SIZE))}


@steps.explain
def first_row_alone(got, want):
    """Only the first step is right."""
    right = [is_close(found, expected) for found, expected in zip(got["map"], want["map"], strict=True)]
    if right[0] and not any(right[1:]):
        return "only the row of the first step is right: is something left over from the previous step?"
    return None


@check(
    "one word, one step and embeddings of size one work too",
    points=1,
    hidden=True,
    needs=(one_step, steps),
    compare=close(rtol=0.001, atol=0.0001),
    hint="The map is (T, S) even with one word or one step: squeeze() removes every dimension of size one.",
)
def sizes(gradient_map, draw: Draw):
    """One word, one step, one number a word, and all of these together."""
    found = {}
    for words, size, number in ((1, 3, 4), (5, 3, 1), (5, 1, 4), (1, 1, 1)):
        log_probs_of = reader(*_weights(draw, words, size, number), words, size)
        found[f"words {words}, numbers {size}, steps {number}"] = gradient_map(log_probs_of, draw.normal(words, size))
    return found


@check(
    "the embedded words may be part of a larger graph",
    points=1,
    needs=(one_step, steps),
    hint="Words that come out of an embedding layer are part of a graph, and so is a clone of them. Only a leaf "
    "tensor gets a .grad: detach() creates one.",
)
def inside_a_graph(gradient_map, draw: Draw):
    """Embedded words that were looked up in a table that learns."""
    table = draw.normal(9, _SIZE).requires_grad_()
    embedded = F.embedding(draw.integers(0, 9, _WORDS), table)
    return {"map": gradient_map(_first_felt(draw, _STEPS), embedded)}


@check(
    "in double precision the map is double",
    points=1,
    hidden=True,
    needs=(one_step, steps),
    compare=close(rtol=1e-07, atol=1e-09),
    hint="A new tensor is float32 unless you pass dtype=embedded.dtype; torch.stack keeps the type of the tensors "
    "that it stacks. And let torch compute the gradient: finite differences, or a small constant under the square "
    "root, cost precision.",
)
def double(gradient_map, draw: Draw):
    """Everything in double precision."""
    first, second = _weights(draw, _WORDS, _SIZE, _STEPS, dtype=torch.float64)
    embedded = draw.normal(_WORDS, _SIZE, dtype=torch.float64)
    return {"map": gradient_map(reader(first, second, _WORDS, _SIZE), embedded)}


@check(
    "the embedded words are not changed",
    points=1,
    needs=(one_step, steps, inside_a_graph),
    arguments=True,
    hint="requires_grad_() on an argument changes the caller's tensor, and backward() fills the .grad of every leaf "
    "that the tensor depends on. Work on a detached tensor of your own.",
)
def left(gradient_map, draw: Draw):
    """Embedded words as they are after the call, plain ones and some that were looked up in a table."""
    log_probs_of = _first_felt(draw, _STEPS)
    plain, table = draw.normal(_WORDS, _SIZE), draw.normal(_WORDS, _SIZE).requires_grad_()
    found = gradient_map(log_probs_of, plain)
    gradient_map(log_probs_of, F.embedding(torch.arange(_WORDS), table))
    return {
        "map": found,
        "embedded": plain,
        "asks for a gradient": plain.requires_grad,
        "has a gradient": plain.grad is not None,
        "its table has a gradient": table.grad is not None,
    }


@left.explain
def gradients_left(got, want):
    """What the call left behind."""
    told = {
        "asks for a gradient": "the embedded words require a gradient after the call, but they belong to the caller",
        "has a gradient": "the embedded words have a .grad after the call, but they belong to the caller",
        "its table has a gradient": "the embedding table has a .grad after the call, but it belongs to the caller",
    }
    return next((message for name, message in told.items() if got[name] != want[name]), None)
