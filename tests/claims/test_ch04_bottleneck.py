"""The claims of this chapter. What is called least or most is over the three seeds."""

from tests.claims import numbers

FOUND = numbers("ch04_bottleneck")

# One vector


def test_a_thousand_words_would_fit_on_paper():
    assert FOUND["kilobits_needed"] < FOUND["kilobits_there"]


def test_sixteen_components_carry_short_sentences_and_not_long_ones():
    assert FOUND["exact_4"] > 70
    assert FOUND["exact_7"] < 40
    assert FOUND["exact_12"] < 10


# The stored sweep: in every one of its seeds


def test_trainings_were_flat_when_they_were_stopped():
    assert FOUND["still_falling"] < 5


def test_a_wider_encoding_moves_the_knee():
    assert FOUND["gain_64_least"] > 10
    assert FOUND["knee_gain_64_least"] > 1


def test_attention_needs_no_wide_encoding():
    assert FOUND["attention_gain_least"] > 20


# The random memory


def test_random_memory_holds_words_in_proportion_to_its_size():
    assert 1.7 < FOUND["held_growth_least"] <= FOUND["held_growth_most"] < 2.4
    assert FOUND["formula_128"] / 2 < FOUND["held_128"] < 2 * FOUND["formula_128"]


def test_ten_components_for_each_word():
    for size in (64, 128, 256, 512):
        assert 7 < size / FOUND[f"held_{size}"] < 14


# What the encoding holds


def test_shuffled_labels_expose_the_probe_that_is_tested_on_copies_of_what_it_has_seen():
    assert FOUND["theirs"] > 0.7
    assert FOUND["theirs_shuffled"] > 0.4
    assert FOUND["yours_shuffled"] < FOUND["majority"] + 0.05


def test_a_words_own_state_has_it_everywhere():
    assert FOUND["own_least"] > 0.7
    assert FOUND["own_over_state_least"] > 0.2


# The gradient


def test_gradient_fades_with_distance_before_training():
    assert FOUND["slope_one_way_most"] < -0.1
    assert FOUND["slope_before_most"] < -0.1
    assert FOUND["fit_one_way"] > 0.9
    assert FOUND["fit_before"] > 0.9
    assert FOUND["lost_12"] > 1.5


def test_both_readers_fade_alike():
    assert abs(FOUND["slope_one_way"] - FOUND["slope_before"]) < 0.05


# One after the other


def test_steps_grow_with_the_words_of_a_recurrence_and_not_of_a_product():
    for words in (1, 4, 16, 64):
        assert FOUND[f"steps_recurrent_{words}"] == words
        assert FOUND[f"steps_product_{words}"] == 1


def test_a_product_is_far_faster_for_each_word():
    assert FOUND["time_ratio_long_least"] > 3
