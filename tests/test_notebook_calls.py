"""`check`, `hint` and `solution` as a reader calls them, in a terminal, in a kernel and under plain nbgrader."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
import torch
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

import autograder
from autograder.asking.probing import Failure, answers, probes_of
from autograder.declare import chapters, find_exercise, is_use, load_checks
from autograder.judging import outcomes
from autograder.judging.catalogue import source_of
from autograder.notebook import commands, startup
from autograder.notebook.commands import Points, solution_source
from autograder.samples.course import all_visible_points
from seqlab import attention_layers
from solutions.ch05_attention import AttentionDecoder, attend, masked_softmax
from tests.students import answers_to

attends, attention_decoder, softmaxes = map(answers_to, ("attend", "AttentionDecoder", "masked_softmax"))
EXERCISES = [exercise for chapter in chapters() for exercise in load_checks(chapter)]
REFERENCE = {"masked_softmax": masked_softmax, "attend": attend, "AttentionDecoder": AttentionDecoder}


def points(name: str, *, visible: bool = False) -> int:
    exercise = find_exercise(name)
    assert exercise is not None
    return sum(check.points for check in exercise.checks if not (visible and check.hidden))


def all_visible(name: str) -> str:
    """The first line of the report on a right answer."""
    exercise = find_exercise(name)
    assert exercise is not None
    return all_visible_points(exercise)


VISIBLE = points("masked_softmax", visible=True)
ALL_VISIBLE = all_visible("masked_softmax")
IN_USE = sum(check.points for check in load_checks("ch05_attention")[0].checks if is_use(check))
IN_PART = points("masked_softmax") * (VISIBLE - 2 - IN_USE) / VISIBLE
"""What is left to one who fails two checks of one point, and therefore in use."""


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


def two_devices(scores: Any, mask: Any) -> None:
    """What torch says on a machine with a GPU."""
    raise RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")


class TestCheck:
    @pytest.mark.parametrize("name", REFERENCE)
    def test_right_answer_gets_all_points_and_a_report(self, name, capsys):
        assert evaluate(f"check({name})", **{name: REFERENCE[name]}) == points(name)
        assert all_visible(name) in capsys.readouterr().out

    @pytest.mark.parametrize("name", ["masked_softmax", "AttentionDecoder"])
    def test_stub_gets_nothing_and_is_told_once(self, name, capsys):
        stub = type(name, (), {"__init__": raises}) if name[0].isupper() else raises
        assert evaluate(f"check({name})", **{name: stub}) == 0
        said = capsys.readouterr().out
        assert said.count("Not written yet") == 1
        assert "Hint" not in said
        assert "not attempted" in said

    def test_part_of_the_points_for_a_part(self):
        earned = evaluate("check(masked_softmax)", masked_softmax=softmaxes.nan_in_empty_row)
        assert earned == IN_PART

    @pytest.mark.parametrize(
        "bound", ["lambda scores, mask: mended(scores, mask)", "partial(mended)", "Module()", "jit(mended)"]
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

    def test_a_wrong_answer_sees_a_small_call_under_the_first_check_that_it_misses_alone(self, capsys):
        evaluate("check(masked_softmax)", masked_softmax=softmaxes.softmax_then_mask)
        said = capsys.readouterr().out
        assert said.count("For example:") == 1
        example = [line.strip().replace("`", "") for line in said.partition("For example:")[2].splitlines()[1:5]]
        assert "\n".join(example) in (Path(__file__).parents[1] / "book" / "guide_students.md").read_text()
        assert said.index("✓ with nothing masked") < said.index("For example:") < said.index("✓ a fully masked row")

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
            ("check(torch)", "This is a whole module."),
            ("check([masked_softmax])", "This is a value of type list."),
            ("check()", "Give check the function or class that you wrote, such as check(masked_softmax)."),
            ("check(masked_softmax, AttentionDecoder)", "Give check one function or class at a time"),
            ("check(AttentionDecoder.forward)", "forward is a part of AttentionDecoder. Give the whole class"),
            ("check(made.forward)", "forward is a part of AttentionDecoder. Give the whole class"),
            ("check(masked_sofmax)", "masked_sofmax is not an exercise; masked_softmax is."),
            ("check(print)", "print is not an exercise. Those of this chapter are "),
            ("check(lambda scores, mask: scores)", "<lambda> is not an exercise."),
            ("check(torch.nn.ReLU())", "An object of type ReLU is not an exercise."),
            ("check(torch.nn.GRU)", "GRU is not an exercise."),
            ("check(check)", "check is not an exercise."),
        ],
    )
    def test_what_is_no_exercise_earns_nothing_and_is_told(self, call, said, capsys):
        # Under plain nbgrader a cell without a result gets full marks: so zero, and not None.
        def masked_sofmax(scores, mask):
            return scores

        made = AttentionDecoder(3, 3, 3, 3, lambda *_: None)
        names = {"AttentionDecoder": AttentionDecoder, "made": made, "masked_sofmax": masked_sofmax}
        earned = evaluate(call, masked_softmax=masked_softmax, **names)
        assert type(earned) is Points
        assert earned == 0
        assert said in capsys.readouterr().out

    def test_the_chapters_own_are_listed_where_none_is_near(self, capsys):
        evaluate("check(print)", masked_softmax=masked_softmax)
        listed = capsys.readouterr().out.partition("Those of this chapter are ")[2].strip().rstrip(".").split(", ")
        assert listed == [exercise.exercise.name for exercise in load_checks("ch05_attention")]

    @pytest.mark.parametrize("name", REFERENCE)
    def test_with_the_hidden_checks_a_right_answer_gets_all_points(self, name, capsys):
        assert evaluate(f"check({name}, hidden=True)", **{name: REFERENCE[name]}) == points(name)
        said = capsys.readouterr().out
        assert f"{points(name)} of {points(name)} points" in said
        assert "hidden" not in said

    def test_what_hidden_checks_find_is_told_to_who_runs_them(self, capsys):
        def masked_softmax(scores, mask):
            weights = REFERENCE["masked_softmax"](
                scores.reshape(-1, scores.shape[-1]), mask.expand(scores.shape).flatten(0, -2)
            )
            return weights.reshape(scores.shape).detach()

        assert evaluate("check(masked_softmax, hidden=True)", masked_softmax=masked_softmax) < points("masked_softmax")
        assert "gradient" in capsys.readouterr().out

    def test_hidden_checks_ask_for_a_clone(self, capsys, monkeypatch):
        monkeypatch.setattr(commands, "_solutions", lambda exercise: None)
        assert evaluate("check(attend, hidden=True)", attend=attend) == 0
        assert "no reference solutions in this installation" in capsys.readouterr().out

    def test_what_the_chapter_imports_is_not_its_own(self, capsys):
        imported = {
            name: getattr(attention_layers, name) for name in ("EncoderLayer", "MultiHeadAttention", "causal_mask")
        }
        evaluate("check(print)", masked_softmax=masked_softmax, **imported)
        assert "this chapter are masked_softmax" in capsys.readouterr().out

    def test_the_nearest_is_named_where_the_chapter_is_not_known(self, capsys):
        evaluate("check(print)")
        nearest = capsys.readouterr().out.partition("the nearest name of one is ")[2].partition(".")[0]
        assert nearest in {exercise.exercise.name for exercise in EXERCISES}

    @pytest.mark.parametrize(
        ("name", "value", "kind"),
        [
            ("masked_softmax", 3, "of type int"),
            ("attend", torch.ones(2), "of type Tensor"),
            ("AttentionDecoder", AttentionDecoder(3, 3, 3, 3, None), "an object made by AttentionDecoder"),
        ],
    )
    def test_a_name_that_was_given_to_something_else(self, name, value, kind, capsys):
        assert evaluate(f"check({name})", **{name: value}) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"{name} is now {kind}")
        assert f"Run the cell that defines {name} again" in said

    @pytest.mark.parametrize(
        ("subject", "said"),
        [
            (lambda scores, mask: None, "weights is None, expected a float32 tensor of shape (2, 3, 5)"),
            (lambda scores, mask: scores.numpy(), "weights is of type ndarray, expected a float32 tensor"),
            (lambda scores, mask: scores.tolist(), "weights is a list of 2, expected a float32 tensor"),
            (lambda scores, mask: scores.half(), "weights has dtype float16, expected float32"),
            (lambda scores, mask: scores[0], "weights has shape (3, 5), expected (2, 3, 5)"),
            (lambda scores: scores, "`masked_softmax` takes (scores), expected (scores, mask)"),
            (lambda mask, scores: scores @ mask, "takes (mask, scores), expected (scores, mask), in this order"),
            (lambda scores, mask, dim: scores, "takes (scores, mask, dim), expected (scores, mask)"),
            (torch.nn.GRU, "`masked_softmax` is a class, expected a function with the arguments (scores, mask)"),
            (lambda scores, mask: undefined, "NameError: name 'undefined' is not defined"),  # noqa: F821
            (lambda scores, mask: undefined, "Is it a typo"),  # noqa: F821
            (lambda scores, mask: scores + ..., "`...` is still there instead of a value"),
            (lambda scores, mask: torch.einsum("bti->b", scores[0]), "one letter for each of its dimensions"),
            (lambda scores, mask: ..., "`...` is still there instead of a value"),
            (lambda scores, mask: torch.softmax, "the parentheses are missing"),
            (lambda scores, mask: scores.item, "the parentheses are missing"),
            (lambda scores, mask: (row for row in scores), "a comprehension in round brackets"),
            (lambda scores, mask: scores.to_sparse(), "Stay with dense torch tensors"),
            (lambda scores, mask: scores.half(), "Do not convert any argument to another dtype"),
            (lambda scores, mask: torch.from_numpy(scores.double().numpy()), "float64 comes from NumPy"),
            (lambda scores, mask: None, "None is what a function returns that ends without `return`"),
            (lambda scores, mask: scores[..., torch.tensor([400])], "Indices are counted from 0"),
            (lambda scores, mask: scores.softmax(dim=7), "count them from the end, as in dim=-1"),
            (lambda scores, mask: scores + (scores, mask), "take it apart, as in `a, b = f(x)`"),
            (lambda scores, mask: scores.transpose(1, 2).view(-1), ".reshape copies the values if need be"),
            (lambda scores, mask: mask.byte()[..., ::2].view(torch.half), ".contiguous() copies them there"),
            (lambda scores, mask: scores / (1 // 0), "Which input makes the divisor 0"),
            (
                lambda scores, mask: scores.to("meta"),
                "on the device meta, which stores shapes but no values; expected it on",
            ),
            (two_devices, "Create new tensors on the device of the arguments"),
            (lambda scores, mask: scores + torch.ones(7), "The shapes do not match. Print them"),
            (lambda scores, mask: scores.half() @ scores.transpose(1, 2), "Half is float16"),
            (lambda scores, mask: sys.exit(), "It ends the program: remove exit()"),
            (lambda scores, mask: scores @ mask, "RuntimeError"),
            (lambda scores, mask: mask.softmax(-1), "not implemented for 'Bool'"),
        ],
    )
    def test_half_written_answer_is_told_what_came_back_and_what_to_do(self, subject, said, capsys):
        assert evaluate("check(masked_softmax)", masked_softmax=subject) == 0
        assert said in capsys.readouterr().out

    def test_wrong_arguments_are_told_once_and_no_hint_guesses_at_them(self, capsys):
        evaluate("check(attend)", attend=lambda query, key, value, mask: (value, mask))
        said = capsys.readouterr().out
        expected = "expected (query, key, value, mask, score, masked_softmax)"
        assert said.count(f"`attend` takes (query, key, value, mask), {expected}") == 1
        assert "Hint" not in said

    def test_wrong_arguments_of_a_method(self, capsys):
        class Other(AttentionDecoder):
            def forward(self, tokens, memory, mask):
                return super().forward(tokens, None, memory, mask)

        assert evaluate("check(AttentionDecoder)", AttentionDecoder=Other) == 0
        said = "`forward` takes (self, tokens, memory, mask), expected (self, tokens, state, memory, mask)"
        assert said in capsys.readouterr().out

    def test_a_function_where_a_class_is_expected(self, capsys):
        assert evaluate("check(AttentionDecoder)", AttentionDecoder=lambda *_: None) == 0
        assert "`AttentionDecoder` is a function, expected a class" in capsys.readouterr().out

    @pytest.mark.parametrize(
        "subject",
        [
            lambda s, m: masked_softmax(s, m),
            lambda scores, mask, dim=-1: masked_softmax(scores, mask),
            softmaxes.MaskedSoftmax(),
        ],
        ids=["other names", "one more with a default", "a module"],
    )
    def test_arguments_that_do_no_harm_are_let_be(self, subject):
        assert evaluate("check(masked_softmax)", masked_softmax=subject) == points("masked_softmax")

    def test_what_no_return_gives_is_told_where_nothing_else_went_wrong(self, capsys):
        def masked_softmax(scores, mask):
            scores.softmax(-1)

        def attend(query, key, value, mask, score, masked_softmax):
            weights.softmax(-1)  # noqa: F821

        class Silent(AttentionDecoder):
            def forward(self, tokens, state, memory, mask):
                super().forward(tokens, state, memory, mask)

        evaluate("check(masked_softmax)", masked_softmax=masked_softmax)
        assert capsys.readouterr().out.count("There is no `return` in `masked_softmax`, so it returns None") == 1
        evaluate("check(attend)", attend=attend)
        said = capsys.readouterr().out
        assert "NameError" in said
        assert "no `return`" not in said
        evaluate("check(AttentionDecoder)", AttentionDecoder=Silent)
        assert "There is no `return` in `forward`" in capsys.readouterr().out

    @pytest.mark.parametrize("where", ["before", "after"])
    def test_the_line_of_the_stub_beside_own_lines(self, where, capsys):
        def before(scores, mask):
            """Turn scores into weights."""
            raise NotImplementedError
            return scores.softmax(-1)

        def after(scores, mask):
            """Turn scores into weights."""
            weights = scores.softmax(-1)  # noqa: F841
            raise NotImplementedError

        assert evaluate("check(masked_softmax)", masked_softmax={"before": before, "after": after}[where]) == 0
        said = capsys.readouterr().out
        assert said.count("Not finished: `raise NotImplementedError` is still there beside your own lines") == 1
        assert "Not written yet" not in said

    def test_student_who_raises_an_odd_error_is_told(self, capsys):
        def masked_softmax(scores, mask):
            raise KeyError("line one\nline two")

        assert evaluate("check(masked_softmax)", masked_softmax=masked_softmax) == 0
        assert "KeyError" in capsys.readouterr().out

    def test_what_is_forbidden_is_told(self, capsys):
        assert evaluate("check(attend)", attend=attends.torchs_own_function) == 0
        assert (
            "must be written without torch's attention, such as torch.nn.functional.scaled_dot_product_attention"
            in capsys.readouterr().out
        )

    def test_what_is_forbidden_is_found_in_a_class(self, capsys):
        assert evaluate("check(AttentionDecoder)", AttentionDecoder=attention_decoder.TorchsOwn) == 0
        assert (
            "must be written without torch's attention, such as torch.nn.functional.scaled_dot_product_attention"
            in capsys.readouterr().out
        )

    def test_interrupt_is_not_swallowed_and_says_what_was_stopped(self):
        def masked_softmax(scores, mask):
            raise KeyboardInterrupt

        with pytest.raises(
            KeyboardInterrupt, match="^stopped while your code ran .in masked_softmax.. Is there a loop"
        ):
            evaluate("check(masked_softmax)", masked_softmax=masked_softmax)

    @pytest.mark.parametrize("name", REFERENCE)
    def test_settings_of_the_notebook_change_nothing(self, name):
        torch.set_default_dtype(torch.float64)
        torch.set_default_device("meta")
        torch.set_grad_enabled(False)
        try:
            assert evaluate(f"check({name})", **{name: REFERENCE[name]}) == points(name)
            assert torch.get_default_dtype() is torch.float64
            assert torch.get_default_device() == torch.device("meta")
            assert not torch.is_grad_enabled()
        finally:
            torch.set_default_dtype(torch.float32)
            torch.set_default_device(None)
            torch.set_grad_enabled(True)

    @pytest.mark.parametrize("mine", [None, "meta"])
    @pytest.mark.parametrize("own", [None, "meta"])
    def test_settings_that_the_answer_changes_are_put_back(self, mine, own):
        def masked_softmax(scores, mask):
            weights = softmaxes.multiplied(scores, mask)
            torch.set_default_dtype(torch.float64)
            torch.set_default_device(own)
            torch.set_grad_enabled(False)
            torch.manual_seed(0)
            return weights

        torch.set_default_device(mine)
        try:
            before = torch.get_rng_state(), torch.get_default_dtype(), torch.get_default_device()
            assert evaluate("check(masked_softmax)", masked_softmax=masked_softmax) > 0
            after = torch.get_rng_state(), torch.get_default_dtype(), torch.get_default_device()
            assert torch.equal(before[0], after[0])
            assert before[1:] == after[1:]
            assert torch.is_grad_enabled()
        finally:
            torch.set_default_device(None)

    def test_device_of_a_block_is_put_back(self):
        with torch.device("meta"):
            assert evaluate("check(attend)", attend=attend) == points("attend")
            assert torch.ones(1).device == torch.device("meta")
        assert torch.ones(1).device == torch.device("cpu")

    def test_judges_run_under_settings_of_their_own(self, monkeypatch):
        """A judge makes tensors to tell what went wrong, and must not make them where the notebook makes its own."""
        made = []

        def judge_exercise(*args, **kwargs):
            made.append(torch.ones(1))
            return outcomes.judge_exercise(*args, **kwargs)

        monkeypatch.setitem(sys.modules, "autograder.judging.outcomes", SimpleNamespace(judge_exercise=judge_exercise))
        torch.set_default_dtype(torch.float16)
        try:
            with torch.device("meta"):
                assert evaluate("check(attend)", attend=attend) == points("attend")
        finally:
            torch.set_default_dtype(torch.float32)
        assert [(tensor.device.type, tensor.dtype) for tensor in made] == [("cpu", torch.float32)]

    def test_probes_find_gradients_where_the_notebook_has_none(self):
        asked = [probe for exercise in EXERCISES for probe in probes_of(exercise.checks) if probe.exercise in REFERENCE]
        with torch.inference_mode():
            found = [answer for probe in asked for answer in answers(probe, REFERENCE[probe.exercise])]
        assert [answer for answer in found if isinstance(answer, Failure)] == []

    def test_what_an_answer_prints_is_cut_short(self, capsys):
        def masked_softmax(scores, mask):
            print("x" * 10_000, file=sys.stderr)
            return softmaxes.multiplied(scores, mask)

        assert evaluate("check(masked_softmax)", masked_softmax=masked_softmax) == points("masked_softmax")
        said, errors = capsys.readouterr()
        assert said.count("x") < 5_000
        assert re.search(rf"\[Your code printed \d+ more characters, which are not shown.\]\n+{ALL_VISIBLE}", said)
        assert errors == ""

    def test_random_numbers_go_on_as_if_nothing_had_been_checked(self):
        torch.manual_seed(0)
        expected = torch.rand(2)
        torch.manual_seed(0)
        evaluate("check(AttentionDecoder)", AttentionDecoder=AttentionDecoder)
        assert torch.equal(torch.rand(2), expected)

    @pytest.mark.parametrize("value", [0, 7.5, 10 * 2 / 3])
    def test_points_are_a_float_that_reads_back_and_shows_nothing_on_a_page(self, value):
        assert float(repr(Points(value))) == value
        assert re.sub("<.*?>", "", re.sub("<style>.*</style>", "", Points(value)._repr_html_())) == ""


def raises(*args: Any, **kwargs: Any) -> None:
    raise NotImplementedError


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


class TestHint:
    def test_of_the_first_check_that_fails(self, capsys):
        evaluate("hint(masked_softmax)", masked_softmax=softmaxes.softmax_then_mask)
        exercise = find_exercise("masked_softmax")
        assert exercise is not None
        assert capsys.readouterr().out == f"{sentence(exercise.checks[1].name)}. {exercise.checks[1].hint}\n"

    def test_of_a_stub_is_of_the_first_check(self, capsys):
        evaluate("hint(attend)", attend=raises)
        assert capsys.readouterr().out.startswith("With a memory of one position the context is its value. ")

    def test_of_a_right_answer_is_what_hidden_checks_look_at(self, capsys):
        evaluate("hint(attend)", attend=attend)
        said = capsys.readouterr().out
        exercise = find_exercise("attend")
        assert exercise is not None
        assert said.startswith("All visible checks pass.")
        assert all(check.hint in said for check in exercise.checks if check.hidden)

    def test_of_an_error_is_the_error_first(self, capsys):
        evaluate("hint(masked_softmax)", masked_softmax=lambda scores, mask: nothing)  # noqa: F821
        exercise = find_exercise("masked_softmax")
        assert exercise is not None
        said = capsys.readouterr().out
        assert said.startswith(
            f"{sentence(exercise.checks[0].name)}. First fix this: NameError: name 'nothing' is not defined"
        )
        assert said.endswith(f"\n{exercise.checks[0].hint}\n")

    @pytest.mark.parametrize(
        ("subject", "said"),
        [
            (
                attends.torchs_own_function,
                "this exercise must be written without torch's attention, such as torch.nn.functional.scaled_dot_product_attention",
            ),
            (lambda query, key, value: value, "`attend` takes (query, key, value), expected (query, key, value, mask"),
        ],
    )
    def test_of_what_is_no_matter_of_understanding(self, subject, said, capsys):
        evaluate("hint(attend)", attend=subject)
        assert f"First fix this: {said}" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("call", "said"),
        [
            (
                "hint(3)",
                "This is a value of type int. Give the function or class itself, without calling it: hint(name)",
            ),
            ("hint()", "Give hint the function or class that you wrote, such as hint("),
            ("hint('attend')", "without quotation marks: hint(attend)."),
        ],
    )
    def test_of_what_is_no_exercise(self, call, said, capsys):
        assert evaluate(call) is None
        assert said in capsys.readouterr().out


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
        monkeypatch.setattr(
            "autograder.notebook.commands.__file__", str(tmp_path / "autograder" / "notebook" / "commands.py")
        )
        evaluate("solution(attend)", attend=raises)
        said = capsys.readouterr().out
        assert said.startswith(
            "There are no reference solutions in this installation. They are in a clone of the course"
        )

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
    return source_of(function).replace(f"def {function.__name__}(", f"def {name}(", 1)


WARNS = """
def masked_softmax(scores, mask):
    import sys, warnings
    warnings.warn("old-fashioned")
    print("on stderr", file=sys.stderr)
    print("10/10")
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(~mask, 0.0)
"""
CLASS = f"""
{textwrap.dedent(source_of(attention_decoder.Given))}

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
        IN_PART,
    ),
    "warns": (WARNS, "check(masked_softmax)", points("masked_softmax")),
    "markup": ("def masked_softmax(s, m):\n    raise ValueError('<b>bold</b>')", "check(masked_softmax)", 0),
    "stub": ("def masked_softmax(s, m):\n    raise NotImplementedError", "check(masked_softmax)", 0),
    "a number": ("masked_softmax = 3", "check(masked_softmax)", 0),
    "a class": (CLASS, "check(AttentionDecoder)", points("AttentionDecoder")),
    "a forbidden use": (
        CLASS.replace("states, state =", "vars(nn)['Multihead' + 'Attention'](4, 1)\n        states, state ="),
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
        assert "on hidden checks</strong>" in display.data["text/html"]
        assert "on hidden checks" in display.data["text/plain"]
        assert result.output_type == "execute_result"
        assert "grading" not in result.data["text/html"]
        assert float(result.data["text/plain"]) == CELLS[case][2]

    def test_nothing_is_written_to_stderr(self, ran):
        streams = [o for o in ran["warns"].outputs if o.output_type == "stream"]
        assert {stream.name for stream in streams} == {"stdout"}
        assert "old-fashioned" in "".join(stream.text for stream in streams)

    def test_markup_of_a_student_is_text(self, ran):
        (html,) = [o.data["text/html"] for o in ran["markup"].outputs if o.output_type == "display_data"]
        assert "<b>" not in html
        assert "<code>raise ValueError(&#x27;&lt;b&gt;bold&lt;/b&gt;&#x27;)</code>" in html

    def test_error_names_the_line_of_the_cell(self, ran):
        (text,) = [o.data["text/plain"] for o in ran["markup"].outputs if o.output_type == "display_data"]
        assert "(in masked_softmax, line 2 of its cell: `raise ValueError('<b>bold</b>')`)" in text

    def test_what_is_forbidden_is_found_in_a_notebooks_class(self, ran):
        (text,) = [o.data["text/plain"] for o in ran["a forbidden use"].outputs if o.output_type == "display_data"]
        assert (
            "This exercise must be written without torch's attention, such as torch.nn.functional.scaled_dot_product_attention"
            in text
        )

    def test_hint_and_solution_are_displayed(self, ran):
        (hint,), (solution,) = ran["hint"].outputs, ran["solution"].outputs
        assert "All visible checks pass." in hint.data["text/html"]
        assert "masked_softmax" in solution.data["text/plain"]
        assert "text/html" in solution.data

    def test_notebook_is_valid(self, ran):
        nbformat.validate(new_notebook(cells=list(ran.values())))


class Session:
    """A kernel that is told one cell after the other."""

    def __init__(self, **options: Any) -> None:
        self.manager, self.client = start_new_kernel(kernel_name="python3", **options)

    def run(self, source: str, *, interrupt_at: str = "") -> str:
        """What a cell shows, as text; interrupted once it has printed something."""
        said: list[str] = []

        def hear(message: dict[str, Any]) -> None:
            content = message["content"]
            shown = content.get("data", {}).get("text/plain", "") or content.get("text", "")
            said.append(shown or re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(content.get("traceback", []))))
            if interrupt_at and interrupt_at in shown:
                self.manager.interrupt_kernel()

        self.client.execute_interactive(source, output_hook=hear, timeout=120, allow_stdin=False)
        return "\n".join(filter(None, said))

    def restart(self) -> None:
        self.manager.restart_kernel(now=True)
        self.client.wait_for_ready(timeout=120)

    def clear(self) -> None:
        """Forget every name, which is quicker than a restart."""
        self.run("%reset -f")

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def session():
    opened = Session()
    yield opened
    opened.close()


IMPORTS = "import torch\nfrom autograder import check, hint, solution\n"
CHECK = "from autograder import check\n\ncheck(masked_softmax)"
ENDLESS = """
def masked_softmax(scores, mask):
    print("begun")
    while True:
        pass
"""


class TestSession:
    """What is said in a kernel that goes on, is interrupted, and is restarted."""

    def test_after_a_restart_the_check_cell_says_what_to_run(self, session):
        session.restart()
        said = session.run(CHECK)
        assert "NameError: name 'masked_softmax' is not defined" in said
        assert said.endswith("then run this cell again.")
        assert (
            said.count(
                "the set-up cell at the top has not been run since the kernel started. Choose Run → Run All Above"
            )
            == 1
        )

    def test_in_a_kernel_of_ours_any_name_leads_to_the_set_up_cell_before_anything_was_imported(self):
        ours = Session(env={**os.environ, "PYTHONSTARTUP": startup.__file__})
        said = ours.run("class Mine(nn.Module): pass")
        names = ours.run("sorted(name for name in dir() if name[0] != '_')")
        ours.close()
        assert "`nn` is not defined: the set-up cell at the top has not been run since" in said
        assert "autograder" not in names

    @pytest.mark.parametrize("name", ["nn", "hint", "attend"])
    def test_without_the_set_up_cell_any_name_leads_to_it(self, session, name):
        session.clear()
        session.run("from autograder import check")
        assert f"`{name}` is not defined: the set-up cell at the top has not been run since" in session.run(
            f"print({name})"
        )

    def test_with_the_set_up_cell_an_exercise_is_known_and_another_name_is_left_alone(self, session):
        session.clear()
        session.run(IMPORTS)
        said = session.run("attend(1)")
        assert "`attend` is not defined: the cell that defines it has not been run since the kernel started" in said
        said = session.run("my_own_variable")
        assert said.endswith("NameError: name 'my_own_variable' is not defined")
        assert session.run("atend").endswith("`atend` is not defined. Did you mean `attend`?")

    def test_says_it_once_however_often_it_was_imported(self, session):
        session.clear()
        session.run(
            f"{IMPORTS}import importlib, autograder\nimportlib.reload(autograder)\nautograder.notebook.kernel_hints.watch()"
        )
        assert session.run("attend").count("Choose Run") == 1

    def test_an_endless_loop_can_be_interrupted_and_nothing_is_broken(self, session):
        session.clear()
        session.run(IMPORTS + "torch.set_default_dtype(torch.float64)" + ENDLESS)
        said = session.run("check(masked_softmax)", interrupt_at="begun")
        assert "KeyboardInterrupt: stopped while your code ran (in masked_softmax, line " in said
        assert "Is there a loop that never ends?" in said
        assert "while True:" in said  # The reader's own lines are shown, and not ours.
        assert "probing.py" not in said
        assert "commands.py" not in said
        assert "torch.float64" in session.run("torch.get_default_dtype()")
        session.run(CELLS["right"][0])
        assert ALL_VISIBLE in session.run("check(masked_softmax)")

    def test_a_cell_that_failed_leaves_the_version_before_and_this_is_told(self, session):
        session.clear()
        session.run(IMPORTS + CELLS["right"][0])
        told = "The cell that you ran last to define `masked_softmax` failed with an error."
        assert told not in session.run("check(masked_softmax)")
        session.run("def masked_softmax(scores, mask):\n    return scores.softmax(")
        assert session.run("check(masked_softmax)").startswith(told)
        assert session.run("hint(masked_softmax)").startswith(told)
        session.run(CELLS["right"][0])
        assert told not in session.run("check(masked_softmax)")

    def test_a_class_that_failed_leaves_the_version_before_and_this_is_told(self, session):
        session.clear()
        session.run("from torch import nn\n" + IMPORTS + CLASS)
        told = "The cell that you ran last to define `AttentionDecoder` failed with an error."
        assert told not in session.run("check(AttentionDecoder)")
        session.run(CLASS.replace("context, weights =", "context, weights = ="))
        assert session.run("check(AttentionDecoder)").startswith(told)

    def test_another_name_and_a_decorated_one_are_no_older_versions(self, session):
        session.clear()
        right = CELLS["right"][0]
        session.run(f"{IMPORTS}import functools\n{right}")
        session.run("mine = masked_softmax\nmasked_softmax = lambda scores, mask: mine(scores, mask)")
        assert session.run("check(masked_softmax)").startswith(ALL_VISIBLE)
        session.run(f"@functools.lru_cache(maxsize=0)\n{right}")
        assert session.run("check(masked_softmax)").startswith(ALL_VISIBLE)

    def test_a_grading_worker_does_not_listen(self):
        code = (
            "from IPython.core.interactiveshell import InteractiveShell\nshell = InteractiveShell.instance()\n"
            "import autograder\nprint(len(shell.events.callbacks['post_run_cell']), 'torch' in __import__('sys').modules)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "0 False\n"
