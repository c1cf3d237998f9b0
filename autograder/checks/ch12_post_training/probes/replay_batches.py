"""What is asked of `replay_batches`.

The first piece of each window comes in no other, so that it can be told where it comes from. A right answer may draw in its own way.
"""

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.ch10_bert.probes.chance import by_seed
from autograder.declare import probe
from autograder.draw import Draw
from autograder.plain import kind_of
from autograder.probing import MisuseError

_LENGTH = 4
_BATCHES = 6
DRAWN = 2000
"""Of how many batches the windows are counted: more than anybody would make beforehand."""


def windows(first: int, number: int, length: int = _LENGTH) -> Tensor:
    """So many windows of text; no piece comes twice, and what would be a window's next piece begins no window."""
    return torch.arange(first, first + number).unsqueeze(1) + 100_000 * torch.arange(length)


def some_batches(
    replay_batches: Callable[..., Any],
    new: Tensor,
    old: Tensor,
    share: float,
    batch_size: int,
    generator: torch.Generator,
    number: int = _BATCHES,
) -> list[Tensor]:
    """The first batches.

    Raises:
        MisuseError: They end, or one is no tensor of batch_size windows.
    """
    result = replay_batches(new, old, share, batch_size, generator)
    if isinstance(result, (Tensor, list, tuple)) or not hasattr(result, "__iter__"):
        raise MisuseError(f"what it returned is {kind_of(result)}, expected a generator: `yield` each batch")
    found: list[Tensor] = []
    for batch in itertools.islice(iter(result), number):
        if not isinstance(batch, Tensor) or batch.shape != (batch_size, new.shape[1]) or batch.dtype != new.dtype:
            raise MisuseError(
                f"a batch is {kind_of(batch)}, expected an int64 tensor of shape {(batch_size, new.shape[1])}"
            )
        found.append(batch)
    if len(found) < number:
        raise MisuseError(f"it ended after {len(found)} batches, expected an endless series of batches: `while True`")
    return found


def _generator(draw: Draw) -> torch.Generator:
    return torch.Generator().manual_seed(int(draw.integers(0, 2**62)))


@probe("replay_batches")
def shares(replay_batches, draw: Draw):
    """How many windows of each batch are old; and whether each is one that was given."""
    first = int(draw.integers(10, 1000))
    new, old = windows(first, 60), windows(5000 + first, 30)
    whole, share = torch.cat([new, old]), 0.05 * int(draw.integers(3, 8))
    found: dict[str, Any] = {"old": [], "sizes": _sizes(draw, share), "share": share, "all were given": True}
    for size in found["sizes"]:
        batches = some_batches(replay_batches, new, old, share, size, _generator(draw))
        found["old"].append([int((batch[:, 0] >= 5000).sum()) for batch in batches])
        known = [bool((whole == row).all(-1).any()) for batch in batches for row in batch]
        found["all were given"] = found["all were given"] and all(known)
    return found


def _sizes(draw: Draw, share: float) -> list[int]:
    """Two sizes of a batch: of one the share is to be rounded down, of the other up."""
    found = []
    for low, high in ((0.1, 0.45), (0.55, 0.9)):
        fitting = [size for size in range(13, 60) if low < share * size % 1 < high]
        found.append(fitting[int(draw.integers(0, len(fitting)))])
    return found


@probe("replay_batches", draws=2)
def drawn(replay_batches, draw: Draw):
    """How often each of a few windows comes in many batches, and how often two of a batch are the same one."""
    many, few = int(draw.integers(12, 40)), int(draw.integers(5, 25))
    batches = some_batches(replay_batches, windows(0, many), windows(100, few), 0.5, 8, _generator(draw), DRAWN)
    first = torch.stack(batches)[:, :, 0]
    found: dict[str, Any] = {"new tensors": len({batch.data_ptr() for batch in batches}) == DRAWN}
    for name, start, number in (("new", 0, many), ("old", 100, few)):
        counts = torch.stack([(first == start + row).sum(dim=1) for row in range(number)], dim=1)  # (batches, number)
        same = (counts * (counts - 1) // 2).sum(dim=1)  # pairs of the same window in each batch, most often none
        found[name] = counts.sum(dim=0)
        found[f"pairs of {name}"] = torch.stack([(same == pairs).sum() for pairs in range(7)])
    return found


@probe("replay_batches", draws=2)
def seeds(replay_batches, draw: Draw):
    """What the same seed gives, and another; and whether one batch after the other is the same."""

    def calls(seed: int) -> list[Any]:
        generator, new, old = torch.Generator().manual_seed(seed), windows(0, 50), windows(100, 50)
        return [batch.tolist() for batch in some_batches(replay_batches, new, old, 0.5, 8, generator, 4)]

    found, first = by_seed(calls, draw)
    olds = [sorted(row[0] for row in batch if row[0] >= 100) for batch in first]
    generator = _generator(draw)
    one, other = (
        some_batches(replay_batches, windows(0, 50), windows(100, 50), 0.5, 8, generator, 4) for _ in range(2)
    )
    return {
        **found,
        "old windows change": olds != olds[:1] * 4,
        "a second call gives others": [batch.tolist() for batch in one] != [batch.tolist() for batch in other],
        "seed": int(draw.integers(0, 2**40)),
    }


@probe("replay_batches")
def left_alone(replay_batches, draw: Draw):
    """Both texts after some batches, one of which was written into."""
    first = int(draw.integers(10, 1000))
    new, old = windows(first, 12), windows(5000 + first, 12)
    for batch in some_batches(replay_batches, new, old, 0.5, 6, _generator(draw), 3):
        batch.zero_()
    return {"new": new, "old": old}


@probe("replay_batches")
def edges(replay_batches, draw: Draw):
    """Shares of nothing, of all, and such as make a half; one window; more windows in a batch than there are."""
    first = int(draw.integers(10, 1000))
    new, old = windows(first, 5), windows(5000 + first, 5)
    many = int(draw.integers(40, 400))
    cases = {
        "a share of 0": (0.0, 7),
        "a share of 1": (1.0, many),
        "a share of 0.1, of 4 windows": (0.1, 4),
        "a share of 0.3, of more windows than there are": (0.3, many),
        "a share of 0.29, of 100 windows": (0.29, 100),
        "a share of 0.5, of 5 windows": (0.5, 5),
        "a share of 0.5, of 7 windows": (0.5, 7),
    }
    found = {}
    for name, (share, size) in cases.items():
        batches = some_batches(replay_batches, new, old, share, size, _generator(draw), 2)
        found[name] = [int((batch[:, 0] >= 5000).sum()) for batch in batches]
    return found
