"""What changes a solution, how its mutants end, and that those of no list are killed."""

import ast
import textwrap
from types import SimpleNamespace

import pytest

from autograder.mutants import operators, scope
from autograder.mutants.__main__ import ROOT, counts, exercises
from autograder.mutants.lists import equivalents, known_survivors, to_kill
from autograder.mutants.making import Mutant, mutants_of
from autograder.mutants.run import HIDDEN, SURVIVED, VISIBLE, all_grounds, run_all
from autograder.notebook.subject import exercise_names
from autograder.samples.seeds import drawn

SAMPLE = 12


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Gives the function of a source as it would come from a file of solutions."""

    def made(source):
        file = tmp_path / "solution.py"
        file.write_text(textwrap.dedent(source))
        names = {"__name__": "a_solution", "Tensor": object}
        exec(compile(file.read_text(), str(file), "exec"), names)  # noqa: S102 - a source of this file
        monkeypatch.setitem(scope.sys.modules, "a_solution", SimpleNamespace(__file__=str(file)))
        return names["f"]

    return made


def becomes(module, body, operator):
    """What the last line of a function can become."""
    function = module(f"def f(x: Tensor, y: Tensor) -> Tensor:\n{textwrap.indent(body, '    ')}\n")
    return {
        "; ".join(ast.unparse(ast.parse(mutant.source).body[0].body).splitlines())
        for mutant in mutants_of("f", function).values()
        if mutant.operator == operator
    }


@pytest.mark.parametrize(
    ("operator", "line", "expected"),
    [
        ("other_constant", "return 3", {"return 4", "return 2", "return 0"}),
        ("other_constant", "return True", {"return False"}),
        ("other_comparison", "return x < y", {"return x <= y", "return x > y"}),
        ("other_arithmetic", "return x + y", {"return x - y"}),
        ("other_logic", "return x and y", {"return x or y", "return x", "return y"}),
        ("sign_dropped", "return ~x", {"return x"}),
        ("side_dropped", "return x @ y", {"return x", "return y"}),
        ("axis_kept", "return x.sum(dim=0)", {"return x.sum(dim=0, keepdim=True)"}),
        ("keyword_dropped", "return x.sum(dim=0)", {"return x.sum()"}),
        ("keyword_dropped", "return zip(x, strict=True)", set()),
        ("related_function", "return x.softmax(0)", {"return x.log_softmax(0)"}),
        ("related_function", "return x.mean()", {"return x.sum()"}),
        ("call_dropped", "return x.clone()", {"return x"}),
        ("call_dropped", "return torch.exp(x)", {"return x"}),
        ("mask_dropped", "return x[y]", {"return x"}),
        ("index_shifted", "return range(y)", {"return range(y + 1)", "return range(y - 1)"}),
        ("index_shifted", "return x[y:4]", {"return x[y + 1:4]", "return x[y - 1:4]"}),
        ("arguments_swapped", "return x - y", {"return y - x"}),
        ("arguments_swapped", "return x + y", set()),
        ("arguments_swapped", "return f(x, y)", {"return f(y, x)"}),
        ("in_place", "return x + y", {"x += y; return x"}),
        ("root_truncated", "return x ** 0.5", {"return int(x ** 0.5)"}),
        ("root_truncated", "return x.sqrt()", {"return x.sqrt().floor()"}),
        ("made_single", "return x", {"x = x.float(); return x", "y = y.float(); return x", "return x.float()"}),
        ("moved_to_cpu", "return x", {"x = x.cpu(); return x", "y = y.cpu(); return x", "return x.cpu()"}),
        ("argument_returned", "return x.exp()", {"return x.copy_(x.exp())", "return y.copy_(x.exp())"}),
    ],
)
def test_operator_gives(module, operator, line, expected):
    assert becomes(module, line, operator) == expected


def test_an_axis_is_every_other_one(module):
    found = becomes(module, "return x.sum(dim=-1)", "other_axis")
    assert found == {f"return x.sum(dim={axis})" for axis in (0, -2)}


def test_gradients_are_cut_where_there_may_be_some(module):
    found = becomes(module, "z = x @ y\nn = x.argmax()\nreturn z", "detached")
    assert {"z = (x @ y).detach(); n = x.argmax(); return z", "z = x @ y; n = x.argmax(); return z.detach()"} < found
    assert not any("argmax().detach()" in body for body in found)
    found = becomes(module, "return x @ y", "without_gradient")
    assert found == {"import torch; with torch.no_grad():;     return x @ y"}


def test_a_break_is_dropped(module):
    assert "for x in y:;     pass; return x" in becomes(module, "for x in y:\n    break\nreturn x", "statement_dropped")


def test_a_name_stays_bound(module):
    assert becomes(module, "z = x\nreturn z", "statement_dropped") == set()
    assert becomes(module, "x = x.exp()\nreturn x", "statement_dropped") == {"pass; return x"}


def test_a_change_in_place_of_ones_own_name(module):
    assert "x += y; return x" in becomes(module, "x = x + y\nreturn x", "in_place")


def test_what_was_kept_is_used_again(module):
    expected = {"z = f.__dict__.setdefault('kept', x); return z"}
    assert becomes(module, "z = x\nreturn z", "kept_across_calls") == expected


def test_only_what_a_student_writes_is_changed(module):
    function = module(
        """
        def f(x):
            given = 1
            ### BEGIN SOLUTION
            return x * 2
            ### END SOLUTION
        """
    )
    mutants = mutants_of("f", function).values()
    assert mutants
    assert all("given = 1\n" in mutant.source for mutant in mutants)


def test_mutants_differ_from_each_other_and_from_the_solution(module):
    mutants = mutants_of("f", module("def f(x):\n    return x[0] + x[0]\n"))
    assert (
        len({mutant.source for mutant in mutants.values()} | {"def f(x):\n    return x[0] + x[0]"}) == len(mutants) + 1
    )


def test_every_operator_changes_something_in_the_book(made):
    found = {mutant.operator for mutants in made(exercise_names()).values() for mutant in mutants.values()}
    assert found == {operator.__name__ for operator in operators.OPERATORS}


@pytest.fixture(scope="module")
def made():
    """Gives the mutants of exercises, each made once."""
    kept = {}

    def mutants(names):
        for ground in all_grounds(ROOT / "solutions", "any", set(names) - kept.keys()):
            kept[ground.checks.exercise.name] = mutants_of(ground.checks.exercise.name, ground.subject)
        return {name: kept[name] for name in names}

    return mutants


def end_of(exercise, changed):
    """How an answer of this source ends that stands in the place of a mutant."""
    (ground,) = all_grounds(ROOT / "solutions", "any", [exercise])
    ((_, end),) = run_all([(Mutant(exercise, "by_hand", textwrap.dedent(changed), ""), ground)], "any", 1)
    return end


class TestEnds:
    def test_a_right_answer_survives(self):
        assert end_of("scaled_scores", "def scaled_scores(q, k):\n    return q @ k.mT / q.shape[-1] ** 0.5") == SURVIVED

    def test_a_wrong_answer_is_killed_by_a_visible_check(self):
        assert end_of("scaled_scores", "def scaled_scores(q, k):\n    return q @ k.mT") == VISIBLE

    @pytest.mark.parametrize(
        "line", ["while True: pass", "return 'x' * 10**11", "import os; os.abort()", "return 10 ** 10 ** 10", "exit()"]
    )
    def test_what_loops_eats_memory_or_crashes_is_killed_and_the_run_goes_on(self, line):
        assert end_of("scaled_scores", f"def scaled_scores(query, key):\n    {line}") == VISIBLE

    def test_ends_are_counted(self):
        expected = {"mutants": 4, "killed_visible": 2, "killed_hidden": 1, "survivors": 1}
        assert counts([VISIBLE, HIDDEN, VISIBLE, SURVIVED]) == expected


class TestNames:
    def test_no_name_is_every_exercise(self):
        assert exercises([]) == exercise_names()

    def test_a_chapter_is_its_exercises(self):
        assert exercises(["ch00_start"]) == ["one_hot", "pad_batch"]

    def test_an_unknown_name_is_told_with_the_nearest(self):
        with pytest.raises(SystemExit, match="no exercise or chapter 'pad_bach'; the nearest is pad_batch"):
            exercises(["pad_bach"])


class TestLists:
    def test_each_equivalent_is_still_among_the_mutants(self, made):
        for name, reasons in equivalents().items():
            mutants = made([name])[name]
            assert reasons.keys() <= mutants.keys() | {mutant.operator for mutant in mutants.values()}, name

    def test_no_check_tells_an_equivalent_from_the_solution(self, made):
        secret, _ = known_survivors()
        grounds = all_grounds(ROOT / "solutions", secret, equivalents())
        jobs = []
        for ground in grounds:
            name = ground.checks.exercise.name
            jobs += [(mutant, ground) for key, mutant in made([name])[name].items() if key in equivalents()[name]]
        for mutant, end in run_all(jobs, secret, 1):
            assert end == SURVIVED, f"{mutant.exercise} is listed, and a {end} check kills it\n{mutant.diff}"

    def test_a_mutant_is_in_one_list(self):
        _, survivors = known_survivors()
        for name, reasons in equivalents().items():
            assert not reasons.keys() & set(survivors.get(name, ())), name

    @pytest.mark.drawn
    def test_mutants_of_no_list_are_killed(self, made):
        """A sample, under the secret of the last run over everything, so that it ends as it did then."""
        draw = drawn("mutants")
        names = draw.sample(exercise_names(), SAMPLE)
        secret, survivors = known_survivors()
        chosen = {}
        for name, mutants in made(names).items():
            chosen_from = to_kill(mutants, equivalents().get(name, {}))
            chosen[name] = draw.choice(
                [mutant for key, mutant in chosen_from.items() if key not in survivors.get(name, ())]
            )
        grounds = all_grounds(ROOT / "solutions", secret, names)
        ended = list(run_all([(chosen[ground.checks.exercise.name], ground) for ground in grounds], secret, 1))
        assert len(ended) == SAMPLE
        for mutant, end in ended:
            told = f"{mutant.exercise}, {mutant.operator}, survives all checks; see make mutants"
            assert end != SURVIVED, f"{told}\n{mutant.diff}"
