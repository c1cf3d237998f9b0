"""Weaving, staleness, release and plain Markdown: one source for each thing, and made files that follow it."""

import ast
import copy
import importlib
import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.nbgraderformat import MetadataValidator
from traitlets.config import Config

from autograder.building import make as making
from autograder.building.make import make, stale
from autograder.building.notebook_files import RECORD, is_demonstration
from autograder.building.plain_markdown import Plain, PlainError, fold
from autograder.building.release import ReleaseError, generate, release
from autograder.building.site import chapter_page
from autograder.building.sources import code_hash, source_hashes
from autograder.building.weave import (
    IN_EVERY_EXERCISE,
    SELF_STUDY,
    WRITTEN_POINTS,
    WeavingError,
    bound_names,
    free_names,
    is_written,
    split_written,
    weave,
    written_id,
)
from autograder.checkout import Checkout, Course, course_config
from autograder.declare import ELSEWHERE_NAME, USE_NAME, chapters, load_checks
from autograder.judging import expected_answers

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = Checkout(ROOT)
CHAPTER = "ch05_attention"
REGION = re.compile(r"^ *### BEGIN SOLUTION\n(.*?)^ *### END SOLUTION", re.MULTILINE | re.DOTALL)
MYST = re.compile(r"^\s*(:{3,}|`{3,}\{)|\{[a-z:]+\}`|^\([\w:-]+\)=|\$\$\s*\([\w:-]+\)", re.MULTILINE)


def mark_of(cell: NotebookNode) -> str:
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def marked(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """The cells that nbgrader knows, by their names."""
    return {mark_of(cell): cell for cell in notebook.cells if mark_of(cell)}


def copy_checkout(to: Path) -> Checkout:
    """A copy without notebooks, in which the stored weights, of which there are many, are links."""

    def copy(path: str, there: str) -> None:
        (os.symlink if "stored" in Path(path).parts else shutil.copy)(path, there)

    for room in ("book", "solutions", "notebooks", "autograder/checks"):
        unread = shutil.ignore_patterns("__pycache__", "_static", "*.ipynb")
        shutil.copytree(ROOT / room, to / room, ignore=unread, copy_function=copy)
    shutil.copy(ROOT / "nbgrader_config.py", to)
    return Checkout(to)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"the test looks for {old!r}, which {path.name} no longer has"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def with_numbers(checkout: Checkout, notebook: NotebookNode) -> None:
    """Let a notebook look as if it had been executed: what the text quotes is recorded."""
    names = re.findall(r"\{glue:text\}`(\w+)", checkout.text(CHAPTER).read_text(encoding="utf-8"))
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.outputs = [
        new_output("display_data", {RECORD: "0.25"}, metadata={"scrapbook": {"name": name}}) for name in names
    ]
    first.execution_count = 1


@pytest.fixture(scope="module")
def woven() -> NotebookNode:
    return weave(CHECKOUT, CHAPTER)


@pytest.fixture(scope="module")
def executed(woven: NotebookNode, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solved notebook in a checkout of its own."""
    checkout = copy_checkout(tmp_path_factory.mktemp("checkout"))
    notebook = copy.deepcopy(woven)
    with_numbers(checkout, notebook)
    checkout.solved(CHAPTER).write_text(nbformat.writes(notebook) + "\n")
    return checkout.solved(CHAPTER)


@pytest.fixture(scope="module")
def self_study(executed: Path, tmp_path_factory: pytest.TempPathFactory) -> NotebookNode:
    return nbformat.read(release(executed, tmp_path_factory.mktemp("build"), self_study=True), as_version=4)


@pytest.fixture(scope="module")
def for_a_class(executed: Path, tmp_path_factory: pytest.TempPathFactory) -> NotebookNode:
    return nbformat.read(release(executed, tmp_path_factory.mktemp("build"), self_study=False), as_version=4)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executed: Path) -> Checkout:
    """A copied checkout in which nothing is executed, and whose release is a mere copy."""
    found = copy_checkout(tmp_path / "checkout")
    answers = tmp_path / "answers.safetensors"
    shutil.copy(expected_answers.answers_path(CHAPTER), answers)
    monkeypatch.setattr(making, "answers_path", lambda chapter: answers)
    shutil.copy(executed, found.solved(CHAPTER))
    monkeypatch.setattr(making, "release", lambda solved, build, *, self_study: solved)
    found.released(CHAPTER).parent.mkdir(exist_ok=True)
    shutil.copy(executed, found.released(CHAPTER))
    return found


@pytest.fixture
def executions(monkeypatch: pytest.MonkeyPatch, checkout: Checkout) -> list[NotebookNode]:
    """The notebooks that would have been executed."""
    found: list[NotebookNode] = []

    def execute(notebook: NotebookNode) -> None:
        with_numbers(checkout, notebook)
        found.append(notebook)

    monkeypatch.setattr(making, "execute", execute)
    return found


class TestMadeFiles:
    @pytest.mark.parametrize("chapter", chapters())
    def test_are_those_of_todays_sources(self, chapter):
        """When this fails, something was changed and `make notebooks` was not run."""
        assert stale(CHECKOUT, chapter) == []

    def test_weaving_twice_gives_the_same_bytes(self, woven):
        assert nbformat.writes(weave(CHECKOUT, CHAPTER)) == nbformat.writes(woven)

    def test_every_chapter_of_the_book_with_exercises_is_known(self):
        texts = sorted(path.stem for path in (ROOT / "book").glob("ch*.md"))
        assert [chapter for chapter in chapters() if chapter not in texts] == []


SOLUTION = "solutions/ch05_attention/attention.py"
CODE = {
    "a solution": (SOLUTION, "weights = scores.softmax(dim=-1)", "weights = torch.softmax(scores, dim=-1)"),
    "a seqlab module": ("notebooks/seqlab/plots.py", "def use_style", "NEW = 1\n\n\ndef use_style"),
    "a seqlab module behind another": ("notebooks/seqlab/lexicon.py", "@dataclass", "NEW = 1\n\n\n@dataclass"),
    "a check": (f"autograder/checks/{CHAPTER}/attend.py", "points=", "points=1 + "),
}


class TestStaleness:
    def test_fresh_checkout_is_fresh(self, checkout, executions):
        assert stale(checkout, CHAPTER) == []
        before = checkout.solved(CHAPTER).read_bytes()
        make(checkout, CHAPTER, print)
        assert executions == []
        assert checkout.solved(CHAPTER).read_bytes() == before

    def test_changed_checks_run_again_without_the_demonstrations(self, checkout, executions):
        edit(checkout.root / f"autograder/checks/{CHAPTER}/attend.py", "points=", "points=1 + ")
        shown = [cell.get("outputs") for cell in nbformat.read(checkout.solved(CHAPTER), as_version=4).cells]
        make(checkout, CHAPTER, print)
        (short,) = executions
        assert not any(map(is_demonstration, short.cells))
        assert [c for c in short.cells if mark_of(c) == "attend"]
        assert [cell.get("outputs") for cell in nbformat.read(checkout.solved(CHAPTER), as_version=4).cells] == shown

    def test_checks_that_run_again_change_only_what_is_said_of_answers(self, checkout, monkeypatch):
        """The set-up cell may print what is not installed where the checks run again, though it was where the chapter was executed."""

        def execute(notebook: NotebookNode) -> None:
            for cell in notebook.cells:
                if cell.cell_type == "code":
                    cell.outputs = [new_output("stream", text="again")]

        monkeypatch.setattr(making, "execute", execute)
        edit(checkout.root / f"autograder/checks/{CHAPTER}/attend.py", "points=", "points=1 + ")
        make(checkout, CHAPTER, print)
        cells = nbformat.read(checkout.solved(CHAPTER), as_version=4).cells
        again = [cell.source for cell in cells if "again" in [output.get("text") for output in cell.get("outputs", [])]]
        assert again
        assert all("check(" in source for source in again)

    @pytest.mark.parametrize(("path", "old", "new"), CODE.values(), ids=CODE)
    def test_changed_code_is_named_and_executed_again(self, checkout, executions, path, old, new):
        edit(checkout.root / path, old, new)
        assert f"{CHAPTER}: {path} has changed" in stale(checkout, CHAPTER)
        make(checkout, CHAPTER, print)
        assert len(executions) == 1
        assert not [line for line in stale(checkout, CHAPTER) if path in line]

    def test_changed_words_are_named_and_not_executed_again(self, checkout, executions):
        edit(checkout.text(CHAPTER), "## What to remember", "## What to keep in mind")
        assert f"{CHAPTER}: text has changed" in stale(checkout, CHAPTER)
        before = [cell.get("outputs") for cell in nbformat.read(checkout.solved(CHAPTER), as_version=4).cells]
        make(checkout, CHAPTER, print)
        assert executions == []
        assert stale(checkout, CHAPTER) == []
        assert [c.get("outputs") for c in nbformat.read(checkout.solved(CHAPTER), as_version=4).cells] == before

    def test_changed_code_cell_of_the_text_is_executed_again(self, checkout, executions):
        edit(checkout.text(CHAPTER), "scores = memory @ query", "scores = (memory * query).sum(-1)")
        found = stale(checkout, CHAPTER)
        assert f"{CHAPTER}: text has changed" in found
        assert any("cells differ from" in line for line in found)
        make(checkout, CHAPTER, print)
        assert len(executions) == 1

    def test_a_last_semicolon_counts_as_code(self, checkout, executions):
        edit(checkout.text(CHAPTER), 'axes.set_title("Before training, attention lets the gradient through");', "axes;")
        make(checkout, CHAPTER, print)
        edit(checkout.text(CHAPTER), "axes;", "axes")
        make(checkout, CHAPTER, print)
        assert len(executions) == 2

    def test_demonstration_that_asks_for_a_hint_runs_again_with_the_checks(self, checkout, executions):
        cell = "```{code-cell} ipython3\nhint(attend)\n```\n\n## What to remember"
        edit(checkout.text(CHAPTER), "## What to remember", cell)
        make(checkout, CHAPTER, print)
        edit(checkout.root / f"autograder/checks/{CHAPTER}/attend.py", "points=", "points=1 + ")
        make(checkout, CHAPTER, print)
        assert [c.source for c in executions[1].cells if is_demonstration(c)] == ["hint(attend)"]

    def test_new_code_cell_is_executed(self, checkout, executions):
        edit(
            checkout.text(CHAPTER),
            "## What to remember",
            "```{code-cell} ipython3\nprint(1)\n```\n\n## What to remember",
        )
        make(checkout, CHAPTER, print)
        assert len(executions) == 1

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("Turn scores into weights", "Make weights of scores"),
            ("# 1. Scores that", "# 1. All the scores that"),
        ],
        ids=["docstring", "comment"],
    )
    def test_words_of_a_solution_are_taken_over_and_not_executed_again(self, checkout, executions, old, new):
        edit(checkout.root / SOLUTION, old, new)
        assert stale(checkout, CHAPTER) == [
            f"{CHAPTER}: the solved notebook's cells differ from the current text and solutions"
        ]
        make(checkout, CHAPTER, print)
        assert executions == []
        assert new in checkout.solved(CHAPTER).read_text()
        assert stale(checkout, CHAPTER) == []

    def test_seqlab_module_that_is_not_imported_matters_to_nobody(self, checkout, executions):
        (checkout.library / "other.py").write_text("VALUE = 1\n")
        assert stale(checkout, CHAPTER) == []

    def test_seqlab_module_that_is_imported_from_beside_counts(self, checkout):
        (checkout.library / "other.py").write_text("from .another import VALUE\nfrom . import third\n")
        (checkout.library / "another.py").write_text("VALUE = 1\n")
        (checkout.library / "third.py").write_text("VALUE = 1\n")
        names = source_hashes(checkout, CHAPTER, ["from seqlab import other"])
        assert {f"notebooks/seqlab/{name}.py" for name in ("other", "another", "third")} <= names.keys()
        assert "notebooks/seqlab/plots.py" not in names

    def test_script_beside_an_imported_module_counts(self, checkout):
        (checkout.library / "other.py").write_text("VALUE = 1\n")
        before = source_hashes(checkout, CHAPTER, ["from seqlab import other"])
        (checkout.library / "other.js").write_text("start();\n")
        assert source_hashes(checkout, CHAPTER, ["from seqlab import other"]).keys() - before == {
            "notebooks/seqlab/other.js"
        }

    def test_wrong_reference_makes_the_recorded_answers_stale(self, checkout, executions):
        edit(checkout.root / SOLUTION, "scores.softmax(dim=-1)", "(scores * 0.5).softmax(dim=-1)")
        assert any("recorded answers" in line for line in stale(checkout, CHAPTER))

    def test_edited_student_notebook_is_told(self, checkout):
        checkout.released(CHAPTER).write_text("{}")
        assert any("student notebook" in line for line in stale(checkout, CHAPTER))

    def test_notebook_without_hashes_or_none_at_all(self, checkout):
        notebook = nbformat.read(checkout.solved(CHAPTER), as_version=4)
        del notebook.metadata["course"]
        checkout.solved(CHAPTER).write_text(nbformat.writes(notebook))
        assert f"{CHAPTER}: {SOLUTION} has changed" in stale(checkout, CHAPTER)
        checkout.solved(CHAPTER).unlink()
        assert stale(checkout, CHAPTER) == [f"{CHAPTER}: there is no solved notebook; run `make notebooks`"]

    def test_force_executes(self, checkout, executions):
        make(checkout, CHAPTER, print, force=True)
        assert len(executions) == 1

    @pytest.mark.parametrize("failing", ["execute", "release"])
    def test_failure_leaves_the_student_notebook(self, checkout, monkeypatch, failing):
        def fail(*arguments, **named):
            raise RuntimeError("no")

        before = checkout.released(CHAPTER).read_bytes()
        monkeypatch.setattr(making, "execute", lambda notebook: with_numbers(checkout, notebook))
        monkeypatch.setattr(making, failing, fail)
        with pytest.raises(RuntimeError):
            make(checkout, CHAPTER, print, force=True)
        assert checkout.released(CHAPTER).read_bytes() == before


class TestHashes:
    SOURCE = '"""Why."""\n\n\ndef f(x):\n    """What."""\n    return x + 1\n'

    @pytest.mark.parametrize(
        "other",
        [
            '"""Another reason."""\n\n\ndef f(x):\n    """Other."""\n    return x + 1\n',
            "def f(x):\n    return x + 1\n",
            '"""Why."""\ndef f(x):\n    """What."""\n\n    # A comment.\n    return (x +\n        1)  # more\n',
        ],
        ids=["docstrings", "no docstrings", "comments and layout"],
    )
    def test_words_and_layout_do_not_count(self, other):
        assert code_hash(other) == code_hash(self.SOURCE)

    @pytest.mark.parametrize(("old", "new"), [("+ 1", "+ 2"), ("f(x)", "f(x=0)"), ("f(", "g("), ("return ", "")])
    def test_code_counts(self, old, new):
        assert code_hash(self.SOURCE.replace(old, new)) != code_hash(self.SOURCE)

    def test_magics_count_as_text(self):
        assert code_hash("%matplotlib inline") != code_hash("%matplotlib widget")

    def test_names(self):
        source = "import a.b\nfrom c import d as e\ndef f(x, y=z):\n    return x + g\nh = [i for i in e]\n"
        assert bound_names(source) == {"a", "e", "f", "h"}
        assert free_names(source) - {"range"} == {"z", "g"}


EXERCISE = "from solutions.ch05_attention import attend"


class TestWeavingErrors:
    @pytest.mark.parametrize(
        ("path", "old", "new", "words"),
        [
            (
                SOLUTION,
                "return weights @ value, weights",
                "return np.matmul(weights, value), weights",
                "attend uses np",
            ),
            (SOLUTION, "-> tuple[Tensor, Tensor]:", "-> tuple[Array, Tensor]:", "attend uses Array"),
            (
                SOLUTION,
                "scores = score(query, key)",
                "scores = alignment_error_rate(query, key)",
                "attend uses alignment",
            ),
            (SOLUTION, "def masked_softmax(", "def other_name(", "defines masked_softmax"),
            (SOLUTION, "### BEGIN SOLUTION", "", "masked_softmax: its source has no ### BEGIN SOLUTION"),
            (SOLUTION, "    ### END SOLUTION\n", "", "masked_softmax: its source has no ### BEGIN SOLUTION"),
            ("text", EXERCISE, "import solutions", "an exercise cell is one line"),
            ("text", EXERCISE, f"{EXERCISE}\nprint(1)", "an exercise cell is one line"),
            ("text", EXERCISE, "from solutions.ch05_other import attend", "an exercise cell is one line"),
            ("text", EXERCISE, "from solutions.ch05_attention import other", "with a name declared"),
            ("text", f":tags: [exercise]\n\n{EXERCISE}", "pass", "the text has no cell for the exercise attend"),
            ("text", EXERCISE, "from solutions.ch05_attention import masked_softmax", "exercise attend"),
            (
                "text",
                "## What to",
                f"```{{code-cell}}\n:tags: [exercise]\n\n{EXERCISE}\n```\n\n## What to",
                "attend-answer",
            ),
            ("text", "## What to", "```{code-cell}\n:tags: [helper]\n\nprint(1)\n```\n\n## What to", "defines nothing"),
            ("text", "## What to", "```{code-cell}\n:tags: [helper]\n\ndef f(:\n```\n\n## What to", "invalid syntax"),
            (
                "text",
                "## What to",
                "```{code-cell}\n:tags: [setup]\n\nimport os\n```\n\n## What to",
                f"{CHAPTER}-setup",
            ),
        ],
        ids=lambda value: value[:40].replace("\n", " "),
    )
    def test_names_what_does_not_fit(self, checkout, path, old, new, words):
        edit(checkout.text(CHAPTER) if path == "text" else checkout.root / path, old, new)
        with pytest.raises(WeavingError) as caught:
            weave(checkout, CHAPTER)
        assert words in str(caught.value)

    def test_name_of_a_helper_that_comes_before_may_be_used(self, checkout):
        edit(checkout.root / SOLUTION, "scores = score(query, key)", "scores = dot_scores(query, key)")
        weave(checkout, CHAPTER)


class TestWoven:
    def test_ids_are_valid_unique_and_derived(self, woven):
        ids = [cell.id for cell in woven.cells]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in ids)
        assert {name: cell.id for name, cell in marked(woven).items()} == {name: name for name in marked(woven)}

    def test_ids_of_other_cells_survive_an_edit(self, checkout, woven):
        edit(checkout.text(CHAPTER), "## What to remember", "A new paragraph.\n\n## What to remember")
        ids = {cell.id for cell in weave(checkout, CHAPTER).cells}
        assert len(ids - {cell.id for cell in woven.cells}) == 1

    def test_nbgrader_knows_each_exercise_with_its_points(self, woven):
        nbformat.validate(woven)
        MetadataValidator().validate_nb(copy.deepcopy(woven))
        cells = marked(woven)
        for found in load_checks(CHAPTER):
            name = found.exercise.name
            check, answer = cells[name].metadata.nbgrader, cells[f"{name}-answer"].metadata.nbgrader
            assert (check.points, check.grade, check.solution, check.locked) == (found.points, True, False, True)
            assert (answer.grade, answer.solution, answer.locked) == (False, True, False)
        graded = [cell for cell in cells.values() if cell.metadata.nbgrader.grade and cell.cell_type == "code"]
        assert len(graded) == len(load_checks(CHAPTER))

    def test_check_cells_run_in_a_kernel_that_ran_nothing_else(self, woven):
        for found in load_checks(CHAPTER):
            name = found.exercise.name
            source = marked(woven)[name].source
            assert source == f"from autograder import check\n\ncheck({name})"
            assert free_names(source) == {name}

    def test_headline_says_points_difficulty_and_minutes(self, woven):
        text = "\n".join(cell.source for cell in woven.cells if cell.cell_type == "markdown")
        for found in load_checks(CHAPTER):
            head = text[text.index(f"### Exercise: `{found.exercise.name}`") :].split("\n\n")[1]
            assert f"{found.points} points" in head
            assert f"{found.exercise.minutes} minutes" in head
            assert head.count("●") == found.exercise.difficulty

    def test_what_every_exercise_asks_for_stands_once_before_the_first(self, woven):
        sources = [cell.source for cell in woven.cells]
        assert sources.count(IN_EVERY_EXERCISE) == 1
        assert sources[sources.index(IN_EVERY_EXERCISE) + 1].startswith("### Exercise")
        assert not any(source.startswith("### Exercise") for source in sources[: sources.index(IN_EVERY_EXERCISE)])

    @pytest.mark.parametrize(
        "words",
        [
            "not change the arguments",
            "from one call to the next",
            "dtype of the arguments",
            "on their device",
            "gradients flow",
            "may have size 1",
            "as keywords",
            USE_NAME,
            ELSEWHERE_NAME,
        ],
    )
    def test_it_names_what_the_checks_of_every_exercise_test(self, words):
        assert words in IN_EVERY_EXERCISE

    def test_answer_cells_hold_the_source_as_it_stands(self, woven):
        sources = [path.read_text(encoding="utf-8") for path in (CHECKOUT.solutions / CHAPTER).glob("*.py")]
        for found in load_checks(CHAPTER):
            source = marked(woven)[f"{found.exercise.name}-answer"].source
            code = re.sub(r"\A(#.*\n)+", "", source)
            assert any(code in text for text in sources), code[:80]
            rule = re.sub(r"\n#\s+", " ", source.removesuffix(code))
            assert all(each.told in rule for each in found.exercise.forbids)

    @pytest.mark.parametrize("chapter", chapters())
    def test_answer_cells_fit_beside_the_sidebar_of_a_laptop(self, chapter):
        for cell in nbformat.read(CHECKOUT.solved(chapter), as_version=4).cells:
            if cell.cell_type == "code" and cell.id.endswith("-answer"):
                assert max(map(len, cell.source.splitlines())) <= 88, cell.id

    @pytest.mark.parametrize("chapter", chapters())
    def test_code_fits_on_a_page_on_a_laptop(self, chapter):
        css = (ROOT / "book/_static/book.css").read_text(encoding="utf-8")
        (room,) = re.findall(r"lines of (\d+) characters", css)
        cells = (cell for cell in weave(CHECKOUT, chapter).cells if cell.cell_type == "code")
        long = [line for cell in cells for line in cell.source.splitlines() if len(line) > int(room)]
        assert not long, "\n".join([chapter, *long])

    def test_no_cell_asks_for_the_solutions_package(self, woven):
        assert not any("solutions." in cell.source for cell in woven.cells if cell.cell_type == "code")


class TestStudentNotebook:
    @pytest.fixture(params=["self_study", "for_a_class"])
    def released(self, request: pytest.FixtureRequest) -> NotebookNode:
        return request.getfixturevalue(request.param)

    def test_is_valid(self, released):
        nbformat.validate(released)
        MetadataValidator().validate_nb(copy.deepcopy(released))
        assert "course" not in released.metadata

    def test_has_every_cell_that_is_graded(self, released, woven):
        assert list(marked(released)) == list(marked(woven))
        for name, cell in marked(released).items():
            assert cell.metadata.nbgrader.get("points") == marked(woven)[name].metadata.nbgrader.get("points")

    def test_no_line_of_a_solution_is_left(self, released, woven):
        everything = nbformat.writes(released)
        assert "BEGIN SOLUTION" not in everything
        for name, cell in marked(woven).items():
            for region in REGION.findall(cell.source):
                assert region.strip() not in "\n".join(c.source for c in released.cells)
                for line in filter(None, map(str.strip, region.splitlines())):
                    assert line not in marked(released)[name].source, line
            if is_written(cell):
                lines = [line for line in split_written(cell.source)[1].splitlines() if len(line) > 30]
                assert not [line for line in lines if line in "\n".join(c.source for c in released.cells)]

    def test_stub_keeps_everything_else(self, released, woven):
        for name, cell in marked(woven).items():
            if not cell.metadata.nbgrader.solution or is_written(cell):
                continue
            stub = marked(released)[name].source
            given = REGION.split(cell.source)
            at = 0
            for part in given[::2]:
                at = stub.index(part.strip("\n"), at)
            assert "raise NotImplementedError" in stub
            solved, empty = ast.parse(cell.source).body[0], ast.parse(stub).body[0]
            assert ast.get_docstring(empty) == ast.get_docstring(solved)
            for one, other in zip(ast.walk(solved), ast.walk(empty), strict=False):
                if isinstance(one, ast.FunctionDef) and isinstance(other, ast.FunctionDef):
                    assert ast.dump(one.args) == ast.dump(other.args)
            assert re.search(r"^ *# 1\. ", stub, re.MULTILINE)

    def test_stub_raises_when_it_is_called(self, released, tmp_path, monkeypatch, request):
        cells = marked(released)
        module = tmp_path / f"stub_{request.node.callspec.id}.py"
        names = [f"{CHAPTER}-setup", *(f"{found.exercise.name}-answer" for found in load_checks(CHAPTER))]
        module.write_text("\n\n".join(cells[name].source for name in names), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        stub = importlib.import_module(module.stem)
        with pytest.raises(NotImplementedError):
            stub.masked_softmax(None, None)
        with pytest.raises(NotImplementedError):
            stub.AttentionDecoder(5, 4, 3, 2, None).forward(None, None, None, None)

    def test_no_raw_myst_is_left(self, released):
        for cell in released.cells:
            if cell.cell_type == "markdown":
                assert not MYST.search(cell.source), MYST.search(cell.source)

    def test_outputs_are_cleared(self, released):
        assert not any(cell.get("outputs") for cell in released.cells)

    def test_what_the_set_up_cell_imports_is_there(self, released):
        for node in ast.parse(marked(released)[f"{CHAPTER}-setup"].source).body:
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module or "")
                for alias in node.names:
                    assert hasattr(module, alias.name), (node.module, alias.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    importlib.import_module(alias.name)

    def test_only_self_study_says_how_to_see_the_solutions(self, self_study, for_a_class):
        exercises = [found.exercise.name for found in load_checks(CHAPTER)]
        told = "\n".join(cell.source for cell in self_study.cells)
        assert all(f"solution({name})" in told for name in exercises)
        kept = "\n".join(cell.source for cell in for_a_class.cells)
        assert "solution(" not in kept
        assert "import solution" not in kept
        assert all(f"hint({name})" in kept for name in exercises)
        assert not any(SELF_STUDY in cell.metadata.get("tags", []) for cell in for_a_class.cells)


class TestReleaseToAClass:
    @pytest.fixture
    def course(self, tmp_path: Path, executed: Path) -> Course:
        """A course with an old release."""
        course = Course(tmp_path)
        course.solved(CHAPTER).parent.mkdir(parents=True)
        shutil.copy(executed, course.solved(CHAPTER))
        (tmp_path / "book").mkdir()
        shutil.copy(ROOT / "book" / "references.bib", tmp_path / "book")
        shutil.copy(ROOT / "nbgrader_config.py", tmp_path)
        course.released(CHAPTER).parent.mkdir(parents=True)
        course.released(CHAPTER).write_text("the old release")
        return course

    def config(self, course: Course) -> Config:
        return course_config(course.root)

    def test_replaces_the_old_one_when_it_succeeds(self, course, for_a_class):
        generate(self.config(course), CHAPTER)
        assert nbformat.read(course.released(CHAPTER), as_version=4) == for_a_class
        assert list(course.released(CHAPTER).parent.iterdir()) == [course.released(CHAPTER)]
        assert not list((course.root / "build").glob("release-*"))

    @pytest.mark.parametrize(
        ("broken", "words"),
        [
            (lambda text: text.replace("{glue:text}`aer:", "{glue:text}`no_such:", 1), "no_such"),
            (lambda text: "{", "not release"),
        ],
        ids=["unknown number", "no notebook"],
    )
    def test_old_one_survives_a_failure(self, course, broken: Callable[[str], str], words):
        text = course.solved(CHAPTER).read_text()
        assert broken(text) != text
        course.solved(CHAPTER).write_text(broken(text))
        with pytest.raises(ReleaseError, match=words):
            generate(self.config(course), CHAPTER)
        assert course.released(CHAPTER).read_text() == "the old release"
        assert not list((course.root / "build").glob("release-*"))


SMALL = "ch99_small"
QUESTION = """\
Read **one** of your heat maps {cite:p}`luong2015effective`: which words have no counterpart, and what does the model look at then?
Where $\\alpha_{ti} < 0.5$, say why.

<!-- BEGIN SOLUTION -->
Function words without a counterpart draw diffuse weights {cite:p}`bahdanau2015neural`: quagmire of neighbouring punctuation.

:::{note}
Zugzwang: a softmax must look somewhere.
:::

- Names a map and its sentence.
- Finds a word without counterpart.
- Says whither the weights go.
- Explains it by the softmax's obligation.
- Distinguishes attention from alignment.
<!-- END SOLUTION -->"""
SMALL_TEXT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# A small chapter

+++ {{"slideshow": {{"slide_type": "slide"}}}}

As {{cite:t}}`luong2015effective` say.

```{{code-cell}} ipython3
:tags: [setup]

import math
```

+++ {{"tags": ["written"]}}

{question}

+++

## Read on

```{{bibliography}}
```
"""


def small_checkout(root: Path, patch: pytest.MonkeyPatch) -> Checkout:
    """A checkout with the small chapter, which declares no exercise."""
    checkout = Checkout(root)
    checkout.text(SMALL).parent.mkdir()
    checkout.text(SMALL).write_text(SMALL_TEXT.format(question=QUESTION), encoding="utf-8")
    shutil.copy(ROOT / "book" / "references.bib", root / "book")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    patch.setattr("autograder.building.weave.load_checks", lambda chapter: ())
    return checkout


@pytest.fixture(scope="module")
def small_solved(tmp_path_factory: pytest.TempPathFactory) -> NotebookNode:
    with pytest.MonkeyPatch.context() as patch:
        return weave(small_checkout(tmp_path_factory.mktemp("small"), patch), SMALL)


@pytest.fixture(scope="module", params=[True, False], ids=["self-study", "class"])
def small_released(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, small_solved: NotebookNode
) -> NotebookNode:
    with pytest.MonkeyPatch.context() as patch:
        checkout = small_checkout(tmp_path_factory.mktemp("small"), patch)
    checkout.solved(SMALL).parent.mkdir(parents=True)
    checkout.solved(SMALL).write_text(nbformat.writes(small_solved) + "\n")
    build = tmp_path_factory.mktemp("build")
    return nbformat.read(release(checkout.solved(SMALL), build, self_study=request.param), as_version=4)


class TestWrittenQuestion:
    @pytest.fixture
    def small(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
        """A checkout with a chapter that has a written question and no exercise."""
        return small_checkout(tmp_path, monkeypatch)

    def secret(self, small_solved: NotebookNode) -> set[str]:
        """The words that stand only in the model answer."""
        _, answer = split_written(marked(small_solved)[written_id(SMALL)].source)
        rest = "\n".join(cell.source for cell in small_solved.cells).replace(answer, "")
        found = {word for word in re.findall(r"\w{5,}", answer) if word not in rest}
        assert len(found) > 10
        return found

    def test_is_a_cell_that_nbgrader_lets_a_person_grade(self, small_solved):
        nbformat.validate(small_solved)
        MetadataValidator().validate_nb(copy.deepcopy(small_solved))
        cell = marked(small_solved)[f"{SMALL}-written"]
        assert cell.metadata.nbgrader == {
            "grade": True,
            "solution": True,
            "locked": False,
            "task": False,
            "points": 5,
            "schema_version": 3,
            "grade_id": f"{SMALL}-written",
        }
        assert (cell.cell_type, cell.id, cell.source) == ("markdown", f"{SMALL}-written", QUESTION)
        assert [c for c in small_solved.cells if is_written(c)] == [cell]

    def test_has_a_headline_that_says_what_it_is_worth(self, small_solved):
        headline = small_solved.cells[small_solved.cells.index(marked(small_solved)[written_id(SMALL)]) - 1]
        assert headline.metadata.tags == ["exercise-head"]
        assert headline.source.startswith("### Written answer\n\n")
        assert f"**{WRITTEN_POINTS} points**" in headline.source
        assert "read by a person" in headline.source

    def test_weaving_twice_gives_the_same_bytes(self, small, small_solved):
        assert nbformat.writes(weave(small, SMALL)) == nbformat.writes(small_solved)

    def test_other_cells_keep_their_own_metadata(self, small_solved):
        (slide,) = (cell for cell in small_solved.cells if "slideshow" in cell.metadata)
        assert slide.metadata == {"slideshow": {"slide_type": "slide"}}
        assert slide.source == "As {cite:t}`luong2015effective` say."
        assert "## Read on" in small_solved.cells[-1].source

    @pytest.mark.parametrize(
        ("old", "new", "words"),
        [
            ("<!-- BEGIN SOLUTION -->\n", "", "each mark once"),
            ("\n<!-- END SOLUTION -->", "", "each mark once"),
            ("<!-- END SOLUTION -->", "<!-- END SOLUTION -->\n\nMore of the chapter.", "begins with a line `+++`"),
            ("<!-- BEGIN SOLUTION -->", "<!-- BEGIN SOLUTION -->\n<!-- BEGIN SOLUTION -->", "each mark once"),
            ("<!-- BEGIN SOLUTION -->", "### BEGIN SOLUTION", "a line `<!-- BEGIN SOLUTION -->`"),
            (QUESTION.partition("<!--")[0], "", "the question, a line"),
            ("- Names a map and its sentence.\n", "", "has 4 points and its answer is worth 5"),
            ("<!-- END SOLUTION -->", "\nA last word.\n<!-- END SOLUTION -->", "has 0 points"),
            ('+++ {"tags": ["written"]}\n\n', "", "not tagged written"),
            (
                "## Read on",
                f'+++ {{"tags": ["written"]}}\n\n{QUESTION}\n\n+++\n\n## Read on',
                "asks one written question",
            ),
            (":tags: [setup]", ":tags: [written]", "only a markdown cell"),
        ],
    )
    def test_what_cannot_be_woven_is_named_with_what_to_do(self, small, old, new, words):
        edit(small.text(SMALL), old, new)
        with pytest.raises(WeavingError) as caught:
            weave(small, SMALL)
        assert words in str(caught.value)
        assert SMALL in str(caught.value)

    def test_rubric_may_be_wrapped_and_spaced(self, small):
        edit(small.text(SMALL), "- Finds a word", "\n- Finds\n  a word")
        assert any(map(is_written, weave(small, SMALL).cells))

    def test_released_keeps_the_question_and_makes_place_for_an_answer(self, small_released):
        nbformat.validate(small_released)
        MetadataValidator().validate_nb(copy.deepcopy(small_released))
        cell = marked(small_released)[written_id(SMALL)]
        stub = course_config(ROOT).ClearSolutions.text_stub
        question = plain(QUESTION.partition("<!--")[0])
        assert cell.source == f"{question.strip()}\n\n{stub}"
        assert "(Luong et al., 2015)" in cell.source
        assert not MYST.search(cell.source)
        mark = cell.metadata.nbgrader
        assert (mark.grade, mark.solution, mark.locked, mark.points) == (True, True, False, WRITTEN_POINTS)

    def test_released_has_no_word_of_the_model_answer(self, small_solved, small_released):
        text = nbformat.writes(small_released)
        assert not [word for word in self.secret(small_solved) if word in text]
        assert "SOLUTION" not in text

    def test_released_bibliography_does_not_list_what_the_model_answer_cites(self, small_released):
        listed = small_released.cells[-1].source
        assert "Luong" in listed
        assert "Bahdanau" not in listed

    def test_only_self_study_says_where_the_model_answer_is(self, small_released, request):
        told = "\n".join(cell.source for cell in small_released.cells)
        alone = request.node.callspec.params["small_released"]
        assert ("model answer" in told) == alone
        assert (f"solutions/{SMALL}/{SMALL}.ipynb" in told) == alone
        assert any(SELF_STUDY in cell.metadata.get("tags", []) for cell in small_released.cells) == alone

    @pytest.mark.parametrize("solutions", [True, False])
    def test_page_shows_the_question_and_at_most_unfolds_the_answer(self, small_solved, solutions):
        secret = self.secret(small_solved)
        page = chapter_page(copy.deepcopy(small_solved), course_config(ROOT), solutions=solutions)
        nbformat.validate(page)
        sources = [cell.source for cell in page.cells]
        assert QUESTION.partition("<!--")[0].strip() in [source.strip() for source in sources]
        telling = [source for source in sources if any(word in source for word in secret)]
        assert len(telling) == solutions
        assert all(source.startswith("::::::{dropdown} Show a model answer") for source in telling)
        assert all(word in "".join(telling) for word in secret) or not solutions
        assert not any("SOLUTION" in source for source in sources)


def plain(text: str, **numbers: float) -> str:
    return Plain(ROOT / "book" / "references.bib", numbers)(text)


class TestPlainMarkdown:
    @pytest.mark.parametrize(
        ("myst", "expected"),
        [
            ("by {cite:t}`bahdanau2015neural`.", "by Bahdanau et al. (2015)."),
            ("so {cite:p}`bahdanau2015neural`.", "so (Bahdanau et al., 2015)."),
            ("{cite:p}`luong2015effective, och2003systematic`", "(Luong et al., 2015; Och and Ney, 2003)"),
            ("{cite:t}`luong2015effective,och2003systematic`", "Luong et al. (2015) and Och and Ney (2003)"),
            ("is {glue:text}`rate:.2f`, or {glue:text}`rate:.0%`", "is 0.25, or 25%"),
            ("{glue:text}`big:.0f` and {glue:text}`big:,.0f`", "1234 and 1,234"),
            ("$$\nx = 1\n$$ (eq-x)", "$$\nx = 1\n$$"),
            ("see {eq}`eq-x`", "see the formula above"),
            ("the {math}`x^2`", "the $x^2$"),
            ("```{math}\n:label: eq-x\nx = 1\n```", "$$\nx = 1\n$$"),
            ("(a-place)=\n## Heading", "## Heading"),
            ("in {doc}`notation <notation>`", "in notation"),
            (":::{note}\nOne.\n\nTwo.\n:::", "> **Note**\n>\n> One.\n>\n> Two."),
            (":::{admonition} A title\n:class: warning\nText.\n:::\nAfter.", "> **A title**\n>\n> Text.\nAfter."),
            ("```{tip}\nText.\n```", "> **Tip**\n>\n> Text."),
            ("::::{note}\n:::{tip}\nIn.\n:::\n::::", "> **Note**\n>\n> > **Tip**\n> >\n> > In."),
            (":::{admonition} By {cite:t}`luong2015effective`\nText.\n:::", "> **By Luong et al. (2015)**\n>\n> Text."),
            (
                ":::{dropdown} Why?\n:open:\n\nBy {cite:t}`luong2015effective` it is {glue:text}`rate:.2f`, and $x_1$.\n:::\nAfter.",
                '<details class="question">\n<summary>Why?</summary>\n\nBy Luong et al. (2015) it is 0.25, and $x_1$.\n\n</details>\nAfter.',
            ),
            ("nothing `of that` $kind$", "nothing `of that` $kind$"),
            ("a set `{a}` and `b`", "a set `{a}` and `b`"),
            ("write `f{x}` or ``{a}`b` ``", "write `f{x}` or ``{a}`b` ``"),
            ("```python\nx = {a}`b`\n:::{note}\n```", "```python\nx = {a}`b`\n:::{note}\n```"),
            ("% a comment for authors\nText.", "Text."),
        ],
    )
    def test_becomes(self, myst, expected):
        assert plain(myst, rate=0.25, big=1234.4) == expected

    @pytest.mark.parametrize(
        ("title", "summary"),
        [
            ("What does `f(a<b)` do?", "What does <code>f(a&lt;b)</code> do?"),
            ("Why *twice*, and **never** once?", "Why <em>twice</em>, and <strong>never</strong> once?"),
            (
                "Is $a_1 < b_2$ & why?",
                'Is <span class="math notranslate nohighlight">\\(a_1 &lt; b_2\\)</span> &amp; why?',
            ),
            ('Why isn\'t 3 * 4 "12"?', 'Why isn’t 3 * 4 "12"?'),
        ],
    )
    def test_a_title_is_folded_as_html(self, title, summary):
        assert f"<summary>{summary}</summary>" in fold(f":::{{dropdown}} {title}\nText.\n:::")

    def test_what_is_no_dropdown_is_not_folded(self):
        text = "A {glue:text}`rate:.2f`.\n\n:::{note}\nOne.\n:::\n\n```python\n:::{dropdown} x\n:::\n```\n$$\nx\n$$"
        assert fold(text) == text

    def test_dropdowns_fold_one_after_the_other_and_one_in_the_other(self):
        folded = fold(
            ":::::{dropdown} One\n::::{dropdown} Two\n:::{note}\nIn.\n:::\n::::\n:::::\nAnd\n:::{dropdown} Three\n:::"
        )
        assert re.findall(r"<summary>(\w+)", folded) == ["One", "Two", "Three"]
        assert folded.count("<details") == folded.count("</details>") == 3
        assert ":::{note}\nIn.\n:::" in folded
        assert "dropdown" not in folded

    def test_what_is_folded_is_read_by_the_site_and_by_students_as_elsewhere(self):
        folded = fold(":::{dropdown} Why?\nBy {cite:t}`luong2015effective` it is {glue:text}`rate:.2f`.\n:::")
        assert "{glue:text}`rate:.2f`" in folded
        assert "By Luong et al. (2015) it is 0.25." in plain(folded, rate=0.25)

    def test_a_role_in_the_title_of_a_dropdown_is_an_error(self):
        with pytest.raises(PlainError, match=r"Is it \{glue:text\}.*: write it without"):
            fold(":::{dropdown} Is it {glue:text}`rate:.2f`?\nYes.\n:::")

    @pytest.mark.parametrize(
        ("myst", "words"),
        [
            ("{abbr}`GRU`", "'abbr'"),
            ("{py:func}`f`", "'py:func'"),
            ("{sub-ref}`f`", "'sub-ref'"),
            ("{cite:t}`nobody1900`", "'nobody1900'"),
            ("{cite:p}`luong2015effective,nobody1900`", "'nobody1900'"),
            ("{glue:text}`no_such:.2f`", "'no_such'"),
            (":::{figure} x.png\n:::", "'figure'"),
            ("```{code-block} python\n```", "'code-block'"),
            (":::{note}\nText.", "does not end"),
            ("- item\n\n  :::{figure} x.png\n  :::", "'figure'"),
            ("::: {figure} x.png\n:::", "'figure'"),
            ("Text.\n:::", ":::"),
        ],
    )
    def test_what_has_no_plain_form_is_an_error(self, myst, words):
        with pytest.raises(PlainError) as caught:
            plain(myst)
        assert words in str(caught.value)

    def test_number_with_an_odd_format_is_an_error(self):
        with pytest.raises(ValueError, match="rate"):
            plain("{glue:text}`rate:zz`", rate=0.25)

    def test_bibliography_lists_what_was_cited_and_no_more(self):
        write = Plain(ROOT / "book" / "references.bib", {})
        write("{cite:p}`luong2015effective` and {cite:t}`bahdanau2015neural`")
        listed = write("```{bibliography}\n:filter: docname in docnames\n```").splitlines()
        assert [bool(re.search(r"Bahdanau|Luong", line)) for line in listed] == [True, True]
        assert "(2015). *Neural Machine Translation" in listed[0]

    def test_no_text_of_the_book_keeps_raw_myst(self, woven):
        names = itertools.chain(*(re.findall(r"\{glue:text\}`(\w+)", c.source) for c in woven.cells))
        write = Plain(ROOT / "book" / "references.bib", dict.fromkeys(names, 0.5))
        for cell in woven.cells:
            if cell.cell_type == "markdown":
                assert not MYST.search(write(cell.source))


@pytest.mark.parametrize("chapter", chapters())
def test_what_grading_runs_needs_no_demonstration(chapter, tmp_path):
    """A name that only a demonstration defines would be missing in the cells that are given to students."""
    solved = nbformat.read(CHECKOUT.solved(chapter), as_version=4)
    run = [cell.source for cell in solved.cells if cell.cell_type == "code" and not is_demonstration(cell)]
    (tmp_path / "run.py").write_text("\n\n".join(run), encoding="utf-8")
    command = ["ruff", "check", "--isolated", "--select", "F821", "--output-format", "concise", str(tmp_path)]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
