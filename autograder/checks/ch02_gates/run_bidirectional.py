"""The checks of `run_bidirectional`."""

from typing import Any

import torch
from torch import Tensor, nn

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use, weigh
from autograder.declare import Exercise, check

EXERCISE = Exercise("run_bidirectional", "reading a padded batch from both ends", minutes=25, difficulty=3)


class _Reads(nn.Module):
    """In place of a direction: a recurrence without a bend."""

    def __init__(self) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(_INPUT, 3)), nn.Parameter(torch.zeros(3))

    def forward(self, inputs: Tensor) -> Tensor:
        """All states (B, T, H), one after the other."""
        states = [(inputs @ self.weight + self.bias)[:, 0]]
        for x in inputs.unbind(dim=1)[1:]:
            states.append(0.7 * states[-1] + x @ self.weight + self.bias)
        return torch.stack(states, dim=1)


@in_use()
def in_chapter(run_bidirectional, draw: Draw) -> Use:
    """Sentences of mixed lengths, one of a single word, with padding even after the longest; then a long one alone."""
    forward, backward = weigh(_Reads(), draw), weigh(_Reads(), draw)
    first = draw.normal(4, 23, _INPUT), torch.tensor([9, 21, 1, 14])
    later = draw.normal(1, 24, _INPUT), torch.tensor([24])
    return Use(run_bidirectional, (*first, forward, backward), (*later, forward, backward), modules=(forward, backward))


_INPUT, HIDDEN = 4, 3


class Reader:
    """A direction: reads (B, T, D) from left to right, from a state of zeros, into states (B, T, H).

    Raises:
        MisuseError: It is called with anything else.
    """

    def __init__(self, name: str, draw: Draw, decay: float) -> None:
        self._name, self._decay = name, decay
        self._weight = draw.normal(_INPUT, HIDDEN)
        self._bias = draw.normal(HIDDEN)

    def __call__(self, inputs: Any) -> Tensor:
        """All states, one after the other."""
        if not isinstance(inputs, Tensor) or inputs.dim() != 3 or inputs.shape[-1] != _INPUT or not inputs.shape[1]:
            raise MisuseError(
                f"{self._name} was given {kind_of(inputs)}, expected inputs (B, T, D), here with D = {_INPUT}"
            )
        state = inputs.new_zeros(len(inputs), HIDDEN)
        states = []
        for step in (inputs @ self._weight.to(inputs.dtype) + self._bias.to(inputs.dtype)).unbind(dim=1):
            state = self._decay * state + step
            states.append(state)
        return torch.stack(states, dim=1)


def readers(draw: Draw) -> tuple[Reader, Reader]:
    """The two directions."""
    return Reader("forward_rnn", draw, 0.7), Reader("backward_rnn", draw, 0.6)


def halves(states: Any, inputs: Tensor) -> dict[str, Any]:
    """Both halves of the states.

    Raises:
        MisuseError: The states have another shape, which is told.
    """
    expected = (*inputs.shape[:2], 2 * HIDDEN)
    if not isinstance(states, Tensor) or tuple(states.shape) != expected:
        raise MisuseError(f"the result is {kind_of(states)}, expected states of shape {expected}, that is (B, T, 2H)")
    return {"first half": states[..., :HIDDEN], "second half": states[..., HIDDEN:]}


def whole(draw: Draw, batch: int, length: int) -> tuple[Tensor, Tensor]:
    """Sentences without padding."""
    return draw.normal(batch, length, _INPUT), torch.full((batch,), length)


def padded(draw: Draw, *lengths: int) -> tuple[Tensor, Tensor]:
    """Sentences of these lengths in an order that is drawn, with numbers at the padding as at the words."""
    order = draw.normal(len(lengths)).argsort()
    return draw.normal(len(lengths), max(lengths), _INPUT), torch.tensor(lengths)[order]


@check(
    "the first half holds the states that forward_rnn computes",
    reads=("first half",),
    points=1,
    draws=2,
    hint="forward_rnn takes the sentences as they are, the whole batch at once. Its states come first along the last "
    "dimension, and those of the other direction after them: (B, T, 2H).",
)
def no_padding(run_bidirectional, draw: Draw):
    """As many sentences as words in each, none of them padded."""
    forward, backward = readers(draw)
    inputs, lengths = whole(draw, 5, 5)
    return halves(run_bidirectional(inputs, lengths, forward, backward), inputs)


@no_padding.explain
def nothing_there(got, want):
    """What an inverted mask leaves where there is no padding."""
    told = "the first half is all zeros, although there is no padding here: was the mask inverted?"
    return None if got["first half"].any() else told


reads_backward = check(
    "the second half is read from the end, and each state is at the position of its word",
    reads=("second half",),
    points=2,
    needs=no_padding,
    hint="backward_rnn also reads from left to right, so give it the words in reverse order. Its first state is then that of "
    "the last word, so reverse the states once more, to put each of them at the position of its word.",
)(no_padding)


def _at_word(answer):
    """Where a word stands and no padding: (B, T, 1)."""
    places = torch.arange(answer["first half"].shape[1])
    return (places < answer["lengths"].unsqueeze(1)).unsqueeze(-1)


def at_words(answer):
    """Both halves, with zeros at the padding, at which another check looks."""
    return {name: torch.where(_at_word(answer), answer[name], 0.0) for name in ("first half", "second half")}


@check(
    "a sentence is read from its own last word, not from the padding",
    reads=at_words,
    points=2,
    needs=(no_padding, reads_backward),
    draws=2,
    hint="Reverse each sentence within its own length n: word t goes to n - 1 - t, and the padding stays where it is. The "
    "states go back by the same rule. flip(1) reverses the whole row, and puts the padding first.",
)
def with_padding(run_bidirectional, draw: Draw):
    """Sentences of four lengths."""
    forward, backward = readers(draw)
    inputs, lengths = padded(draw, 6, 4, 2, 1)
    found = halves(run_bidirectional(inputs, lengths.clone(), forward, backward), inputs)
    return {**found, "lengths": lengths}


@with_padding.explain
def padded_sentences(got, want):
    """Which sentences are wrong."""
    mine, right = (at_words(answer)["second half"] for answer in (got, want))
    words = want["lengths"][(mine - right).abs().amax(dim=(1, 2)) > 1e-4].tolist()
    if not words or max(words) == right.shape[1]:
        return None
    told = ", ".join(map(str, sorted(words)))
    return f"the sentences with padding, of {told} words in rows of {right.shape[1]}, are wrong, and the one without padding is right"


zeros_at_padding = check(
    "the states at the padding are zeros",
    reads=("first half", "second half"),
    points=1,
    needs=(no_padding, reads_backward, with_padding),
    hint="A recurrence computes states for padding, too. Replace them by zeros at the end, in both halves.",
)(with_padding)


@zeros_at_padding.explain
def states_at_padding(got, want):
    """What stands there."""
    for name in ("first half", "second half"):
        values = got[name][~_at_word(want).expand_as(got[name])]
        if values.any():
            largest = values[values.abs().argmax()].item()
            return f"{name}: a state at the padding contains the number {largest:.3g}, expected zeros"
    return None


@check(
    "one sentence, or one word, keeps its dimensions",
    points=1,
    hidden=True,
    needs=(reads_backward, with_padding, zeros_at_padding),
    draws=2,
    hint="squeeze() removes every dimension of size one. A batch of one sentence and a sentence of one word still have all "
    "three dimensions.",
)
def alone(run_bidirectional, draw: Draw):
    """One sentence alone, one word alone, a batch of single words, and one word in a wide batch."""
    forward, backward = readers(draw)
    given = {
        "one sentence": whole(draw, 1, 4),
        "one word": whole(draw, 1, 1),
        "four sentences of one word": whole(draw, 4, 1),
        "one word and three places of padding": (draw.normal(1, 4, _INPUT), torch.tensor([1])),
    }
    return {name: run_bidirectional(*tensors, forward, backward) for name, tensors in given.items()}


@check(
    "half and double precision and slices of other tensors work, and the arguments are left as they were",
    points=1,
    needs=(reads_backward, with_padding, zeros_at_padding),
    draws=2,
    arguments=True,
    hint="Do not create a tensor of another dtype on the way: torch.zeros gives float32 unless you pass dtype=. To reverse a "
    "sentence, make a new tensor: an assignment to inputs[...] changes the caller's.",
)
def types(run_bidirectional, draw: Draw):
    """Half and double precision, and inputs cut out of a larger tensor; and the arguments as they are after the call."""
    forward, backward = readers(draw)
    inputs, lengths = padded(draw, 5, 3, 1)
    large = draw.normal(7, 3, 2 * _INPUT)
    cut = large.transpose(0, 1)[:, 1:6, ::2]
    return {
        "double precision": run_bidirectional(inputs.double(), lengths.clone(), forward, backward),
        "half precision": run_bidirectional(inputs.bfloat16(), lengths.clone(), forward, backward),
        "not contiguous": run_bidirectional(cut, lengths.clone(), forward, backward),
        "states": run_bidirectional(inputs, lengths, forward, backward),
        "inputs after the call": inputs,
        "lengths after the call": lengths,
        "larger tensor after the call": large,
    }


@check(
    "the gradient reaches the inputs through both directions",
    points=1,
    hidden=True,
    needs=(reads_backward, with_padding, zeros_at_padding),
    draws=2,
    hint="Use only torch operations on the tensors themselves: detach, .data and no_grad cut off the gradient.",
)
def state_gradient(run_bidirectional, draw: Draw):
    """What comes back to the inputs."""
    forward, backward = readers(draw)
    inputs, lengths = padded(draw, 5, 3, 1)
    inputs.requires_grad_()
    states = run_bidirectional(
        inputs * 1, lengths, forward, backward
    )  # No leaf, so that a change in place is no error.
    (states * draw.normal(3, 5, 2 * HIDDEN)).sum().backward()
    return {"gradient": inputs.grad}
