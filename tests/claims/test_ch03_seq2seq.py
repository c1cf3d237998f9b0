"""The claims of this chapter."""

import pytest

from seqlab.stored import load_table
from solutions.ch03_seq2seq.sweeps import seq2seq_depth, seq2seq_every
from tests.claims import numbers

FOUND = numbers("ch03_seq2seq")

# Encoder and decoder


def test_length_of_the_target_cannot_be_told_from_the_source():
    assert FOUND["same_length"] < 90
    assert FOUND["different_lengths"] >= 3


def test_decoder_runs_over_words_at_once_as_over_one_at_a_time():
    assert FOUND["once_or_singly"] < 1e-5


def test_gradient_reaches_the_words_of_the_sentence_and_no_others():
    assert FOUND["gradient_inside"] > 0
    assert FOUND["gradient_outside"] == 0


# The trained model


def test_the_page_trains_at_the_best_of_three_rates():
    assert FOUND["tuned_8"] > max(FOUND["tuned_4"], FOUND["tuned_16"]) + 5


def test_training_begins_where_nothing_is_known():
    assert 6.5 < FOUND["first_loss"] < 8.5


def test_short_unseen_sentences_come_out_exactly_right():
    assert FOUND["pairs_short"] > 300
    assert FOUND["exact_short"] > 80
    assert FOUND["exact_seeds_least"] > 80


def test_model_translates_unseen_sentences():
    assert 60 < FOUND["exact"] <= 100
    assert 65 < FOUND["bleu"] <= 100
    assert 1 < FOUND["perplexity"] < 2


def test_longest_sentences_come_out_right_far_less_often():
    assert FOUND["exact_longest"] < FOUND["exact_short"] - 30


def test_its_own_words_lead_it_further_astray_than_the_reference_s():
    assert FOUND["first_gap"] < 1e-3
    assert FOUND["free_late"] < FOUND["forced_late"] - 3


def test_one_error_leads_to_others():
    """Just after the first error, which both ways of reading share, and nothing else differs."""
    assert FOUND["right_too_soon"] == 0
    assert FOUND["first_errors"] > 100
    assert FOUND["after_error"] < FOUND["after_correction"] - 10


def test_sentence_of_the_book_was_not_seen_in_training():
    assert FOUND["pie_seen"] == 0
    assert 0 < FOUND["cousins"] < 100


def test_sentence_of_the_book_is_translated_and_many_of_its_kind_are_not():
    assert FOUND["pie_right"] == 1
    assert FOUND["log_p_pie"] > max(FOUND["log_p_other"], FOUND["log_p_fluent"])
    assert FOUND["p_pie"] < 50
    assert 0 < FOUND["family_with_pie"] < FOUND["family"] * 2 / 3


def test_model_is_sure_who_did_it_to_whom_and_less_sure_what_he_did():
    assert FOUND["log_p_other"] + 3 < FOUND["log_p_fluent_least"]


def test_source_with_the_pie_makes_its_translation_more_probable():
    assert FOUND["log_p_pie_other"] < FOUND["log_p_pie"] - 2


# Depth and order: the stored sweep, in every one of its seeds


def test_eight_plain_layers_fade_forwards_and_backwards_and_eight_residual_ones_do_not():
    for what in ("apart", "gradient"):
        assert FOUND[f"{what}_after_8"] < FOUND[f"{what}_after_1"] / 50
        assert FOUND[f"{what}_residual"] > FOUND[f"{what}_after_1"]


def test_eight_residual_layers_train_where_plain_ones_do_not():
    assert FOUND["plain_most"] < 0.5
    assert FOUND["residual_gap_least"] > 20


def test_eight_plain_layers_end_above_what_is_possible_without_a_source_and_residual_ones_below():
    assert FOUND["no_source"] == pytest.approx(1.244, abs=0.001)
    assert FOUND["no_source"] + 0.1 < FOUND["plain_loss_least"] < FOUND["plain_loss_most"] < FOUND["no_source"] + 0.3
    residual = [row["loss"] for row in load_table("seq2seq") if row["variant"].startswith("residual")]
    assert max(residual) < FOUND["no_source"] / 2


def test_reversed_source_is_easier_to_start_on():
    assert FOUND["tested_below"] + FOUND["tested_above"] == FOUND["test_pairs"]
    assert FOUND["tested_above"] > 200
    assert FOUND["reversed_gain_least"] > 1
    assert abs(FOUND["long_one"] - FOUND["long_reversed"]) < FOUND["reversed_gain"] / 2


def test_reversing_helps_short_sources_more_and_reading_forwards_learns_more_slowly():
    rows = {(row["variant"], row["seed"]): row for row in load_table("seq2seq")}
    assert FOUND["short_reversed"] - FOUND["short_forward"] > FOUND["reversed_gain"] + 1
    for seed in (0, 1, 2):
        assert rows["forward", seed]["loss"] > max(rows[name, seed]["loss"] for name in ("reversed", "one"))


def test_one_layer_with_as_many_seconds_is_ahead_of_two_and_still_learning():
    assert FOUND["lead_seconds_most"] < 0 < FOUND["lead_steps_least"]
    assert FOUND["bleu_one_longer"] > FOUND["bleu_one"] + 3
    assert FOUND["bleu_one_longer"] > FOUND["half_one_8"] + 5


@pytest.mark.parametrize("name", ["seq2seq_every", "seq2seq_depth", "seq2seq_rates"])
def test_what_is_compared_has_three_seeds(name):
    rows = load_table(name)
    for variant in {row["variant"] for row in rows}:
        assert [row["seed"] for row in rows if row["variant"] == variant] == [0, 1, 2]


def test_rates_were_tried_as_the_text_says():
    full = {(row["variant"], row["seed"]): row for row in load_table("seq2seq")}
    rows = load_table("seq2seq_rates")
    assert {row["variant"] for row in rows} == {"one", "two", "forward", "reversed", "short"}
    for row in rows:
        assert row["rate"] == [0.004, 0.008, 0.016]
        assert 2 * row["steps"] == full[row["variant"], row["seed"]]["steps"]


def test_0_008_is_the_best_of_the_three_rates_on_average():
    rows = load_table("seq2seq_rates")
    for variant in {row["variant"] for row in rows}:
        losses = [row["held_out"] for row in rows if row["variant"] == variant]
        low, middle, high = (sum(values) for values in zip(*losses, strict=True))
        assert middle < min(low, high)


def test_two_layers_lead_at_the_best_rate_and_one_at_the_highest():
    assert 0 < FOUND["lead_half_8_least"] < FOUND["lead_half_8_most"] < 1
    assert FOUND["lead_half_16_most"] < -1
    assert FOUND["test_pairs"] == 1000


def test_reading_forwards_is_behind_at_every_rate_and_the_other_two_are_level():
    rows = {(row["variant"], row["seed"]): row for row in load_table("seq2seq_rates")}
    for seed in (0, 1, 2):
        forward, *others = (rows[name, seed]["held_out"] for name in ("forward", "reversed", "one"))
        for other in others:
            assert all(worse > better for worse, better in zip(forward, other, strict=True))
    assert FOUND["half_gain_4_least"] > 3
    assert FOUND["half_gain_8_least"] >= FOUND["half_gain_4_most"] - 0.1
    leads = [rows["reversed", seed]["bleu"][1] - rows["one", seed]["bleu"][1] for seed in (0, 1, 2)]
    assert min(leads) < 0 < max(leads)


def test_weights_grow_with_depth_and_most_with_dense_layers():
    weights = {row["variant"]: row["parameters"] for row in load_table("seq2seq_depth")}
    assert weights["plain 1"] < weights["plain 4"] == weights["residual 4"] < weights["dense 4"]


def test_rates_of_the_depths_were_tuned_over_half_of_the_steps():
    assert 2 * seq2seq_depth.SETTINGS["tuning_steps"] == seq2seq_depth.SETTINGS["steps"] == FOUND["depth_steps"]
    assert {row["steps"] for row in load_table("seq2seq_depth")} == {FOUND["depth_steps"]}


def test_four_plain_layers_are_far_behind_and_still_learning():
    assert FOUND["right_plain_4_most"] < FOUND["right_plain_1_least"] - 40
    falls = {
        kind: FOUND[f"half_{kind}"] - FOUND[f"loss_{kind}"] for kind in ("plain_1", "plain_4", "residual_4", "dense_4")
    }
    assert falls["plain_4"] > 5 * max(falls[kind] for kind in falls if kind != "plain_4")


def test_four_connected_layers_are_level_with_one():
    assert FOUND["right_residual_4_least"] < FOUND["right_plain_1_most"] + 1
    assert abs(FOUND["right_residual_4"] - FOUND["right_plain_1"]) < 2
    assert FOUND["right_dense_4"] < FOUND["right_plain_1"]


def test_held_out_loss_of_four_residual_layers_is_lower_than_that_of_one():
    rows = load_table("seq2seq_depth")
    one, four = ([row["held_out"] for row in rows if row["variant"] == kind] for kind in ("plain 1", "residual 4"))
    assert max(four) < min(one)
    assert FOUND["loss_residual_4"] > 0.8 * FOUND["loss_plain_1"]


def test_encoding_at_every_step_is_slightly_ahead_in_the_end_and_no_length_is_harder():
    exact = {(row["variant"], row["seed"]): row["exact"] for row in load_table("seq2seq_every")}
    for seed in (0, 1, 2):
        assert exact["every converged", seed] > exact["once converged", seed]
    assert FOUND["every_steps"] == 3 * seq2seq_every.SETTINGS["tuning_steps"]
    for kind in ("once", "every"):
        assert FOUND[f"exact_{kind}_least"] > 95
        assert abs(FOUND[f"three_{kind}"] - FOUND[f"four_{kind}"]) < 5


def test_thousand_too_many_comes_from_batches_of_one_length():
    """In every seed, for the decoder that is given the encoding at every step."""
    rows = {(row["variant"], row["seed"]): row for row in load_table("seq2seq_every")}
    assert FOUND["pure_batches"] > 80
    for seed in (0, 1, 2):
        bucketed, shuffled = (rows[f"every {way}", seed] for way in ("bucketed", "shuffled"))
        assert bucketed["exact_short"] < 20
        assert bucketed["exact_long"] > 80
        assert bucketed["thousands"] > 80
        assert shuffled["exact_short"] > 70
        assert shuffled["thousands"] < 30
    assert FOUND["shuffled_three_every"] > 80
    assert FOUND["shuffled_three_once"] > FOUND["bucketed_three_once"] + 10
    assert FOUND["shuffled_four_once"] > FOUND["bucketed_four_once"] + 10


# Other tasks, and the clinic


def test_same_code_parses_and_is_ahead_of_copying():
    assert FOUND["trees_parser"] > FOUND["trees_copied"] + 3
    assert FOUND["trees_copied"] > FOUND["trees_common"] + 20
    assert FOUND["trees_close"] > 95
    assert FOUND["trees_different"] < 300


def test_same_code_spells_numbers():
    assert FOUND["exact_numbers"] > 80


def test_counted_padding_shows_as_a_wonderful_loss_and_in_the_test():
    assert FOUND["loss_theirs"] < FOUND["loss_yours"] / 2
    assert FOUND["moved_yours"] < 1e-4
    assert FOUND["moved_theirs_percent"] > 10
