"""The claims of this chapter. What is called least or most is over the three seeds."""

from tests.claims import numbers

FOUND = numbers("ch04_bottleneck")

# One vector


def test_a_thousand_words_would_fit_on_paper():
    assert FOUND["kilobits_needed"] < FOUND["kilobits_there"]


def test_nothing_beyond_ten_words_is_exactly_right():
    assert FOUND["exact_short"] > 40
    assert FOUND["exact_next"] < FOUND["exact_short"] / 3
    assert FOUND["exact_rest_most"] < 2


# The stored sweep: in every one of its seeds


def test_quality_falls_with_length_at_a_fixed_size():
    assert FOUND["kept_most_128"] < 40
    assert FOUND["kept_most_256"] < 40


def test_a_larger_state_moves_the_knee():
    for size in (64, 128):
        assert FOUND[f"gap_{size}"] > 0
        assert FOUND[f"knee_gain_{size}"] > 3


def test_twice_the_numbers_bought_about_twice_the_words():
    assert 1.5 < FOUND["knee_256"] / FOUND["knee_128"] < 2.5
    for size in (128, 256):
        assert 0.5 < FOUND[f"knee_{size}"] / FOUND[f"held_{size}"] < 1


# Capacity


def test_random_memory_holds_words_in_proportion_to_its_size():
    assert 1.7 < FOUND["held_growth_least"] <= FOUND["held_growth_most"] < 2.4
    assert FOUND["formula_128"] / 2 < FOUND["held_128"] < 2 * FOUND["formula_128"]


def test_ten_numbers_for_each_word():
    for size in (64, 128, 256, 512):
        assert 7 < size / FOUND[f"held_{size}"] < 14


# What the last state knows


def test_last_positions_beat_the_middle_and_the_baseline():
    assert FOUND["last_over_middle_least"] > 0.08
    assert FOUND["last_over_majority_least"] > 0.15


def test_decoders_vector_knows_the_beginning_and_not_the_middle():
    assert FOUND["first_over_middle_least"] > 0.15
    assert FOUND["middle_over_majority_most"] < 0.06


def test_the_other_reader_is_the_mirror_image():
    assert FOUND["leftwards_first"] > FOUND["leftwards_last"] + 0.2


def test_shuffled_labels_expose_the_probe_that_is_tested_on_copies_of_what_it_has_seen():
    assert FOUND["theirs"] > 0.7
    assert FOUND["theirs_shuffled"] > 0.6
    assert FOUND["yours_shuffled"] < FOUND["majority"] + 0.05


def test_a_words_own_state_has_it_everywhere():
    assert FOUND["own_least"] > 0.7
    assert FOUND["own_over_vector_least"] > 0.2


# The gradient


def test_gradient_fades_with_distance_before_training():
    assert FOUND["slope_one_way_most"] < -0.1
    assert FOUND["slope_before_most"] < -0.1
    assert FOUND["fit_one_way"] > 0.95
    assert FOUND["fit_before"] > 0.95
    assert FOUND["lost_24"] > 3


def test_both_readers_fade_alike_and_training_ends_it():
    assert abs(FOUND["slope_one_way"] - FOUND["slope_before"]) < 0.05
    assert FOUND["slope_after_least"] > -0.05


# One after the other


def test_steps_grow_with_the_words_of_a_recurrence_and_not_of_a_product():
    for words in (1, 4, 16, 64):
        assert FOUND[f"steps_recurrent_{words}"] == words
        assert FOUND[f"steps_product_{words}"] == 1


def test_a_product_is_far_faster_for_each_word():
    assert FOUND["time_ratio_long_least"] > 3
