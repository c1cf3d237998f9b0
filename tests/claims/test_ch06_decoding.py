"""The claims of this chapter."""

from tests.claims import numbers

FOUND = numbers("ch06_decoding")

# Searching


def test_greedy_search_misses_the_best_sentence_of_the_model_by_hand():
    assert FOUND["best_chance"] > 1.5 * FOUND["greedy_chance"]


def test_products_of_probabilities_underflow_in_some_tens_of_words_and_sums_of_logarithms_do_not():
    assert 10 <= FOUND["underflow_least"]
    assert FOUND["underflow_most"] < 100
    assert FOUND["never_gone"] == 0
    assert FOUND["largest_log_sum"] < 2000


def test_full_width_finds_the_exhaustive_optimum_and_greedy_misses_it():
    assert FOUND["missed_400"] == 0
    assert FOUND["full_width_gap"] < 1e-4
    assert FOUND["missed_1"] > 10
    assert FOUND["missed_1"] > FOUND["missed_2"] > FOUND["missed_4"]


def test_beam_gains_in_log_probability_in_the_mean():
    assert FOUND["mean_gain"] > 0.05
    assert FOUND["sweep_gain_least"] > 0.05
    assert FOUND["better"] > 50
    assert FOUND["better"] > 5 * FOUND["worse"]


def test_model_leaves_something_to_gain():
    assert 55 < FOUND["greedy_bleu"] < 80


# Length


def test_wide_beams_without_normalisation_shorten():
    assert FOUND["shorter_least"] > 0.1
    assert FOUND["kept_most"] < 0.1
    assert FOUND["words_32"] < FOUND["reference_words"]


def test_from_four_places_on_the_sums_grow_and_bleu_does_not():
    assert FOUND["wide_rise_least"] > 0.01
    assert 0.1 < FOUND["wide_fall"] < 1


def test_normalisation_gains_where_beams_are_wide():
    assert FOUND["normal_gain_least"] > 0.2


# Errors


def test_search_errors_fall_with_the_width_and_model_errors_take_their_place():
    assert FOUND["search_fall_least"] > 15
    assert FOUND["search_rise"] <= 2
    assert FOUND["search_32"] < 5
    assert FOUND["model_rise_least"] > 5
    assert 0 < FOUND["fewer_wrong"] < 0.6 * FOUND["search_1"]


def test_doubled_softmax_shows_as_a_collapse_with_the_width_and_in_the_test():
    assert abs(FOUND["clinic_theirs_1"] - FOUND["clinic_yours_1"]) < 0.1
    assert FOUND["clinic_theirs_16"] < FOUND["clinic_yours_16"] - 8
    assert FOUND["off_yours"] < 1e-3
    assert FOUND["off_theirs"] > 1
    assert FOUND["clinic_words_theirs"] < FOUND["clinic_words_yours"] - 0.4


# Sampling


def test_nucleus_is_as_large_as_the_place_asks_for():
    assert FOUND["nucleus_the_united"] < 5
    assert FOUND["nucleus_of_the"] > 200


def test_greedy_text_runs_in_circles_and_people_do_not():
    assert FOUND["looping"] > 50
    assert FOUND["people"] < 3


def test_second_occurrence_of_a_phrase_is_likelier_than_the_first():
    assert FOUND["likelier"] >= 33
    assert FOUND["second_log_prob"] > FOUND["first_log_prob"] + 0.1
    assert FOUND["fifth_log_prob"] > FOUND["first_log_prob"] + 0.1
