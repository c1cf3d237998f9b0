"""The claims of this chapter."""

import pytest

from tests.claims import numbers

FOUND = numbers("ch10_bert")
SEEDS = range(3)

# Pieces


def test_one_word_on_either_side_tells_more_than_two_before():
    assert FOUND["guessed_sides"] > 1.2 * FOUND["guessed_before"]


def test_pieces_leave_nothing_unknown_and_make_sequences_little_longer():
    assert 2 < FOUND["unknown_words"] < 3
    assert FOUND["unknown_sentences"] > 30
    assert FOUND["unknown_4000"] > FOUND["unknown_words"]
    assert FOUND["unknown_pieces"] == 0
    assert 1 < FOUND["pieces_per_word"] < 1.4
    assert FOUND["letters_per_word"] > 4


def test_words_are_cut_as_the_package_cuts_them():
    assert FOUND["cut_alike"] == 100
    assert FOUND["distinct_words"] > 10_000


def test_rare_words_have_more_pieces():
    assert FOUND["pieces_frequent"] < 1.1
    assert FOUND["pieces_rare"] > 3


# Masks and pairs


def test_from_the_second_layer_on_every_word_sees_itself():
    assert FOUND["ways_back"] == 5


@pytest.mark.parametrize(("name", "share"), [("chosen", 15), ("masked", 80), ("kept", 10), ("seen", 12)])
def test_masks_are_drawn_as_they_should_be(name, share):
    assert abs(FOUND[f"off_{name}"]) < 5
    assert abs(FOUND[f"share_{name}"] - share) < 1


def test_specials_are_never_chosen():
    assert FOUND["specials_chosen"] == 0
    assert FOUND["millions_counted"] > 0.5


def test_drawn_anew_nearly_all_pieces_are_asked_for():
    assert FOUND["asked_once"] < 20
    assert 75 < FOUND["asked_ten"] < 85
    assert FOUND["asked_twenty"] > 93


def test_pairs_are_balanced_true_ones_are_neighbours_and_false_ones_come_from_elsewhere():
    assert abs(FOUND["off_nsp"]) < 5
    assert FOUND["nsp_in_order"] == 100
    assert FOUND["nsp_same_document"] == 0


def test_a_rule_that_looks_for_a_shared_piece_beats_chance():
    assert FOUND["nsp_rule"] > 50 + 2 * FOUND["nsp_rule_error"]
    assert FOUND["nsp_rule"] > 55


# The model


def test_weights_are_as_many_as_counted_by_hand():
    for name in ("ours", "base", "large"):
        assert FOUND[f"weights_{name}"] == pytest.approx(FOUND[f"by_hand_{name}"])
    assert round(FOUND["weights_base"]) == 110
    assert 330 < FOUND["weights_large"] < 340
    assert FOUND["embeddings_ours"] > 50 > FOUND["embeddings_base"] > FOUND["embeddings_large"]


def test_a_small_start_costs_ln_v_and_the_default_far_more():
    assert abs(FOUND["first_small"] - FOUND["ln_vocab"]) < 0.2
    assert FOUND["first_default"] > 3 * FOUND["ln_vocab"]
    assert abs(FOUND["first_next_small"] - 0.6931) < 0.05
    assert 8 < FOUND["spread_default"] < 15


# Counting


@pytest.mark.parametrize("seed", SEEDS)
def test_counting_guesses_far_more_than_frequency_and_three_neighbours_more_than_one(seed):
    assert FOUND[f"counted_near_{seed}"] > 4 * FOUND[f"counted_unigram_{seed}"]
    assert FOUND[f"counted_wide_{seed}"] > FOUND[f"counted_near_{seed}"] + 4
    assert FOUND[f"wide_nats_{seed}"] < FOUND[f"near_nats_{seed}"]


def test_counting_is_asked_about_exactly_the_masks_of_the_model():
    assert FOUND["masks_a_seed"] == FOUND["asked_2"]


# Pre-training


@pytest.mark.parametrize("seed", SEEDS)
def test_masked_accuracy_is_at_least_twice_that_of_plain_frequency(seed):
    assert FOUND[f"words_{seed}"] > 2 * FOUND[f"counted_unigram_{seed}"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_model_beats_counting_one_neighbour_on_either_side(seed):
    error = 2 * (FOUND[f"words_{seed}"] * (100 - FOUND[f"words_{seed}"]) / FOUND[f"asked_{seed}"]) ** 0.5
    assert FOUND[f"words_{seed}"] - error > FOUND[f"counted_near_{seed}"]
    assert FOUND[f"nats_{seed}"] < FOUND[f"near_nats_{seed}"]


def test_a_short_training_loses_to_counting():
    assert FOUND["live_words"] < FOUND["counted_near"]
    assert FOUND["short_words"] < FOUND["counted_near"]


def test_pairs_are_not_told_better_than_by_a_rule_that_does_not_read():
    assert FOUND["mean_pairs"] < FOUND["short_rule"] + 2


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_are_told_apart_above_chance_also_at_the_lower_end_of_the_interval(seed):
    assert FOUND[f"pairs_{seed}"] - FOUND[f"pairs_error_{seed}"] > 50


def test_heads_that_looked_everywhere_take_a_distance_each():
    assert FOUND["live_near_before"] < 10
    assert FOUND["live_near"] > 40


@pytest.mark.parametrize("seed", SEEDS)
def test_each_head_of_each_run_has_a_distance_of_its_own(seed):
    assert FOUND[f"near_{seed}"] > 4 * FOUND["even"]


def test_guesses_for_hidden_words_are_among_the_first_five_now_and_then():
    assert 0 < FOUND["shown_best"] <= FOUND["shown_among"] < FOUND["shown_all"]


# Few labels


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", [30, 90])
def test_fine_tuning_beats_training_from_scratch_and_a_bag_of_pieces(labels, seed):
    assert FOUND[f"tuned_{labels}_{seed}"] > FOUND[f"scratch_{labels}_{seed}"] + 3
    assert FOUND[f"tuned_{labels}_{seed}"] > FOUND[f"words_{labels}_{seed}"]


@pytest.mark.parametrize("labels", [30, 90])
def test_most_of_the_gain_lies_in_the_vectors_of_single_pieces(labels):
    gain = FOUND[f"tuned_{labels}"] - FOUND[f"words_{labels}"]
    assert FOUND[f"vectors_{labels}"] - FOUND[f"words_{labels}"] > 0.5 * gain


# The clinic


def test_a_model_that_is_shown_the_answers_has_no_plateau_and_the_count_exposes_it():
    assert FOUND["clinic_theirs"] < 0.25 * FOUND["clinic_yours"]
    assert 5 < FOUND["shown_yours"] < 15
    assert FOUND["shown_theirs"] == 100


# The table


def test_means_of_the_table_are_those_it_gives():
    assert round(FOUND["table_base"], 1) == 79.6
    assert round(FOUND["table_large"], 1) == 82.1


def test_gains_are_largest_where_examples_are_few():
    assert FOUND["gain_small"] > 2 * FOUND["gain_large"]


# One sentence


def test_the_model_without_attention_finds_the_right_sentence_improbable():
    assert FOUND["pie_chance"] < 0.05
