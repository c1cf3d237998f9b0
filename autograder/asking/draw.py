"""Inputs for probes, drawn from a seed.

NumPy's PCG64 is used, not torch's generator: its streams are the same on every platform, so that the recorded answers
to the visible checks hold on a student's machine too.
"""

from __future__ import annotations

import hashlib

import numpy as np
import torch
from torch import Tensor

PUBLIC_SEED = "public"


def derive_seed(secret: str, probe_key: str, index: int) -> int:
    """The seed of one draw of one probe.

    A process that runs a student's code is given only such seeds: the secret cannot be recovered from them.
    """
    digest = hashlib.sha256(f"{secret}/{probe_key}/{index}".encode()).digest()
    return int.from_bytes(digest[:16], "big")


class Draw:
    """A stream of random inputs."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def normal(self, *shape: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
        """A tensor of the shape, from a normal distribution around zero."""
        values = self._generator.standard_normal(shape) * scale
        return torch.from_numpy(np.asarray(values)).to(dtype)

    def state(self, *shape: int, scale: float = 1.0) -> Tensor:
        """A hidden state, the tanh of what `normal` draws, by way of double precision: in single its last digit differs between processors."""
        return self.normal(*shape, scale=scale, dtype=torch.float64).tanh().float()

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """A tensor of integers, including `low` and excluding `high`."""
        return torch.from_numpy(np.asarray(self._generator.integers(low, high, shape)))

    def generator(self) -> torch.Generator:
        """A generator of torch's own, for code that takes one."""
        return torch.Generator().manual_seed(int(self.integers(0, 2**62)))

    def padding_mask(self, batch: int, length: int) -> Tensor:
        """A mask `(batch, length)`, True on the real words, which come first.

        The first row is full; every other has at least one real word and one padding.
        """
        lengths = self.integers(1, length, batch)
        lengths[0] = length
        return torch.arange(length) < lengths.unsqueeze(1)

    def mask(self, *shape: int) -> Tensor:
        """A mask that is True at about two in three positions, and at least once in every row."""
        values = self._generator.random(shape) < 2 / 3
        kept = self._generator.integers(0, shape[-1], shape[:-1])
        np.put_along_axis(values, kept[..., np.newaxis], True, axis=-1)
        return torch.from_numpy(values)
