"""The claims of this chapter. What is called least or most is over the three seeds."""

from solutions.ch07_bleu import brevity_penalty, clipped_precision, sentence_bleu
from tests.claims import numbers

FOUND = numbers("ch07_bleu")

# What is counted


def test_five_pairs_of_six_become_four():
    assert FOUND["pairs_unclipped"] == 5
    assert FOUND["clipped_pairs"] == 4
    assert FOUND["all_pairs"] == 6


# sacreBLEU's number


def test_bleu_is_sacrebleus_on_random_text():
    assert FOUND["gap_random"] < 1e-9
    assert FOUND["above_zero"] > 20


def test_bleu_is_sacrebleus_on_the_systems_translations():
    assert FOUND["gap_systems"] < 1e-9


def test_every_smoothing_is_sacrebleus():
    assert FOUND["gap_smoothing"] < 1e-9


def test_bootstrap_scores_with_the_same_bleu():
    assert FOUND["gap_shortcut"] < 1e-9


def test_a_test_set_is_not_the_mean_of_its_sentences():
    assert FOUND["apart_most"] > 1


def test_tokenisation_and_letter_case_each_move_the_score_by_points():
    assert FOUND["cut_points"] > max(2, FOUND["beam_gain"])
    assert FOUND["case_points"] > FOUND["cut_points"]


# Order


def test_shuffled_words_keep_unigram_precision_and_lose_bleu():
    assert FOUND["unigram_change"] < 1e-9
    assert FOUND["shuffled_share"] < 40


# The systems: in every one of their seeds


def test_test_set_is_large_enough_and_new():
    assert FOUND["test_pairs"] > 300


def test_attention_is_ahead_of_beam_beam_of_greedy_and_greedy_of_no_attention():
    assert FOUND["attention_lead_least"] > 5
    assert FOUND["beam_wins_least"] > 97.5
    assert FOUND["none_behind_least"] > 5


def test_an_interval_is_some_points_wide():
    assert 0.5 < FOUND["width_attention"] < 6


def test_seeds_are_luck_too():
    assert FOUND["seed_spread_most"] > 0.5


# The clinic, and where BLEU fails


def test_resampling_apart_widens_the_difference_and_shows_in_the_test():
    assert FOUND["clinic_width_theirs"] > 1.5 * FOUND["clinic_width_yours"]
    assert FOUND["clinic_lost_theirs"] > FOUND["clinic_lost_yours"]
    assert FOUND["self_yours"] == 0
    assert FOUND["self_theirs"] > 1


def test_lost_negations_cost_what_other_words_from_like_places_cost():
    assert FOUND["negation_share"] > 5
    assert FOUND["negation_loss"] > 2
    assert FOUND["inner_apart_most"] < 3
    assert FOUND["any_loss"] < FOUND["negation_loss"]


def test_every_wrong_sentence_scores_above_every_good_paraphrase():
    assert FOUND["wrong_least"] > FOUND["right_most"] + 5


def test_a_lost_negation_and_a_paraphrase_score_alike_as_the_model_answer_says():
    texts = (
        "la fille n' a pas vu le garçon dans le jardin .",
        "la fille n' a pas vu le gamin dans le parc .",
        "la fille a vu le garçon dans le jardin .",
    )
    reference, *candidates = map(str.split, texts)
    for words in candidates:
        assert [clipped_precision(words, [reference], n)[0] for n in range(1, 5)] == [10, 7, 5, 4]
        assert round(sentence_bleu(words, [reference], clipped_precision, brevity_penalty)) == 59


# People


def test_people_score_far_below_the_system_unless_their_reference_is_a_relative():
    assert FOUND["strangers_most"] < FOUND["relatives_least"] < FOUND["relatives_most"] < FOUND["attention_bleu"]
    assert FOUND["people_most"] < 30


def test_a_second_reference_always_raises_the_score():
    assert FOUND["second_least"] > 3
