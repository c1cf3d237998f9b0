"""The claims of this chapter."""

import pytest

from seqlab.convergence import is_learning
from seqlab.corpus import load_corpus
from seqlab.stored import load_table
from solutions.ch05_attention.sweeps import attention_past, attention_rates, attention_short, attention_verses
from tests.claims import numbers

FOUND = numbers("ch05_attention")


def of(table, variant, column):
    """A variant's numbers in a stored table, one for each seed."""
    return [row[column] for row in load_table(table) if row["variant"] == variant]


def overlap(one, other):
    """Whether the ranges of two variants over the seeds overlap."""
    return min(one) <= max(other) and min(other) <= max(one)


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


def test_components_start_far_below_variance_one_and_no_softmax_is_saturated():
    assert FOUND["start_query"] < 0.2
    assert FOUND["start_key"] < 0.2
    assert FOUND["start_spread"] < 2
    assert FOUND["start_top"] < 0.4
    assert FOUND["start_own_top"] < 1.5 * FOUND["start_even"]


def test_training_makes_states_larger_and_attention_sharp():
    assert FOUND["trained_query"] > FOUND["start_query"]
    assert FOUND["trained_key"] > FOUND["start_key"]
    assert FOUND["trained_own_top"] > 0.7


def test_one_step_of_the_sentence_of_the_book_looks_at_one_word_and_is_sure():
    assert FOUND["pie_weight"] > 0.9
    assert FOUND["pie_chance"] > 0.8


def test_model_translates():
    assert 30 < FOUND["exact"] <= 100
    assert 60 < FOUND["bleu"] <= 100


def test_weights_align_far_better_than_the_diagonal():
    assert FOUND["aer"] < FOUND["aer_diagonal"] / 2


def test_weights_come_close_to_the_best_single_links():
    floor = FOUND["aer_floor"]
    assert 0 < floor < FOUND["aer"]
    assert FOUND["aer"] - floor < (FOUND["aer_diagonal"] - floor) / 2


def test_counting_without_positions_is_behind_the_weights_and_near_the_diagonal_ahead():
    assert FOUND["aer_near_most"] < FOUND["aer"] < FOUND["aer_words"] < FOUND["aer_diagonal"] / 2
    assert FOUND["aer_near_most"] - FOUND["aer_near_least"] < 0.02


def test_some_translators_trained_for_longer_are_ahead_of_counting_and_some_behind():
    assert FOUND["aer_all_least"] < FOUND["aer_near_least"]
    assert FOUND["aer_near_most"] < FOUND["aer_all_most"]


def test_sentence_of_the_book_was_not_seen_in_training():
    assert FOUND["pie_seen"] == 0


def test_every_kind_of_alignment_is_in_the_corpus():
    for kind in ("many_to_one", "one_to_many", "unlinked"):
        assert round(FOUND[kind], 1) > 0


# The stored sweep: in every one of its seeds


def test_one_vector_loses_with_length_and_a_choice_at_each_word_does_not():
    assert min(FOUND["fall_last"], FOUND["fall_mean"]) > 60
    assert FOUND["fall_attention"] < 25


def test_a_choice_among_bare_words_beats_one_vector_on_sources_of_more_than_ten_words():
    rows = {arm: of("attention_worth", arm, "bleu_by_length") for arm in ("last", "mean", "words")}
    for name in ("11-15", "16-20"):
        bare, *single = ([row[name] for row in rows[arm]] for arm in ("words", "last", "mean"))
        assert min(bare) > max(map(max, single))
    assert max(row["1-5"] for row in rows["words"]) < min(row["1-5"] for row in rows["mean"])
    assert max(row["16-20"] for row in rows["words"]) < FOUND["long_attention_least"]


def test_only_the_choice_differs_between_the_mean_and_attention():
    counts = {row["variant"]: row["parameters"] for row in load_table("attention_worth")}
    assert len({row["rate"] for row in load_table("attention_worth")}) == 1
    assert counts["last"] == counts["mean"] == counts["attention"] - 128**2
    assert FOUND["of_each"] >= 300


def test_four_times_as_many_steps_leave_the_gap_and_overfit():
    assert FOUND["longer_steps"] == 4 * FOUND["usual_steps"]
    [longer] = load_table("attention_worth_longer")
    assert FOUND["longer_lowest"] < 60
    assert longer["curve"][-1] > 1.1 * longer["held_out"]
    assert FOUND["long_attention_least"] > 2 * longer["bleu_by_length"]["16-20"]


def test_on_verses_attention_is_far_ahead_at_every_length_and_the_gap_does_not_grow():
    last, attention = (of("attention_verses", arm, "bleu_by_length") for arm in ("last", "attention"))
    gaps = []
    for name in ("6-10", "11-15", "16-20"):
        below, above = [row[name] for row in last], [row[name] for row in attention]
        assert min(above) > 2 * max(below)
        gaps.append(sum(above) - sum(below))
    assert gaps[0] > gaps[-1]
    assert FOUND["verses_last_first"] < 5
    assert min(row["6-10"] for row in of("attention_worth", "last", "bleu_by_length")) > 50


def test_a_program_that_copies_verses_keeps_up_with_attention():
    assert abs(FOUND["verses_nearest"] - FOUND["verses_attention"]) < 1
    assert FOUND["verses_nearest"] > 2 * FOUND["verses_last"]


def test_verses_are_as_the_text_says():
    found = attention_verses.SETTINGS
    assert (found["corpus"], found["max_words"]) == ("verses:en-fr", 20)
    assert found["tuning_steps"] == found["steps"] == FOUND["verses_steps"]
    assert load_table("attention_verses")[0]["counts"]["1-5"] == 1
    assert FOUND["verses_steps"] < FOUND["usual_steps"]
    assert FOUND["verses_pairs"] < 20_000


def test_in_bleu_the_scores_form_two_groups():
    assert FOUND["groups_gap"] > 2


def test_the_two_orders_overlap_over_all_sentences():
    assert overlap(of("attention", "previous", "bleu"), of("attention", "additive", "bleu"))
    assert overlap(of("attention", "previous", "aer"), of("attention", "additive", "aer"))


def test_maps_cannot_be_ranked():
    names = ("dot", "scaled", "multiplicative", "keyed", "additive", "previous")
    rates = [of("attention", name, "aer") for name in names]
    assert all(overlap(one, other) for one in rates for other in rates)


def test_plain_dot_beats_scaled_dot_in_bleu_and_loses_in_exact_matches():
    assert min(of("attention", "dot", "bleu")) > max(of("attention", "scaled", "bleu"))
    assert max(of("attention", "dot", "exact")) < min(of("attention", "scaled", "exact"))


def test_scaled_dot_is_ahead_on_short_sentences_and_behind_on_long_ones():
    dot, scaled = (of("attention", name, "bleu_by_length") for name in ("dot", "scaled"))
    for name in ("1-5", "6-10", "11-15"):
        assert max(row[name] for row in dot) < min(row[name] for row in scaled)
    for name in ("31-35", "36-40"):
        assert max(row[name] for row in scaled) < min(row[name] for row in dot)


def test_long_sentences_are_few_but_have_a_fifth_of_the_words():
    pairs = load_corpus().test
    long = [pair for pair in pairs if len(pair.source) > 30]
    assert len(long) < len(pairs) / 10
    words = sum(len(pair.target) for pair in pairs)
    assert sum(len(pair.target) for pair in long) / words == pytest.approx(0.2, abs=0.005)
    assert sum(len(pair.source) <= 15 for pair in pairs) > len(pairs) / 2


def test_the_two_orders_separate_in_two_bins_of_lengths_in_opposite_directions():
    state, previous = (of("attention", name, "bleu_by_length") for name in ("additive", "previous"))
    bins = {name: ([row[name] for row in state], [row[name] for row in previous]) for name in state[0]}
    assert len(bins) == 8
    assert [name for name, (one, other) in bins.items() if min(one) > max(other)] == ["26-30"]
    assert [name for name, (one, other) in bins.items() if max(one) < min(other)] == ["36-40"]


# The sweep of learning rates, of one seed


def test_rates_were_tried_as_the_text_says():
    assert attention_rates.SETTINGS == {"rates": [0.001, 0.002, 0.004], "steps": 2000}
    variants = ("none", "keyed", "dot", "scaled", "multiplicative", "additive")
    rows = load_table("attention_rates")
    assert sorted((row["variant"], row["seed"]) for row in rows) == sorted((variant, 9) for variant in variants)


def test_largest_rate_is_best_for_all_but_the_multiplicative_score():
    for row in load_table("attention_rates"):
        low, shared, high = row["held_out"]
        assert low > max(shared, high)
        assert (shared < high) == (row["variant"] == "multiplicative")


def test_scores_form_the_same_groups_at_rates_of_their_own():
    best = {
        row["variant"]: min(zip(row["held_out"], row["bleu"], strict=True)) for row in load_table("attention_rates")
    }
    lower = [best[name] for name in ("dot", "scaled", "multiplicative")]
    upper = [best[name] for name in ("keyed", "additive")]
    assert max(loss for loss, _ in upper) < min(loss for loss, _ in lower)
    assert min(score for _, score in upper) > max(score for _, score in lower) + 5


# The sweep on short sentences


@pytest.mark.parametrize("table", ["attention_short", "attention_past"])
def test_no_run_was_still_learning_when_its_training_ended(table):
    assert not any(is_learning(row["curve"]) for row in load_table(table) if "curve" in row)


def test_short_tables_were_made_as_the_text_says():
    short, past = attention_short.SETTINGS, attention_past.SETTINGS
    assert [short[name] for name in ("max_words", "train", "size")] == [10, 4000, 64]
    assert {row["steps"] for row in load_table("attention_short")} == {FOUND["short_steps"]}
    assert short["tuning_steps"] == FOUND["short_steps"]
    assert [past[name] for name in ("max_words", "wider", "tuning_steps")] == [25, 76, 800]


def test_unit_vectors_need_a_scale_and_find_one():
    for name in ("cosine_root", "cosine_learned"):
        assert FOUND[f"{name}_least"] > FOUND["cosine_1_most"] + 15
    assert 8 < FOUND["scale_least"]
    assert FOUND["scale_most"] < 2 * 8


def test_the_fixed_scale_is_ahead_of_the_learned_one_and_of_no_normalising_which_are_level():
    for name in ("cosine learned", "both ways"):
        for measure, sign in {"bleu": 1, "exact": 1, "aer": -1}.items():
            best, other = (
                [sign * value for value in of("attention_short", each, measure)] for each in ("cosine root", name)
            )
            assert min(best) > max(other)
    assert FOUND["cosine_learned_least"] < FOUND["both_ways_most"]
    assert FOUND["both_ways_least"] < FOUND["cosine_learned_most"]


def test_two_directions_beat_one_under_attention():
    assert FOUND["bleu_bidirectional_least"] > FOUND["bleu_forwards_most"] + 3
    assert FOUND["aer_bidirectional_least"] > FOUND["aer_forwards_least"]
    assert FOUND["aer_bidirectional_most"] < FOUND["aer_forwards_most"]


def test_bag_of_words_translates_worse():
    words, states = (of("attention_worth", arm, "bleu") for arm in ("words", "attention"))
    assert min(states) > max(words) + 20


def test_looking_back_hardly_helps_a_language_model():
    for name in ("zeros", "wider"):
        assert 0.25 < FOUND[f"past_{name}"] - FOUND["past_attention"] < 0.4
        assert FOUND[f"past_{name}_least"] < FOUND["past_attention_most"]
    assert FOUND["past_kneser_ney_least"] > FOUND["past_zeros_most"] + 5


def test_the_n_gram_order_that_is_best_lies_inside_its_range():
    orders = {int(order): loss for order, loss in load_table("attention_past")[-1]["tuning"].items()}
    assert sorted(orders) == [2, 3, 4, 5, 6]
    assert min(orders, key=orders.get) == FOUND["past_order"] == 5


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
