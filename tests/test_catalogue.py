"""A mistake may be written as another answer with some of its text replaced, and is then like one that is written out."""

import importlib.util
import inspect
import sys
import traceback

import pytest

from autograder.judging.catalogue import Wrong, source_of
from autograder.questions.code import read_code

ANSWERS = '''
from autograder.judging.catalogue import right

class Given:
    def __init__(self, start):
        self.start = start

@right
def doubled(value):
    """Twice the value."""
    return times(value, 2)

@right
class Adds(Given):
    def __init__(self, start):
        super().__init__(start)
        self.calls = 0

    def forward(self, value):
        self.calls += 1
        return self.start + value

def times(value, factor):
    return value * factor
'''
WRONG = Wrong("a check", "what is wrong")


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """A module of answers, loaded as the catalogue loads one."""
    path = tmp_path / "answers.py"
    path.write_text(ANSWERS)
    spec = importlib.util.spec_from_file_location("_mistakes_of_a_test", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "_mistakes_of_a_test", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def listed(monkeypatch):
    found = []
    monkeypatch.setattr("autograder.judging.catalogue._listed", found)
    return found


class TestMadeIn:
    def test_is_listed_and_defined_beside_the_original(self, answers, listed):
        WRONG.made_in(answers.doubled, tripled={"2": "3"}, squared={"times": "pow"})
        assert [(one.subject, one.check, one.sentence) for one in listed] == [
            (answers.tripled, "a check", "what is wrong"),
            (answers.squared, "a check", "what is wrong"),
        ]
        assert (answers.doubled(5), answers.tripled(5), answers.squared(5)) == (10, 15, 25)
        assert answers.tripled.__name__ == "tripled"

    def test_several_texts_are_replaced_in_a_class(self, answers, listed):
        WRONG.made_in(answers.Adds, CountsTwice={"calls += 1": "calls += 2", "self.start + value": "value"})
        adds = answers.CountsTwice(10)
        assert (adds.forward(1), adds.calls, adds.start) == (1, 2, 10)
        assert answers.Adds(10).forward(1) == 11

    def test_python_finds_its_own_source(self, answers, listed):
        WRONG.made_in(answers.doubled, tripled={"2": "3"})
        WRONG.made_in(answers.Adds, Subtracts={"+ value": "- value"})
        source = 'def tripled(value):\n    """Twice the value."""\n    return times(value, 3)\n'
        assert inspect.getsource(answers.tripled) == source_of(answers.tripled) == source
        assert read_code(answers.tripled).source == "def tripled(value):\n    return times(value, 3)"
        original = source_of(answers.Adds)
        changed = original.replace("Adds", "Subtracts").replace("+ value", "- value")
        assert original.startswith("class Adds(Given):")
        assert inspect.getsource(answers.Subtracts) == source_of(answers.Subtracts) == changed
        assert inspect.getsource(answers.Subtracts.forward).endswith("return self.start - value\n")

    def test_a_traceback_shows_the_line_as_it_was_changed(self, answers, listed):
        WRONG.made_in(answers.doubled, divided={"2": "1 / 0"})
        with pytest.raises(ZeroDivisionError) as raised:
            answers.divided(5)
        assert "return times(value, 1 / 0)" in "".join(traceback.format_exception(raised.value))

    @pytest.mark.parametrize(
        ("replaced", "told"),
        [
            ({"times(value, 4)": "value"}, "tripled: 'times(value, 4)' occurs 0 times in doubled, expected once"),
            ({"value": "2"}, "tripled: 'value' occurs 3 times in doubled, expected once"),
        ],
    )
    def test_a_text_that_is_not_there_once_is_named(self, answers, listed, replaced, told):
        with pytest.raises(ValueError) as raised:
            WRONG.made_in(answers.doubled, tripled=replaced)
        assert str(raised.value) == told
        assert not listed

    def test_a_name_of_another_answer_is_refused(self, answers, listed):
        with pytest.raises(ValueError, match="times: the module already has this name"):
            WRONG.made_in(answers.doubled, times={"2": "3"})
