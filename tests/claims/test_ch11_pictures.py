"""The claims of this chapter. Those on the stored table are to be written with the text that waits for it."""

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch11_pictures")


# The data


def test_nothing_held_out_is_in_training():
    assert FOUND["leaked_pairs"] == FOUND["leaked_images"] == 0


def test_three_digits_can_be_described_in_more_ways_than_there_are_references():
    assert FOUND["forms"] > 5


# Convolution


def test_a_shifted_picture_gives_a_shifted_map():
    assert FOUND["shift_gap"] == 0


def test_sharing_saves_nearly_all_weights():
    assert FOUND["shared_weights"] * 10_000 < FOUND["dense_weights"] * 1e6


def test_patches_through_a_linear_layer_are_a_convolution():
    assert FOUND["patch_gap"] < 1e-5


def test_the_colleagues_memory_does_not_move_with_the_picture():
    assert FOUND["clinic_yours"] < 0.05
    assert FOUND["clinic_theirs"] > 0.3


def test_without_positions_the_halves_may_change_places():
    assert FOUND["halves_without"] < 1e-5
    assert FOUND["halves_with"] > 1e-3


# The trained model


def test_training_takes_a_minute_and_a_half_at_most():
    assert FOUND["training_seconds"] < 95


def test_most_captions_of_one_digit_are_correct_and_fewer_of_three():
    assert FOUND["exact_1"] > 60
    assert FOUND["exact_3"] > 15
    assert FOUND["exact_1"] > FOUND["exact_2"] > FOUND["exact_3"]


def test_it_looks_at_what_it_names_or_beside_it():
    assert FOUND["point_untrained"] < FOUND["point_model"]
    assert FOUND["point_other_scene"] < FOUND["point_model"]
    assert FOUND["point_brightest_cell"] < FOUND["point_rule_with_colour"]
    assert FOUND["near_model"] > 85
    assert FOUND["near_other_scene"] < 50


def test_weight_is_where_the_boxes_are():
    assert FOUND["weight_box"] > 1.5 * FOUND["area_box"]
    assert FOUND["weight_near"] > 2 * FOUND["area_near"]


def test_swapping_left_and_right_costs_little_bleu_and_many_captions():
    assert 0 < FOUND["bleu_fall"] < 10
    assert FOUND["correct_fall"] > 2 * FOUND["bleu_fall"]


def test_of_unseen_pairs_the_colour_is_kept_and_the_digit_is_not():
    assert FOUND["new_pair"] < FOUND["old_pair"] / 3
    assert FOUND["new_colour"] > 80
    assert FOUND["new_digit"] < FOUND["old_digit"] / 2


# The stored sweep: in every one of its seeds


def test_runs_were_made_at_the_rate_that_was_best_in_tuning():
    for row in load_table("pictures"):
        assert row["tuning"][str(row["rate"])] == min(row["tuning"].values())


def test_one_vector_falls_further_than_a_grid():
    assert FOUND["pooled_3_most"] < FOUND["grid_3_least"]
