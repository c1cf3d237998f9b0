"""Requests of students to look at a grade again, each a sentence or two: open until a person has saved points or a comment.

They are kept in `.autograder/requests`, a file for each student, because nbgrader's gradebook has no place for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.checkout import Course, read_mapping, write_mapping


@dataclass(frozen=True)
class Request:
    """What a student asks about one answer.

    Args:
        text: What the student wrote.
        is_open: Whether nobody has answered it yet.
    """

    text: str
    is_open: bool = True


class Requests:
    """The requests of a chapter's students."""

    def __init__(self, course: Course, chapter: str) -> None:
        self._folder = course.private / "requests" / chapter

    def all(self) -> dict[tuple[str, str], tuple[Request, ...]]:
        """The requests by the student and the name of the cell that has the points."""
        return {(path.stem, part): found for path in self._folder.glob("*.json") for part, found in _read(path).items()}

    def of(self, student: str, part: str) -> tuple[Request, ...]:
        """A student's requests about one answer, the earliest first."""
        return _read(self._path(student)).get(part, ())

    def add(self, student: str, part: str, text: str) -> None:
        """Keep a request, unless it is there already.

        Raises:
            OSError: It cannot be kept.
        """
        before = self.of(student, part)
        if all(request.text != text for request in before):
            self.put(student, part, [*before, Request(text)])

    def put(self, student: str, part: str, requests: Sequence[Request]) -> None:
        """Replace a student's requests about one answer.

        Raises:
            OSError: They cannot be kept.
        """
        kept = {**_read(self._path(student)), part: requests}
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        tree = {name: [asdict(request) for request in found] for name, found in kept.items()}
        write_mapping(self._path(student), tree)

    def settle(self, student: str, part: str) -> None:
        """Close a student's requests about one answer.

        Raises:
            OSError: It cannot be recorded.
        """
        before = self.of(student, part)
        if any(request.is_open for request in before):
            self.put(student, part, [Request(request.text, is_open=False) for request in before])

    def _path(self, student: str) -> Path:
        return self._folder / f"{student}.json"


def _read(path: Path) -> dict[str, tuple[Request, ...]]:
    try:
        return {part: tuple(Request(**one) for one in found) for part, found in (read_mapping(path) or {}).items()}
    except TypeError:  # Whatever else is in the file, it is no request.
        return {}
