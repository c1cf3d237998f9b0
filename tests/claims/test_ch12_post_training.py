"""The claims of this chapter.

Those on the stored tables `post_replay`, `post_instruct` and `post_preferences` join them when the tables are complete and the text has been written from them.
"""

from tests.claims import numbers

FOUND = numbers("ch12_post_training")

# A base, and two periods


def test_new_speeches_are_harder_for_a_base_that_has_read_the_old_ones():
    assert FOUND["base_new"] > FOUND["base_old"] + 0.5
    assert FOUND["old_windows"] > 1.5 * FOUND["new_windows"]


# An instruction is the x of p(y | x)


def test_the_rules_are_right_but_for_dates():
    assert FOUND["rules_others"] == 100
    assert 60 < FOUND["rules_era"] < 100


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
