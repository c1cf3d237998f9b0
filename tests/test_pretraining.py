"""A wrapped encoder hands on the places that it is told, and the learning rates rise and fall as they say."""

import pytest
import torch

from seqlab.encoder import Encoder
from seqlab.pretraining import AtPlaces, places_of, warm_up, warm_up_then_decay


@pytest.mark.parametrize("seed", range(3))
def test_states_at_places_are_those_of_the_encoder_there(seed):
    torch.manual_seed(seed)
    encoder = Encoder(8, 2, 12, 1, dropout=0.0)
    states, mask = torch.randn(3, 5, 8), torch.arange(5) < torch.tensor([[5], [2], [4]])
    wrapped, everything = AtPlaces(encoder), encoder(states, mask)
    assert torch.equal(wrapped(states, mask), everything)
    wrapped.places = torch.tensor([[0, 3], [0, 1], [0, 0]])
    picked = torch.stack([everything[row, places] for row, places in enumerate(wrapped.places)])
    assert torch.equal(wrapped(states, mask), picked)


def test_places_are_the_first_and_the_chosen_ones_of_each_row():
    labels = torch.full((3, 6), -100)
    labels[0, 2], labels[0, 5], labels[2, 4] = 7, 8, 9
    places = places_of(labels)
    assert places.shape == (3, 3)
    assert places[:, 0].tolist() == [0, 0, 0]
    for row, found in zip(labels, places[:, 1:], strict=True):
        asked = {i for i, label in enumerate(row.tolist()) if label != -100}
        assert asked <= set(found.tolist())
        assert len(set(found.tolist())) == 2


def test_nothing_asked_leaves_the_first_place():
    assert places_of(torch.full((2, 4), -100)).tolist() == [[0], [0]]


def test_rates_rise_and_then_stay_or_fall():
    stays, falls = warm_up(0.2, 10), warm_up_then_decay(0.2, 10, 110)
    for rate in (stays, falls):
        assert [rate(step) for step in (1, 5, 10)] == pytest.approx([0.02, 0.1, 0.2])
    assert [stays(step) for step in (11, 1000)] == pytest.approx([0.2, 0.2])
    assert falls(60) == pytest.approx(0.2 * 51 / 101)
    assert falls(110) == pytest.approx(0.2 / 101)
    assert falls(111) == 0
