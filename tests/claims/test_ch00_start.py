"""The claims of this chapter."""

import math

from tests.claims import numbers

FOUND = numbers("ch00_start")


def test_all_one_hot_vectors_are_as_far_from_each_other():
    assert abs(FOUND["nearest"] - 2**0.5) < 1e-5
    assert abs(FOUND["farthest"] - 2**0.5) < 1e-5


def test_product_with_a_one_hot_vector_picks_a_row():
    assert FOUND["lookup_gap"] < 1e-6


def test_loss_of_every_prediction_against_every_truth_stops_at_the_variance():
    assert abs(FOUND["loss_theirs"] / FOUND["spread_of_y"] - 1) < 0.05
    assert FOUND["loss_yours"] < FOUND["loss_theirs"] / 10
    assert abs(FOUND["slope_theirs"]) < 0.1
    assert abs(FOUND["slope_yours"] - 2) < 0.3


def test_loss_of_the_truth_finds_the_bug():
    assert FOUND["perfect_yours"] < 1e-9
    assert FOUND["perfect_theirs"] > FOUND["spread_of_y"]


def test_mean_depends_on_the_company_without_a_mask_and_not_with_it():
    assert abs(FOUND["mean_plain"] - 0.1) < 1e-5
    assert FOUND["masked_most"] - FOUND["masked_least"] < 1e-5
    assert abs(FOUND["masked_least"] - 1) < 1e-5


def test_adam_gets_through_the_valley_and_plain_steps_do_not():
    assert FOUND["left_adam"] < FOUND["left_sgd"] / 5
    assert FOUND["left_momentum"] < FOUND["left_sgd"] / 5


def test_momentum_ends_closer_than_adam_in_the_valley():
    assert FOUND["left_momentum"] < FOUND["left_adam"]


def test_adam_does_not_mind_a_steeper_loss():
    assert FOUND["adam_rescaled"] < 1e-3
    assert FOUND["sgd_orders_away"] > 3


def test_dropout_keeps_the_mean_and_adds_noise():
    assert abs(FOUND["mean_least"] - 1) < 0.05
    assert abs(FOUND["mean_most"] - 1) < 0.05
    assert abs(FOUND["unscaled_half"] - 0.5) < 0.02
    assert FOUND["spread_half"] > 0.05


def test_variance_is_multiplied_from_layer_to_layer():
    for name, factor in (("he", 1), ("glorot", 1 / 2), ("linear", 1 / 6)):
        assert factor * 0.8 < FOUND[f"factor_{name}_least"] <= FOUND[f"factor_{name}_most"] < factor * 1.25
    assert 6.5 < FOUND["orders_lost"] < 8.5


def test_only_differences_between_logits_count():
    assert abs(FOUND["sum_of_shares"] - 1) < 1e-6
    assert abs(FOUND["pie_to_cake"] - math.e) < 1e-5
    assert FOUND["shift_gap"] < 1e-6


def test_large_logits_overflow_unless_the_maximum_is_subtracted():
    assert FOUND["overflown"] == 3


def test_cross_entropy_by_hand_is_that_of_torch():
    assert FOUND["ce_gap"] < 1e-6
    assert abs(FOUND["ce_by_hand"] + math.log(math.e**2 / (math.e**2 + math.e + math.exp(-1)))) < 1e-5


def test_probabilities_given_as_logits_never_reach_a_low_loss():
    assert abs(FOUND["ce_twice"] - math.log(1 + 2 / math.e)) < 1e-5


def test_a_sure_and_wrong_model_pays_about_the_difference_of_its_logits():
    assert abs(FOUND["sure_and_wrong"] - 10) < 0.01
    assert FOUND["sure_and_right"] < 0.001
    assert abs(FOUND["no_idea"] - math.log(3)) < 1e-6


def test_gradient_of_the_loss_is_softmax_less_one_hot():
    assert FOUND["gradient_gap"] < 1e-6
    assert FOUND["gradient_sum"] < 1e-6
