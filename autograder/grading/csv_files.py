"""Reads tables that people make in a spreadsheet or export from a learning platform."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.checkout import CourseError
from autograder.grading.sanitize import printable

IDS = ("sis login id", "username", "login id", "student id", "id")
"""What a column of students' ids is called, the most certain first."""
INVISIBLE = re.compile("[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
"""Marks that direct or divide text and that nobody sees; spreadsheets add them to names that are written from right to left."""
_MAX_NAMED = 20


def rows_of(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of the file, each with the number of its first line.

    Raises:
        CourseError: It cannot be read, or is no CSV file in UTF-8.
    """
    try:
        data = file.read_bytes()
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except OSError as error:
        raise CourseError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CourseError(f"{file} is not in UTF-8: save it again as “CSV UTF-8”") from error
    if "\0" in text:
        raise CourseError(f"{file} is not a CSV file: save the table as “CSV UTF-8”")
    top = text.split("\n", 1)[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=top.count), strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise CourseError(f"{file}, line {line}: {error}") from error


def plainly(title: str) -> str:
    """The title of a column without what writers differ in."""
    return re.sub(r"[\W_]+", " ", title).strip().lower()


def hold_valid(file: Path, wrong: Sequence[str]) -> None:
    """Hold that nothing is wrong with a file.

    Args:
        file: The file.
        wrong: What is wrong with each row that is, with its line.

    Raises:
        CourseError: Something is; the message names the first rows.
    """
    if wrong:
        more = [f"and {len(wrong) - _MAX_NAMED} more"] if len(wrong) > _MAX_NAMED else []
        listed = "\n".join(f"  {printable(problem)}" for problem in [*wrong[:_MAX_NAMED], *more])
        raise CourseError(f"nothing was changed, because {file} has invalid rows:\n{listed}")
