"""The claims of this chapter."""

from tests.claims import numbers

FOUND = numbers("ch05_attention")

# What attention is


def test_shuffling_the_memory_leaves_the_context_and_shuffles_the_weights():
    assert FOUND["shuffle_context"] < 1e-5
    assert FOUND["shuffle_weights"] < 1e-5


def test_shuffling_moves_the_last_state_of_a_gru():
    assert FOUND["shuffle_gru"] > 0.1


def test_both_forms_of_the_additive_score_are_one():
    assert FOUND["additive_gap"] < 1e-5


def test_variance_of_a_dot_product_grows_like_its_size():
    assert abs(FOUND["variance_growth"] - 1) < 0.05


def test_softmax_saturates_without_the_scale_and_not_with_it():
    assert FOUND["top_plain"] > 0.9
    assert FOUND["top_scaled"] < 0.5


def test_unit_vectors_need_a_larger_scale():
    assert 0.1 < FOUND["match_divided"] < 0.12
    assert FOUND["match_divided"] < FOUND["match_unit"] < 0.25
    assert FOUND["match_times"] > 0.95


# The trained model


def test_model_translates():
    assert 30 < FOUND["exact"] <= 100
    assert 60 < FOUND["bleu"] <= 100


def test_weights_align_far_better_than_the_diagonal():
    assert FOUND["aer"] < FOUND["aer_diagonal"] / 2
    assert FOUND["aer_most"] < FOUND["aer_diagonal"] / 2


def test_weights_come_close_to_the_best_single_links():
    floor = FOUND["aer_floor"]
    assert 0 < floor < FOUND["aer"]
    assert FOUND["aer"] - floor < (FOUND["aer_diagonal"] - floor) / 2


def test_sentence_of_the_book_was_not_seen_in_training():
    assert FOUND["pie_seen"] == 0


def test_every_kind_of_alignment_is_in_the_corpus():
    for kind in ("many_to_one", "one_to_many", "unlinked"):
        assert round(FOUND[kind], 1) > 0


# The stored sweep: in every one of its seeds


def test_attention_shrinks_the_fall_with_length():
    assert FOUND["fall_none"] > 60
    assert FOUND["fall_share_most"] < 1 / 3


def test_a_context_that_cannot_be_chosen_does_not_do_it():
    assert FOUND["fall_same"] > 60
    assert FOUND["long_same_most"] < FOUND["long_with_least"] / 2


def test_scale_and_learned_matrix_translate_better_together_than_either_alone():
    assert FOUND["gain_on_multiplicative_least"] > 0
    assert FOUND["gain_on_scaled_least"] > 0


def test_rows_of_the_previous_state_do_not_only_come_late():
    assert FOUND["aer_shifted_previous"] > 2 * FOUND["aer_previous"]


def test_bag_of_words_translates_worse():
    assert FOUND["set_behind_least"] > 30


# The gradient, the past


def test_gradient_reaches_the_first_source_word():
    assert FOUND["gradient_steps"] >= 20
    assert FOUND["orders_lost_without"] > 3
    assert FOUND["gradient_with_least"] > 0.03


def test_word_order_is_lost_on_an_encoder_without_recurrence():
    assert FOUND["bag_change"] < 1e-4


def test_leak_shows_in_the_curve_and_in_the_test():
    assert FOUND["perplexity_theirs"] < FOUND["perplexity_yours"] / 3
    assert FOUND["leak_yours"] < 1e-5
    assert FOUND["leak_theirs"] > 0.1
    assert FOUND["honest_theirs"] > 3 * FOUND["honest_yours"]
