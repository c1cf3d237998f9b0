"""The claims of this chapter."""

from tests.claims import numbers

FOUND = numbers("ch09_transformer")

# The parts


def test_no_later_target_word_changes_an_earlier_output():
    assert FOUND["decoder_future_gap"] < 1e-6
    assert FOUND["moved_by_later"] < 1e-5


def test_padding_changes_nothing_and_a_source_word_everything():
    assert FOUND["decoder_padding_gap"] < 1e-6
    assert FOUND["decoder_source_least"] > 0.01
    assert FOUND["moved_by_padding"] < 1e-4


# Training


def test_smoothing_gives_the_logit_a_place_to_stop_and_the_loss_a_floor():
    assert abs(FOUND["smooth_gap_seen"] - FOUND["smooth_gap"]) < 0.11
    assert FOUND["smooth_floor"] > 0.5


def test_the_live_model_translates():
    assert FOUND["live_bleu"] > 60
    assert FOUND["live_exact"] > 25


# Against the GRU


def test_a_smoothed_model_has_a_higher_loss_in_plain_nats():
    assert FOUND["held_out_smoothed"] > FOUND["held_out_plain"]


def test_post_norm_needs_its_warm_up_and_pre_norm_none():
    assert FOUND["warm_cold_most"] < FOUND["warm_post_least"] - 20
    assert FOUND["warm_cold_most"] < FOUND["warm_pre_least"] - 20


def test_the_rivals_had_equal_seconds_and_neither_is_clearly_better():
    assert 0.8 < FOUND["seconds_ratio"] < 1.25
    assert abs(FOUND["gru_bleu"] - FOUND["transformer_bleu"]) < 5


def test_a_transformers_step_costs_most_for_a_word_of_very_short_and_of_very_long_sentences():
    assert FOUND["step_ratio_8"] > 1.1 * FOUND["step_ratio_64"]
    assert FOUND["step_ratio_512"] > 1.2 * FOUND["step_ratio_128"]


# Writing


def test_a_cached_layer_gives_what_the_layer_gives():
    assert FOUND["cache_gap"] < 1e-5


def test_cached_decoding_gives_the_same_words_faster():
    assert FOUND["cached_same"] > 99
    assert FOUND["cache_speedup"] > 1.3
    assert FOUND["cache_gain_96"] > 1.3
    assert FOUND["cache_gain_96"] > FOUND["cache_gain_8"]


def test_the_clinics_step_loses_count_where_its_cache_ends_and_the_test_shows_where():
    assert FOUND["clinic_gap_long_yours"] < 1e-3
    assert FOUND["clinic_first_wrong_yours"] == -1
    assert FOUND["clinic_gap_short_theirs"] < 1e-3
    assert FOUND["clinic_gap_long_theirs"] > 0.1
    assert 12 <= FOUND["clinic_first_wrong_theirs"] <= 14


def test_the_clinics_curve_is_right_at_short_sentences_and_falls_behind_at_long_ones():
    assert FOUND["clinic_theirs_short"] > FOUND["clinic_yours_short"] - 1
    assert FOUND["clinic_theirs_long"] < FOUND["clinic_yours_long"] - 10
