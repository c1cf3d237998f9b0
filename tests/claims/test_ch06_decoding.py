"""The claims of this chapter."""

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


def test_sweep_of_loops_wrote_with_the_stored_model_and_found_what_the_page_finds():
    weights = {(row["variant"], row["seed"]): row.get("weights") for row in load_table("language_model")}
    assert {row["model"] for row in load_table("decoding_loops")} == {weights["lstm", 0]}
    assert FOUND["table_gap"] <= 3  # of a hundred texts, where the rounding of two machines differs


def test_how_often_greedy_text_loops_depends_on_the_protocol_and_on_unknown_words():
    for unk in ("with", "without"):
        assert FOUND[f"one_sentence_{unk}_most"] < FOUND[f"no_end_{unk}_least"] - 20
        assert FOUND[f"no_end_{unk}_most"] < FOUND[f"run_on_{unk}_least"]
    for protocol in ("one_sentence", "no_end", "run_on"):
        assert FOUND[f"{protocol}_without_most"] < FOUND[f"{protocol}_with_least"]
    assert FOUND["one_sentence_with_least"] > 30
    assert FOUND["one_sentence_without_most"] < 12
    assert FOUND["people_with"] < 2
    assert FOUND["people_without"] < 2


def test_most_greedy_loops_are_loops_of_unknown_words_but_not_all():
    for protocol in ("one_sentence", "no_end", "run_on"):
        assert FOUND[f"{protocol}_apart_most"] < FOUND[f"{protocol}_with_least"] / 3
    assert FOUND["one_sentence_apart_most"] < 5
    assert FOUND["unk_written"] > 5 * FOUND["unk_spoken"]


def test_randomness_ends_the_loops():
    for unk in ("with", "without"):
        assert FOUND[f"argmax_{unk}_least"] > FOUND[f"half_{unk}_most"] + 40
        assert FOUND[f"argmax_{unk}_least"] > FOUND[f"cold_{unk}_most"] + 10
        assert FOUND[f"cold_{unk}_least"] > FOUND[f"half_{unk}_most"] + 20
        assert FOUND[f"half_{unk}_least"] >= FOUND[f"warm_{unk}_most"]
    assert 25 < FOUND["half_with_least"]
    assert FOUND["warm_most"] < 12
    assert 3 < FOUND["ten_with_least"] < FOUND["ten_with_most"] < 20
    assert FOUND["narrow_most"] < 10
    assert FOUND["nucleus_most"] <= 2
    assert FOUND["plain_most"] <= 2
    assert FOUND["thrice_with_least"] > 70
    assert FOUND["thrice_without_least"] > 45


def test_first_repetition_makes_a_phrase_more_probable_and_the_next_ones_add_little():
    assert FOUND["phrases"] == 600
    assert 60 < FOUND["more_probable"] < 80
    assert FOUND["once_least"] > 0.2
    assert abs(FOUND["gain_more"]) < 2 * FOUND["gain_more_error"]
    assert FOUND["more_most"] < 0.5 * FOUND["once_least"]
    assert 0 < FOUND["raw_fall_least"] < FOUND["raw_fall_most"] < 0.1
    assert FOUND["always_rising"] < 35


def test_greedy_decoding_goes_on_repeating_itself_and_drawing_stops():
    for unk in ("with", "without"):
        assert FOUND[f"greedily_3_{unk}_least"] > 50
        assert FOUND[f"greedily_2_{unk}_least"] > 90
        assert FOUND[f"drawn_3_{unk}_most"] < 5
        assert FOUND[f"drawn_2_{unk}_most"] < 10
