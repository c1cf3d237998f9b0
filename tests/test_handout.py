"""The student edition: one zip with all that a chapter needs, and with nothing that answers an exercise."""

import ast
import base64
import builtins
import importlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import venv
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import jupytext
import nbformat
import pytest

from autograder.asking.probing import Failure, run_probe
from autograder.building.handout import make_handout, wheel
from autograder.building.notebook_files import read
from autograder.building.release import install_cell, install_line, package_name, release, wheel_name
from autograder.building.site import stage
from autograder.building.strip_hidden import without_hidden
from autograder.checkout import Checkout, Course
from autograder.declare import Probe, chapters, load_checks, module_of
from autograder.grading.plan import Planner
from autograder.grading.sandbox import Limits
from autograder.notebook.commands import solution_source
from autograder.settings import Settings
from tests.browser import served

ROOT = Path(__file__).resolve().parent.parent
CHECKOUT = Checkout(ROOT)
CHAPTER = "ch05_attention"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_REGION = re.compile(r"\n *### BEGIN SOLUTION\n(.*?)\n *### END SOLUTION", re.DOTALL)
_COMMON = 24
"""Shorter statements, such as `return weights`, stand in many a place."""


def cells_of(chapter: str) -> list[str]:
    """The code of a chapter's text but for its exercises, which is what its student notebook imports and loads."""
    text = jupytext.read(CHECKOUT.text(chapter), fmt="md:myst")
    return [c.source for c in text.cells if c.cell_type == "code" and "exercise" not in c.metadata.get("tags", [])]


@pytest.fixture(scope="module")
def wheels() -> dict[str, zipfile.ZipFile]:
    """The wheel of each chapter."""
    return {chapter: zipfile.ZipFile(io.BytesIO(wheel(chapter, cells_of(chapter)))) for chapter in chapters()}


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip of one chapter, unpacked."""
    folder = tmp_path_factory.mktemp("handout")
    zipfile.ZipFile(make_handout(CHECKOUT, CHAPTER, folder / "zips")).extractall(folder)
    return folder / CHAPTER


@pytest.fixture(scope="module")
def installed(handout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The chapter's package, in a folder that holds nothing but what the wheel installs."""
    place = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(handout / wheel_name(CHAPTER)).extractall(place)
    return place / package_name(CHAPTER)


def statements(source: str) -> set[str]:
    """The statements in code, without layout and comments; compound ones by their heads."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)):
            found.add(ast.unparse(node))
        elif isinstance(node, (ast.If, ast.While)):
            found.add(ast.unparse(node.test))
    return found


def regions() -> dict[str, set[str]]:
    """The statements between the marks of each exercise's solution, those alone that are long enough to tell it."""
    found = {}
    for chapter in chapters():
        for exercise in load_checks(chapter):
            name = exercise.exercise.name
            parts = _REGION.findall(solution_source(CHECKOUT.solutions / chapter, name, markers=True))
            bodies = [f"def solve():\n{textwrap.indent(textwrap.dedent(part), '    ')}" for part in parts]
            found[name] = {line for body in bodies for line in statements(body) if len(line) > _COMMON}
    return found


def modules_of(archive: zipfile.ZipFile) -> dict[str, str]:
    return {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}


def inside(archive: zipfile.ZipFile) -> list[str]:
    """The files of a wheel as they lie in the chapter's package."""
    return [name.partition("/")[2] for name in archive.namelist() if ".dist-info/" not in name]


class TestWhatIsInIt:
    def test_zip_holds_the_notebook_a_readme_and_a_wheel(self, handout):
        assert sorted(path.name for path in handout.iterdir()) == [
            "README.md",
            f"{CHAPTER}.ipynb",
            wheel_name(CHAPTER),
        ]
        readme = (handout / "README.md").read_text()
        assert install_line(CHAPTER).lstrip("%") in readme
        assert readme.startswith("# Attention")
        (torch,) = [need for need in PROJECT["dependencies"] if need.startswith("torch")]
        for text in (readme, (ROOT / "book" / "guide_students.md").read_text(encoding="utf-8")):
            assert f"{torch.replace('>=', ' ')} or newer" in text

    def test_first_code_cell_is_the_install_line(self, handout):
        notebook = nbformat.read(handout / f"{CHAPTER}.ipynb", as_version=4)
        first = next(cell for cell in notebook.cells if cell.cell_type == "code")
        assert install_line(CHAPTER) in first.source
        assert notebook.cells[0].source.startswith("# ")

    def test_install_line_is_not_run_when_the_notebook_is_graded(self, handout, tmp_path):
        (tmp_path / "solutions").symlink_to(CHECKOUT.solutions)
        notebook = nbformat.read(handout / f"{CHAPTER}.ipynb", as_version=4)
        job = Planner(Course(tmp_path), Settings(CHAPTER), Limits(), "none").job(notebook)
        assert not [step for step in job.steps if "pip install" in (step.source or "")]
        assert [step for step in job.steps if "def masked_softmax" in (step.source or "")]

    def test_notebook_is_the_edition_for_a_class(self, handout):
        text = (handout / f"{CHAPTER}.ipynb").read_text()
        assert "solution(" not in text
        assert "BEGIN SOLUTION" not in text
        assert "raise NotImplementedError" in text

    def test_record_is_true(self, wheels):
        for archive in wheels.values():
            names = archive.namelist()
            record = next(name for name in names if name.endswith("/RECORD"))
            listed = [line.rsplit(",", 2) for line in archive.read(record).decode().splitlines()]
            assert [name for name, _, _ in listed] == names
            assert all(int(size) == archive.getinfo(name).file_size for name, _, size in listed if size)

    def test_what_a_module_reads_beside_itself_is_there(self, wheels):
        for chapter, archive in wheels.items():
            there = inside(archive)
            assert ("seqlab/widgets.py" in there) == ("seqlab/widgets.js" in there), chapter

    def test_source_that_a_notebook_shows_can_be_read(self, wheels):
        """A sealed module has no source, and `inspect.getsource` fails."""
        shown = {
            chapter: name
            for chapter in wheels
            for cell in cells_of(chapter)
            for name in re.findall(r"getsource\((\w+)", cell)
        }
        assert shown == {"ch14_today": "llama"}
        assert "class Block" in wheels["ch14_today"].read(f"{package_name('ch14_today')}/seqlab/llama.py").decode()

    def test_only_what_a_student_needs_is_asked_for(self, wheels):
        for chapter, archive in wheels.items():
            metadata = next(name for name in archive.namelist() if name.endswith("/METADATA"))
            needs = re.findall(r"^Requires-Dist: ([\w-]+)", archive.read(metadata).decode(), re.MULTILINE)
            assert {"torch", "numpy", "matplotlib", "ipython", "safetensors"} <= set(needs), chapter
            assert not {"nbgrader", "jupyter-book", "distributed", "typer", "rich", "jupytext"} & set(needs), chapter

    def test_project_declares_what_its_packages_import(self):
        groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
        declared = {re.split(r"[^\w-]", need)[0].replace("-", "_") for group in groups for need in group}
        declared |= {"PIL", "IPython", "sklearn"}
        # What comes with IPython, sacrebleu, JupyterLab and Jupyter Book, and is used through them.
        declared |= {"matplotlib_inline", "jinja2", "jupyter_server", "lxml", "tornado", "sphinx"}
        files = [path for folder in ("autograder", "notebooks/seqlab") for path in (ROOT / folder).rglob("*.py")]
        nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
        names = {a.name.partition(".")[0] for node in nodes if isinstance(node, ast.Import) for a in node.names}
        names |= {node.module.partition(".")[0] for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
        assert names - declared - sys.stdlib_module_names == {"autograder", "seqlab"}

    def test_only_this_chapters_checks_and_none_of_the_grader(self, wheels):
        for chapter, archive in wheels.items():
            names = inside(archive)
            data = {name.split("/")[2] for name in names if re.match(r"autograder/checks/\w+/answers", name)}
            assert data == {chapter}
            assert not [name for name in names if re.search("/(grading|building|mistakes)/|solutions|catalogue", name)]

    def test_weights_are_those_that_the_chapter_loads(self, wheels):
        def weights(chapter: str) -> set[str]:
            return {Path(name).stem for name in wheels[chapter].namelist() if name.endswith(".safetensors")} - {
                "answers"
            }

        assert weights(CHAPTER) == set()
        assert weights("ch01_rnn_lm") == {"language_model-rnn-0"}
        assert weights("ch07_bleu") >= {"attention-none-0", "attention-keyed-2", "decoding-translator-0"}
        assert not {name for name in weights("ch07_bleu") if not name.startswith(("attention", "decoding"))}

    def test_corpora_are_those_that_the_chapter_loads(self, wheels):
        corpora = {
            chapter: {Path(name).name for name in inside(archive) if name.endswith(".xz")}
            for chapter, archive in wheels.items()
        }
        assert corpora["ch05_attention"] == {"corpus-0-20000-500-1000-40.xz"}
        assert corpora["ch06_decoding"] == {"corpus-0-40000-500-1000-10.xz"}
        assert corpora["ch08_self_attention"] == {"corpus-0-10000-500-1000-20.xz"}
        assert corpora["ch01_rnn_lm"] == set()

    def test_the_same_sources_make_the_same_bytes(self):
        assert wheel("ch00_start", cells_of("ch00_start")) == wheel("ch00_start", cells_of("ch00_start"))

    def test_it_is_small(self, wheels):
        sizes = {chapter: sum(i.compress_size for i in archive.infolist()) for chapter, archive in wheels.items()}
        assert sizes[CHAPTER] < 4 << 20
        assert max(sizes.values()) < 24 << 20


class TestNoSolution:
    def test_no_text_of_a_solution(self, wheels):
        """No file has two of an exercise's longer statements, or its only one, but where these are what a probe must say."""
        found, known = [], regions()
        for chapter, archive in wheels.items():
            for name, text in modules_of(archive).items():
                said = statements(text)
                for exercise, lines in known.items():
                    same = lines & said
                    if len(same) > 1 or (same and len(lines) == 1):
                        found.append((chapter, name, exercise, same))
        assert found == []

    def test_sealed_modules_do_not_show_their_text(self, wheels):
        for archive in wheels.values():
            for name, text in modules_of(archive).items():
                if name.endswith(("/seqlab/models.py", "/seqlab/gpt.py")):
                    assert "Sealed by" in text, name
                    assert "return" not in text, name

    def test_source_does_not_come_back_from_a_running_module(self, installed):
        code = "import inspect, seqlab.models as m\ntry: print(inspect.getsource(m.Decoder.forward))\nexcept OSError: print('none')"
        assert run_in(installed, code) == "none"

    def test_nothing_that_the_course_brings_along_passes_a_check(self):
        """Every function and class of `seqlab` and `autograder`, given to every exercise that it could be called for."""
        things = lendable()
        assert len(things) > 500
        passing = []
        for chapter in chapters():
            for exercise in load_checks(chapter):
                first = exercise.visible.checks[0].probe
                passing += [(exercise.exercise.name, thing) for thing in things if not refused(first, thing)]
        assert passing == []

    def test_a_class_made_of_the_courses_own_is_refused_too(self):
        from seqlab.models import Decoder

        class Mine(Decoder):
            pass

        class Taken(Decoder.__mro__[1]):
            __init__ = Decoder.__init__
            forward = Decoder.forward

        probe = next(e for e in load_checks("ch03_seq2seq") if e.exercise.name == "Decoder").visible.checks[0].probe
        assert refused(probe, Mine)
        assert refused(probe, Taken)


class TestNoHiddenCheck:
    def test_how_hidden_checks_ask_and_judge_is_not_there(self, wheels):
        """Not even in what is sealed, once it is opened."""
        for chapter, archive in wheels.items():
            texts = {name: opened(text) for name, text in modules_of(archive).items()}
            checks = [text for name, text in texts.items() if f"/checks/{chapter}/" in name]
            assert checks and not any("hidden=True" in text for text in checks)
            for exercise in load_checks(chapter):
                asked = {check.probe.name for check in exercise.visible.checks}
                kept = {check.probe.name for check in exercise.checks} - asked
                module = module_of(chapter, exercise.exercise.name)
                (text,) = (text for name, text in texts.items() if name.endswith(f"/checks/{chapter}/{module}.py"))
                assert not [name for name in kept if f"def {name}(" in text], exercise.exercise.name

    def test_what_check_and_hint_tell_of_them_is(self, installed):
        code = "from autograder.declare import load_checks\n"
        code += f"for e in load_checks({CHAPTER!r}): print(*[(c.name, c.points, c.hint) for c in e.checks if c.hidden])"
        expected = [
            " ".join(str((check.name, check.points, check.hint)) for check in exercise.checks if check.hidden)
            for exercise in load_checks(CHAPTER)
        ]
        assert run_in(installed, code).splitlines() == expected

    def test_nothing_else_is_taken_out(self, wheels):
        """A name that a visible check needs is still defined in its module, or imported."""
        for archive in wheels.values():
            for name, text in modules_of(archive).items():
                if "/autograder/checks/" in name:
                    tree = ast.parse(opened(text))
                    assert names_used(tree) - names_bound(tree) <= set(dir(builtins)), name

    def test_a_hidden_check_in_a_loop_is_refused(self):
        module = "autograder.checks.ch06_decoding.top_k_filter"
        with pytest.raises(ValueError, match="at the top level"):
            without_hidden(module, "for large_k in (1, 2): pass")


class TestItWorks:
    """Where nothing of the course is there but what the wheel installs."""

    RIGHT = solution_source(CHECKOUT.solutions / CHAPTER, "masked_softmax", markers=False)
    WRONG = "def masked_softmax(scores, mask):\n    return scores.softmax(dim=-1)"

    def told(self, installed: Path, answer: str) -> str:
        begin = "import torch\nfrom torch import Tensor\nfrom autograder import check, hint, progress, solution\n"
        return run_in(
            installed, f"{begin}{answer}\ncheck(masked_softmax); hint(masked_softmax); solution(masked_softmax)"
        )

    def test_a_right_answer_earns_all_visible_points(self, installed):
        told = self.told(installed, self.RIGHT)
        visible = next(e for e in load_checks(CHAPTER) if e.exercise.name == "masked_softmax").visible.points
        assert f"masked_softmax: {visible} of" in told
        assert "There are no reference solutions in this installation" in told

    def test_a_wrong_one_is_told_its_mistake(self, installed):
        told = self.told(installed, self.WRONG)
        assert "✗" in told
        assert "Hint:" in told

    def test_questions_have_their_inputs_and_mistakes(self, installed):
        told = run_in(
            installed,
            "from autograder.questions.given import inputs_of\nfrom autograder.questions.recorded import read_recorded\n"
            f"print(inputs_of({CHAPTER!r}, 'masked_softmax') is not None, len(read_recorded({CHAPTER!r})['masked_softmax']))",
        )
        assert told.split() == ["True", "4"]

    def test_progress_knows_this_chapter_alone(self, installed):
        told = run_in(installed, "from autograder import progress; progress()")
        assert told.startswith(CHAPTER)
        assert "ch03" not in told

    @pytest.mark.parametrize("chapter", chapters())
    def test_everything_imports_that_the_notebook_imports(self, wheels, tmp_path, chapter):
        wheels[chapter].extractall(tmp_path)
        package = tmp_path / package_name(chapter)
        nodes = [node for cell in cells_of(chapter) for node in ast.walk(ast.parse(cell))]
        imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
        code = "\n".join(map(ast.unparse, imports))
        modules = "[name for name in sys.modules if name.partition('.')[0] in ('seqlab', 'autograder')]"
        check = "from autograder.notebook.subject import exercise_names\nfrom autograder.declare import *\n[load_checks(name) for name in chapters()]\nprint(exercise_names())"
        where = f"print(all(sys.modules[name].__file__.startswith({str(package)!r}) for name in {modules}))"
        *_, names, is_here = run_in(package, f"{code}\n{check}\n{where}").splitlines()
        assert names == str([found.exercise.name for found in load_checks(chapter)])
        assert is_here == "True"


class TestFromAnAddress:
    def test_a_notebook_that_lies_beside_no_wheel_installs_its_own(self, handout, tmp_path):
        python = fresh_environment(tmp_path / "environment")
        script = tmp_path / "begin.ipy"
        with served(handout) as address:
            answer = "import torch\nfrom torch import Tensor\nfrom autograder import check"
            answer = f"{answer}\n{TestItWorks.RIGHT}\ncheck(masked_softmax)"
            script.write_text(f"{install_cell(CHAPTER, address).source}\n{answer}")
            command = [python, "-m", "IPython", "--quick", "--colors=NoColor", script]
            told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
        assert "masked_softmax: 10 of 13 points" in told.stdout, told
        installed = run_in(tmp_path, f"import {package_name(CHAPTER)} as it; print(it.__file__)", python)
        assert installed.startswith(str(tmp_path))

    def test_the_configured_address_is_in_the_notebook_and_the_site_has_the_wheel(self, tmp_path):
        first, _ = chapters()[:2]
        for name in ("nbgrader_config.py", f"solutions/{first}/{first}.ipynb", "book/references.bib", "book/_toc.yml"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
        (tmp_path / "book" / f"{first}.md").touch()
        with (tmp_path / "nbgrader_config.py").open("a") as config:
            config.write("c.ForStudents.wheels = 'https://example.org/notebooks/'\n")
        course = Checkout(tmp_path)
        course.released(first).parent.mkdir(parents=True)
        shutil.copy(release(course.solved(first), tmp_path / "build", self_study=True), course.released(first))
        (cell,) = [cell for cell in read(course.released(first)).cells if "%pip" in cell.source]
        assert '"https://example.org/notebooks/" + wheel' in cell.source
        staged = stage(course, tmp_path / "site", solutions=True)
        shipped = staged / "extra" / "notebooks" / wheel_name(first)
        assert f"{package_name(first)}/autograder/__init__.py" in zipfile.ZipFile(shipped).namelist()

    def test_what_is_no_address_is_refused(self):
        with pytest.raises(ValueError, match="expected an address"):
            install_cell(CHAPTER, "notebooks' + evil()")


class TestTwoChapters:
    """In one environment, and of two versions of the course that do not fit together."""

    ANSWERS: ClassVar = {
        "ch00_start": "def one_hot(tokens, vocab_size):\n    return torch.eye(vocab_size)[tokens]",
        CHAPTER: "def masked_softmax(scores, mask):\n    return scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)",
    }

    @pytest.mark.parametrize("order", [("ch00_start", CHAPTER), (CHAPTER, "ch00_start")])
    def test_each_works_and_goes_on_working_without_the_other(self, wheels, tmp_path, order):
        python = fresh_environment(tmp_path / "environment")
        older, newer = order
        for chapter in order:
            place = tmp_path / wheel_name(chapter)
            write_wheel(wheels[chapter], place, in_a_newer_version if chapter == newer else str)
            pip(python, "install", "--no-deps", "--no-index", place)
        assert self.told(python, older)
        assert self.told(python, newer)
        pip(python, "uninstall", "--yes", package_name(newer))
        assert self.told(python, older)

    def test_two_in_one_kernel_are_told_to_restart_it(self, wheels, tmp_path):
        for chapter in self.ANSWERS:
            wheels[chapter].extractall(tmp_path)
        first, second = map(package_name, self.ANSWERS)
        code = f"import {first}, autograder\ntry: import {second}\nexcept ImportError as error: print(error)"
        assert run_in(tmp_path, code).endswith("restart the kernel, then run this cell first")

    def test_the_cell_of_a_second_notebook_in_one_kernel_says_so_too(self, wheels, tmp_path):
        for chapter in self.ANSWERS:
            wheels[chapter].extractall(tmp_path)
        first, second = ("\n    ".join(self.begin(chapter).splitlines()) for chapter in self.ANSWERS)
        code = (
            f"if True:\n    {first}\nimport autograder\ntry:\n    {second}\nexcept ImportError as error: print(error)"
        )
        assert run_in(tmp_path, code, fresh_environment(tmp_path / "python")).endswith("then run this cell first")

    def begin(self, chapter: str) -> str:
        """The notebook's first cell, where the wheel is installed."""
        first = "\n".join(line for line in install_cell(chapter).source.splitlines() if "%pip" not in line)
        return first.replace(f'    if not find_spec("{package_name(chapter)}"):\n', "")

    def told(self, python: Path, chapter: str) -> bool:
        """Whether the chapter's exercise can be checked, after the lines of the notebook's first cell."""
        answer = self.ANSWERS[chapter]
        name = answer.split("(")[0].removeprefix("def ")
        code = f"{self.begin(chapter)}\nimport torch\nfrom autograder import check\n{answer}\ncheck({name})"
        return "✓" in run_in(python.parent, code, python)


def fresh_environment(folder: Path) -> Path:
    """The interpreter of a new environment with what this one has installed, but for the course."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    site = run_in(folder, "import sysconfig; print(sysconfig.get_path('purelib'))", python)
    installed = [folder for folder in sys.path if folder.endswith("site-packages")]
    Path(site, "others.pth").write_text("\n".join(installed), encoding="utf-8")
    return python


def pip(python: Path, *arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python, *arguments]
    subprocess.run(command, check=True, capture_output=True)


def write_wheel(archive: zipfile.ZipFile, place: Path, change: Callable[[str], str]) -> None:
    """Write a wheel with each of its modules changed."""
    with zipfile.ZipFile(place, "w") as changed:
        for name in archive.namelist():
            data = archive.read(name)
            changed.writestr(name, change(data.decode()).encode() if name.endswith(".py") else data)


def in_a_newer_version(text: str) -> str:
    """A module of a course in which `probe` has another name."""
    return re.sub(r"(import |@|def )probe\b", r"\1ask", text)


def opened(text: str) -> str:
    """A module's text, taken out of its seal."""
    sealed = re.search(r'b85decode\("(.*?)"\)', text)
    return zlib.decompress(base64.b85decode(sealed[1])).decode() if sealed else text


def names_used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def names_bound(tree: ast.AST) -> set[str]:
    """What a module defines, imports or assigns anywhere."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return bound


def lendable() -> list[object]:
    """Every function and class of the modules that wheels hold."""
    found: dict[int, object] = {}
    for package in ("seqlab", "autograder"):
        folder = Path(importlib.import_module(package).__file__).parent
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            if {"grading", "building", "cli", "__main__", "mistakes", "catalogue"} & set(parts):
                continue
            module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
            for value in vars(module).values():
                if (inspect.isfunction(value) or inspect.isclass(value)) and value.__module__ == module.__name__:
                    found[id(value)] = value
    return list(found.values())


def refused(probe: Probe, thing: object) -> bool:
    """Whether the probe does not even ask the thing, because it is the course's own."""
    answer = run_probe(probe, thing, 0)
    return isinstance(answer, Failure) and "comes with the course" in answer.message


def run_in(installed: Path, code: str, python: Path = Path(sys.executable)) -> str:
    """What code prints where nothing of the course is there but what the wheel installs."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [python, "-c", f"import sys; sys.path.insert(0, {str(installed)!r})\n{code}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=installed, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
