"""The claims of this chapter."""

import json

import pytest

from seqlab.stored import FOLDER, load_table
from tests.claims import numbers

FOUND = numbers("ch08_self_attention")


def of(table, variant, column):
    """A variant's numbers in a stored table, one for each seed."""
    return [row[column] for row in load_table(table) if row["variant"] == variant]


def mean(values):
    """The mean of a list."""
    return sum(values) / len(values)


def overlap(one, other):
    """Whether the ranges of two variants over the seeds overlap."""
    return min(one) <= max(other) and min(other) <= max(one)


# Without order, without the future


def test_a_row_with_nothing_to_attend_to_is_nan_in_torchs_module_and_zeros_in_ours():
    assert FOUND["torch_nan"] == 1
    assert FOUND["ours_empty"] == 0


def test_self_attention_without_positions_does_not_use_the_order_and_a_gru_does():
    assert FOUND["gap_attention"] < 1e-5
    assert FOUND["gap_gru"] > 0.3
    assert FOUND["gap_positions"] > 0.05
    assert FOUND["gap_positions"] > 1000 * FOUND["gap_attention"]
    assert FOUND["gap_positions"] < FOUND["gap_gru"]


def test_no_future_vector_changes_an_earlier_output_to_the_last_bit():
    assert FOUND["future_gap"] == 0
    assert FOUND["past_least"] > 0.01


# Which bank it is


def test_one_layer_of_attention_learns_which_bank_it_is_and_counting_is_ahead():
    assert FOUND["classifier_free_least"] > 85
    assert FOUND["classifier_free_most"] < FOUND["counting"]
    assert FOUND["counting"] > 99


def test_under_the_causal_mask_it_is_right_for_one_of_two_twins():
    assert FOUND["classifier_causal_least"] == FOUND["classifier_causal_most"] == 50


def test_the_classifier_is_right_more_often_than_the_cue_has_the_largest_weight():
    assert FOUND["cue_first_most"] < FOUND["classifier_free_least"] - 10
    assert FOUND["cue_first_least"] > 30


# Four readers: in every seed


@pytest.mark.parametrize("reader", ["causal", "forward"])
def test_no_probe_can_read_the_meaning_where_a_causal_reader_has_not_seen_the_cue(reader):
    assert FOUND[f"probe_{reader}_least"] == FOUND[f"probe_{reader}_most"] == 50
    assert {value for row in of("bank", reader, "probe") for value in row} == {50}


@pytest.mark.parametrize("reader", ["full", "bidirectional"])
def test_a_reader_that_sees_the_cue_has_the_meaning_in_its_vector_in_every_seed(reader):
    assert FOUND[f"probe_{reader}_least"] > 85


def test_self_attention_is_a_few_points_ahead_of_the_bidirectional_gru_and_distance_is_not_the_reason():
    assert 0 < FOUND["probe_full_least"] - FOUND["probe_bidirectional_most"] < 6
    assert FOUND["probe_full"] - FOUND["probe_bidirectional"] < 7
    assert abs(FOUND["probe_fall_bidirectional"]) < 2
    assert abs(FOUND["probe_fall_full"]) < 2


def test_without_training_the_cue_is_there_and_its_meaning_is_not():
    assert abs(FOUND["untrained_full"] - 50) < 10
    assert FOUND["untrained_heart_full_least"] > 80


def test_a_translator_behind_causal_self_attention_is_nearly_always_right():
    assert FOUND["right_causal_least"] > 99


def test_a_translator_behind_a_forward_gru_comes_close_and_its_worst_seed_falls_little_with_the_distance():
    assert 95 < FOUND["right_forward_least"] < FOUND["right_forward_most"] < FOUND["right_causal_least"]
    assert 0 < FOUND["forward_near"] - FOUND["forward_far"] < 5


def test_each_point_of_the_readers_is_a_share_of_three_hundred():
    shares = [share for row in load_table("bank") for name in ("probe", "right") for share in row[name]]
    assert len({round(3 * share, 1) for share in shares}) > 30
    assert all(abs(3 * share - round(3 * share)) < 0.02 for share in shares)


def test_what_else_differs_between_the_readers_is_as_the_text_says():
    assert FOUND["weights_bidirectional"] < FOUND["weights_forward"] < FOUND["weights_full"]
    assert set(of("bank", "full", "parameters")) == set(of("bank", "causal", "parameters"))
    assert {row["steps"] for row in load_table("bank")} == {FOUND["readers_steps"]}


def test_an_encoder_without_positions_translates_far_worse_and_finds_the_homographs_word_all_the_same():
    assert FOUND["exact_unordered_most"] < FOUND["exact_ordered_least"] - 30
    assert FOUND["right_unordered_least"] > 99


def test_adam_lets_a_weight_with_large_gradients_decay_least_and_adamw_all_alike():
    assert FOUND["adam_large"] > FOUND["decayed"] + 0.15
    assert FOUND["adam_small"] < 0.1
    assert all(abs(FOUND[f"adamw_{size}"] - FOUND["decayed"]) < 0.1 for size in ("large", "small"))


# What happens without each part: with every seed


def test_without_residuals_the_gpt_is_worse_than_counting_and_better_than_a_unigram():
    assert FOUND["without_kneser_ney"] < FOUND["without_residuals_least"]
    assert FOUND["without_residuals_most"] < FOUND["without_unigram"]
    assert FOUND["without_rate_residuals"] == pytest.approx(FOUND["without_rate_whole"] / 16)


def test_four_times_the_steps_bring_the_stack_without_residuals_close_and_the_whole_gpt_learns_by_heart():
    assert FOUND["without_whole_most"] < FOUND["without_longer_residuals"] < FOUND["without_kneser_ney"]
    assert FOUND["without_whole_most"] < FOUND["without_longer_whole"]


def test_trained_for_longer_the_whole_gpt_is_best_early_and_soon_is_where_the_other_ends():
    whole, plain = (
        row
        for variant in ("whole", "no residuals")
        for row in load_table("without_longer")
        if row["variant"] == variant
    )
    curve = whole["curve"]
    assert curve.index(min(curve)) + 1 < len(curve) / 3
    assert curve[-1] - min(curve) > 1
    short = next(row for row in load_table("without") if row["variant"] == "whole")
    looks = next(number for number, loss in enumerate(short["curve"], start=1) if loss < plain["held_out"])
    assert looks / len(short["curve"]) * short["steps"] <= plain["steps"] / 10


@pytest.mark.parametrize("name", ["norm", "feed_forward"])
def test_norm_and_feed_forward_are_missed_a_little_with_every_seed(name):
    assert FOUND["without_whole_most"] < FOUND[f"without_{name}_least"]
    assert FOUND[f"without_{name}_most"] < 1.1 * FOUND["without_whole"]


def test_positions_are_not_missed_and_one_head_is_a_little_better_than_four():
    assert overlap(of("without", "whole", "perplexity"), of("without", "no positions", "perplexity"))
    assert FOUND["without_one_head_most"] < FOUND["without_whole_least"]


def test_every_gpt_with_residuals_beats_counting():
    for name in ("whole", "one_head", "positions", "norm", "feed_forward"):
        assert FOUND[f"without_{name}_most"] < FOUND["without_kneser_ney"]


# The parts


def test_heads_cost_as_much_together_as_one_large_one():
    assert FOUND["heads_cost_ratio"] == 1
    assert FOUND["multiplications"] == 2 * 100 * 100 * 64


@pytest.mark.parametrize("part", ["heads", "layer"])
def test_outputs_and_gradients_equal_torchs_given_the_same_weights(part):
    assert FOUND[f"{part}_value_gap"] < 1e-5
    assert FOUND[f"{part}_gradient_gap"] < 1e-5


def test_layer_norm_equals_torchs_given_the_same_weights():
    assert FOUND["norm_gap"] < 1e-5


def test_feed_forward_works_on_each_position_alone():
    assert FOUND["moved_feed_forward"] == 1
    assert FOUND["moved_attention"] == 8


def test_two_thirds_of_an_encoder_layer_are_feed_forward():
    assert 60 < FOUND["share_feed_forward"] < 70


def test_without_residual_connections_all_words_become_the_same_vector():
    assert FOUND["layers_until_same"] <= 6
    assert FOUND["apart_pre_norm"] > 0.3
    assert FOUND["apart_least"] > 1e-3


def test_the_norm_keeps_the_scale_of_the_gradient_and_its_position_sets_it():
    assert FOUND["first_orders_lost_least"] > 2
    assert FOUND["first_orders_grown"] > 2
    assert FOUND["first_orders_with_norm"] < 1
    assert FOUND["norms_ratio_least"] > 1.5
    assert FOUND["norms_ratio"] > 2


def test_a_shift_of_positions_is_a_matrix_and_only_the_distance_counts():
    assert FOUND["shift_gap"] < 1e-4
    assert FOUND["back_gap"] < 1e-5
    assert FOUND["back_least"] > 0.9
    assert FOUND["distance_spread"] < 1e-3
    assert FOUND["peak_share"] == 1
    assert 100 * FOUND["back_least"] == pytest.approx(FOUND["back_percent"])


def test_positions_need_few_directions_in_which_words_have_a_little_less_than_their_share():
    assert FOUND["directions_32"] < FOUND["directions_128"] == FOUND["directions_512"] < 25
    assert FOUND["evenly"] / 2 < FOUND["words_in_share"] <= FOUND["words_in_share_most"] < FOUND["evenly"] - 2


# The clinic


def test_the_clinics_layer_draws_the_right_maps_and_hears_the_order_with_many_heads():
    assert FOUND["clinic_maps"] == 0
    assert FOUND["clinic_yours"] < 1e-5
    assert FOUND["clinic_one"] < 1e-5
    assert FOUND["clinic_many_least"] > FOUND["gap_gru"]


def test_the_causal_mask_exposes_the_clinics_layer():
    assert FOUND["clinic_future_yours"] == 0
    assert FOUND["clinic_future_theirs"] > 0.1


# The GPT


def test_what_is_sampled_is_not_copied():
    assert FOUND["sampled_copies"] == 0


def test_the_stored_weights_fit_the_readers_class_and_no_word_sees_a_later_one():
    assert FOUND["gpt_fits"] < 1e-4
    assert FOUND["gpt_future"] == 0
    assert FOUND["gpt_last"] > 0.01


def test_both_networks_get_about_equal_seconds_and_the_gpt_not_fewer():
    assert 1 <= FOUND["equal_short"] < 1.1
    assert 1 <= FOUND["equal_long"] < 1.1
    assert FOUND["seconds_gpt"] == pytest.approx(FOUND["seconds_lstm"], rel=0.05)
    assert abs(FOUND["gpt_parameters"] - FOUND["lstm_parameters"]) < 0.1


def test_the_gpt_of_the_page_is_like_the_stored_ones_of_the_short_training():
    assert FOUND["perplexity_live"] == pytest.approx(FOUND["gpt_short_mean"], rel=0.05)


def test_half_of_a_layers_work_are_the_pairs_when_a_text_has_six_times_as_many_words_as_a_vector_has_dimensions():
    assert FOUND["share_of_pairs"] == pytest.approx(50, abs=1)


def test_the_large_gpt_is_ahead_of_counting_and_of_both_lstms_and_more_steps_widen_its_lead():
    rivals = ("lstm_large_least", "lstm_long_least", "kneser_ney_mean")
    assert FOUND["gpt_large_most"] < min(FOUND[name] for name in rivals)
    assert FOUND["lstm_long_most"] < FOUND["lstm_large_least"], "the smaller one is a little better"
    assert FOUND["out_steps_least"] == FOUND["out_steps_most"] == FOUND["longer_steps"] / 2
    assert FOUND["out_gpt_parameters"] == pytest.approx(FOUND["out_lstm_parameters"], rel=0.02)
    assert FOUND["longer_gpt"] / FOUND["longer_lstm"] < 1 - FOUND["out_lead"] / 100
    assert FOUND["longer_gpt"] < FOUND["gpt_large_least"]
    assert 1 < FOUND["out_time_ratio"] < 3
    assert FOUND["gpt_large_most"] < FOUND["longer_lstm"]
    [doubled] = of("gpt_longer", "lstm", "took")
    assert doubled == pytest.approx(min(of("gpt_long", "gpt", "took")), rel=0.2), "about as long"


def test_only_the_large_gpt_had_dropout():
    tables = {name: json.loads((FOLDER / f"{name}.json").read_text()) for name in ("gpt", "gpt_long", "language_model")}
    assert {name for name, table in tables.items() if table["settings"].get("dropout")} == {"gpt_long"}


def test_the_lstm_leads_after_the_short_training_in_every_seed_and_neither_after_the_long_one():
    assert FOUND["lstm_short_most"] < FOUND["gpt_short_least"]
    assert FOUND["gpt_long_least"] < FOUND["lstm_long_most"]
    assert FOUND["lstm_long_least"] < FOUND["gpt_long_most"]
    assert FOUND["gpt_short_mean"] / FOUND["gpt_long_mean"] > FOUND["lstm_short_mean"] / FOUND["lstm_long_mean"]
    assert FOUND["lstm_at_edge"] == 1


def test_kneser_ney_beats_both_after_the_short_training_and_neither_after_the_long_one():
    assert FOUND["kneser_ney_mean"] < min(FOUND["lstm_short_least"], FOUND["gpt_short_least"], FOUND["perplexity_live"])
    assert FOUND["kneser_ney_mean"] > max(FOUND["lstm_long_most"], FOUND["gpt_long_most"])


def test_a_layer_is_not_far_from_a_gru_of_its_width_with_few_words_and_slower_with_many():
    assert 0.4 < FOUND["layer_over_gru_16"] < 2.5
    assert 0.4 < FOUND["layer_over_gru_128"] < 2.5
    assert FOUND["layer_over_gru_512"] > 1.3


def test_the_pairs_multiplications_are_the_smaller_part_of_what_512_words_cost_more_than_128():
    size, (few, many) = 128, (128, 512)
    products = (12 * size + 2 * many) / (12 * size + 2 * few)
    assert products == pytest.approx(1.43, abs=0.005)
    assert FOUND["layer_over_gru_512"] / FOUND["layer_over_gru_128"] > products**2
