"""The claims of this chapter."""

import pytest

from tests.claims import numbers

FOUND = numbers("ch08_self_attention")

# Without order, without the future


def test_a_row_with_nothing_to_attend_to_is_nan_in_torchs_module_and_zeros_in_ours():
    assert FOUND["torch_nan"] == 1
    assert FOUND["ours_empty"] == 0


def test_self_attention_without_positions_does_not_use_the_order_and_a_gru_does():
    assert FOUND["gap_attention"] < 1e-5
    assert FOUND["gap_gru"] > 0.3
    assert FOUND["gap_positions"] > 0.05
    assert FOUND["gap_positions"] > 1000 * FOUND["gap_attention"]
    assert FOUND["gap_positions"] < FOUND["gap_gru"]


def test_no_future_vector_changes_an_earlier_output_to_the_last_bit():
    assert FOUND["future_gap"] == 0
    assert FOUND["past_least"] > 0.01


# The parts


def test_heads_cost_as_much_together_as_one_large_one():
    assert FOUND["heads_cost_ratio"] == 1
    assert FOUND["multiplications"] == 2 * 100 * 100 * 64


@pytest.mark.parametrize("part", ["heads", "layer"])
def test_outputs_and_gradients_equal_torchs_given_the_same_weights(part):
    assert FOUND[f"{part}_value_gap"] < 1e-5
    assert FOUND[f"{part}_gradient_gap"] < 1e-5


def test_layer_norm_equals_torchs_given_the_same_weights():
    assert FOUND["norm_gap"] < 1e-5


def test_two_thirds_of_an_encoder_layer_are_feed_forward():
    assert 60 < FOUND["share_feed_forward"] < 70


def test_sums_keep_the_gradient_alive_and_the_norm_decides_how_large_it_is():
    assert FOUND["norms_ratio_least"] > 1.5
    assert FOUND["norms_ratio"] > 2
    assert FOUND["first_orders_lost_least"] > 2
    assert FOUND["first_kept_least"] > 0.1


def test_a_shift_of_positions_is_a_matrix_and_only_the_distance_counts():
    assert FOUND["shift_gap"] < 1e-4
    assert FOUND["back_gap"] < 1e-5
    assert FOUND["back_least"] > 0.9
    assert FOUND["distance_spread"] < 1e-3
    assert FOUND["peak_share"] == 1
    assert 100 * FOUND["back_least"] == pytest.approx(FOUND["back_percent"])


# The clinic


def test_the_clinics_layer_draws_the_right_maps_and_hears_the_order_with_many_heads():
    assert FOUND["clinic_maps"] == 0
    assert FOUND["clinic_yours"] < 1e-5
    assert FOUND["clinic_one"] < 1e-5
    assert FOUND["clinic_many_least"] > FOUND["gap_gru"]


def test_the_causal_mask_exposes_the_clinics_layer():
    assert FOUND["clinic_future_yours"] == 0
    assert FOUND["clinic_future_theirs"] > 0.1
