"""The small calls that `check` shows: the solution returns what they say, a listed mistake does not, and a student can follow them."""

from collections import Counter
from functools import cache, partial
from pathlib import Path

import pytest
import torch

from autograder.asking.probing import answers
from autograder.building.shrinking import code_of, examples_of
from autograder.declare import chapters, find_exercise, load_checks
from autograder.judging.examples import Example, failed_example, read_examples, value_of
from autograder.judging.reference import load_reference
from tests.students import answers_to

SOLUTIONS = Path(__file__).parents[1] / "solutions"
solutions = cache(partial(load_reference, SOLUTIONS))
RECORDED = [
    pytest.param(chapter, name, id=name) for chapter in chapters() for name in read_examples(chapter) if chapter
]
LONGEST = 320
"""How many characters the arguments of a call may have together, with their names."""


@pytest.mark.parametrize(("chapter", "name"), RECORDED)
class TestRecorded:
    """Run `autograder mistakes NAME` if one of these fails."""

    def test_the_solution_returns_what_is_said(self, chapter, name):
        solution = getattr(solutions(chapter), name)
        assert all(example.is_met(solution) for example in read_examples(chapter)[name])

    def test_so_does_every_right_answer(self, chapter, name):
        for right in answers_to(name).RIGHT.values():
            assert all(example.is_met(right) for example in read_examples(chapter)[name]), right

    def test_each_shows_a_listed_mistake(self, chapter, name):
        wrong = answers_to(name).WRONG
        assert all(any(not one.is_met(mistake) for mistake in wrong) for one in read_examples(chapter)[name])

    def test_each_is_short(self, chapter, name):
        for example in read_examples(chapter)[name]:
            assert sum(len(f"{argument} = {text}") for argument, text in example.given.items()) < LONGEST


def test_most_functions_of_plain_arguments_have_some():
    assert len(RECORDED) >= 35


class TestShown:
    def told(self, name, function):
        exercise = find_exercise(name)
        assert exercise is not None
        return failed_example(exercise.chapter, name, function)

    def test_side_by_side_and_as_code(self):
        def after(scores, mask):
            return scores.softmax(dim=-1) * mask

        *given, gives, expected = self.told("masked_softmax", after).splitlines()
        assert given[0] == "For example:"
        scores, mask = (value_of(line.strip("`").partition(" = ")[2]) for line in given[1:])
        assert gives.startswith("`masked_softmax(scores, mask)` gives [[[")
        assert not torch.equal(after(scores, mask), scores.masked_fill(~mask, -torch.inf).softmax(-1))
        assert expected == "expected [[[1, 0]]]"

    def test_an_error_is_named(self):
        def fails(weights):
            raise ValueError("no weights")

        assert "raises ValueError: no weights" in self.told("hard_alignment", fails)

    def test_a_set_looks_like_one(self):
        assert "gives {(7, 7)}\n" in self.told("hard_alignment", lambda weights: {(7, 7)})

    def test_none_for_a_right_answer_nor_for_a_class(self):
        assert self.told("masked_softmax", answers_to("masked_softmax").loops) == ""
        assert self.told("GRUCell", answers_to("GRUCell").ResetUpsideDown) == ""

    def test_none_where_what_differs_cannot_be_seen(self):
        assert self.told("hard_alignment", lambda weights: frozenset(answers_to("hard_alignment").loops(weights))) == ""


class TestShrinking:
    def test_a_mistake_is_left_with_few_numbers(self):
        exercise = find_exercise("masked_softmax")
        assert exercise is not None
        mistake = answers_to("masked_softmax").softmax_then_mask
        failed = [one for one in examples_of(exercise, SOLUTIONS) if not one.is_met(mistake)]
        assert min(value_of(one.given["scores"]).numel() for one in failed) <= 2

    def test_inputs_come_from_visible_checks_alone(self, monkeypatch):
        asked = []

        def listening(probe, subject, seed):
            asked.append(probe)
            return answers(probe, subject)[0]

        monkeypatch.setattr("autograder.building.shrinking.run_probe", listening)
        exercise = find_exercise("shift_right")
        assert exercise is not None
        examples_of(exercise, SOLUTIONS)
        assert asked
        assert not {check.probe.name for check in exercise.checks if check.hidden} & {probe.name for probe in asked}

    @pytest.mark.parametrize(
        "value",
        [
            torch.tensor([[1.5, float("-inf")]]),
            torch.tensor([1.5], dtype=torch.float16),
            {(0, 1), (1, 0)},
            frozenset({2}),
            {"a": 1, "b": [None, True]},
            Counter({("le", "chat"): 2}),
            ("one",),
        ],
    )
    def test_code_gives_the_value_again(self, value):
        again = value_of(code_of(value))
        assert type(again) is type(value)
        assert (
            torch.equal(again, value) and again.dtype == value.dtype
            if isinstance(value, torch.Tensor)
            else again == value
        )

    def test_what_is_no_line_of_code_is_refused(self):
        with pytest.raises(ValueError, match="cannot be written as code"):
            code_of([lambda: 0])


def test_an_example_is_met_up_to_rounding():
    example = Example({"x": "torch.tensor(2.0)"}, "torch.tensor(1.4142)")
    assert example.is_met(torch.sqrt)
    assert not example.is_met(torch.exp)


def test_no_chapter_keeps_one_of_what_is_no_exercise():
    for chapter in chapters():
        assert set(read_examples(chapter)) <= {exercise.exercise.name for exercise in load_checks(chapter)}
