"""The claims of this chapter."""

from math import exp

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch06_decoding")

# Searching


def test_greedy_search_misses_the_best_sentence_of_the_model_by_hand():
    assert FOUND["best_chance"] > 1.5 * FOUND["greedy_chance"]


def test_products_of_probabilities_underflow_in_some_tens_of_words_and_sums_of_logarithms_do_not():
    assert 10 <= FOUND["underflow_least"]
    assert FOUND["underflow_most"] < 50
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


def test_sweep_of_intervals_searched_with_the_translators_of_the_table_and_found_the_same_bleu():
    trained = {row["seed"]: row for row in load_table("decoding")}
    for row in load_table("decoding_paired"):
        stored = trained[row["seed"]]
        assert row["model"] == stored["weights"]
        for search in stored["searches"]:
            found = row["bleu"].get(f"{search['width']} {search['gamma']}", search["bleu"])
            assert abs(found - search["bleu"]) < 0.3  # these weights are in half precision


def test_intervals_are_of_every_translator_that_is_stored():
    assert FOUND["paired_rows"] == len(load_table("decoding_paired"))


def test_beam_of_four_gains_bleu_and_a_wider_one_gains_no_more():
    assert FOUND["four_gain_least"] > 0.5
    assert FOUND["four_above"] == FOUND["paired_rows"]
    assert 0 < FOUND["four_low_least"] < 0.1
    assert 0 < FOUND["eight_above"] < FOUND["paired_rows"]
    assert FOUND["wide_above"] == 0
    assert FOUND["wide_normal_above"] == 0
    assert FOUND["wide_normal_gain_most"] < 0.5


def test_normalisation_gains_bleu_in_the_interval_of_every_translator_and_too_much_of_it_loses():
    assert FOUND["normal_above"] == FOUND["paired_rows"]
    assert 0 < FOUND["normal_4_above"]
    assert FOUND["words_32_long_least"] > FOUND["reference_words"]
    assert FOUND["long_below"] > FOUND["paired_rows"] / 2
    assert FOUND["long_above"] == 0


# Errors


def test_search_errors_fall_with_the_width_and_model_errors_take_their_place():
    assert FOUND["search_fall_least"] > 15
    assert FOUND["search_rise"] <= 2
    assert FOUND["search_32"] < 5
    assert FOUND["model_rise_least"] > 5
    assert 0 < FOUND["fewer_wrong"] < 0.6 * FOUND["search_1"]


def test_the_normalised_score_leaves_fewer_wrong_translations_to_each_translator():
    for row in load_table("decoding"):
        wrong = {(s["width"], s["gamma"]): s["search_errors"] + s["model_errors"] for s in row["searches"]}
        assert wrong[4, 1.0] < wrong[4, 0.0]


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


def test_sweeps_of_repetition_are_of_the_stored_models():
    weights = {row["seed"]: row["weights"] for row in load_table("post_base")}
    for name in ("decoding_loops", "decoding_repeats"):
        for row in load_table(name):
            assert row["model"] == weights[row["seed"]]


def test_greedy_text_loops_and_people_do_not():
    assert FOUND["argmax_least"] > 90
    assert 10 < FOUND["smollm_low"] < FOUND["smollm_high"] < FOUND["argmax_least"]
    assert FOUND["people"] < 2
    assert FOUND["people_texts"] > 300


def test_randomness_ends_the_loops():
    assert FOUND["argmax_least"] > FOUND["cold_most"]
    assert FOUND["cold_least"] > FOUND["half_most"] + 10
    assert FOUND["half_least"] > FOUND["warm_most"]
    assert FOUND["plain_most"] < 10
    assert FOUND["smollm_plain"] < 10


def test_greedy_decoding_goes_on_repeating_itself_and_sampling_stops():
    assert FOUND["caught_least"] > 50
    assert FOUND["greedily_again_least"] > 80
    assert FOUND["sampled_again_most"] < 10


def test_the_small_models_gain_from_the_first_repetition_and_little_from_the_next():
    assert 70 < FOUND["more_least"] < FOUND["more_most"] < 90
    assert 0.2 < FOUND["once_least"] < FOUND["once_most"] < 0.4
    assert -0.01 < FOUND["further_least"] < FOUND["further_most"] < 0.12
    assert FOUND["rising_most"] < 10


def test_to_smollm_a_phrase_becomes_more_probable_again_and_again():
    for joint in ("and", "stop"):
        assert FOUND[f"smollm_{joint}_once"] > 5 * FOUND["once_most"]
        assert FOUND[f"smollm_{joint}_steps"] > 0
        assert FOUND[f"smollm_{joint}_p6"] > FOUND[f"smollm_{joint}_p2"] > FOUND[f"smollm_{joint}_p1"]
        assert FOUND[f"smollm_{joint}_rise3"] > 90
        assert FOUND[f"smollm_{joint}_always"] > 5 * FOUND["rising_most"]
    for row in load_table("today_repeats"):  # after the third, little is left to rise
        chances = [exp(value) for value in row["same"]]
        assert chances[3] - chances[0] > 0.7 * (chances[-1] - chances[0])
