"""The claims of this chapter. It is executed where SmolLM2 is installed; `make real` does that."""

import importlib
import re
from pathlib import Path

from autograder.declare import chapters
from seqlab.corpus import load_corpus
from seqlab.stored import load_table
from tests.claims import numbers

BOOK = Path(__file__).resolve().parents[2] / "book"
FOUND = numbers("ch14_today")


def rows(name):
    return {row["variant"]: row for row in load_table(name)}


def test_it_was_executed_with_smollm():
    assert FOUND["parameters"] > 134, "made without the model: run `make real`, then `make notebooks`"


# Parts


def test_scores_depend_on_the_distance_alone():
    assert FOUND["same_distance"] < 1e-4
    assert FOUND["other_distance"] > 0.05


def test_both_remedies_for_longer_texts_end_at_the_angle_where_training_ended():
    for remedy in ("positions_divided", "a_larger_base"):
        assert abs(FOUND[f"angle_{remedy}"] / FOUND["angle_as_it_was_trained"] - 1) < 1e-6
    assert abs(FOUND["angle_longer_no_change"] / FOUND["angle_as_it_was_trained"] / FOUND["angle_ratio"] - 1) < 1e-6


def test_speculation_writes_what_the_target_would():
    assert FOUND["written_gap"] < 0.005
    assert abs(FOUND["kept_share"] - FOUND["kept_expected"]) < 0.5


def test_two_of_eight_experts_are_used():
    assert FOUND["experts_all"] == 4 * FOUND["experts_used"]


def test_halves_need_reordered_rows():
    assert FOUND["permuted_gap"] < 1e-5
    assert FOUND["confused_gap"] > 0.05


def test_token_by_token_is_all_at_once():
    assert FOUND["cache_gap"] < 1e-5


def test_a_third_of_the_heads_takes_a_third_of_the_cache_and_computes_the_same():
    assert FOUND["cache_9"] == 3 * FOUND["cache_3"]
    assert FOUND["full_9"] > 4 * FOUND["parameters"], "more than the weights need in single precision"
    assert FOUND["heads_gap"] < 1e-4


def test_cache_and_fewer_heads_save_time_the_more_there_is_to_look_up():
    assert FOUND["cache_times"] > 2
    assert 1 < FOUND["faster_128"] < FOUND["faster_2048"] < FOUND["faster_8000"]


def test_a_gate_has_as_many_weights_as_a_wider_network_without():
    assert FOUND["gated_weights"] == FOUND["plain_weights"]


def test_pieces_are_the_tokenizers():
    assert FOUND["same_pieces"] == FOUND["pieces_words"] > 5


# Four bits


def test_smaller_blocks_lose_less():
    assert FOUND["error_16"] < FOUND["error_32"] < FOUND["error_64"] < FOUND["error_128"]


def test_four_bits_cost_our_gpt_little_and_several_times_as_much_with_all_matrices():
    assert FOUND["gpt_4_layers_most"] < 0.001
    assert 0.004 * FOUND["gpt_base"] < FOUND["gpt_4_all_most"] < 0.005 * FOUND["gpt_base"]
    for bits in (4, 3, 2):
        assert FOUND[f"gpt_{bits}_all_least"] > 2 * FOUND[f"gpt_{bits}_layers_most"]
        assert FOUND[f"gpt_{bits}_all_most"] > 4 * FOUND[f"gpt_{bits}_layers_most"]
    assert FOUND["gpt_rounded"] < 25
    assert FOUND["smollm_rounded"] > 75


def test_smollm_has_four_bits_already_and_five_and_six_are_worse():
    assert abs(FOUND["smollm_4_added"]) < 1e-3
    assert FOUND["smollm_5"] > FOUND["smollm_6"] > FOUND["smollm_file"] + 0.005
    assert abs(FOUND["smollm_8_added"]) < 0.002
    assert abs(FOUND["smollm_float16"] - FOUND["smollm_file"]) < 0.002


def test_a_second_rounding_costs_smollm_something():
    assert FOUND["smollm_5_error"] > 0.02
    assert FOUND["smollm_5_added"] > 0.02


def test_three_and_two_bits_cost_smollm_far_more_than_our_gpt():
    for bits in (3, 2):
        assert FOUND[f"smollm_{bits}_added"] > 15 * FOUND[f"gpt_{bits}_all_most"]


# The model


def test_logits_are_the_librarys():
    assert FOUND["parity_gap"] < 1e-4


def test_confused_pairs_show_in_logits_and_in_longer_text():
    assert FOUND["halves_gap"] > 0.5
    assert FOUND["long_hers"] > FOUND["long_yours"] + 0.2


def test_without_the_template_most_replies_are_empty():
    assert FOUND["plain_empty"] > 20
    assert FOUND["template_empty"] == 0
    assert FOUND["plain_right"] < FOUND["template_right"] / 3


def test_sampling_from_the_whole_distribution_adds_mistakes_and_cautious_sampling_cannot_be_separated():
    assert FOUND["sampled_high"] < 0
    assert FOUND["cautious_low"] < 0 < FOUND["cautious_high"]
    assert FOUND["sampled_share"] < FOUND["cautious_share"] - 10


def test_the_answers_that_the_text_names_are_so():
    answers = rows("today_talk")["template"]["answers"]
    assert "240 minutes" in answers["How many minutes are there in an hour?"][0]
    assert (
        "Austen's own writing. However, the novel was actually written by"
        in answers["Who wrote Pride and Prejudice?"][0]
    )
    assert "da Vinci, but it's also believed" in answers["Who painted the Mona Lisa?"][0]
    assert "John F. Kennedy" in answers["Who was the first president of the United States?"][0]
    for truncated in ("What is the square root of 81?", "What is seven times eight?"):
        assert not answers[truncated][0].endswith((".", "!"))


def test_the_sentence_of_the_pie_is_not_in_the_training_pairs_but_its_words_are():
    assert FOUND["pie_seen"] == 0
    assert FOUND["pies_seen"] > 50
    assert ("he", "hit", "her", "with", "a", "pie", ".") in {pair.source for pair in load_corpus().train}


# All models


def test_on_the_text_of_our_models_they_are_ahead_of_smollm():
    assert all(FOUND[f"high_{name}_b"] < 0 for name in ("gpt_0", "gpt_1", "gpt_2", "lstm", "rnn"))
    assert FOUND["low_kneser_ney_b"] < 0 < FOUND["high_kneser_ney_b"]
    assert FOUND["times_weights"] > 50


def test_on_text_closer_to_print_smollm_is_ahead():
    assert all(FOUND[f"low_{name}_p"] > 0 for name in ("gpt_0", "gpt_1", "gpt_2", "lstm", "rnn", "kneser_ney"))


def test_the_models_of_older_speeches_are_last():
    assert FOUND["bits_1930_least"] > max(FOUND["bits_rnn"], FOUND["bits_kneser_ney"], FOUND["smollm_file"])


# The whole journey


def test_the_closing_table_names_functions_that_exist_and_papers_of_those_years():
    text = (
        (BOOK / "ch14_today.md")
        .read_text(encoding="utf-8")
        .partition("\n## The whole journey\n")[2]
        .partition("\n## ")[0]
    )
    rows = re.findall(r"^\| (.+) \| (\d{4}) \| \{cite:t\}`(\w+)` \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) > 30
    assert [int(year) for _, year, _, _ in rows] == sorted(int(year) for _, year, _, _ in rows)
    entries = (BOOK / "references.bib").read_text(encoding="utf-8")
    for _, year, key, _ in rows:
        (entry,) = re.findall(rf"^@\w+\{{{key},([\s\S]+?)^\}}", entries, re.MULTILINE)
        assert re.search(rf"year\s*=\s*\{{{year}\}}", entry), key
    modules = {chapter: importlib.import_module(f"solutions.{chapter}") for chapter in chapters()}
    written = {name: chapter for chapter, module in modules.items() for name in module.__all__}
    named = [name for *_, code in rows for name in re.findall(r"`(\w+)`", code)]
    assert set(named) <= set(written)
    assert {written[name] for name in named} >= set(chapters()) - {"ch00_start"}
