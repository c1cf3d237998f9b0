"""The claims of this chapter."""

from collections import Counter

from seqlab.corpus import load_corpus
from seqlab.stored import load_table
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


def test_a_smoothed_model_has_a_higher_loss_in_plain_nats_and_a_lower_bleu_with_each_seed():
    assert FOUND["held_out_smoothed"] > FOUND["held_out_plain"]
    assert FOUND["smoothing_costs_least"] > 0


# Small steps first


def measured(table, variant, name):
    """One measurement of a variant in a stored table, by seed."""
    return [row[name] for row in load_table(table) if row["variant"] == variant]


def spelt(way, rate, name="exact"):
    """One measurement of a way to train at a learning rate, by seed."""
    return measured("transformer_warmup", f"{way} {rate}", name)


def test_a_step_of_one_size_moves_post_norm_further_and_more_so_in_deep_stacks():
    for signs in ("adam", "random"):
        for depth in (1, 2, 4, 6, 12):
            assert FOUND[f"moved_{signs}_post_{depth}"] > FOUND[f"moved_{signs}_pre_{depth}"]
    assert FOUND["moved_random_post_1"] < 1.5 * FOUND["moved_random_pre_1"]
    assert FOUND["moved_random_post_12"] > 2 * FOUND["moved_random_pre_12"]


def test_pre_norm_learns_at_all_four_rates_with_a_warm_up_or_without():
    assert FOUND["spelt_pre_least"] > 95


def test_post_norm_with_a_warm_up_learns_at_the_three_higher_rates():
    assert FOUND["spelt_post_warm_least"] > 95
    least = min(min(spelt("post warm", rate)) for rate in (0.001, 0.002, 0.004))
    assert abs(FOUND["spelt_post_warm_least"] - least) < 0.001


def test_post_norm_without_a_warm_up_learns_at_one_rate_falls_behind_at_the_next_and_fails_at_the_highest():
    assert min(spelt("post cold", 0.001)) > min(spelt("post warm", 0.001)) - 2
    assert FOUND["spelt_post_cold_20_most"] < min(spelt("post warm", 0.002))
    assert max(spelt("post cold", 0.004)) == 0
    nats = spelt("post cold", 0.004, "held_out")
    assert 0.85 * FOUND["by_frequency"] < min(nats) <= max(nats) < FOUND["by_frequency"]


def test_at_the_lowest_rate_post_norm_has_too_few_steps_and_a_warm_up_makes_it_worse():
    warm, cold = spelt("post warm", 0.0005), spelt("post cold", 0.0005)
    assert max(warm + cold) < FOUND["spelt_pre_least"]
    assert sum(warm) < sum(cold)


def test_the_warm_up_makes_a_higher_rate_the_best_one_for_post_norm_and_that_rate_is_worth_having():
    assert FOUND["best_post_cold"] == 0.001
    assert FOUND["best_post_warm"] == 0.002
    assert max(spelt("post warm", 0.002, "held_out")) < min(spelt("post cold", 0.001, "held_out"))


def test_on_sentences_post_norm_fails_at_a_high_rate_without_a_warm_up():
    pre, warm, cold = (measured("transformer", norm, "bleu") for norm in ("pre", "post", "post, no warm-up"))
    assert max(cold) < min(pre + warm) - 20


# Heads


def test_heads_of_one_model_agree_as_often_as_heads_of_different_models_and_more_than_by_chance():
    assert abs(FOUND["agree_one_model"] - FOUND["agree_two_models"]) < 5
    assert min(FOUND["agree_one_model"], FOUND["agree_two_models"]) > 3 * FOUND["agree_shuffled"]


def test_every_head_finds_more_links_than_the_diagonal():
    assert FOUND["head_worst"] > FOUND["head_diagonal"] + 5


# Against the GRU


def longer(variant, name):
    """One measurement of a variant of the longer comparison, by seed."""
    return measured("transformer_longer", variant, name)


def test_the_rivals_had_equal_seconds_and_the_transformer_half_as_many_parameters_again():
    assert 0.8 < FOUND["seconds_ratio"] < 1.25
    assert 1.4 < FOUND["parameters"] / FOUND["gru_parameters"] < 1.6


def test_after_a_short_training_the_seeds_give_no_ranking():
    gru, transformer = (measured("transformer", kind, "bleu") for kind in ("recurrent", "pre"))
    assert min(gru) < max(transformer)
    assert min(transformer) < max(gru)


def test_a_rate_from_a_short_trial_costs_the_gru_more_than_the_transformer_is_ahead():
    early = longer("recurrent, early", "tuning")[0]
    assert min(early, key=early.get) == "0.008" == str(longer("recurrent, early", "rate")[0])
    assert "0.016" in early
    whole = longer("recurrent", "tuning")[0]
    assert min(longer("recurrent, early", "curve")[0]) > 2 * max(whole["0.002"], whole["0.004"])
    assert whole["0.002"] < whole["0.001"]
    assert min(longer("recurrent", "bleu")) > max(longer("recurrent, early", "bleu")) + 5
    assert FOUND["gru_bleu"] - FOUND["early_bleu"] > 2 * FOUND["lead"]


def test_the_transformer_is_ahead_with_every_seed():
    assert min(longer("pre", "bleu")) > max(longer("recurrent", "bleu"))
    assert FOUND["lead"] > 1
    (gru, *_), (transformer, *_) = (sorted(longer(kind, "took"), reverse=True) for kind in ("recurrent", "pre"))
    assert 1 < gru / transformer < 1.3, "on one core"
    assert min(longer("pre", "exact")) > max(longer("recurrent", "exact"))
    assert [max(longer(kind, "steps")) for kind in ("recurrent", "recurrent, early", "pre")] == [
        2 * FOUND["longer_steps"],
        2 * FOUND["longer_steps"],
        FOUND["longer_steps"],
    ]


def test_a_rate_from_a_short_trial_costs_most_on_the_longest_sources():
    gru, early = (longer(variant, "bleu_by_length") for variant in ("recurrent", "recurrent, early"))
    lost = {name: sum(a[name] - b[name] for a, b in zip(gru, early, strict=True)) / 3 for name in gru[0]}
    assert max(lost, key=lost.get) == list(lost)[-1]
    assert FOUND["gru_long"] > FOUND["early_long"] + 10


def test_the_bins_of_length_have_as_many_sentences_as_the_text_says():
    lengths = [len(pair.source) for pair in load_corpus().test]
    bins = Counter((length - 1) // 5 for length in lengths)
    assert bins.pop(7) == 24
    assert len(bins) == 7
    assert min(bins.values()) == 63
    assert sum(length > 35 for length in lengths[:300]) == 4


def test_the_transformers_step_takes_longer_on_a_thread_but_less_so_than_its_work():
    assert FOUND["cpu_least"] > 1
    for shape in ("128_8", "128_32", "512_8"):
        for length in (8, 16, 32, 64, 128, 256, 512):
            assert FOUND[f"cpu_{shape}_{length}"] < FOUND[f"work_{shape}_{length}"]


def test_on_a_gpu_the_transformers_step_does_not_grow_and_the_grus_does():
    for shape in ("128_8", "128_32", "512_8"):
        assert FOUND[f"cuda_{shape}_64"] > 1 > FOUND[f"cuda_{shape}_128"]
        assert FOUND[f"cuda_{shape}_512"] < 0.4
    assert FOUND["gpu_transformer_most"] < 2 * FOUND["gpu_transformer_least"]
    assert FOUND["gpu_gru_512_least"] > 4 * FOUND["gpu_gru_8_most"]


def test_step_times_were_taken_on_one_machine_for_each_device():
    machines = [row["machines"] for row in load_table("transformer_step_time")]
    assert all(each == machines[0] for each in machines)
    assert "1 thread" in machines[0]["cpu"]


def test_attention_in_blocks_is_attention_and_holds_far_less():
    assert FOUND["online_gap"] < 1e-6
    assert 30 * FOUND["largest_online"] < FOUND["largest_full"]


# Writing


def test_a_cached_layer_gives_what_the_layer_gives():
    assert FOUND["cache_gap"] < 1e-5


def test_cached_decoding_gives_the_same_words_faster():
    assert FOUND["cached_same"] > 99
    assert FOUND["cache_speedup"] > 1.3
    assert FOUND["cache_gain_96"] > 1.3
    assert FOUND["cache_gain_96"] > FOUND["cache_gain_8"]


def test_the_beam_probably_helps_and_the_bootstrap_cannot_tell_how_much():
    assert FOUND["beam_bleu"] > FOUND["greedy_bleu"]
    assert FOUND["beam_gain_low"] > -0.3
    assert FOUND["beam_gain_high"] - FOUND["beam_gain_low"] > 2


def test_the_clinics_step_loses_count_where_its_cache_ends_and_the_test_shows_where():
    assert FOUND["clinic_gap_long_yours"] < 1e-3
    assert FOUND["clinic_first_wrong_yours"] == -1
    assert FOUND["clinic_gap_short_theirs"] < 1e-3
    assert FOUND["clinic_gap_long_theirs"] > 0.1
    assert 12 <= FOUND["clinic_first_wrong_theirs"] <= 14


def test_the_clinics_curve_is_right_at_short_sentences_and_falls_behind_at_long_ones():
    assert FOUND["clinic_theirs_short"] > FOUND["clinic_yours_short"] - 1
    assert FOUND["clinic_theirs_long"] < FOUND["clinic_yours_long"] - 10


def test_in_the_clinic_the_position_does_the_harm_and_not_the_window():
    lost = FOUND["clinic_bleu_yours"] - FOUND["clinic_bleu_theirs"]
    assert lost > 20
    assert FOUND["clinic_bleu_yours"] - FOUND["clinic_bleu_counted"] < 0.2 * lost
