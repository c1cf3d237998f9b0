"""Guessing a hidden piece by counting which pieces occur next to which: what a masked language model has to beat.

Nothing is trained. With c for how often something was seen in a text, each context C, one neighbour or several, gives a distribution that is
smoothed by absolute discounting:

    P(x | C) = max(c(C, x) - D, 0) / c(C) + D n(C) / c(C) · P(x | shorter C),

where n(C) is the number of different pieces that were seen in C. A context that was never seen, or that has a mask in it, leaves everything
to the shorter one, and the shortest one is empty: P(x) is the frequency of x. The two sides are joined as if they were independent given x,
and what was counted between the two nearest neighbours l and r, c(l, x, r), is interpolated with that in the same way:

    P(x | l) P(x | r) / P(x), divided by its sum over x, is the shorter context of P(x | l, r).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn import functional as F

__all__ = ["Mixture", "NeighbourCounts", "windows_at"]

REACH = 3
"""How many pieces on either side are looked at."""
BOUNDARY = 0
"""What stands outside a sentence."""
_BITS = 15
"""Room for an id in a key: three neighbours and the piece between them make 60 bits."""
_CHUNK = 250
"""For how many gaps the distributions are made at once, so that they stay in the processor's cache."""

Offsets = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Mixture:
    """How far each part is trusted when several pieces on either side are looked at: factors of its logarithms.

    Attributes:
        sides: Of log P(x | what comes before) and of log P(x | what comes after).
        single: Of log P(x), which is subtracted.
        both: Of what the two nearest neighbours say together beyond what each says alone.
    """

    sides: float
    single: float
    both: float


@dataclass(frozen=True, slots=True)
class _Parts:
    """The logarithms of the smoothed distributions at some gaps, each (N, V)."""

    nearest: Tensor
    sides: Tensor
    single: Tensor
    both: Tensor

    def mixed(self, mixture: Mixture | None) -> Tensor:
        if mixture is None:
            return self.nearest
        logs = mixture.sides * self.sides - mixture.single * self.single + mixture.both * self.both
        return logs.log_softmax(dim=-1)


def windows_at(inputs: Tensor, places: Tensor, num_special: int, mask_id: int) -> Tensor:
    """The pieces around some places of packed sequences.

    Args:
        inputs: Ids as a model is shown them, some of them masked, shape (B, S).
        places: True where a piece is to be guessed, shape (B, S); N of them.
        num_special: The ids below this one, except the mask's, come between sentences; no window goes on beyond one.
        mask_id: The id of the mask.

    Returns:
        Shape (N, 2 REACH + 1): the pieces from REACH before each place to REACH after it, BOUNDARY outside its sentence.
    """
    ids = inputs.masked_fill((inputs < num_special) & (inputs != mask_id), BOUNDARY)
    windows = F.pad(ids, (REACH, REACH), value=BOUNDARY).unfold(1, 2 * REACH + 1, 1)[places].clone()
    for side in (-1, 1):
        for near, far in pairwise(REACH + side * away for away in range(1, REACH + 1)):
            windows[:, far] = windows[:, far].masked_fill(windows[:, near] == BOUNDARY, BOUNDARY)
    return windows


class NeighbourCounts:
    """How often pieces occur next to which others in some sentences.

    Attributes:
        single: P(x), the frequency of each piece, shape (V,).
    """

    def __init__(
        self, sentences: Iterable[Sequence[int]], vocab_size: int, mask_id: int, discount: float = 0.75
    ) -> None:
        """Read the sentences; what is counted in them is counted when it is first asked for.

        Args:
            sentences: The ids of each; none is BOUNDARY.
            vocab_size: Number of ids, V, at most 32,768.
            mask_id: The id of the mask.
            discount: D.

        Raises:
            ValueError: If there are too many ids, or there are no sentences.
        """
        if vocab_size > 1 << _BITS:
            raise ValueError(f"vocab_size is {vocab_size}: at most {1 << _BITS} ids fit into a key")
        ids = [BOUNDARY] * REACH
        for sentence in sentences:
            ids += [*sentence, *[BOUNDARY] * REACH]
        if len(ids) == REACH:
            raise ValueError("sentences is empty: give at least one")
        windows = torch.tensor(ids).unfold(0, 2 * REACH + 1, 1)
        self._text = windows[windows[:, REACH] != BOUNDARY]
        self._mask_id, self._discount = mask_id, discount
        self._tables: dict[Offsets, tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]] = {}
        often = self._text[:, REACH].bincount(minlength=vocab_size) + 0.1  # none is impossible
        self.single = often / often.sum()

    def log_probs(self, windows: Tensor, mixture: Mixture | None = None) -> Tensor:
        """How probable each piece is in some gaps.

        Args:
            windows: The pieces around each gap, from `windows_at`, shape (N, 2 REACH + 1).
            mixture: How REACH pieces on either side are mixed; without it, only the nearest neighbours count.

        Returns:
            Log-probabilities, shape (N, V).
        """
        return torch.cat([self._parts(chunk).mixed(mixture) for chunk in windows.split(_CHUNK)])

    def scores(self, windows: Tensor, pieces: Tensor, mixture: Mixture | None = None) -> tuple[Tensor, Tensor]:
        """Guess the pieces of some gaps.

        Args:
            windows: The pieces around each gap, shape (N, 2 REACH + 1).
            pieces: The piece that was there, shape (N,).
            mixture: As in `log_probs`.

        Returns:
            Whether the most probable piece is the right one, and the cross-entropy in nats; shape (N,) each.
        """
        found = [
            _scores(parts.mixed(mixture), answers)
            for parts, answers in zip(self._each(windows), pieces.split(_CHUNK), strict=True)
        ]
        return torch.cat([right for right, _ in found]), torch.cat([nats for _, nats in found])

    def best_mixture(self, windows: Tensor, pieces: Tensor, mixtures: Sequence[Mixture]) -> Mixture:
        """Choose a mixture on gaps of a text that was not counted.

        Args:
            windows: The pieces around each gap, shape (N, 2 REACH + 1).
            pieces: The piece that was there, shape (N,).
            mixtures: Those to choose from.

        Returns:
            The one with the lowest cross-entropy.
        """
        totals = torch.zeros(len(mixtures))
        for parts, answers in zip(self._each(windows), pieces.split(_CHUNK), strict=True):
            totals += torch.stack([_scores(parts.mixed(mixture), answers)[1].sum() for mixture in mixtures])
        return mixtures[int(totals.argmin())]

    def _each(self, windows: Tensor) -> Iterator[_Parts]:
        return (self._parts(chunk) for chunk in windows.split(_CHUNK))

    def _parts(self, windows: Tensor) -> _Parts:
        """All that is counted, for at most a chunk of windows."""
        single = self.single.expand(len(windows), -1)
        before, after = (self._interpolated(windows, (side,), single) for side in (-1, 1))
        apart = before * after / single
        apart /= apart.sum(dim=-1, keepdim=True)
        nearest = self._interpolated(windows, (-1, 1), apart).log()
        for away in range(2, REACH + 1):
            before = self._interpolated(windows, tuple(range(-away, 0)), before)
            after = self._interpolated(windows, tuple(range(1, away + 1)), after)
        return _Parts(nearest, before.log() + after.log(), single.log(), nearest - apart.log())

    def _interpolated(self, windows: Tensor, offsets: Offsets, shorter: Tensor) -> Tensor:
        """P(x | C), (N, V), where the context C is what stands at the offsets, and P(x | shorter C) is given."""
        contexts, starts, pieces, counts, totals, kinds = self._table(offsets)
        key = _keys(windows, offsets)
        at = torch.searchsorted(contexts, key).clamp(max=len(contexts) - 1)
        seen = contexts[at] == key
        for offset in offsets:
            seen &= windows[:, REACH + offset] != self._mask_id
        freed = torch.where(seen, self._discount * kinds[at] / totals[at], 1.0)
        found = shorter * freed.unsqueeze(1)
        many = torch.where(seen, starts[at + 1] - starts[at], 0)  # how many different pieces follow each context
        rows = torch.arange(len(windows)).repeat_interleave(many)
        entries = torch.arange(len(rows)) + (starts[at] - many.cumsum(0) + many)[rows]
        found[rows, pieces[entries]] += (counts[entries] - self._discount) / totals[at][rows]
        return found

    def _table(self, offsets: Offsets) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The contexts that were seen, as sorted keys, where the pieces of each begin; those and their counts; each context's count and kinds."""
        if offsets not in self._tables:
            keys = _keys(self._text, offsets) << _BITS | self._text[:, REACH]
            entries, counts = keys.unique(return_counts=True)
            contexts, kinds = (entries >> _BITS).unique_consecutive(return_counts=True)
            totals = torch.zeros(len(contexts)).index_add_(
                0, torch.arange(len(contexts)).repeat_interleave(kinds), counts.float()
            )
            starts = F.pad(kinds.cumsum(0), (1, 0))
            pieces = entries & ((1 << _BITS) - 1)
            self._tables[offsets] = (contexts, starts, pieces, counts.float(), totals, kinds.float())
        return self._tables[offsets]


def _keys(windows: Tensor, offsets: Offsets) -> Tensor:
    """One number for what stands at the offsets, (N,)."""
    keys = torch.zeros(len(windows), dtype=torch.long)
    for offset in offsets:
        keys = keys << _BITS | windows[:, REACH + offset]
    return keys


def _scores(log_probs: Tensor, pieces: Tensor) -> tuple[Tensor, Tensor]:
    return log_probs.argmax(dim=-1) == pieces, F.nll_loss(log_probs, pieces, reduction="none")
