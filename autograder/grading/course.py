"""A course on disk: its configuration, its secrets and where results are kept."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

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


@dataclass(frozen=True)
class Course:
    """The folders of one course.

    Args:
        root: The folder with `nbgrader_config.py`.
    """

    root: Path

    @property
    def solutions(self) -> Path:
        """Nbgrader's source directory."""
        return self.root / "solutions"

    def solved(self, chapter: str) -> Path:
        """The solved notebook."""
        return self.solutions / chapter / f"{chapter}.ipynb"

    def released(self, chapter: str) -> Path:
        """The notebook that the class was given."""
        return self.root / "notebooks" / chapter / f"{chapter}.ipynb"

    @property
    def private(self) -> Path:
        """What is the grader's own: secrets and results."""
        return self.root / ".autograder"

    def secret(self, chapter: str) -> str:
        """The secret under which hidden checks are drawn, made when it is first asked for and kept."""
        path = self.private / "secrets" / chapter
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text().strip()
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(32) + "\n")
        return path.read_text().strip()

    def database(self, config: Config) -> str:
        """The gradebook's address."""
        return str(config.CourseDirectory.get("db_url", f"sqlite:///{self.root / 'gradebook.db'}"))
