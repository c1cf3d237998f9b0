"""The claims of this chapter."""

from itertools import pairwise
from statistics import stdev

import pytest

from seqlab.stored import load_table
from solutions.ch10_bert.sweeps import _few_labels as few_labels
from solutions.ch10_bert.sweeps import bert, bert_masking, bert_plateau
from solutions.ch10_bert.sweeps._shared import EVERY
from tests.claims import numbers, stored

FOUND = numbers("ch10_bert")
SEEDS = range(3)


def printed(start):
    """What follows in the only printed line of the stored notebook that begins so, and the line after it."""
    cells = stored("ch10_bert").cells
    outputs = [output for cell in cells for output in cell.get("outputs", []) if output.output_type == "stream"]
    lines = "".join(output.text for output in outputs).splitlines()
    [at] = [i for i, line in enumerate(lines) if line.startswith(start)]
    return lines[at].removeprefix(start).split(), lines[at + 1].split()


def mean(values):
    """The mean of a list."""
    return sum(values) / len(values)


def error(share, count):
    """Two standard errors of a share in per cent."""
    return 2 * (share * (100 - share) / count) ** 0.5


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


# Masks and pairs


def test_from_the_second_layer_on_every_word_sees_itself():
    assert FOUND["ways_back"] == 5


@pytest.mark.parametrize(("name", "share"), [("chosen", 15), ("masked", 80), ("kept", 10), ("seen", 12)])
def test_masks_are_drawn_as_they_should_be(name, share):
    assert abs(FOUND[f"off_{name}"]) < 5
    assert abs(FOUND[f"share_{name}"] - share) < 1


def test_specials_are_never_chosen():
    assert FOUND["specials_chosen"] == 0


def test_drawn_anew_nearly_all_pieces_are_asked_for():
    assert FOUND["asked_once"] < 20
    assert 79 < FOUND["asked_ten"] < 82


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


@pytest.mark.parametrize("seed", SEEDS)
def test_counting_is_asked_about_exactly_the_masks_of_the_model(seed):
    assert FOUND[f"gaps_{seed}"] == FOUND[f"asked_{seed}"]
    assert FOUND[f"counted_unigram_{seed}"] == pytest.approx(FOUND[f"stored_unigram_{seed}"], abs=0.01)


# Pre-training


@pytest.mark.parametrize("seed", SEEDS)
def test_masked_accuracy_is_at_least_twice_that_of_plain_frequency(seed):
    assert FOUND[f"words_{seed}"] > 2 * FOUND[f"counted_unigram_{seed}"]


@pytest.mark.parametrize("seed", SEEDS)
def test_each_run_beats_counting_one_neighbour_on_either_side_and_loses_to_counting_three(seed):
    words, noise = FOUND[f"words_{seed}"], error(FOUND[f"words_{seed}"], FOUND[f"asked_{seed}"])
    assert FOUND[f"counted_near_{seed}"] < words - noise
    assert FOUND[f"counted_wide_{seed}"] > words + noise
    assert FOUND[f"wide_nats_{seed}"] < FOUND[f"nats_{seed}"] < FOUND[f"near_nats_{seed}"]


def test_a_short_training_loses_to_both_counters():
    assert FOUND["live_words"] < FOUND["counted_near"] < FOUND["counted_wide"]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_loss_of_the_words_falls_to_that_of_frequency_early_and_goes_on_to_the_last_step(seed):
    losses = [losses[0] for losses in load_table("bert")[seed]["curve"]]
    first = next(EVERY * (i + 1) for i, loss in enumerate(losses) if loss < FOUND["unigram_loss"])
    assert 100 < first <= 200
    tenths = [
        mean(part) for part in (losses[i : i + len(losses) // 10] for i in range(0, len(losses), len(losses) // 10))
    ]
    assert all(later < sooner for sooner, later in pairwise(tenths))


def test_heads_that_looked_everywhere_take_a_distance_each():
    assert FOUND["live_near_before"] < 10
    assert FOUND["live_near"] > 40


@pytest.mark.parametrize("seed", SEEDS)
def test_in_each_run_the_loss_falls_while_the_first_head_finds_a_distance(seed):
    row = load_table("bert")[seed]
    shares = [[share for head in heads for share in (*head[:3], *head[4:])] for heads in row["looks"]]
    at = next(i for i, found in enumerate(shares, start=1) if max(found) > 20)
    losses = [losses[0] for losses in row["curve"]]
    assert losses[at + 3] < losses[at - 4] - 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_each_head_of_each_run_has_a_distance_of_its_own(seed):
    assert FOUND[f"near_{seed}"] > 4 * FOUND["even"]


def test_all_runs_find_the_same_four_distances_two_of_them_sharply():
    assert FOUND["four_places"] == len(SEEDS)
    assert FOUND["sharp_least"] > 90
    orders = {tuple(head.index(max(head)) for head in row["distances"][0]) for row in load_table("bert")}
    assert len(orders) == len(SEEDS)


# The plateau


def pairs_until(length, pairs, rate, nats=5.6):
    """After how many pairs each seed's loss was below so many nats for the first time; a million where it never was."""
    return [
        next((EVERY * pairs * (i + 1) for i, losses in enumerate(row["curve"]) if losses[0] < nats), 1_000_000)
        for row in load_table("bert_plateau")
        if row["variant"] == f"{length} {pairs} {rate}"
    ]


def test_with_small_batches_of_long_sentences_at_the_higher_rate_all_runs_stay_on_the_plateau():
    assert pairs_until("long", 16, "fast") == [1_000_000] * len(SEEDS)
    assert 5.8 < FOUND["stuck_least"] <= FOUND["stuck_most"] < 5.95
    assert FOUND["stuck_looks"] < 10


def test_at_the_lower_rate_all_runs_leave_the_plateau():
    for length in ("short", "long"):
        for pairs in (32, 16):
            assert max(pairs_until(length, pairs, "slow")) <= bert_plateau.SETTINGS["read_pairs"]


@pytest.mark.parametrize("nats", [5.5, 5.6, 5.7])
@pytest.mark.parametrize("rate", ["slow", "fast"])
@pytest.mark.parametrize("pairs", [32, 16])
def test_short_sentences_leave_the_plateau_first_at_every_rate_and_batch(pairs, rate, nats):
    short, long = (sorted(pairs_until(length, pairs, rate, nats)) for length in ("short", "long"))
    if (pairs, rate) == (16, "fast"):
        assert short[1] < long[0]
    else:
        assert short[-1] < long[0]


def test_one_of_the_short_runs_in_small_batches_at_the_higher_rate_is_not_there_yet():
    assert sorted(pairs_until("short", 16, "fast"))[1:] != [1_000_000, 1_000_000]
    assert max(pairs_until("short", 16, "fast")) == 1_000_000


@pytest.mark.parametrize("length", ["short", "long"])
def test_small_batches_leave_the_plateau_after_fewer_pairs_at_the_lower_rate_and_later_at_the_higher(length):
    small, large = (pairs_until(length, pairs, "slow") for pairs in (16, 32))
    assert max(small) < min(large)
    assert min(small) / 16 > max(large) / 32
    small, large = (pairs_until(length, pairs, "fast") for pairs in (16, 32))
    assert min(small) > max(large)


def test_the_curves_of_short_and_long_sentences_run_together_at_first():
    for pairs in (32, 16):
        for rate in ("slow", "fast"):
            short, long = (
                [
                    mean([losses[0] for losses in row["curve"][6_000 // (EVERY * pairs) : 10_000 // (EVERY * pairs)]])
                    for row in load_table("bert_plateau")
                    if row["variant"] == f"{length} {pairs} {rate}"
                ]
                for length in ("short", "long")
            )
            assert abs(mean(short) - mean(long)) < 0.2


def test_two_layers_and_more_steps_are_level_with_counting_in_accuracy_and_ahead_in_cross_entropy():
    error = 100 * (0.24 / FOUND["asked_0"]) ** 0.5
    assert abs(FOUND["deeper_words"] - FOUND["counted_wide_0"]) < 2 * error
    assert FOUND["deeper_nats"] < FOUND["wide_nats_0"] - 0.1
    assert FOUND["deeper_words"] > FOUND["words_0"] + 4 * error
    assert abs(FOUND["deeper_pairs"] - FOUND["counted_pairs_0"]) < FOUND["pairs_error_0"]


# Pairs


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_are_told_apart_above_chance_also_at_the_lower_end_of_the_interval(seed):
    assert FOUND[f"pairs_{seed}"] - FOUND[f"pairs_error_{seed}"] > 50


@pytest.mark.parametrize("seed", SEEDS)
def test_counting_is_asked_about_exactly_the_pairs_of_the_model(seed):
    assert FOUND[f"pairs_asked_{seed}"] == load_table("bert")[seed]["pairs"]
    assert error(FOUND[f"counted_pairs_{seed}"], FOUND[f"pairs_asked_{seed}"]) > 1
    assert FOUND[f"counted_pairs_{seed}"] > FOUND["nsp_rule"] + 5


def test_counting_and_the_model_tie_on_pairs():
    leads = [FOUND[f"pairs_{seed}"] - FOUND[f"counted_pairs_{seed}"] for seed in SEEDS]
    assert [lead > 0 for lead in leads] == [False, True, True]
    assert abs(mean(leads)) < 4.303 * stdev(leads) / len(leads) ** 0.5
    assert FOUND["mean_pairs"] - FOUND["counted_pairs"] == pytest.approx(mean(leads))


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_stay_at_chance_for_thousands_of_steps_and_longer_than_the_reader_trains(seed):
    assert FOUND[f"first_pairs_{seed}"] < 52
    assert FOUND[f"rise_{seed}"] > 3 * FOUND["live_steps"]
    assert FOUND["rise_2"] <= FOUND[f"rise_{seed}"] <= FOUND["rise_0"]


def test_the_readers_own_run_is_still_at_chance():
    assert abs(FOUND["live_pairs"] - 50) < 5


# Reading the model


def test_guesses_for_hidden_words_are_among_the_first_five_now_and_then():
    assert 0 < FOUND["shown_best"] <= FOUND["shown_among"] < FOUND["shown_all"]


def test_the_guesses_that_the_text_names_are_those_that_were_printed():
    assert printed("he hit me with a [pie] .")[1][::2] == ["vote", "nation", "moment", "president", "world"]
    prepositions, nouns = {"in", "of", "to", "on", "among"}, {"people", "interests", "nations", "peoples", "rights"}
    assert prepositions == set(printed("our relations with great britain are [of]")[1][::2])
    assert nouns == set(printed("peace and good will with all the [nations]")[1][::2])
    assert {"it", "attention", "as", "so", "a"} == set(printed("they have been presented and [urged]")[1][::2])
    assert {"that", ",", "only", "not", "##ly"} == set(printed("ours is it popular [government]")[1][::2])
    assert "food" in printed("army ")[0]
    modal = {"will", "should", "would", "shall", "may"}
    assert modal == set(printed("the report of this agent [will]")[1][::2])
    assert {"must", "shall", "will", "would", "can"} == set(printed("should ")[0])


def test_months_are_near_months():
    months = "february march april may june july august september october november december"
    assert sum(word in months.split() for word in printed("january ")[0]) >= 4


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cue_beside_a_homograph_can_be_read_and_which_bank_it_is_cannot(seed):
    assert FOUND[f"bank_same_near_{seed}"] > 75
    assert FOUND[f"bank_same_far_{seed}"] < FOUND[f"bank_same_near_{seed}"] - 20
    assert abs(FOUND[f"bank_other_{seed}"] - 50) < 5


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["near", "far"])
def test_the_first_model_reads_the_cue_least_and_the_second_most(name, seed):
    least, most = (FOUND[f"bank_same_{name}_{end}"] for end in (0, 1))
    assert least <= FOUND[f"bank_same_{name}_{seed}"] <= most


def test_in_an_untrained_network_the_cue_can_be_read_wherever_it_stands():
    assert FOUND["bank_same_near_untrained"] > 75
    assert FOUND["bank_same_far_untrained"] > max(FOUND[f"bank_same_far_{seed}"] for seed in SEEDS) + 5
    assert abs(FOUND["bank_other_untrained"] - 50) < 5


# Few labels


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", [30, 90])
def test_fine_tuning_beats_training_from_scratch_and_a_bag_of_pieces(labels, seed):
    assert FOUND[f"tuned_{labels}_{seed}"] > FOUND[f"scratch_{labels}_{seed}"] + 3
    assert FOUND[f"tuned_{labels}_{seed}"] > FOUND[f"words_{labels}_{seed}"] + 3


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", [30, 90])
def test_a_bag_of_pieces_beats_training_from_scratch(labels, seed):
    assert FOUND[f"words_{labels}_{seed}"] > FOUND[f"scratch_{labels}_{seed}"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", [30, 90])
def test_most_of_the_gain_lies_in_the_vectors_of_single_pieces(labels, seed):
    gain = FOUND[f"tuned_{labels}_{seed}"] - FOUND[f"words_{labels}_{seed}"]
    assert FOUND[f"vectors_{labels}_{seed}"] - FOUND[f"words_{labels}_{seed}"] > 0.5 * gain
    assert 70 < FOUND[f"share_{labels}"] < 100


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("labels", [30, 90])
def test_counted_topics_beat_fine_tuning_with_the_same_labels(labels, seed):
    assert FOUND[f"topics_{labels}_{seed}"] > FOUND[f"tuned_{labels}_{seed}"] + 2
    assert FOUND["topics_30_0"] <= FOUND[f"topics_30_{seed}"] <= FOUND["topics_30_2"]


@pytest.mark.parametrize("way", ["vectors", "frozen"])
def test_with_30_labels_fine_tuning_is_not_shown_to_be_better_than_simpler_ways(way):
    assert abs(FOUND[f"gap_{way}_30"]) < FOUND[f"gap_{way}_30_error"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("way", ["vectors", "frozen"])
def test_with_90_labels_fine_tuning_is_ahead_of_simpler_ways_in_each_model_by_little(way, seed):
    assert 0 < FOUND[f"tuned_90_{seed}"] - FOUND[f"{way}_90_{seed}"] < 4


def test_with_90_labels_the_lead_may_be_chance():
    assert FOUND["gap_frozen_90"] < FOUND["gap_frozen_90_error"]
    assert FOUND["gap_vectors_90"] < 1.1 * FOUND["gap_vectors_90_error"]


def test_settings_are_chosen_by_two_draws_and_often_lie_at_the_edge_for_the_vectors_always():
    assert few_labels.TUNING_DRAWS == 2
    at_edge = {
        way: [
            row["chosen"][labels][way] in (grid[0], grid[-1]) for row in load_table("bert") for labels in ("30", "90")
        ]
        for way, grid in few_labels.SETTINGS.items()
        if way != "words"
    }
    assert all(at_edge["vectors"])
    assert sum(at_edge["frozen"]) >= 4
    assert any(at_edge["tuned"])
    assert any(at_edge["scratch"])


# The recipe


@pytest.mark.parametrize("labels", [30, 90])
def test_with_a_frozen_encoder_the_mixture_is_ahead_of_always_masking(labels):
    assert FOUND[f"lead_{labels}"] > FOUND[f"lead_{labels}_error"]


def test_always_masking_had_learned_less_about_the_masks_in_every_seed():
    masked = {
        variant: [row["masked"] for row in load_table("bert_masking") if row["variant"] == variant]
        for variant in bert_masking.VARIANTS[:2]
    }
    mixed, always = (masked[variant] for variant in bert_masking.VARIANTS[:2])
    assert len(mixed) == len(always) == len(SEEDS)
    assert all(less < more for less, more in zip(always, mixed, strict=True))


@pytest.mark.parametrize("variant", bert_masking.VARIANTS[:2])
def test_the_recipes_are_compared_after_an_eighth_of_the_training_while_their_losses_still_fall(variant):
    assert 8 * bert_masking.SETTINGS["steps"] == bert.SETTINGS["steps"]
    for row in load_table("bert_masking"):
        if row["variant"] == variant:
            fifth = len(row["curve"]) // 5
            before, last = (
                mean([loss for loss, *_ in row["curve"][part]])
                for part in (slice(-2 * fifth, -fifth), slice(-fifth, None))
            )
            assert last < 0.99 * before


def test_always_masking_left_the_plateau_later():
    left = {
        variant: [
            next(at for at, (loss, *_) in enumerate(row["curve"]) if loss < 5.6)
            for row in load_table("bert_masking")
            if row["variant"] == variant
        ]
        for variant in bert_masking.VARIANTS[:2]
    }
    mixed, always = left.values()
    assert max(mixed) < min(always)


# The clinic


def test_a_model_that_is_shown_the_answers_never_slows_down_and_the_count_exposes_it():
    assert FOUND["clinic_theirs"] < 0.25 * FOUND["clinic_yours"]
    assert abs(FOUND["clinic_yours"] - FOUND["unigram_loss"]) < 0.5
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
