"""`check`, `hint` and `solution` as a reader calls them, in a terminal, in a kernel and under plain nbgrader."""

import inspect
import textwrap
from typing import Any

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

import autograder
from autograder.declare import chapters, find_exercise, load_checks
from autograder.notebook import Points, solution_source
from solutions.ch04_attention import AttentionDecoder, attend, masked_softmax
from tests.students.ch04_attention import attend as attends
from tests.students.ch04_attention import attention_decoder
from tests.students.ch04_attention import masked_softmax as softmaxes

EXERCISES = [exercise for chapter in chapters() for exercise in load_checks(chapter)]
REFERENCE = {"masked_softmax": masked_softmax, "attend": attend, "AttentionDecoder": AttentionDecoder}


def points(name: str, *, visible: bool = False) -> int:
    exercise = find_exercise(name)
    assert exercise is not None
    return sum(check.points for check in exercise.checks if not (visible and check.hidden))


def evaluate(call: str, **names: Any) -> Any:
    """What a call gives where these names are a notebook's."""
    space = {
        "check": autograder.check,
        "hint": autograder.hint,
        "solution": autograder.solution,
        "torch": torch,
        **names,
    }
    return eval(call, space)


class TestCheck:
    @pytest.mark.parametrize("name", REFERENCE)
    def test_right_answer_gets_all_points_and_a_report(self, name, capsys):
        assert evaluate(f"check({name})", **{name: REFERENCE[name]}) == points(name)
        visible = points(name, visible=True)
        assert f"{name}: {visible} of {visible} visible points" in capsys.readouterr().out

    @pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.exercise.name)
    def test_stub_gets_nothing_and_is_told_once(self, exercise, capsys):
        name = exercise.exercise.name
        stub = type(name, (), {"__init__": raises}) if name[0].isupper() else raises
        assert evaluate(f"check({name})", **{name: stub}) == 0
        said = capsys.readouterr().out
        assert said.count("Not written yet") == 1
        assert "Hint" not in said
        assert "not attempted" in said

    def test_part_of_the_points_for_a_part(self):
        earned = evaluate("check(masked_softmax)", masked_softmax=softmaxes.nan_in_empty_row)
        assert earned == points("masked_softmax") * 3 / 4

    @pytest.mark.parametrize(
        "bound",
        ["lambda scores, mask: mended(scores, mask)", "partial(mended)", "Module()", "jit(mended)"],
    )
    def test_the_bound_name_says_which_exercise_it_is(self, bound):
        names = {
            "mended": softmaxes.multiplied,
            "partial": softmaxes.functools.partial,
            "Module": softmaxes.MaskedSoftmax,
            "jit": softmaxes.speaks,
        }
        subject = eval(bound, names)
        assert evaluate("check(masked_softmax)", masked_softmax=subject) == points("masked_softmax")

    def test_another_name_for_the_same_function(self):
        assert evaluate("check(mine)", mine=masked_softmax) == points("masked_softmax")

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            (
                "check(torch.ones(2))",
                "This is a value of type Tensor. Give the function or class itself, without calling it",
            ),
            ("check(None)", "This is a value of type NoneType."),
            ("check(masked_softmax(torch.ones(2, 3), torch.ones(2, 3) > 0))", "This is a value of type Tensor."),
            ("check('masked_softmax')", "This is a string. Give the function or class itself, without quotation marks"),
            ("check(AttentionDecoder(3, 3, 3, 3, None))", "This is an object made by AttentionDecoder."),
            ("check(print)", "print is not an exercise. The exercises are masked_softmax, attend, AttentionDecoder."),
            ("check(lambda scores, mask: scores)", "<lambda> is not an exercise."),
            ("check(torch.nn.ReLU())", "An object of type ReLU is not an exercise."),
            ("check(torch.nn.GRU)", "GRU is not an exercise."),
            ("check(check)", "check is not an exercise."),
        ],
    )
    def test_what_is_no_exercise_earns_nothing_and_is_told(self, call, said, capsys):
        # Under plain nbgrader a cell without a result gets full marks: so zero, and not None.
        earned = evaluate(call, masked_softmax=masked_softmax, AttentionDecoder=AttentionDecoder)
        assert type(earned) is Points
        assert earned == 0
        assert said in capsys.readouterr().out

    def test_a_name_bound_to_an_object_of_the_class(self, capsys):
        made = AttentionDecoder(3, 3, 3, 3, lambda *_: None)
        assert evaluate("check(AttentionDecoder)", AttentionDecoder=made) == 0
        assert "Give the class itself" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("subject", "said"),
        [
            (lambda scores, mask: None, "Weights is None, expected a float32 tensor of shape (2, 3, 5)"),
            (lambda scores, mask: scores.numpy(), "Weights is of type ndarray, expected a float32 tensor"),
            (lambda scores, mask: scores.tolist(), "Weights is a list of 2, expected a float32 tensor"),
            (lambda scores, mask: scores.half(), "Weights has dtype float16, expected float32"),
            (lambda scores, mask: scores[0], "Weights has shape (3, 5), expected (2, 3, 5)"),
            (lambda scores: scores, "takes 1 positional argument but 2 were given"),
            (lambda scores, mask: undefined, "NameError: name 'undefined' is not defined"),  # noqa: F821
            (lambda scores, mask: scores @ mask, "RuntimeError"),
            (lambda scores, mask: mask.softmax(-1), "not implemented for 'Bool'"),
        ],
        ids=["None", "numpy", "list", "half", "shape", "signature", "name", "error", "type"],
    )
    def test_half_written_answer_is_told_what_came_back(self, subject, said, capsys):
        assert evaluate("check(masked_softmax)", masked_softmax=subject) == 0
        assert said in capsys.readouterr().out

    def test_student_who_raises_an_odd_error_is_told(self, capsys):
        def masked_softmax(scores, mask):
            raise KeyError("line one\nline two")

        assert evaluate("check(masked_softmax)", masked_softmax=masked_softmax) == 0
        assert "KeyError" in capsys.readouterr().out

    def test_what_is_forbidden_is_told(self, capsys):
        assert evaluate("check(attend)", attend=attends.torchs_own_function) == 0
        assert "is to be written without scaled_dot_product_attention" in capsys.readouterr().out

    def test_what_is_forbidden_is_found_in_a_class(self, capsys):
        assert evaluate("check(AttentionDecoder)", AttentionDecoder=attention_decoder.TorchsOwn) == 0
        assert "is to be written without scaled_dot_product_attention" in capsys.readouterr().out

    def test_interrupt_is_not_swallowed(self):
        def masked_softmax(scores, mask):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            evaluate("check(masked_softmax)", masked_softmax=masked_softmax)

    def test_settings_of_the_notebook_change_nothing(self):
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
        try:
            assert evaluate("check(AttentionDecoder)", AttentionDecoder=AttentionDecoder) == points("AttentionDecoder")
            assert torch.get_default_dtype() is torch.float64
            assert not torch.is_grad_enabled()
        finally:
            torch.set_default_dtype(torch.float32)
            torch.set_grad_enabled(True)

    def test_random_numbers_go_on_as_if_nothing_had_been_checked(self):
        torch.manual_seed(0)
        expected = torch.rand(2)
        torch.manual_seed(0)
        evaluate("check(AttentionDecoder)", AttentionDecoder=AttentionDecoder)
        assert torch.equal(torch.rand(2), expected)

    @pytest.mark.parametrize("value", [0, 7.5, 10 * 2 / 3])
    def test_points_are_a_float_that_reads_back_and_shows_nothing_on_a_page(self, value):
        assert float(repr(Points(value))) == value
        assert Points(value)._repr_html_() == ""


def raises(*args: Any, **kwargs: Any) -> None:
    raise NotImplementedError


class TestHint:
    def test_of_the_first_check_that_fails(self, capsys):
        evaluate("hint(masked_softmax)", masked_softmax=softmaxes.softmax_then_mask)
        exercise = find_exercise("masked_softmax")
        assert exercise is not None
        assert capsys.readouterr().out == f"{exercise.checks[1].name}. {exercise.checks[1].hint}\n"

    def test_of_a_stub_is_of_the_first_check(self, capsys):
        evaluate("hint(attend)", attend=raises)
        assert capsys.readouterr().out.startswith("with a memory of one position the context is its value. ")

    def test_of_a_right_answer_is_what_hidden_checks_look_at(self, capsys):
        evaluate("hint(attend)", attend=attend)
        said = capsys.readouterr().out
        exercise = find_exercise("attend")
        assert exercise is not None
        assert said.startswith("All visible checks pass.")
        assert all(check.hint in said for check in exercise.checks if check.hidden)

    def test_of_what_is_no_exercise(self, capsys):
        assert evaluate("hint(3)") is None
        assert "This is a value of type int." in capsys.readouterr().out


class TestSolution:
    @pytest.mark.parametrize("name", REFERENCE)
    def test_is_the_source_without_markers(self, name, capsys):
        evaluate(f"solution({name})", **{name: raises})
        said = capsys.readouterr().out
        assert said.startswith(("def ", "class "))
        assert f" {name}(" in said
        assert "SOLUTION" not in said
        compile(said, "solution", "exec")

    def test_without_a_clone_says_so(self, monkeypatch, tmp_path, capsys):
        monkeypatch.setattr("autograder.notebook.__file__", str(tmp_path / "autograder" / "notebook.py"))
        evaluate("solution(attend)", attend=raises)
        assert capsys.readouterr().out.startswith("There are no reference solutions here")

    def test_keeps_markers_and_decorators_where_asked(self, tmp_path):
        text = "import torch\n\n@torch.no_grad()\ndef f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n\nx = 1\n"
        (tmp_path / "module.py").write_text(text)
        expected = "@torch.no_grad()\ndef f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
        assert solution_source(tmp_path, "f", markers=True) == expected
        assert solution_source(tmp_path, "f", markers=False) == "@torch.no_grad()\ndef f():\n    return 1"
        with pytest.raises(ValueError, match="no module in .* defines g"):
            solution_source(tmp_path, "g", markers=True)

    def test_of_what_is_no_exercise(self, capsys):
        evaluate("solution('attend')")
        assert "without quotation marks" in capsys.readouterr().out


def source_as(function: Any, name: str) -> str:
    return inspect.getsource(function).replace(f"def {function.__name__}(", f"def {name}(", 1)


WARNS = """
def masked_softmax(scores, mask):
    import sys, warnings
    warnings.warn("old-fashioned")
    print("on stderr", file=sys.stderr)
    print("10/10")
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)
"""
CLASS = f"""
{textwrap.dedent(inspect.getsource(attention_decoder.Given))}

class AttentionDecoder(Given):
    def forward(self, tokens, state, memory, mask):
        states, state = self.rnn(self.embedding(tokens), state)
        context, weights = self.attention(states, memory, mask.unsqueeze(1))
        return self.words(context, states), weights, state
"""

# What a cell defines, what the check cell says, and the points that plain nbgrader should book.
CELLS: dict[str, tuple[str, str, float]] = {
    "right": (source_as(softmaxes.multiplied, "masked_softmax"), "check(masked_softmax)", points("masked_softmax")),
    "in part": (
        source_as(softmaxes.nan_in_empty_row, "masked_softmax"),
        "check(masked_softmax)",
        points("masked_softmax") * 3 / 4,
    ),
    "warns": (WARNS, "check(masked_softmax)", points("masked_softmax")),
    "markup": ("def masked_softmax(s, m):\n    raise ValueError('<b>bold</b>')", "check(masked_softmax)", 0),
    "stub": ("def masked_softmax(s, m):\n    raise NotImplementedError", "check(masked_softmax)", 0),
    "a number": ("masked_softmax = 3", "check(masked_softmax)", 0),
    "a class": (CLASS, "check(AttentionDecoder)", points("AttentionDecoder")),
    "a forbidden use": (
        CLASS.replace("states, state =", "nn.functional.scaled_dot_product_attention\n        states, state ="),
        "check(AttentionDecoder)",
        0,
    ),
    "undefined": ("del masked_softmax", "check(masked_softmax)", 0),
}


@pytest.fixture(scope="module")
def ran():
    """One notebook of check cells, run in a kernel: the check cell's outputs by the name of the case."""
    cells = [new_code_cell("import torch\nfrom torch import nn\nfrom autograder import check, hint, solution")]
    for case, (source, call, _) in CELLS.items():
        name = call[6:-1]
        mark = {"grade": True, "solution": False, "locked": True, "task": False, "schema_version": 3}
        nbgrader = {**mark, "grade_id": case, "points": points(name)}
        cells += [new_code_cell(source), new_code_cell(call, metadata={"nbgrader": nbgrader})]
    cells += [new_code_cell(f"from autograder import check\n{CELLS['right'][0]}")]
    cells += [new_code_cell(f"{call}(masked_softmax)", metadata={"call": call}) for call in ("hint", "solution")]
    notebook = new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=120, allow_errors=True).execute()
    found = {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}
    found |= {cell.metadata.call: cell for cell in notebook.cells if "call" in cell.metadata}
    return found


class TestKernel:
    @pytest.mark.parametrize("case", CELLS)
    def test_nbgrader_books_the_points(self, ran, case):
        _, call, expected = CELLS[case]
        assert determine_grade(ran[case]) == (expected, points(call[6:-1]))

    @pytest.mark.parametrize("case", [case for case in CELLS if case not in ("a number", "undefined")])
    def test_report_is_a_page_and_the_points_are_not_shown_on_it(self, ran, case):
        display, result = [o for o in ran[case].outputs if o.output_type != "stream"]
        assert display.output_type == "display_data"
        assert "visible points</strong>" in display.data["text/html"]
        assert "visible points" in display.data["text/plain"]
        assert result.output_type == "execute_result"
        assert result.data["text/html"] == ""
        assert float(result.data["text/plain"]) == CELLS[case][2]

    def test_nothing_is_written_to_stderr(self, ran):
        streams = [o for o in ran["warns"].outputs if o.output_type == "stream"]
        assert {stream.name for stream in streams} == {"stdout"}
        assert "old-fashioned" in "".join(stream.text for stream in streams)

    def test_markup_of_a_student_is_text(self, ran):
        (html,) = [o.data["text/html"] for o in ran["markup"].outputs if o.output_type == "display_data"]
        assert "<b>" not in html
        assert "&lt;b&gt;bold&lt;/b&gt;" in html

    def test_error_names_the_line_of_the_cell(self, ran):
        (text,) = [o.data["text/plain"] for o in ran["markup"].outputs if o.output_type == "display_data"]
        assert "(in masked_softmax, line 2 of its cell: raise ValueError('<b>bold</b>'))" in text

    def test_what_is_forbidden_is_found_in_a_notebooks_class(self, ran):
        (text,) = [o.data["text/plain"] for o in ran["a forbidden use"].outputs if o.output_type == "display_data"]
        assert "This exercise is to be written without scaled_dot_product_attention" in text

    def test_hint_and_solution_are_displayed(self, ran):
        (hint,), (solution,) = ran["hint"].outputs, ran["solution"].outputs
        assert "All visible checks pass." in hint.data["text/html"]
        assert "masked_softmax" in solution.data["text/plain"]
        assert "text/html" in solution.data

    def test_notebook_is_valid(self, ran):
        nbformat.validate(new_notebook(cells=list(ran.values())))
