"""The claims of this chapter."""

from itertools import pairwise

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch01_rnn_lm")
TABLE = load_table("language_model")

# Words and counts


def test_product_of_the_small_language_is_a_quarter():
    assert FOUND["pie_by_hand"] == 0.25


def test_many_triples_of_the_test_are_new():
    assert FOUND["unseen_triples"] > 30
    assert FOUND["unseen_triples"] > 2 * FOUND["unseen_pairs"]


def test_few_words_are_unknown():
    assert 0 < FOUND["unknown_share"] < 5


def test_looking_up_is_multiplying():
    assert FOUND["lookup_gap"] == 0


def test_neighbours_of_months_are_months():
    assert FOUND["month_skip_gram"] > 50
    assert FOUND["month_lstm"] > 50
    assert FOUND["month_least"] > 50


# Back through time


def test_gradients_by_hand_are_those_of_autograd():
    assert FOUND["pencil_gap"] < 1e-6
    assert FOUND["bptt_gap"] < 1e-10


def test_recurrences_are_those_of_torch():
    assert FOUND["rnn_gap"] < 1e-12
    for cell in ("gru", "lstm", "bidirectional", "stacked"):
        assert FOUND[f"{cell}_gap"] < 1e-5, cell


def test_linear_orthogonal_recurrence_changes_by_log_rho_per_step():
    assert FOUND["linear_gap"] < 1e-9
    assert abs(FOUND["left_at_09"] / 0.9**50 - 1) < 1e-6
    assert abs(FOUND["grown_at_11"] / 1.1**50 - 1) < 1e-6


def test_tanh_takes_what_its_slopes_say():
    assert FOUND["tanh_gap"] < 0.03
    assert FOUND["tanh_takes_least"] > 0.1
    assert FOUND["volume_gap"] < 1e-9
    assert FOUND["mean_log_at_1"] < FOUND["slope_at_1"] < 0


def test_clipping_tames_an_exploding_run():
    assert FOUND["unclipped_worst"] > 1000 * FOUND["clipped_worst"]
    assert FOUND["clipped_end"] < FOUND["clipped_start"] / 2
    assert FOUND["clipped_norm"] > 1


def test_gates_keep_more_than_the_plain_recurrence():
    assert FOUND["kept_gated_least"] > FOUND["kept_rnn_most"] + 0.05
    assert FOUND["kept_rnn"] < 0.5
    assert FOUND["after_fifty_rnn"] < 1e-9


def test_lstm_keeps_ever_more_as_its_forget_bias_rises():
    kept = [FOUND[name] for name in ("kept_lstm", "kept_lstm_1", "kept_lstm_2", "kept_lstm_4")]
    assert all(more > less + 0.02 for less, more in pairwise(kept))


# The language model


def test_network_beats_the_interpolated_trigram():
    assert FOUND["perplexity_lstm"] < 0.97 * FOUND["perplexity_trigram"]
    assert FOUND["perplexity_long_most"] < 0.9 * FOUND["perplexity_trigram"]


def test_network_beats_the_trigram_in_every_stored_run():
    for row in TABLE:
        if row["variant"] == "lstm":
            assert row["perplexity"] < 0.9 * row["trigram"]
            assert abs(row["trigram"] - FOUND["perplexity_trigram"]) < 0.01


def test_counted_padding_makes_large_batches_look_good():
    assert FOUND["company_hers"] < FOUND["alone_hers"] / 1.5
    assert abs(FOUND["company_yours"] / FOUND["alone_yours"] - 1) < 0.25
    assert abs(FOUND["padded_yours"] - 1) < 1e-6
    assert FOUND["padded_hers"] < 0.9
