"""The folders of a checkout of the course, and of a course in it: its configuration, its secrets, and where results are kept."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader


class CourseError(ValueError):
    """The course's folder is not as it should be; the message says what to do."""


def course_config(root: Path) -> Config:
    """The course's nbgrader configuration, with the gradebook where the configuration says.

    Raises:
        CourseError: There is none in the folder.
    """
    if not (root / "nbgrader_config.py").is_file():
        raise CourseError(f"{root} is not a course: it has no nbgrader_config.py")
    return PyFileConfigLoader("nbgrader_config.py", path=str(root)).load_config()


def making_environment(budget: str) -> dict[str, str]:
    """The environment in which made files are made: the course's own corpus, and the library of this clone, even where another one is installed.

    Models train on one thread: two get in each other's way, and sums are rounded differently for every number of
    threads.

    Args:
        budget: How much work training may do, full or smoke.
    """
    left_out = ("SEQLAB_CORPUS", "SEQLAB_PICTURES")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    clone = Path(__file__).resolve().parents[1]
    library = f"{clone}{os.pathsep}{clone / 'notebooks'}"
    return {**kept, "SEQLAB_BUDGET": budget, "OMP_NUM_THREADS": "1", "PYTHONPATH": library}


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file whole or not at all: a reader sees either the old one or the new one.

    Args:
        path: The file, in a folder that is there.
        data: Its content.
        mode: Who may read and write it.
    """
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_mapping(path: Path) -> dict[str, Any] | None:
    """What a JSON file maps names to; None where it is missing, damaged, or of another kind."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def write_mapping(path: Path, found: Mapping[str, Any]) -> None:
    """Write what `read_mapping` reads, whole or not at all."""
    write_whole(path, json.dumps(found).encode())


@dataclass(frozen=True)
class Checkout:
    """Where the folders are.

    Args:
        root: The folder that holds them.
    """

    root: Path

    def text(self, chapter: str) -> Path:
        """The chapter's text."""
        return self.root / "book" / f"{chapter}.md"

    def solved(self, chapter: str) -> Path:
        """The solved, executed notebook."""
        return self.root / "solutions" / chapter / f"{chapter}.ipynb"

    def released(self, chapter: str) -> Path:
        """The student notebook: here the one for self-study."""
        return self.root / "notebooks" / chapter / f"{chapter}.ipynb"

    @property
    def solutions(self) -> Path:
        """The folder of reference solutions."""
        return self.root / "solutions"

    @property
    def library(self) -> Path:
        """The folder of `seqlab`."""
        return self.root / "notebooks" / "seqlab"

    def sweeps(self, chapter: str = "*") -> list[Path]:
        """The modules of the chapter's long experiments, each named after its table; without a chapter, of all chapters'."""
        return sorted(self.solutions.glob(f"{chapter}/sweeps/[!_]*.py"))

    def table(self, name: str) -> Path:
        """The stored table of that name, which a sweep made."""
        return self.library / "stored" / f"{name}.json"

    def weights(self, name: str, variant: str, seed: int) -> Path:
        """The weights that a sweep trained, stored beside its table."""
        return self.library / "stored" / f"{name}-{variant}-{seed}.safetensors"

    def checks(self, chapter: str) -> Path:
        """The folder of the chapter's checks."""
        return self.root / "autograder" / "checks" / chapter


@dataclass(frozen=True)
class Course(Checkout):
    """A folder with `nbgrader_config.py`, where a class is graded: a clone, or one made like it."""

    def released(self, chapter: str) -> Path:
        """The student notebook as the class was given it: where nbgrader releases to, which is never committed."""
        return self.root / "release" / chapter / f"{chapter}.ipynb"

    @property
    def private(self) -> Path:
        """The grader's own files: secrets and results."""
        return self.root / ".autograder"

    @property
    def log(self) -> Path:
        """Where the tracebacks of the grader's own faults are kept."""
        return self.private / "grading.log"

    @property
    def roster_entered(self) -> Path:
        """The file that is there once a roster has been entered; `nbgrader_config.py` looks for it."""
        return self.private / "roster-entered"

    def autograded(self, student: str, chapter: str) -> Path:
        """The folder with a student's graded notebook."""
        return self.root / "autograded" / student / chapter

    def secret(self, chapter: str) -> str:
        """The secret under which hidden checks are drawn, made when it is first asked for and kept.

        Raises:
            CourseError: It is damaged.
        """
        path = self.private / "secrets" / chapter
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            with tempfile.NamedTemporaryFile("w", dir=path.parent) as file, contextlib.suppress(FileExistsError):
                file.write(secrets.token_hex(32) + "\n")
                file.flush()
                os.fsync(file.fileno())
                os.link(file.name, path)
        secret = path.read_text(errors="replace").strip()
        if not re.fullmatch(r"[0-9a-f]{64}", secret):
            raise CourseError(
                f"{path} is damaged: it does not contain a secret of 64 hexadecimal digits. Restore it from a backup, or "
                f"delete it; new hidden inputs are then drawn, so regrades may differ"
            )
        return secret

    def database(self, config: Config) -> str:
        """The gradebook's address."""
        return str(config.CourseDirectory.get("db_url", f"sqlite:///{self.root / 'gradebook.db'}"))
