"""The claims of this chapter."""

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


# The recurrence


def test_recurrence_is_that_of_torch():
    assert FOUND["rnn_gap"] < 1e-12


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
