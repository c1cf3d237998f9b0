"""What was written for each submission, so that a class that is graded again costs only what has changed.

A receipt holds as long as the submission, all that its result depends on, the gradebook's scores and the autograded notebook are
what they were. Anything that is damaged or missing is written again.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from autograder.checkout import Course, write_mapping
from autograder.grading.collect import Submission
from autograder.grading.gradebook import Entry
from autograder.grading.repair import MAX_BYTES

# A file in `autograded/`: its size and the time of its last change.
_Stamp = list[int]


@dataclass(frozen=True)
class Receipt:
    """What was written for one submission.

    Args:
        key: The hash of what it depends on.
        notes: What the table says.
        auto: The scores, by the names of the cells.
        stamp: What tells whether the autograded notebook is the one that was written.
    """

    key: str
    notes: list[str]
    auto: Mapping[str, float | None]
    stamp: _Stamp


class Receipts:
    """The receipts of one chapter of one course."""

    def __init__(self, course: Course, chapter: str, basis: str) -> None:
        """Find them.

        Args:
            course: The course.
            chapter: The chapter.
            basis: A hash of all that a grade depends on besides the submission.
        """
        self._folder = course.private / "written" / chapter
        self._course, self._chapter, self._basis = course, chapter, basis

    def key(self, submission: Submission, extension: timedelta | None) -> str:
        """The hash of all that the grade of a submission depends on."""
        facts = [self._basis, submission.notebook.name, str(submission.timestamp), str(extension), submission.notes]
        whole = hashlib.sha256(json.dumps(facts).encode())
        for path in (submission.notebook, *submission.beside):
            whole.update(f"\n{path.relative_to(submission.folder)}\n".encode(errors="surrogateescape"))
            whole.update(_digest(path))
        return whole.hexdigest()[:32]

    def get(self, student: str, key: str, entry: Entry | None) -> Receipt | None:
        """The student's receipt if it still holds.

        Args:
            student: The student's id.
            key: The hash of what the grade depends on today.
            entry: What the gradebook has.
        """
        try:
            receipt = Receipt(**json.loads(self._path(student).read_text(encoding="utf-8")))
            readable = isinstance(receipt.notes, list) and all(isinstance(note, str) for note in receipt.notes)
            holds = readable and receipt.key == key and entry is not None and receipt.auto == entry.auto
            return receipt if holds and receipt.stamp == self._stamp(student) else None
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return None

    def put(self, student: str, key: str, notes: list[str], auto: Mapping[str, float | None]) -> None:
        """Keep a receipt of what has just been written.

        Raises:
            OSError: It cannot be kept.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        receipt = Receipt(key, notes, auto, self._stamp(student))
        write_mapping(self._path(student), asdict(receipt))

    def _path(self, student: str) -> Path:
        return self._folder / f"{student}.json"

    def _stamp(self, student: str) -> _Stamp:
        status = (self._course.autograded(student, self._chapter) / f"{self._chapter}.ipynb").stat()
        return [status.st_size, status.st_mtime_ns]


def _digest(path: Path) -> bytes:
    """What tells a file from another: its bytes, or its size and time where nobody reads it."""
    try:
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES:
            return hashlib.sha256(path.read_bytes()).digest()
    except OSError as error:
        return str(error.errno).encode()
    return f"{status.st_mode} {status.st_size} {status.st_mtime_ns}".encode()
