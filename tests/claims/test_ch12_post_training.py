"""The claims of this chapter."""

from math import log
from statistics import mean, stdev

import pytest

from seqlab.stored import load_table
from tests.claims import numbers

FOUND = numbers("ch12_post_training")


def by_variant(name):
    """The rows of a stored table, three seeds of each variant, in the order of the seeds."""
    rows = load_table(name)
    found = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        found.setdefault(row["variant"], []).append(row)
    return found


BASES = by_variant("post_base")["gpt"]
REPLAY = by_variant("post_replay")
TUNED, LONGER = by_variant("post_instruct"), by_variant("post_lora")
CHOSEN = by_variant("post_preferences")
BEYOND = {row["variant"]: row for row in load_table("post_rates")}

# A base, and two periods


def test_new_speeches_are_harder_for_a_base_that_has_read_the_old_ones():
    assert FOUND["base_new"] > FOUND["base_old"] + 0.5
    assert FOUND["old_windows"] > 1.5 * FOUND["new_windows"]
    assert all(row["new"] > row["old"] + 0.5 for row in BASES)


@pytest.mark.parametrize("rows", [[*BASES], *REPLAY.values(), *TUNED.values(), *LONGER.values(), *CHOSEN.values()])
def test_there_are_three_seeds(rows):
    assert [row["seed"] for row in rows] == [0, 1, 2]


def test_the_bases_were_not_trained_until_their_loss_was_flat():
    assert all(row["curve"][-1] < row["curve"][-2] - 0.02 for row in BASES)


def test_rates_at_an_edge_of_the_grid_were_worse_beyond_it():
    tuning = {
        "base": BASES[0],
        "replay": REPLAY["0"][0],
        "scratch": REPLAY["scratch"][0],
        **{name: TUNED[name][0] for name in ("everything", "lora 2", "lora 8", "lora 32")},
    }
    assert {*tuning, "instruct scratch"} == BEYOND.keys()
    for name, row in tuning.items():
        assert row["rate"] == max(map(float, row["tuning"]))
        assert BEYOND[name]["rate"] == 2 * row["rate"]
        assert BEYOND[name]["loss"] > min(row["tuning"].values())
    scratch, lower = TUNED["scratch"][0], BEYOND["instruct scratch"]
    assert scratch["rate"] == min(map(float, scratch["tuning"])) == 2 * lower["rate"]
    assert lower["loss"] > min(scratch["tuning"].values())
    for name in ("answer", "no end", "scratch"):
        assert TUNED[name][0]["rate"] < max(map(float, TUNED[name][0]["tuning"]))


# Continued training


def change(variant, key):
    return [row[key] - base[key] for row, base in zip(REPLAY[variant], BASES, strict=True)]


def test_replay_forgets_less_and_learns_nearly_as_much():
    for none, some, much in zip(*(change(arm, "old") for arm in ("0", "10", "30")), strict=True):
        assert none > some + 0.1 > much + 0.2
    for none, some, much in zip(*(change(arm, "new") for arm in ("0", "10", "30")), strict=True):
        assert abs(none - some) < 0.02
        assert none < much < none + 0.06


def test_the_slower_rate_is_worse_on_both_periods_than_replay():
    for key in ("old", "new"):
        for slow, much in zip(REPLAY["0 slow"], REPLAY["30"], strict=True):
            assert slow[key] > much[key] + 0.05
    assert max(change("0 slow", "old")) < min(change("0", "old"))


def test_fresh_weights_are_far_behind():
    assert min(row["new"] for row in REPLAY["scratch"]) > max(row["new"] for row in REPLAY["0 slow"]) + 0.3
    assert 0.4 < FOUND["scratch_gap"] < 0.8
    assert 160 * 20 < FOUND["new_windows"]


def test_the_count_beats_every_network_on_both_periods_before_and_after():
    counts = REPLAY["counting"][0]
    for period in ("old", "new"):
        assert counts[f"old alone: {period}"] < min(row[period] for row in BASES)
        assert counts[f"both: {period}"] < min(row[period] for arm in REPLAY.values() for row in arm if period in row)
    assert 0 < FOUND["count_forgot"] < 0.05


def test_the_forgetting_comes_in_the_first_half_and_a_little_comes_back():
    for row in REPLAY["0"]:
        start, half, end = (look[1] for look in row["curve"])
        assert start < end < half
    assert FOUND["half_0"] > FOUND["whole_0"]


# An instruction is the x of p(y | x)


def right(variant, table=TUNED, name="test"):
    return [100 * mean(row[name]["right"].values()) for row in table[variant]]


def forgotten(variant, table=TUNED):
    return [row["old"] - base["old"] for row, base in zip(table[variant], BASES, strict=True)]


def test_the_rules_are_right_but_for_dates():
    assert FOUND["rules_others"] == 100
    assert 60 < FOUND["rules_era"] < 100


def test_your_model_follows_some_instructions_fewer_in_new_words_and_no_new_task():
    assert FOUND["live_test"] > FOUND["live_templates"] > 15
    assert FOUND["live_tasks"] < 2
    for row in TUNED["answer"]:
        known, words, tasks = (mean(row[name]["right"].values()) for name in ("test", "templates", "tasks"))
        assert 0.4 < known < 0.6
        assert 0.25 < words < 0.4
        assert tasks == 0


def test_tasks_differ_more_than_models():
    assert FOUND["task_plural_least"] == 100
    assert FOUND["task_spell_most"] == 0
    assert min(FOUND["task_negate_least"], FOUND["task_past_least"]) > 50
    assert FOUND["task_era_least"] > FOUND["era_late"]


def test_three_examples_do_not_help_the_base():
    for variant in ("zero-shot", "few-shot"):
        for row in TUNED[variant]:
            for name in ("test", "templates", "tasks"):
                assert set(row[name]["right"].values()) == {0.0}
                assert row[name]["stopped"] == 0
                assert row[name]["length"] == 40


def test_answers_alone_or_every_piece_is_undecided_but_for_what_is_forgotten():
    assert max(right("everything")) > min(right("answer"))
    assert max(forgotten("everything")) < min(forgotten("answer")) / 2
    assert min(row["old"] for row in TUNED["answer"]) > log(4000)
    assert TUNED["everything"][0]["rate"] > TUNED["answer"][0]["rate"]


def test_without_the_end_mark_nothing_stops_and_the_other_pieces_are_learned_as_well():
    for row in TUNED["no end"]:
        assert row["test"]["stopped"] == 0
    assert abs(FOUND["no_end_loss_mean"] - FOUND["answer_loss_mean"]) < 0.02
    assert all(row["test"]["stopped"] > 0.98 for row in TUNED["answer"])


def test_pre_training_is_worth_some_points_and_no_more():
    assert min(right("answer")) > max(right("scratch"))
    assert 5 < FOUND["pretraining_worth"] < 15
    assert mean(right("answer", name="templates")) > mean(right("scratch", name="templates"))


def test_a_model_that_never_learned_the_end_mark_never_stops():
    assert abs(FOUND["clinic_theirs"] - FOUND["clinic_yours"]) < 0.5
    assert FOUND["clinic_theirs_stopped"] < 5
    assert FOUND["clinic_yours_stopped"] > 80
    assert FOUND["clinic_theirs_length"] > 35


# A hundredth of the weights


def test_merging_changes_nothing_and_the_correction_has_its_rank():
    assert FOUND["merge_gap"] < 1e-3
    assert FOUND["merge_rank"] == 2


def test_rank_two_trains_a_hundredth_of_the_weights():
    assert 0.8 < FOUND["lora_2_share"] < 1.2


LORA = ("lora 2", "lora 8", "lora 32")


def test_lora_learns_far_less_and_forgets_less():
    for variant in LORA:
        assert max(right(variant)) < 12
        assert max(forgotten(variant)) < min(forgotten("answer")) / 2
        for row in TUNED[variant]:
            others = {task: share for task, share in row["test"]["right"].items() if task not in ("era", "plural")}
            assert max(others.values()) <= 0.1
            assert row["test"]["stopped"] > 0.98


def test_the_loss_on_every_piece_forgets_as_little_and_learns_far_more():
    assert max(forgotten("everything")) < max(map(max, map(forgotten, LORA)))
    assert min(right("everything")) > 3 * max(map(max, map(right, LORA)))


def test_trained_for_longer_lora_learns_the_tasks_nearly_as_well_as_full_tuning():
    assert min(right("lora 32", LONGER)) > 4 * max(right("lora 32"))
    pairs = list(zip(right("answer", LONGER), right("lora 32", LONGER), strict=True))
    assert all(0 < full - low_rank < 8 for full, low_rank in pairs)
    assert max(forgotten("lora 32", LONGER)) < min(forgotten("answer", LONGER))
    assert [row["steps"] for row in LONGER["lora 32"]] == [2 * row["steps"] for row in LONGER["answer"]]
    tuning = LONGER["lora 32"][0]["tuning"]
    assert tuning[str(TUNED["lora 32"][0]["rate"])] > 2 * min(tuning.values())


def test_all_arms_learn_alike_in_the_end_and_the_frozen_vocabulary_protects_the_old_text():
    shares = [share for variant in LONGER for share in right(variant, LONGER)]
    assert max(shares) - min(shares) < 12
    assert FOUND["frozen_forgotten_most"] < FOUND["trained_forgotten_least"]


def test_translating_is_easier_with_the_vocabulary():
    frozen, trained = (
        [row["test"]["right"]["translate"] for row in LONGER[variant]] for variant in ("lora 32", "lora 32, vocabulary")
    )
    assert max(frozen) < min(trained)
    best = max((row for rows in LONGER.values() for row in rows), key=lambda row: row["test"]["right"]["translate"])
    assert best in LONGER["stack"]
    assert [row for row in LONGER["stack"] if row["steps"] == 8000] == [best]


# Preferences


def shares(variant, key="right"):
    return [row[key] for row in CHOSEN[variant]]


def others(variant):
    return [mean(row["others"].values()) for row in CHOSEN[variant]]


def test_dpo_on_all_pairs_makes_right_answers_more_frequent():
    assert min(shares("all")) > 2 * max(shares("tuned"))
    assert 2.5 < mean(shares("all")) / mean(shares("tuned")) < 3.5


def test_a_greedy_answer_before_dpo_is_right_more_often_than_a_sample():
    greedy = [100 * row["test"]["right"]["write"] for row in TUNED["answer"]]
    assert mean(greedy) == pytest.approx(FOUND["task_write_mean"], abs=0.01)
    assert 100 * mean(shares("tuned")) + 5 < mean(greedy) < 100 * mean(shares("all"))
    assert FOUND["per_task"] == 40


def test_a_win_rate_is_half_the_difference_of_the_shares():
    for variant, rows in CHOSEN.items():
        for row, tuned in zip(rows, CHOSEN["tuned"], strict=True):
            assert row["wins"] == pytest.approx(0.5 + (row["right"] - tuned["right"]) / 2, abs=1e-3), variant


def test_each_best_rate_has_a_worse_one_on_either_side():
    for variant in ("all", "equal", "long", "preferred"):
        for row in CHOSEN[variant]:
            rates = sorted(map(float, row["tuning"]))
            assert rates[0] < row["rate"] < rates[-1], (variant, row["seed"])


def test_the_lead_of_dpo_over_supervised_training_may_be_chance():
    gaps = [100 * (one - other) for one, other in zip(shares("all"), shares("preferred"), strict=True)]
    assert 0 < min(gaps)
    assert mean(gaps) < 4.303 * stdev(gaps) / 3**0.5
    for arm in ("all", "preferred"):
        assert mean(others(arm)) < mean(others("tuned"))


def test_the_pairs_favour_short_answers_and_so_does_what_learns_from_them():
    for variant in ("all", "preferred"):
        for row, tuned in zip(CHOSEN[variant], CHOSEN["tuned"], strict=True):
            assert row["length"] < tuned["length"] - 0.4
    assert all(row["lengths"][0] < row["lengths"][1] - 1 for row in CHOSEN["all"])
    assert all(row["lengths"][0] == row["lengths"][1] for row in CHOSEN["equal"])
    longer = [row["length"] > tuned["length"] for row, tuned in zip(CHOSEN["equal"], CHOSEN["tuned"], strict=True)]
    assert sorted(longer) == [False, True, True]
    assert mean(shares("tuned")) < mean(shares("equal")) < mean(shares("all"))


def test_where_the_right_answer_was_longer_only_the_length_grows():
    for row, tuned in zip(CHOSEN["long"], CHOSEN["tuned"], strict=True):
        assert row["length"] > tuned["length"] + 1.5
        assert row["right"] < tuned["right"]
        assert row["lengths"][0] > row["lengths"][1] + 2


def test_answers_stay_different_as_strings_while_frames_and_verbs_collapse():
    assert min(shares("all", "different")) > 0.95
    for row, tuned in zip(CHOSEN["all"], CHOSEN["tuned"], strict=True):
        assert row["frames"] < 0.6 * tuned["frames"]
        assert max(row["verbs"].values()) > 2 * max(tuned["verbs"].values())
        assert row["frames"] < 0.7 * FOUND["grammar_frames"]
        assert max(row["verbs"].values()) / 4 > 2 * FOUND["grammar_verb"]
    for row, tuned in zip(CHOSEN["preferred"], CHOSEN["tuned"], strict=True):
        assert row["frames"] < tuned["frames"]
