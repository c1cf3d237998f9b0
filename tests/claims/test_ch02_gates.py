"""The claims of this chapter."""

import re
from itertools import pairwise
from statistics import mean

from seqlab.stored import load_table
from tests.claims import numbers, stored

FOUND = numbers("ch02_gates")
MEMORY = load_table("memory")
PLAIN = ("rnn", "orthogonal", "rnn 128")

# Back through time


def test_gradients_by_hand_are_those_of_autograd():
    assert FOUND["pencil_gap"] < 1e-6
    assert FOUND["bptt_gap"] < 1e-10


def test_without_the_second_path_the_loss_stays_up():
    assert FOUND["least_hers"] > 10 * FOUND["most_yours"]
    assert FOUND["most_hers"] < 0.5


def test_loss_at_the_last_step_alone_finds_the_bug():
    assert FOUND["earlier_hers"] == 0
    assert FOUND["earlier_yours"] > 0.5


# How far the past reaches


def test_linear_orthogonal_recurrence_changes_by_log_rho_per_step():
    assert FOUND["backward_gap"] < 1e-9
    assert FOUND["forward_gap"] < 1e-5
    assert abs(FOUND["left_at_09"] / 0.9**50 - 1) < 1e-6
    assert abs(FOUND["grown_at_11"] / 1.1**50 - 1) < 1e-6


def test_gradient_vanishes_with_tanh_up_to_a_radius_of_one_and_with_large_inputs():
    assert FOUND["most_below_1"] < 0
    assert FOUND["edge_at_1"] < -0.03
    assert FOUND["large_at_2"] < -0.2


def test_gradient_grows_with_tanh_where_the_radius_is_large():
    assert FOUND["seed_spread"] < 0.05
    assert FOUND["grows_at_2"] > 0.1
    assert FOUND["grows_at_3"] > 0.2
    assert FOUND["least_at_3"] > 0
    assert 0 < FOUND["at_quarter"] < 0.05


def test_larger_inputs_need_a_larger_radius_to_grow():
    assert FOUND["medium_at_quarter"] < 0
    assert FOUND["medium_size"] < 0.015
    assert FOUND["one_at_half"] < 0 < FOUND["one_at_2"]


def test_trace_grows_forwards_where_the_gradient_grows_backwards():
    assert abs(FOUND["trace_at_2"] - FOUND["grows_at_2"]) < 0.05


def test_slopes_say_what_the_tanh_takes():
    assert FOUND["volume_gap"] < 1e-9
    assert FOUND["square_gap"] < 0.06
    assert FOUND["gaussian_gap"] > 1.3 * FOUND["square_gap"]
    assert FOUND["gaussian_at_2"] > 0
    assert FOUND["gaussian_at_3"] > 0.1
    assert FOUND["volume_at_2"] < -0.5


def test_root_mean_square_stretch_closes_about_half_of_the_gap():
    assert 0.35 < FOUND["stretch_gap"] / FOUND["gaussian_gap"] < 0.65


def test_gradient_begins_to_grow_later_with_gaussian_matrices():
    assert FOUND["gaussian_quarter_most"] < 0 < FOUND["at_quarter"]


def test_clipping_and_a_smaller_rate_tame_what_explodes():
    assert FOUND["exploded_least"] > 1e9
    assert FOUND["clipped_worst"] < 10
    assert FOUND["clipped_most"] < 1
    assert FOUND["small_most"] < 1
    assert FOUND["clipped_norm"] > 2


def test_clipping_slows_the_smallest_rate_and_reaches_no_lower_loss():
    assert FOUND["short_least"] > FOUND["long_most"]
    assert abs(FOUND["best_clipped"] - FOUND["best_plain"]) < 0.15


def test_the_best_clipped_rate_is_the_one_that_is_guessed_at():
    outputs = [output for cell in stored("ch02_gates").cells for output in cell.get("outputs", [])]
    said = "".join(output.text for output in outputs if output.output_type == "stream")
    rows = re.findall(r"^clipped, rate ([\d.]+): (.+)$", said, flags=re.MULTILINE)
    means = {rate: mean(map(float, losses.split())) for rate, losses in rows}
    assert len(means) == 4
    assert min(means, key=means.__getitem__) == "0.1"
    assert abs(means["0.1"] - FOUND["best_clipped"]) < 0.01


# Gates


def test_recurrences_are_those_of_torch():
    for cell in ("gru", "lstm", "bidirectional", "stacked"):
        assert FOUND[f"{cell}_gap"] < 1e-5, cell


def test_gates_keep_more_than_the_plain_recurrence():
    assert FOUND["kept_gated_least"] > FOUND["kept_rnn_most"] + 0.05
    assert FOUND["kept_rnn"] < 0.5
    assert FOUND["after_fifty_rnn"] < 1e-9
    assert FOUND["kept_spread"] < 0.04


def test_lstm_keeps_ever_more_as_its_forget_bias_rises():
    kept = [FOUND[name] for name in ("kept_lstm", "kept_lstm_1", "kept_lstm_2", "kept_lstm_4")]
    assert all(more > less + 0.02 for less, more in pairwise(kept))
    assert FOUND["kept_lstm"] + 0.05 < FOUND["kept_orthogonal"] < FOUND["kept_lstm_1"]


# Tasks


def test_gated_cells_solve_the_copying_task_in_every_run():
    gated = [row for row in MEMORY if row["variant"] not in PLAIN]
    assert len(gated) == 9
    for row in gated:
        assert set(row["end"]) == {"solved"}
        assert min(row["accuracy"]) > 99
    assert FOUND["gated_steps"] == max(max(row["steps"]) for row in gated) < 5000


def test_recurrences_without_gates_fall_behind_over_long_gaps():
    plain = [row for row in MEMORY if row["variant"] in PLAIN]
    assert len(plain) == 9
    for row in plain:
        assert min(row["accuracy"][:2]) > 95
        assert row["end"][-1] == "limit"
        assert row["accuracy"][-1] < 75
    assert FOUND["plain_drop_least"] > 1
    assert FOUND["orthogonal_at_20_most"] > 95


def test_at_20_distractors_recurrences_without_gates_were_still_learning():
    assert FOUND["drop_at_20_least"] > 5
    assert FOUND["drop_at_20_most"] > 50
    solved = [row for row in MEMORY if row["variant"] in PLAIN and row["end"][2] == "solved"]
    assert [(row["variant"], row["steps"][2] > 7_500) for row in solved] == [("orthogonal", True)]


def test_many_runs_without_gates_were_flat_and_none_solved_the_longest_gap():
    ends = [run["end"] for row in MEMORY if row["variant"] in PLAIN for run in row["grid"][-1].values()]
    assert len(ends) == FOUND["tried_at_40"] == 36
    assert ends.count("flat") == FOUND["flat_at_40"]
    assert "solved" not in ends


def test_the_best_rate_was_the_smallest_of_the_grid_in_three_cases():
    edge = [
        (row["variant"], gap)
        for row in MEMORY
        for gap, rate in zip(row["gap"], row["rate"], strict=True)
        if rate == 3e-4
    ]
    assert sorted(edge) == [("orthogonal", 40), ("rnn", 40), ("rnn 128", 20)]
    assert all(rate < 1e-2 for row in MEMORY for rate in row["rate"])


def test_networks_without_gates_lose_more_at_twice_the_gap():
    assert FOUND["lost_at_5_least"] > FOUND["gated_lost_at_5_most"]
    assert FOUND["gated_lost_most"] == FOUND["gated_lost_at_5_most"]
    assert FOUND["lost_at_20_most"] > 10
    losses = [
        accuracy - twice
        for row in MEMORY
        if row["variant"] in PLAIN
        for accuracy, twice in zip(row["accuracy"][1:], row["twice"][1:], strict=True)
    ]
    assert sorted(losses)[-2] < 6


def test_wide_recurrence_has_about_as_many_weights_as_the_lstm():
    [wide] = {row["parameters"] for row in MEMORY if row["variant"] == "rnn 128"}
    [lstm] = {row["parameters"] for row in MEMORY if row["variant"] == "lstm"}
    assert 0.8 < wide / lstm < 1.25


def test_article_needs_what_stands_on_its_right():
    assert FOUND["left_most"] < FOUND["always_le"] + 5
    assert FOUND["next_word"] > FOUND["left_most"] + 30
    assert min(FOUND["right_least"], FOUND["ends_least"]) > FOUND["next_word"] + 5
    assert abs(FOUND["right_least"] - FOUND["ends_least"]) < 3


def test_few_articles_are_left_out():
    assert 0 < FOUND["left_out"] < 5


def test_pie_sentence_gets_its_articles_from_both_ends():
    assert FOUND["pie_ends"] >= 11
    assert FOUND["pie_left"] <= 3


# The language model


def test_at_equal_seconds_the_lstm_is_ahead_of_the_rnn_and_both_are_of_kneser_ney():
    assert abs(FOUND["seconds_lstm"] / FOUND["seconds_rnn"] - 1) < 0.1
    assert FOUND["lm_lstm_most"] < 0.95 * FOUND["lm_rnn_least"]
    assert FOUND["lm_rnn_most"] < 0.97 * FOUND["kneser_ney_5"]
    assert FOUND["kneser_ney_5"] < FOUND["kneser_ney_3"]
