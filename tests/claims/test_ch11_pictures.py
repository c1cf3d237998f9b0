"""The claims of this chapter."""

from math import log
from statistics import mean

import pytest

from seqlab.stored import load_table
from solutions.ch11_pictures.sweeps import pictures, pictures_hard
from tests.claims import numbers

FOUND = numbers("ch11_pictures")
LEVELS = {"spread": (2, 4), "clutter": (2, 4), "ground": (60, 120), "noise": (20, 40)}
"""The two levels of each way in which the chapter makes its scenes harder."""


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


def test_training_takes_less_than_the_four_minutes_that_a_chapter_may():
    assert FOUND["training_seconds"] < 240


def test_most_captions_of_one_digit_are_correct_and_fewer_of_three():
    assert FOUND["exact_1"] > FOUND["exact_2"] > FOUND["exact_3"] > 0


def test_the_choice_of_a_caption_costs_the_logarithm_of_the_number_of_captions():
    assert abs(FOUND["choice"] - log(FOUND["forms"])) < 1e-9


def test_a_black_picture_is_described_all_the_same():
    assert FOUND["blank_words"] >= 4


def test_it_looks_at_what_it_names_or_beside_it():
    assert FOUND["point_untrained"] < FOUND["point_model"]
    assert FOUND["point_other_scene"] < FOUND["point_model"]
    assert FOUND["point_brightest_cell"] < FOUND["point_rule_with_colour"]
    assert FOUND["near_model"] > 85
    assert FOUND["near_other_scene"] < 50


def test_the_colour_nearly_always_gives_the_place_away():
    assert FOUND["point_rule_with_colour"] > 80


def test_weight_is_where_the_boxes_are():
    assert FOUND["weight_box"] > 1.5 * FOUND["area_box"]
    assert FOUND["weight_near"] > 2 * FOUND["area_near"]


def test_swapping_left_and_right_costs_little_bleu_and_many_captions():
    assert 0 < FOUND["bleu_fall"] < 10
    assert FOUND["correct_fall"] > 2 * FOUND["bleu_fall"]


def test_of_unseen_pairs_the_colour_is_named_more_often_than_the_digit():
    assert FOUND["new_pair"] < FOUND["old_pair"] / 2
    assert FOUND["new_digit"] < FOUND["old_digit"] / 2
    assert FOUND["new_colour"] > 1.5 * FOUND["new_digit"]


# The stored sweeps: in every one of their seeds

ROWS = load_table("pictures")
BY_VARIANT = {name: [row for row in ROWS if row["variant"] == name] for name in {row["variant"] for row in ROWS}}


def exact(variant, number):
    return [row["exact_of"][str(number)] for row in BY_VARIANT[variant]]


def test_there_are_three_seeds_of_each_model_and_all_made_as_many_steps():
    assert len(BY_VARIANT) == 6
    assert all(len(rows) == 3 for rows in BY_VARIANT.values())
    assert {row["steps"] for row in ROWS} == {2400}


def test_runs_were_made_at_the_rate_that_was_best_in_a_trial_of_a_third_of_their_length():
    assert 3 * pictures.SETTINGS["tuning_steps"] == pictures.SETTINGS["steps"]
    for row in ROWS:
        assert len(row["tuning"]) == 3
        assert row["tuning"][str(row["rate"])] == min(row["tuning"].values())


def test_the_two_models_that_are_compared_differ_in_the_memory_alone():
    for one, other in zip(BY_VARIANT["grid"], BY_VARIANT["pooled"], strict=True):
        for same in ("seed", "rate", "steps", "parameters"):
            assert one[same] == other[same]


def test_one_vector_is_worse_than_a_grid_for_any_number_of_digits():
    for number in (1, 2, 3):
        assert max(exact("pooled", number)) < min(exact("grid", number))


def test_one_vector_loses_a_larger_share_the_more_there_is_to_say():
    shares = [mean(exact("pooled", number)) / mean(exact("grid", number)) for number in (1, 2, 3)]
    assert shares[0] > shares[1] > shares[2]


def test_the_grid_falls_by_more_than_independent_mistakes_would():
    for row in BY_VARIANT["grid"]:
        assert row["exact_of"]["3"] < 0.8 * 100 * (row["exact_of"]["1"] / 100) ** 3


def test_the_program_beats_every_model_with_two_digits_and_with_three_and_ties_with_one():
    best = {number: max(max(exact(variant, number)) for variant in BY_VARIANT) for number in (1, 2, 3)}
    assert abs(FOUND["rules_1"] - best[1]) < FOUND["margin_95"]
    assert FOUND["rules_2"] > best[2] + FOUND["margin_95"]
    assert FOUND["rules_3"] > 1.5 * best[3]
    assert FOUND["rules_four_4"] > 2 * max(row["exact_of"]["4"] for row in load_table("pictures_four"))
    assert all(FOUND[f"rules_{number}"] > FOUND[f"exact_{number}"] for number in (1, 2, 3))


def test_to_the_program_an_unseen_pair_is_nothing_new():
    assert abs(FOUND["rules_new_pair"] - FOUND["rules_old_pair"]) < 3
    assert FOUND["rules_new_pair"] > FOUND["pair_most"] + 50


def test_the_program_falls_when_the_scenes_are_made_differently():
    for kind, levels in LEVELS.items():
        weaker, stronger = (FOUND[f"hard_{kind}_{level}"] for level in levels)
        assert FOUND["hard_as_they_were"] > weaker > stronger
        if kind in ("ground", "noise"):
            assert weaker > 85
            assert 40 < stronger < 65
    assert FOUND["hard_clutter_4"] < 40


def test_on_harder_scenes_the_model_overtakes_the_program_with_every_seed():
    assert FOUND["hard_as_they_were"] > FOUND["model_as_they_were_most"]
    assert FOUND["model_harder_least"] > FOUND["hard_harder"] + 15
    assert abs(FOUND["rewritten"] - FOUND["model_harder_most"]) < 3
    _, second, _ = sorted(row["exact"] for row in load_table("pictures_hard") if row["variant"] == "harder")
    assert FOUND["rewritten"] > second + 5
    weaker = {kind: levels[0] for kind, levels in LEVELS.items()}
    assert pictures_hard.SETTINGS["harder"] == weaker


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_more_steps_and_a_lower_rate_help_the_model_on_the_scenes_as_they_were(number):
    short, long = (
        [row["exact_of"][number] for row in load_table(table) if row["variant"] == variant]
        for table, variant in (("pictures", "grid"), ("pictures_hard", "as they were"))
    )
    assert sum(long) > sum(short)


def test_the_other_one_vector_models_hardly_learn():
    assert max(exact("once", 1)) < 15
    assert max(exact("dense", 1)) < 15
    worst = max(row["held_out"] for row in BY_VARIANT["pooled"])
    assert min(row["held_out"] for row in BY_VARIANT["once"] + BY_VARIANT["dense"]) > worst


def test_rates_at_the_edge_of_the_grid_were_no_better_beyond_it():
    beyond = {row["variant"]: row for row in load_table("pictures_rates")}
    for variant, rows in BY_VARIANT.items():
        tuning = {float(rate): loss for rate, loss in rows[0]["tuning"].items()}
        best = min(tuning, key=tuning.get)
        if best not in (min(tuning), max(tuning)):
            assert variant not in beyond
            continue
        assert (beyond[variant]["rate"] > best) == (best == max(tuning))
        assert beyond[variant]["held_out"] > tuning[best]
        assert beyond[variant]["steps"] == 800
    assert {"dense", "patches"} <= {name for name, row in beyond.items() if row["rate"] < 2e-3}


def test_patches_do_worse_than_the_grid_and_are_not_overfitted():
    for number in (1, 2, 3):
        assert max(exact("patches", number)) < min(exact("grid", number))
    for row in BY_VARIANT["patches"]:
        assert row["held_out"] < 1.1 * row["loss"]


def test_the_model_with_the_smaller_window_has_half_the_rate():
    assert {row["rate"] for row in BY_VARIANT["grid"]} == {2 * row["rate"] for row in BY_VARIANT["narrow"]}


def test_a_smaller_window_brings_the_looks_into_the_box_in_the_stored_runs_and_the_page_s_own_run_overlaps():
    found = {name: [row["pointing"] for row in BY_VARIANT[name]] for name in ("grid", "narrow", "patches")}
    assert min(found["narrow"]) > max(found["grid"])
    assert FOUND["point_model"] > min(found["narrow"])
    assert all(row["pointing_near"] > 90 for name in ("grid", "narrow") for row in BY_VARIANT[name])
    assert all(row["pointing_other_near"] < 50 for name in found for row in BY_VARIANT[name])


def test_patches_look_into_the_box_in_two_seeds_of_three():
    found = sorted(row["pointing"] for row in BY_VARIANT["patches"])
    assert found[0] < 50
    assert found[1] > 90
    assert max(row["exact"] for row in BY_VARIANT["patches"]) < min(row["exact"] for row in BY_VARIANT["grid"]) / 2


def test_bleu_hardly_moves_where_correct_captions_fall():
    for row in BY_VARIANT["grid"]:
        assert row["exact"] - row["exact_swapped"] > 3 * (row["bleu"] - row["bleu_swapped"])


def test_an_unseen_pair_loses_its_digit_and_less_so_in_french():
    french = load_table("pictures_french")
    assert len(french) == 3
    parts = {
        part: ([row["new"][part] for row in BY_VARIANT["grid"]], [row["new"][part] for row in french])
        for part in ("colour", "digit")
    }
    assert max(parts["colour"][1]) < min(parts["colour"][0])
    assert min(parts["digit"][1]) > max(parts["digit"][0])
    for row in [*BY_VARIANT["grid"], *french]:
        assert row["new"]["colour"] > row["new"]["digit"]
        assert row["new"]["pair"] < row["old"]["pair"] / 2


def test_french_runs_took_the_rate_of_the_english_ones():
    assert {row["rate"] for row in load_table("pictures_french")} == {row["rate"] for row in BY_VARIANT["grid"]}


def test_twice_as_many_steps_do_not_bring_one_vector_to_the_grid():
    (long,) = load_table("pictures_long")
    assert long["steps"] == 2 * 2400
    assert long["rate"] == BY_VARIANT["pooled"][0]["rate"]
    for number in (1, 2, 3):
        assert long["exact_of"][str(number)] < min(exact("grid", number))


def test_without_positions_left_and_right_stay_at_chance_throughout_training():
    rows = load_table("pictures_places")
    assert [(row["variant"], row["seed"]) for row in rows] == [(v, s) for v in ("with", "without") for s in (0, 1, 2)]
    for row in rows:
        coin = 50 / (row["asked"] / 2) ** 0.5  # the standard error of one share, in percentage points
        if row["variant"] == "without":
            assert all(abs(share - 50) < 3 * coin for share in row["curve"])
        else:
            assert row["curve"][-1] > 80
            assert all(abs(share - 50) < 3 * coin for share in row["curve"][:3])
    assert FOUND["side_with_least"] > 80
    assert 45 < FOUND["side_without_ever_least"] < FOUND["side_without_ever_most"] < 55


def test_scenes_of_four_digits_are_described_worst():
    rows = load_table("pictures_four")
    assert len(rows) == 3
    assert {row["rate"] for row in rows} == {row["rate"] for row in BY_VARIANT["grid"]}
    for row in rows:
        one, two, three, four = row["exact_of"].values()
        assert one > two > three > four > 0


def test_rows_of_digits_are_read_and_rules_read_better():
    rows = load_table("pictures_numbers")
    assert len(rows) == 3
    for row in rows:
        assert min(row["seen"], row["unseen"]) > 30
        assert max(row["seen_frequent"], row["unseen_frequent"]) < 1
        assert max(row["seen"], row["unseen"]) < FOUND["nearest_three"]
