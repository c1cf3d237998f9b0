"""What is asked of `run_bidirectional`.

Its two directions are stand-ins: recurrences without a bend, which forget slowly and have a bias, so that padding that was read
shows in every state after it, and that is not zero itself. What stands at the padding of the inputs looks like words.
"""

from typing import Any

import torch
from torch import Tensor

from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

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


@probe("run_bidirectional", draws=2)
def no_padding(run_bidirectional, draw: Draw):
    """As many sentences as words in each, none of them padded; and what both directions make of them as they stand."""
    forward, backward = readers(draw)
    inputs, lengths = whole(draw, 5, 5)
    found = halves(run_bidirectional(inputs.clone(), lengths.clone(), forward, backward), inputs)
    return {
        **found,
        "forward": forward(inputs),
        "backward": backward(inputs),
        "words turned": backward(inputs.flip(1)),
        "sentences turned": backward(inputs.flip(0)),
        "numbers turned": backward(inputs.flip(2)),
        "words turned for forward": forward(inputs.flip(1)),
    }


@probe("run_bidirectional", draws=2)
def with_padding(run_bidirectional, draw: Draw):
    """Sentences of four lengths; and what the second direction makes of them if it reads the padding first."""
    forward, backward = readers(draw)
    inputs, lengths = padded(draw, 6, 4, 2, 1)
    found = halves(run_bidirectional(inputs.clone(), lengths.clone(), forward, backward), inputs)
    return {**found, "lengths": lengths, "words turned": backward(inputs.flip(1)), "backward": backward(inputs)}


@probe("run_bidirectional", draws=2)
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


@probe("run_bidirectional", draws=2)
def types(run_bidirectional, draw: Draw):
    """Double precision, and inputs cut out of a larger tensor; and the arguments as they are after the call."""
    forward, backward = readers(draw)
    inputs, lengths = padded(draw, 5, 3, 1)
    large = draw.normal(7, 3, 2 * _INPUT)
    cut = large.transpose(0, 1)[:, 1:6, ::2]
    return {
        "double precision": run_bidirectional(inputs.double(), lengths.clone(), forward, backward),
        "not contiguous": run_bidirectional(cut, lengths.clone(), forward, backward),
        "states": run_bidirectional(inputs, lengths, forward, backward),
        "inputs after the call": inputs,
        "lengths after the call": lengths,
        "larger tensor after the call": large,
    }


@probe("run_bidirectional", draws=2)
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
