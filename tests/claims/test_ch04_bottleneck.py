"""The claims of this chapter. What is called least or most is over the three seeds."""

from seqlab.stored import load_table
from solutions.ch04_bottleneck.sweeps import bottleneck, bottleneck_sentences
from solutions.ch05_attention.sweeps import attention
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


def test_a_wider_encoding_moves_the_knee_after_either_number_of_steps():
    for after in ("", "_half"):
        assert FOUND[f"gain_16{after}_least"] > 1
        assert FOUND[f"gain_128{after}_least"] > 0.2


def test_but_far_less_than_in_proportion():
    assert 1.5 < FOUND["knee_128"] / FOUND["knee_4"] < 2.5
    assert FOUND["bits_4"] > 2 * FOUND["bits_16"] > 8 * FOUND["bits_128"]


def test_more_training_helps_at_every_size_and_widens_the_gaps():
    for size in (4, 16, 128):
        assert FOUND[f"fall_{size}_least"] > 5
    assert FOUND["fall_4"] < FOUND["fall_16"] < FOUND["fall_128"]
    assert 0 < FOUND["moved_4"] < FOUND["moved_16"] < FOUND["moved_128"]


def test_the_table_was_made_as_the_text_says():
    assert [bottleneck.SETTINGS[name] for name in ("tests", "steps", "longest")] == [200, 10_000, 15]


def test_best_learning_rates_lie_inside_the_grid():
    for row in load_table("bottleneck"):
        rates = [float(rate) for rate in row["grid"]]
        assert min(rates) < row["rate"] < max(rates)


def test_attention_writes_rows_that_one_vector_loses():
    assert FOUND["attention_15_least"] > 80
    assert FOUND["wide_15_most"] < FOUND["attention_15_least"] - 30
    assert FOUND["attention_half"] > 80


def test_a_narrower_encoding_loses_longer_sentences():
    assert FOUND["sentence_4_most"] < 20
    assert FOUND["sentence_4_most"] + 40 < FOUND["sentence_16_least"]
    assert FOUND["sentence_16_most"] + 10 < FOUND["sentence_128_least"]
    assert FOUND["sentence_short_128"] - FOUND["sentence_short_16"] < 8
    assert FOUND["sentence_long_128"] > 2 * FOUND["sentence_long_16"]


def test_four_components_that_hold_seven_digits_do_not_hold_three_words():
    assert FOUND["knee_4"] > 7
    assert FOUND["sentence_short_4"] < 10
    assert {row["pairs"]["3"] for row in load_table("bottleneck_sentences")} == {51}


def test_every_encoding_is_trained_on_sentences_equally_long():
    assert {row["steps"] for row in load_table("bottleneck_sentences")} == {24_000}


def test_about_half_of_the_first_translators_errors_at_seven_words_are_not_the_bottleneck():
    lost = 100 - FOUND["exact_seven"]
    assert 0.4 < (FOUND["sentence_long_128"] - FOUND["exact_seven"]) / lost < 0.6
    assert bottleneck_sentences.SETTINGS["steps"] == 6 * attention.SETTINGS["steps"]
    assert bottleneck_sentences.SETTINGS["train"] == 2 * 20_000


# The random memory


def test_random_memory_holds_almost_in_proportion_to_its_size_and_as_the_formula_says():
    assert 1.4 < FOUND["held_growth_least"] <= FOUND["held_growth_most"] < 2
    assert abs(FOUND["held_128"] - FOUND["expected_128"]) < 0.5
    assert FOUND["formula_gap"] < 8


def test_training_packs_more_than_one_digit_into_each_of_few_components_and_not_of_many():
    assert FOUND["knee_4"] > 4
    assert FOUND["held_16"] < FOUND["knee_16"] < 16
    assert FOUND["held_128"] < FOUND["knee_128"] < 2 * FOUND["held_128"]


# What the encoding holds


def test_training_turns_round_what_the_last_state_holds():
    assert FOUND["before_last"] > 0.9
    assert FOUND["before_first"] < FOUND["majority"] + 0.1
    assert FOUND["last_over_first_least"] < 0
    assert FOUND["right_first"] > FOUND["right_last"] > FOUND["right_middle"] + 0.1


def test_the_decoder_reads_more_than_the_probe():
    assert FOUND["state_first"] > 0.9
    assert FOUND["state_middle"] < 0.4
    assert FOUND["decoded_middle"] > FOUND["state_middle"] + 0.2
    assert FOUND["decoded_over_probe_least"] > 0


def test_training_adds_the_middle_to_the_first_state_and_takes_from_the_end():
    assert FOUND["state_before_first"] > 0.85
    assert FOUND["state_middle"] > FOUND["state_before_middle"] + 0.05
    assert FOUND["state_last"] < FOUND["state_before_last"] - 0.3


def test_with_four_components_the_probe_finds_two_digits():
    assert FOUND["exact_10_4"] < 3
    assert FOUND["probe_last_attention"] > FOUND["probe_middle_attention"] + 0.1
    assert FOUND["probe_first_4"] > 0.9
    assert FOUND["probe_middle_4"] < 0.13
    assert FOUND["probe_middle_attention"] < 0.13
    assert FOUND["probe_middle_128"] > 0.25


def test_shuffled_labels_expose_the_probe_that_is_tested_on_copies_of_what_it_has_seen():
    assert FOUND["theirs"] > 0.7
    assert FOUND["theirs_shuffled"] > 0.4
    assert FOUND["yours_shuffled"] < FOUND["majority"] + 0.05


def test_a_digits_own_state_has_it_everywhere():
    assert FOUND["own_least"] > 0.7
    assert FOUND["own_over_state_least"] > 0.2


# A language model's state


def test_what_the_slides_name_can_be_read_from_a_language_models_state():
    for name in ("before", "after_1", "after_5", "end", "passive"):
        spread = 1.96 * (0.25 / FOUND[f"lm_{name}_tested"]) ** 0.5
        assert FOUND[f"lm_{name}"] > 0.5 + spread


def test_but_only_before_the_pronoun_is_the_trained_one_ahead_and_not_of_counting():
    for name in ("after_1", "after_5", "end"):
        assert FOUND[f"lm_{name}"] < FOUND[f"lm_{name}_untrained_least"]
    assert abs(FOUND["lm_passive"] - FOUND["lm_passive_untrained"]) < 0.03
    assert FOUND["lm_before_untrained_most"] + 0.06 < FOUND["lm_before"] < FOUND["lm_before_counting"]


# The gradient


def test_gradient_fades_with_distance_before_training():
    assert FOUND["slope_one_way_most"] < -0.1
    assert FOUND["slope_before_most"] < -0.1
    assert FOUND["fit_one_way"] > 0.95
    assert FOUND["fit_before"] > 0.95
    assert FOUND["lost_24"] > 3


def test_both_readers_fade_alike_and_training_ends_it():
    assert FOUND["gate_before"] + 0.2 < FOUND["gate_after"] < 1
    assert abs(FOUND["slope_one_way"] - FOUND["slope_before"]) < 0.05
    assert FOUND["slope_after_least"] > -0.05


# One after the other


def test_steps_grow_with_the_words_of_a_recurrence_and_not_of_a_product():
    for words in (1, 4, 16, 64):
        assert FOUND[f"steps_recurrent_{words}"] == words
        assert FOUND[f"steps_product_{words}"] == 1


def test_a_product_is_far_faster_for_each_word():
    assert FOUND["time_ratio_long_least"] > 3
