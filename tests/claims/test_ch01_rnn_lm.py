"""The claims of this chapter."""

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch01_rnn_lm")
TABLE = load_table("language_model")


def of(variant: str, name: str) -> list[float]:
    return [row[name] for row in TABLE if row["variant"] == variant]


# Words and counts


def test_product_of_the_small_language_is_a_quarter():
    assert FOUND["pie_by_hand"] == 0.25


def test_many_trigrams_of_the_test_are_new():
    assert FOUND["unseen_trigrams"] > 30
    assert FOUND["unseen_trigrams"] > 2 * FOUND["unseen_bigrams"]


def test_few_words_are_unknown():
    assert 0 < FOUND["unknown_share"] < 5


def test_long_sentences_are_few_but_hold_many_words():
    assert FOUND["left_out"] < 0.05 * FOUND["train_sentences"]
    assert 5 < FOUND["left_out_words"] < 10


def test_looking_up_is_multiplying():
    assert FOUND["lookup_gap"] == 0


def test_neighbours_of_months_are_months():
    assert FOUND["months_skip_gram"] > 50
    assert FOUND["months_cbow"] > 50
    assert FOUND["months_ppmi"] > 80
    for variant in ("skip-gram", "cbow", "rnn"):
        assert min(of(variant, "months")) > 50, variant


def test_none_of_the_three_vectors_is_best_for_both_harder_classes():
    learned = ("skip_gram", "cbow")
    assert all(FOUND["numbers_ppmi"] > FOUND[f"numbers_{name}_most"] for name in learned)
    assert FOUND["countries_cbow_least"] > FOUND["countries_ppmi"] + 10
    assert FOUND["countries_cbow_least"] > FOUND["countries_skip_gram_most"] + 10


def test_the_stored_embeddings_are_those_of_the_page():
    for row in load_table("word_neighbours"):
        if row["seed"] == 0:
            for key in ("months", "numbers", "countries"):
                assert abs(row[key] - FOUND[f"{key}_{row['variant'].replace('-', '_')}"]) < 3


# One recurrence, many shapes


def test_rnn_step_is_that_of_torch():
    assert FOUND["rnn_gap"] < 1e-12


def test_order_decides_who_was_hit():
    assert FOUND["who_bag"] == FOUND["who_bag_most"] == 50  # what a guess at one of the two would get
    assert FOUND["who_rnn_least"] > 80


def test_a_bag_of_bigrams_finds_who_was_hit_at_every_seed_better_than_the_rnn():
    assert FOUND["who_bigrams_least"] > 0
    assert FOUND["who_bigrams"] > 95


def test_sums_are_right_at_four_times_the_length():
    assert FOUND["added_rnn_least"] > 95
    assert FOUND["added_window_most"] < 60


def test_unseen_numbers_are_named():
    assert FOUND["named_least"] > 75
    assert FOUND["named_least"] > FOUND["by_rule_most"]


# Language models


def test_smoothing_helps():
    assert FOUND["kneser_ney_best"] < 0.9 * FOUND["perplexity_trigram"]


def test_validation_chooses_the_order():
    found = {order: FOUND[f"valid_kn_{order}"] for order in (3, 4, 5)}
    assert FOUND["best_order"] == min(found, key=found.get)
    assert FOUND["kneser_ney_best"] == FOUND[f"perplexity_kn_{FOUND['best_order']:.0f}"]


def test_the_rnn_of_the_page_loses_to_both_n_gram_models():
    assert FOUND["perplexity_rnn"] > 1.02 * FOUND["perplexity_trigram"]


def test_rare_words_are_few_and_the_last_layer_is_the_larger_part():
    assert 10 < FOUND["rare_share"] < 25
    assert FOUND["output_cost"] > 20


def test_trained_longer_it_beats_kneser_ney_at_a_rate_of_its_own():
    assert max(of("rnn", "perplexity")) < 0.97 * FOUND["kneser_ney_best"]
    assert set(of("rnn", "rate")) == {3e-3}
    assert FOUND["long_at_0_003"] < FOUND["valid_kneser_ney"] < 0.95 * FOUND["long_at_0_01"]


def test_an_lstm_is_well_ahead_of_both():
    assert max(of("lstm", "perplexity")) < 0.95 * min(of("rnn", "perplexity"))


# The clinic, and speaking


def test_padding_counts_for_the_colleague_alone():
    assert abs(FOUND["padded_yours"] - 1) < 1e-6
    assert FOUND["padded_hers"] < 0.7
    assert FOUND["company_hers"] < FOUND["alone_hers"] / 2


def test_hit_surprises_both_models_most():
    assert FOUND["hit_most_RNN"] == FOUND["hit_most_Kneser"] == 1


def test_a_fourth_word_of_context_hardly_helps():
    assert 0.97 < FOUND["perplexity_kn_5"] / FOUND["perplexity_kn_4"] < 1.01
    assert FOUND["perplexity_kn_4"] < 0.97 * FOUND["perplexity_kn_3"]


def test_what_is_taken_from_a_count_grows_far_more_slowly_than_the_count():
    assert 0.4 < FOUND["less_1"] < FOUND["less_5"] < 2 * FOUND["less_1"]
