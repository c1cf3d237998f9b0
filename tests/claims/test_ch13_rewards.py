"""The claims of this chapter."""

from statistics import mean

import pytest

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch13_rewards")
TASKS = ("past", "negate", "write")


def by_variant(name):
    """The rows of a stored table, three seeds of each variant, in the order of the seeds."""
    found = {}
    for row in sorted(load_table(name), key=lambda row: row["seed"]):
        found.setdefault(row["variant"], []).append(row)
    return found


ARMS = by_variant("rewards_arms") | by_variant("rewards_longer")
HOLE = by_variant("rewards_hole")


def right(variant, task=None):
    """The share of right answers of each seed, of one task or on average over the three."""
    return [row["right"][task] if task else mean(row["right"].values()) for row in ARMS[variant]]


@pytest.mark.parametrize("rows", [*ARMS.values(), *HOLE.values()])
def test_there_are_three_seeds(rows):
    assert [row["seed"] for row in rows] == [0, 1, 2]


# A policy is a language model


def test_the_estimate_comes_near_the_exact_gradient():
    assert FOUND["toy_gap_100000"] < 0.02 < FOUND["toy_gap_10"]


def test_a_baseline_in_the_toy_removes_what_was_added_to_all_rewards():
    assert FOUND["toy_plus_10"] > 50 * FOUND["toy_rewards"]
    assert FOUND["toy_less_mean"] < FOUND["toy_rewards"]


# The model and its tasks


def test_the_tasks_leave_room_in_different_ways():
    assert FOUND["first_plural"] > 90
    assert FOUND["some_spell"] == FOUND["mixed_spell"] == 0
    assert all(FOUND[f"mixed_{task}"] > 40 for task in TASKS)


# The noise


def test_the_groups_mean_makes_the_gradient_noisier_here():
    assert FOUND["noise_group"] > 120
    assert FOUND["noise_batch"] > 120
    assert FOUND["size_wrong"] > 3 * FOUND["size_right"]
    assert FOUND["log_prob_wrong"] < FOUND["log_prob_right"] - 3
    assert FOUND["best_baseline"] < 0.6 * FOUND["mean_reward"]


def test_none_of_the_rewarded_runs_is_flat_yet():
    for variant in ("group", "none"):
        ends = [row["curve"]["reward"] for row in ARMS[variant]]
        assert mean(curve[-1] for curve in ends) > mean(curve[-3] for curve in ends) + 0.02


# Against what?


def test_training_on_rewards_helps_above_all_where_right_answers_are_rare():
    for before, after in zip(right("start"), right("group"), strict=True):
        assert after > before + 0.05
    for before, after in zip(right("start", "write"), right("group", "write"), strict=True):
        assert after > before + 0.15
    for task in ("past", "negate"):
        assert mean(right("group", task)) - mean(right("start", task)) < 0.05


def test_tasks_without_a_reward_stay_about_where_they_were():
    for variant in ("group", "none"):
        for before, after in zip(ARMS["start"], ARMS[variant], strict=True):
            assert abs(mean(before["others"].values()) - mean(after["others"].values())) < 0.04
    assert all(len(row["others"]) == 5 for row in ARMS["start"])


def greedy(variant, task=None):
    return [row["greedy"][task] if task else mean(row["greedy"].values()) for row in ARMS[variant]]


def test_greedy_decoding_before_training_is_ahead_of_samples_after_it_and_near_a_vote():
    assert all(before > after + 0.03 for before, after in zip(greedy("start"), right("group"), strict=True))
    for row in ARMS["start"]:
        for task in ("past", "negate"):
            assert abs(row["greedy"][task] - row["votes"][task][-1]) <= 1 / 40 + 1e-9


def test_greedy_answers_gain_in_write_alone():
    for arm in ("group", "none"):
        assert mean(greedy(arm)) > mean(greedy("start")) + 0.05
        assert mean(greedy(arm, "write")) > mean(greedy("start", "write")) + 0.2
        for task in ("past", "negate"):
            assert abs(mean(greedy(arm, task)) - mean(greedy("start", task))) < 0.04
    assert all(after > before + 0.1 for before, after in zip(greedy("start"), greedy("none"), strict=True))


def test_no_baseline_is_better_than_the_groups_mean_in_each_seed():
    assert all(none > group for none, group in zip(right("none"), right("group"), strict=True))


def test_whether_scaling_helps_differs_from_seed_to_seed():
    assert {scaled > group for scaled, group in zip(right("scaled"), right("group"), strict=True)} == {True, False}


def test_distilled_is_as_good_on_average_and_better_or_worse_by_task():
    assert abs(mean(right("distilled")) - mean(right("group"))) < 0.03
    assert FOUND["start_write_mean"] < 0.3 * min(FOUND["start_past_mean"], FOUND["start_negate_mean"])
    for task in ("past", "negate"):
        assert all(mine > other for mine, other in zip(right("distilled", task), right("group", task), strict=True))
    assert mean(right("distilled", "write")) < mean(right("group", "write")) - 0.05


def test_a_penalty_for_wrong_answers_makes_no_baseline_worse_than_the_groups_mean():
    assert all(minus < group for minus, group in zip(right("minus"), right("group"), strict=True))


def test_four_times_the_steps_leave_distillation_behind_because_of_write():
    for variant in ("group, longer", "none, longer"):
        assert all(own > other + 0.05 for own, other in zip(right(variant), right("distilled, longer"), strict=True))
    assert FOUND["group_longer_write_mean"] > 2 * FOUND["distilled_longer_write_mean"]
    for task in ("past", "negate"):
        mine, other = right("distilled, longer", task), right("group, longer", task)
        assert all(one > two for one, two in zip(mine, other, strict=True))


def test_no_baseline_stays_ahead_of_the_groups_mean_after_four_times_the_steps():
    assert all(none > group for none, group in zip(right("none, longer"), right("group, longer"), strict=True))


def test_each_task_has_forty_test_prompts():
    assert {len(row["counts"][task]) for row in ARMS["start"] for task in TASKS} == {40}


def test_four_times_the_steps_cost_variety_and_a_little_of_the_other_tasks():
    assert FOUND["none_longer_different_mean"] < FOUND["group_longer_different_mean"]
    assert FOUND["group_longer_different_mean"] < FOUND["distilled_longer_different_mean"] - 30
    assert 0 < FOUND["start_others_mean"] - FOUND["group_longer_others_mean"] < 5


def test_the_larger_the_penalty_the_nearer_and_the_less_gained():
    names = ["group", "group_KL_003", "group_KL_01", "group_KL_03"]
    for what in ("kl_mean", "gain"):
        values = [FOUND[f"{name}_{what}"] for name in names]
        assert values == sorted(values, reverse=True)


def test_arms_that_differ_in_one_thing_have_the_same_rate():
    rates = {variant: {row["rate"] for row in ARMS[variant]} for variant in ARMS if variant != "start"}
    assert rates["scaled"] == rates["group"] == rates["group, KL 0.1"] == rates["group, longer"] == {FOUND["rate"]}
    assert rates["group, KL 0.03"] == rates["group, KL 0.3"] == rates["group"]
    assert all(len(rate) == 1 for rate in rates.values())


def test_a_few_samples_that_are_used_often_change_little():
    before = mean(FOUND[f"first_{task}"] for task in TASKS)
    assert abs(FOUND["reuse_clipped"] - before) < 5
    assert abs(FOUND["reuse_not_clipped"] - before) < 5
    assert FOUND["outside_clipped"] < FOUND["outside_not_clipped"]


# Staying near the start


def test_k1_and_k3_have_the_right_mean_and_k3_the_smaller_deviation():
    assert abs(FOUND["k1_mean"] - FOUND["k3_mean"]) < 0.001
    assert FOUND["k3_deviation"] < FOUND["k1_deviation"] / 10


def test_the_penalty_keeps_the_policy_nearer_and_costs_reward():
    near, far = (([mean(row["kl"].values()) for row in ARMS[each]]) for each in ("group, KL 0.1", "group"))
    assert all(one < 0.8 * other for one, other in zip(near, far, strict=True))
    assert all(one < other for one, other in zip(right("group, KL 0.1"), right("group"), strict=True))


# What has the model learned?


def test_training_raises_pass_at_1_and_not_pass_at_32():
    assert FOUND["group_pass_1"] > FOUND["start_pass_1"] + 5
    assert abs(FOUND["group_pass_32"] - FOUND["start_pass_32"]) < 2
    assert FOUND["start_pass_32"] > 90
    assert FOUND["start_pass_4"] > FOUND["group_pass_1"] + 5
    assert abs(FOUND["start_pass_2"] - FOUND["group_pass_1"]) < 4
    assert FOUND["start_pass_4"] < FOUND["group_longer_pass_1"]


def test_a_vote_beats_training_on_past():
    assert FOUND["start_past_vote_32"] > FOUND["start_past_vote_1"] + 15
    assert FOUND["start_past_vote_32"] > FOUND["group_past_vote_1"] + 15
    assert all(row["votes"]["past"][-1] > 0.7 for row in ARMS["start"])


def test_a_vote_on_write_helps_only_after_training():
    assert FOUND["start_write_vote_32"] < FOUND["start_write_vote_1"] + 5
    assert FOUND["group_write_vote_32"] > FOUND["group_write_vote_1"] + 15


def test_frames_are_fewer_after_training_on_rewards():
    for variant in ("group", "none"):
        assert all(
            after["frames"] < 0.75 * before["frames"]
            for before, after in zip(ARMS["start"], ARMS[variant], strict=True)
        )
    assert all(next(iter(row["verbs"])) == "sees" for variant in ("group", "none") for row in ARMS[variant])
    fewest = {variant: mean(row["frames"] for row in ARMS[variant]) for variant in ARMS}
    assert fewest["none"] < fewest["group"] < fewest["distilled"]
    assert fewest["group"] < fewest["group, KL 0.1"]


# The hole


def test_the_reward_rises_and_right_answers_fall():
    for row in HOLE["hole"]:
        assert row["before"]["reward"] < 0.7
        assert row["after"]["reward"] > 0.94
        assert row["after"]["right"] < row["before"]["right"] - 0.03
        assert row["after"]["repeated"] > 4 * row["before"]["repeated"]
    assert all(row["after"]["right"] > 0.8 for row in HOLE["right"])
    assert all(words.split().count("sees") == 1 for words in HOLE["right"][0]["after"]["examples"][:6])
