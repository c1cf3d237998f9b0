"""The claims of this chapter."""

from statistics import mean

import pytest

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch14_rewards")
TASKS = ("past", "negate", "write")


def by_variant(name):
    """The rows of a stored table, three seeds of each variant, in the order of the seeds."""
    found = {}
    for row in sorted(load_table(name), key=lambda row: row["seed"]):
        found.setdefault(row["variant"], []).append(row)
    return found


ARMS = by_variant("rewards_arms")
HOLE = by_variant("rewards_hole")
REUSE = by_variant("rewards_reuse")
DPO = by_variant("post_preferences")["all"]


def right(variant, task=None):
    """The share of right answers of each seed, of one task or on average over the three."""
    return [row["right"][task] if task else mean(row["right"].values()) for row in ARMS[variant]]


@pytest.mark.parametrize("rows", [*ARMS.values(), *HOLE.values(), *REUSE.values()])
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
