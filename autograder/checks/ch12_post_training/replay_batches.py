"""The checks of `replay_batches`."""

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.asking.draw import Draw
from autograder.asking.probing import MisuseError, note_slip
from autograder.asking.serialization import kind_of
from autograder.asking.usage import Use, in_use
from autograder.checks.ch10_bert.chance import badly_seeded, by_seed
from autograder.declare import Exercise, check
from autograder.judging.compare import close, distribution
from autograder.judging.verdict import Verdict

EXERCISE = Exercise("replay_batches", "new text with some old text among it", minutes=15, difficulty=1)


@in_use(gradients=False, dtypes=False, devices=False)
def in_chapter(replay_batches, draw: Draw) -> Use:
    """Windows of a text as long as the chapter's; which come is chance's, so only how many of each batch are old is looked at."""

    def call(new: Tensor, old: Tensor, share: float, batch_size: int) -> list[Tensor]:
        generator = draw.generator()
        batches = some_batches(replay_batches, new, old, share, batch_size, generator, 20)
        return [(batch[:, 0] < 0).sum() for batch in batches]

    def text(number: int, sign: int) -> Tensor:
        return sign * draw.integers(5, 4000, number, 128)

    sizes = [size + (size % 10 == 5) for size in draw.integers(20, 200, 2).tolist()]  # No share of them ends in a half.
    return Use(call, (text(40, 1), text(30, -1), 0.1, sizes[0]), (text(9, 1), text(50, -1), 0.3, sizes[1]))


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
    dtype = str(new.dtype).removeprefix("torch.")
    for batch in itertools.islice(iter(result), number):
        if isinstance(batch, (list, tuple)) and batch and all(isinstance(row, Tensor) for row in batch):
            note_slip(f"a batch is {kind_of(batch)} tensors, expected one tensor: torch.stack makes it")
            batch = torch.stack(tuple(batch))
        if not isinstance(batch, Tensor) or batch.shape != (batch_size, new.shape[1]) or batch.dtype != new.dtype:
            raise MisuseError(
                f"a batch is {kind_of(batch)}, expected an {dtype} tensor of shape {(batch_size, new.shape[1])}"
            )
        found.append(batch)
    if len(found) < number:
        raise MisuseError(f"it ended after {len(found)} batches, expected an endless series of batches: `while True`")
    return found


def as_likely(got: Any, want: Any) -> Verdict:
    """Every batch is a tensor of its own, and what is in it is drawn with the right probabilities.

    Of 8,000 windows of each text, the first and the last are seen to come more or less often than the others by two in five.
    """
    verdict = close("new tensors")(got, want)
    return distribution("new", "old", "pairs of new", "pairs of old")(got, want) if verdict.ok else verdict


@check(
    "in each batch the share of old windows is the one that was given",
    points=2,
    hint="round(share * batch_size) windows are old and the others are new, in every batch. torch.cat joins the two.",
)
def shares(replay_batches, draw: Draw):
    """How many windows of each batch are old; and whether each is one that was given."""
    first = int(draw.integers(10, 1000))
    new, old = windows(first, 60), windows(5000 + first, 30)
    whole, share = torch.cat([new, old]), 0.05 * int(draw.integers(3, 8))
    found: dict[str, Any] = {"old": [], "sizes": _sizes(draw, share), "share": share, "all were given": True}
    for size in found["sizes"]:
        batches = some_batches(replay_batches, new, old, share, size, draw.generator())
        found["old"].append([int((batch[:, 0] >= 5000).sum()) for batch in batches])
        known = [bool((whole == row).all(-1).any()) for batch in batches for row in batch]
        found["all were given"] = found["all were given"] and all(known)
    return found


@shares.explain
def how_many_are_old(got, want):
    """How many windows are old where the number is wrong."""
    if not got["all were given"]:
        return "a batch has a window that is in neither text: each row of a batch is a whole row of new or of old"
    pairs = zip(want["sizes"], got["old"], want["old"], strict=True)
    size, found, right = next(each for each in pairs if each[1] != each[2])
    if len(set(found)) > 1:
        return f"the number of old windows changes from batch to batch, from {min(found)} to {max(found)}"
    share = want["share"]
    return f"with a share of {share:.2f} and {size} windows in a batch, {found[0]} were old, expected {right[0]}"


def _sizes(draw: Draw, share: float) -> list[int]:
    """Two sizes of a batch: of one the share is to be rounded down, of the other up."""
    found = []
    for low, high in ((0.1, 0.45), (0.55, 0.9)):
        fitting = [size for size in range(13, 60) if low < share * size % 1 < high]
        found.append(fitting[int(draw.integers(0, len(fitting)))])
    return found


@check(
    "windows are drawn one by one, and all windows of a text are equally likely",
    points=2,
    needs=shares,
    draws=2,
    compare=as_likely,
    hint="torch.randint(number of windows, (how many,), generator=generator) gives the rows to take, from the first row to the last. It draws with "
    "replacement, so that a window sometimes comes up twice in a batch.",
)
def drawn(replay_batches, draw: Draw):
    """How often each of a few windows comes in many batches, and how often two of a batch are the same one."""
    many, few = int(draw.integers(13, 21)), int(draw.integers(6, 11))
    batches = some_batches(replay_batches, windows(0, many), windows(100, few), 0.5, 8, draw.generator(), DRAWN)
    first = torch.stack(batches)[:, :, 0]
    found: dict[str, Any] = {"new tensors": len({batch.data_ptr() for batch in batches}) == DRAWN}
    for name, start, number in (("new", 0, many), ("old", 100, few)):
        counts = torch.stack([(first == start + row).sum(dim=1) for row in range(number)], dim=1)  # (batches, number)
        same = (counts * (counts - 1) // 2).sum(dim=1)  # pairs of the same window in each batch, most often none
        found[name] = counts.sum(dim=0)
        found[f"pairs of {name}"] = torch.stack([(same == pairs).sum() for pairs in range(7)])
    return found


@drawn.explain
def one_tensor(got, want):
    """A batch that is kept changes when the next one is drawn."""
    return None if got["new tensors"] else "all batches are the same tensor"


@drawn.explain
def never_came(got, want):
    """Which windows are not drawn at all."""
    for name in ("new", "old"):
        counts = got[name]
        never = [row for row, count in enumerate(counts.tolist()) if not count]
        if never and int(counts.sum()) == int(want[name].sum()):
            shown = "the last window" if never == [len(counts) - 1] else f"{len(never)} of the {len(counts)} windows"
            return f"{shown} of {name} never came up in {DRAWN} batches"
    return None


@drawn.explain
def twice_in_a_batch(got, want):
    """How often two windows of a batch are the same one."""
    for name in ("new", "old"):
        pairs = got[f"pairs of {name}"]
        if int(pairs[0]) == DRAWN:
            return f"no window of {name} was ever drawn twice in a batch: expected draws with replacement"
        if int(pairs[-1]) == DRAWN:
            return f"all windows of {name} in a batch are the same: expected a separate draw for each of them"
    if not distribution("new", "old")(got, want).ok:
        return None
    return "the same window comes twice in a batch far more often, or far less often, than in draws with replacement"


@check(
    "each batch is drawn anew, with the generator that was given",
    points=1,
    needs=(shares, drawn),
    draws=2,
    hint="Both draws are inside the loop, and both are given generator=generator. Do not set any seed yourself.",
)
def seeds(replay_batches, draw: Draw):
    """What the same seed gives, and another; and whether one batch after the other is the same."""

    def calls(seed: int) -> list[Any]:
        generator, new, old = torch.Generator().manual_seed(seed), windows(0, 50), windows(100, 50)
        return [batch.tolist() for batch in some_batches(replay_batches, new, old, 0.5, 8, generator, 4)]

    found, first = by_seed(calls, draw)
    olds = [sorted(row[0] for row in batch if row[0] >= 100) for batch in first]
    generator = draw.generator()
    one, other = (
        some_batches(replay_batches, windows(0, 50), windows(100, 50), 0.5, 8, generator, 4) for _ in range(2)
    )
    return {
        **found,
        "old windows change": olds != olds[:1] * 4,
        "a second call gives others": [batch.tolist() for batch in one] != [batch.tolist() for batch in other],
        "seed": int(draw.integers(0, 2**40)),
    }


@seeds.explain
def seeding(got, want):
    """What the draws depend on."""
    told = badly_seeded(got, "batches")
    if told:
        return told
    if not got["old windows change"]:
        return "the old windows are the same in every batch"
    return None if got["a second call gives others"] else "two calls with one generator gave the same batches"


@check(
    "both texts are left as they were",
    points=1,
    needs=shares,
    arguments=True,
    hint="This check writes into a batch. A batch has to be a new tensor, not a view of a text: new[rows] makes one, new[2:5] does not.",
)
def left_alone(replay_batches, draw: Draw):
    """Both texts after some batches, one of which was written into."""
    first = int(draw.integers(10, 1000))
    new, old = windows(first, 12), windows(5000 + first, 12)
    for batch in some_batches(replay_batches, new, old, 0.5, 6, draw.generator(), 3):
        batch.zero_()
    return {"new": new, "old": old}


@left_alone.explain
def changed(got, want):
    """Which text is not as it was."""
    name = next(name for name in want if not torch.equal(got[name], want[name]))
    return f"the text {name} has changed: is a batch a view of it?"


@check(
    "a batch may be all new, all old, or larger than a text",
    points=1,
    hidden=True,
    needs=(shares, drawn),
    hint="round(share * batch_size) may be 0, or all of the batch, and round(2.5) is 2. Windows are drawn with "
    "replacement, so a batch may have more of them than a text. A batch has the dtype of the windows.",
)
def edges(replay_batches, draw: Draw):
    """Shares of nothing, of all, and such as make a half; more windows in a batch than there are; and pieces in 32 bits."""
    first = int(draw.integers(10, 1000))
    new, old = windows(first, 5).int(), windows(5000 + first, 5).int()
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
        batches = some_batches(replay_batches, new, old, share, size, draw.generator(), 2)
        found[name] = [int((batch[:, 0] >= 5000).sum()) for batch in batches]
    return found
