"""Training to convergence: the schedule, the guards against a run that is not finished, and a rate that lies inside its grid."""

import itertools
import math

import pytest
import torch
from torch import nn

from seqlab.convergence import DIVERGED, LOOKS, Training, is_learning, rate_at, train_at_best_rate, train_for

SETTINGS = {"rates": [0.5], "tuning_steps": 40, "tuning_seed": 9, "steps": 40, "most_steps": 160, "warm_up": 0.1}


def begin(variant: str, seed: int) -> Training:
    """Fit three numbers to noisy observations of a line."""
    torch.manual_seed(seed)
    x = torch.randn(64, 3)
    y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.1 * torch.randn(64)
    model = nn.Linear(3, 1)

    def loss(found: nn.Module, rows: slice) -> torch.Tensor:
        return ((found(x[rows])[:, 0] - y[rows]) ** 2).mean()

    train, held_out = slice(32), slice(32, 64)
    return Training(model, loss, itertools.repeat(train), lambda found: loss(found, held_out).item())


def flat(*values: float) -> list[float]:
    """A curve of `LOOKS` looks that stays at its last value."""
    return [*values, *[values[-1]] * (LOOKS - len(values))]


def test_the_rate_rises_to_its_peak_and_falls_to_zero():
    rates = [rate_at(step, 100, 0.2, 0.1) for step in range(1, 101)]
    assert max(rates) == rates[9] == pytest.approx(0.2)
    assert rates[0] == pytest.approx(0.02)
    assert rates[-1] == pytest.approx(0, abs=1e-12)
    assert rates == sorted(rates[:10]) + sorted(rates[10:], reverse=True)
    assert rate_at(1, 100, 0.2, 0.0) == pytest.approx(0.2, rel=1e-3)


def test_the_model_is_left_with_its_best_weights_in_evaluation_mode():
    training = begin("line", 0)
    curve = train_for(training, peak=0.1, steps=60)
    assert len(curve) == LOOKS
    assert not training.model.training
    assert training.held_out_loss(training.model) == pytest.approx(min(curve), abs=1e-4)
    assert min(curve) < 0.05 < curve[0]


def test_a_run_that_diverges_ends_with_the_loss_of_one_that_did():
    training = begin("line", 0)
    broken = Training(
        training.model, lambda m, b: training.loss_of(m, b) * math.nan, training.batches, training.held_out_loss
    )
    assert train_for(broken, peak=0.1, steps=40) == [DIVERGED] * LOOKS


def test_batches_that_run_out_are_refused():
    training = begin("line", 0)
    short = Training(training.model, training.loss_of, [slice(32)] * 5, training.held_out_loss)
    with pytest.raises(ValueError, match="endless"):
        train_for(short, peak=0.1, steps=40)


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        (flat(4.0, 3.0, 2.0, 1.5), False),
        ([4.0 - 0.1 * look for look in range(LOOKS)], True),  # still falling
        (flat(4.0), True),  # still on the first plateau
        (flat(4.0, 3.95, 3.9), True),
        ([2.0] * 10 + [0.010] * 6 + [0.008] * 4, False),  # a fifth of next to nothing
        ([2.0] * 3 + [1.0] * 13 + [1.2] * 4, False),  # overfitted since
        (flat(DIVERGED), False),
    ],
)
def test_a_run_is_still_learning_while_it_falls_or_rests_on_its_first_plateau(curve, expected):
    assert is_learning(curve) is expected


def test_the_best_rate_lies_between_two_others_that_were_tried():
    _, row = train_at_best_rate(begin, "line", 0, SETTINGS)
    tried = sorted(float(rate) for rate in row["tuning"])
    assert tried[0] < row["rate"] < tried[-1]
    assert row["tuning"][f"{row['rate']:.4g}"] == min(row["tuning"].values())


def test_a_run_that_is_still_learning_is_made_again_with_twice_the_steps_up_to_the_most():
    slow = {**SETTINGS, "rates": [1e-3, 2e-3, 4e-3], "steps": 20, "tuning_steps": 20}
    _, row = train_at_best_rate(begin, "line", 0, slow)
    assert row["steps"] in (20, 40, 80, 160)
    assert row["steps"] == 160 or not is_learning(row["curve"])
    assert row["held_out"] == min(row["curve"])
    _, capped = train_at_best_rate(begin, "line", 0, {**slow, "most_steps": 20})
    assert capped["steps"] == 20
    assert (row["steps"] > 20) == is_learning(capped["curve"])
