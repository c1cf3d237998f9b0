"""What probes draw is the same on every processor, because the answers that are recorded on one have to hold on all."""

import math

import torch

from autograder.asking.draw import Draw


def test_hidden_states_are_the_nearest_numbers_to_the_tanh():
    """In single precision the tanh is off by its last digit somewhere, and where depends on the processor."""
    drawn = Draw(0).normal(4000, scale=2.0, dtype=torch.float64)
    nearest = torch.tensor([math.tanh(number) for number in drawn.tolist()], dtype=torch.float64).float()
    assert torch.equal(Draw(0).state(4000, scale=2.0), nearest)
    assert not torch.equal(drawn.float().tanh(), nearest)
