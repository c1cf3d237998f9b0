"""The chapters' claims, held against what their stored notebooks recorded."""

import math
import re
from pathlib import Path

import nbformat
import pytest

from autograder.declare import chapters
from autograder.house import House
from autograder.weaving.plain_markdown import Plain
from autograder.weaving.release import RECORD, recorded_numbers

HOUSE = House(Path(__file__).resolve().parent.parent)
QUOTED = re.compile(r"\{glue:text\}`(?P<name>\w+)(?::(?P<form>[^`]+))?`")


def numbers(chapter: str) -> dict[str, float]:
    return recorded_numbers(nbformat.read(HOUSE.solved(chapter), as_version=4))


@pytest.mark.parametrize("chapter", chapters())
class TestEveryChapter:
    def test_every_number_that_the_text_quotes_is_recorded(self, chapter):
        quoted = {match["name"] for match in QUOTED.finditer(HOUSE.text(chapter).read_text(encoding="utf-8"))}
        assert quoted <= numbers(chapter).keys()

    def test_every_quoted_number_has_a_format(self, chapter):
        for match in QUOTED.finditer(HOUSE.text(chapter).read_text(encoding="utf-8")):
            assert match["form"], f"{match[0]} shows every digit: give it a format, such as :.2f"
            shown = Plain(None, numbers(chapter))(match[0])
            assert re.fullmatch(r"-?\d+(\.\d+)?", shown), shown

    def test_what_is_recorded_is_finite_plain_floats(self, chapter):
        notebook = nbformat.read(HOUSE.solved(chapter), as_version=4)
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
        records = [output.data[RECORD] for output in outputs if RECORD in output.get("data", {})]
        assert len(records) == len(numbers(chapter))
        for record in records:
            assert re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", record), record
            assert math.isfinite(float(record))

    def test_no_cell_shows_an_error_or_a_warning(self, chapter):
        notebook = nbformat.read(HOUSE.solved(chapter), as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                assert output.output_type != "error", cell.id
                assert output.get("name") != "stderr", cell.id

    def test_is_small(self, chapter):
        assert HOUSE.solved(chapter).stat().st_size < 1_000_000


class TestAttention:
    """Chapter 4."""

    FOUND = property(lambda self: numbers("ch04_attention"))

    # What attention is

    def test_shuffling_the_memory_leaves_the_context_and_shuffles_the_weights(self):
        assert self.FOUND["shuffle_context"] < 1e-5
        assert self.FOUND["shuffle_weights"] < 1e-5

    def test_shuffling_moves_the_last_state_of_a_gru(self):
        assert self.FOUND["shuffle_gru"] > 0.1

    def test_both_forms_of_the_additive_score_are_one(self):
        assert self.FOUND["additive_gap"] < 1e-5

    def test_variance_of_a_dot_product_grows_like_its_size(self):
        assert abs(self.FOUND["variance_growth"] - 1) < 0.05

    def test_softmax_saturates_without_the_scale_and_not_with_it(self):
        assert self.FOUND["top_plain"] > 0.9
        assert self.FOUND["top_scaled"] < 0.5

    def test_unit_vectors_need_a_larger_scale(self):
        assert 0.1 < self.FOUND["match_divided"] < 0.12
        assert self.FOUND["match_divided"] < self.FOUND["match_unit"] < 0.25
        assert self.FOUND["match_times"] > 0.95

    # The trained model

    def test_model_translates(self):
        assert 30 < self.FOUND["exact"] <= 100
        assert 60 < self.FOUND["bleu"] <= 100

    def test_weights_align_far_better_than_the_diagonal(self):
        assert self.FOUND["aer"] < self.FOUND["aer_diagonal"] / 2
        assert self.FOUND["aer_current_most"] < self.FOUND["aer_diagonal"] * 0.6

    def test_weights_come_close_to_the_best_single_links(self):
        floor = self.FOUND["aer_floor"]
        assert 0 < floor < self.FOUND["aer"]
        assert self.FOUND["aer"] - floor < (self.FOUND["aer_diagonal"] - floor) / 2

    def test_sentence_of_the_book_was_not_seen_in_training(self):
        assert self.FOUND["pie_seen"] == 0

    def test_every_kind_of_alignment_is_in_the_corpus(self):
        for kind in ("many_to_one", "one_to_many", "unlinked"):
            assert round(self.FOUND[kind], 1) > 0

    # The stored sweep: in every one of its seeds

    def test_attention_shrinks_the_fall_with_length(self):
        assert self.FOUND["fall_none"] > 60
        assert self.FOUND["fall_share_most"] < 0.8

    def test_a_context_that_cannot_be_chosen_does_not_do_it(self):
        assert self.FOUND["fall_same"] > 60
        assert self.FOUND["long_same_most"] < self.FOUND["long_with_least"] / 2

    def test_previous_state_gives_the_worse_map(self):
        assert self.FOUND["previous_excess_least"] > 0

    def test_rows_of_the_previous_state_do_not_only_come_late(self):
        assert self.FOUND["aer_shifted_previous"] > 2 * self.FOUND["aer_previous"]

    def test_bag_of_words_translates_worse(self):
        assert self.FOUND["set_behind_least"] > 10

    # The gradient, the past

    def test_gradient_reaches_the_first_source_word(self):
        assert self.FOUND["gradient_steps"] >= 20
        assert self.FOUND["orders_lost_without"] > 3
        assert self.FOUND["gradient_with_least"] > 0.03

    def test_word_order_is_lost_on_an_encoder_without_recurrence(self):
        assert self.FOUND["bag_change"] < 1e-4

    def test_leak_shows_in_the_curve_and_in_the_test(self):
        assert self.FOUND["perplexity_theirs"] < self.FOUND["perplexity_yours"] / 3
        assert self.FOUND["leak_yours"] < 1e-5
        assert self.FOUND["leak_theirs"] > 0.1
        assert self.FOUND["honest_theirs"] > 3 * self.FOUND["honest_yours"]
