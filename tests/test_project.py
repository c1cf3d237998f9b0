"""What tells a visitor whether the project is kept: versions, licences, links and workflows agree with what there is."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from autograder.declare import chapters, load_checks
from autograder.judging.catalogue import load_catalogue
from autograder.outline import exercise_names
from tests.test_handout import fresh_environment, pip, run_in

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere() -> None:
    newest = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest
    assert CITATION["version"] == PROJECT["version"] == newest[1]


def test_both_licences_are_there_and_named() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith(f"{PROJECT['license']} License")
    assert (ROOT / "book" / "LICENSE").read_text(encoding="utf-8").startswith("Creative Commons Attribution 4.0 ")
    assert CITATION["license"] == [PROJECT["license"], "CC-BY-4.0"]
    for page in ("README.md", "book/intro.md"):
        assert "CC BY 4.0" in (ROOT / page).read_text(encoding="utf-8"), page


@pytest.mark.parametrize("name", ["README.md", *(f".github/{path.name}" for path in (ROOT / ".github").glob("*.md"))])
def test_links_to_files_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    paths = [path for path in re.findall(r"\]\(([^)#]+)", text) if "://" not in path]
    paths += re.findall(r"`((?:book|autograder|tests)/[\w/.]+)`", text)
    missing = [path for path in paths if not any((folder / path).exists() for folder in (ROOT, (ROOT / name).parent))]
    assert missing == []


def test_workflows_and_hooks_run_what_there_is() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)) | {"test"}
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8"))
    commands = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    asked = {command.split()[1] for command in commands if command.startswith("make ")}
    assert {"demo", "test", "hunt", "book", "dist"} <= asked <= targets
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    assert {hook["entry"].split()[0] for hook in hooks} == {".venv/bin/ruff"}


def test_the_paper_has_its_sections_and_says_what_is_true() -> None:
    _, header, text = (ROOT / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
    about = yaml.safe_load(header)
    assert about["authors"][0]["name"] == CITATION["authors"][0]["name"]
    works = set(re.findall(r"^@\w+\{(\w+),", (ROOT / about["bibliography"]).read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"@(\w+)", text)) <= works
    sections = re.findall(r"^# (.+)", text, re.MULTILINE)
    assert {"Summary", "Statement of need", "Learning objectives"} < set(sections)
    assert sections[-1] == "References"
    assert 250 <= len(text.split()) <= 1000
    exercises = [exercise for chapter in chapters() for exercise in exercise_names(chapter)]
    catalogues = [load_catalogue(exercise) for chapter in chapters() for exercise in load_checks(chapter)]
    wrong, right = (sum(len(getattr(each, kind)) for each in catalogues) for kind in ("mistakes", "right"))
    said = re.search(r"more than ([\d,]+) wrong and more than ([\d,]+) right answers for (\d+) exercises", text)
    assert said
    least_wrong, least_right, count = (int(number.replace(",", "")) for number in said.groups())
    assert wrong > least_wrong and right > least_right and count == len(exercises)
    assert "fifteen chapters" in text and len(chapters()) == 15


def test_the_package_that_is_built_has_every_file_and_works_where_there_is_no_clone(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path, ROOT]
    subprocess.run(build, check=True, capture_output=True, cwd=tmp_path)
    (source,), (wheel,) = tmp_path.glob("*.tar.gz"), tmp_path.glob("*.whl")
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", source, wheel], check=True, capture_output=True)
    packages = (ROOT / "autograder", ROOT / "notebooks" / "seqlab")
    files = [path for folder in packages for path in folder.rglob("*.*") if path.is_file() and path.suffix != ".pyc"]
    wanted = {path.relative_to(ROOT).as_posix().removeprefix("notebooks/") for path in files}
    built = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert built == wanted
    python = fresh_environment(tmp_path / "environment")
    pip(python, "install", "--no-deps", "--no-index", wheel)
    code = "import seqlab.corpus\nfrom autograder import check\n"
    code += "def one_hot(tokens, vocab_size):\n    pass\ncheck(one_hot)"
    assert "one_hot: 0 of 9 points" in run_in(tmp_path, code, python)
    command = python.with_name("autograder")
    asked = subprocess.run([command, "--version"], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert asked.stdout.strip() == f"autograder {PROJECT['version']}"


READER = """
import ast, os, signal, sys
from pathlib import Path

import IPython, matplotlib.pyplot, nbformat, sacrebleu, sklearn, torch, torch.utils.flop_counter
from safetensors.torch import load_file
from typer.testing import CliRunner

for name in ("fcntl", "grp", "landlock", "pwd", "pyseccomp", "resource", "termios"):
    sys.modules[name] = None
for name in ("fork", "geteuid", "getpgid", "getuid", "killpg", "mkfifo", "sched_getaffinity", "setsid", "wait4"):
    delattr(os, name)
for name in ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "pthread_sigmask", "setitimer"):
    delattr(signal, name)

for path in sorted(Path("notebooks").glob("ch*/ch*.ipynb")):
    cells = [cell.source for cell in nbformat.read(path, 4).cells if "setup" in cell.metadata.get("tags", [])]
    for node in [node for source in cells for node in ast.parse(source).body]:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            exec(ast.unparse(node))

from autograder import check, progress
from autograder.cli import app

assert CliRunner().invoke(app, ["lab", "--help"]).exit_code == 0
answer = {"__name__": "__main__"}
exec(Path("solutions/ch00_start/batching.py").read_text(encoding="utf-8"), answer)
os.chdir(sys.argv[1])
check(answer["one_hot"])
progress()
"""


def test_what_a_reader_runs_needs_nothing_that_only_unix_has(tmp_path: Path) -> None:
    command = [sys.executable, "-c", READER, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "8 of 9 points" in done.stdout
