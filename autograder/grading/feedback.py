"""Writes the feedback of a class: from what the gradebook has, a page for each student.

nbgrader makes one page after the other, in most of a second each. Here the gradebook is read once for the class, pages are made in
several processes, and a page is made again only when its notebook, its marks or our code has changed. nbgrader's own
`generate_feedback` is configured to make the same page.
"""

from __future__ import annotations

import io
import os
import re
import signal
import threading
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Comment, Grade, Gradebook, GradeCell, SolutionCell, Student, SubmittedNotebook
from nbgrader.preprocessors import NbGraderPreprocessor
from rich.console import Console

from autograder.bar import progress
from autograder.building.notebook_files import read
from autograder.building.reading import course_and_branch
from autograder.building.weave import is_written, rubric_of, split_written
from autograder.checkout import Course, CourseError, read_mapping, write_mapping, write_whole
from autograder.grading import pages
from autograder.grading.collect import collected_before
from autograder.grading.gradebook import Patience, called, chapter_rows, open_books
from autograder.grading.pages import Chapter, Job, Mark, Marks
from autograder.grading.sanitize import printable
from autograder.questions.traced import NAME

_HEADING = re.compile(r"^(#{1,3}) +(.+?)[ #]*$", re.MULTILINE)
_PUBLIC = re.compile(r"""^ *public_address: *["']?([^\s"']+)["']? *$""", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_BEFORE_NAME = {
    "canvas": re.compile(r"\w+?(?:_LATE)?_\d+_\d+(?=_)"),
    "moodle": re.compile(r"[^_]+_\d+_assignsubmission_file(?=_|$)"),
}
"""What a platform's download puts before the name of a student's file."""
# So few pages are made sooner than processes are started.
_FEW = 8
_MAX_NAMED = 20
_OF_THE_EXCHANGE = ("timestamp.txt", "submission_secret.txt")


@dataclass
class Written:
    """What happened to a class's pages.

    Args:
        folder: Where they are.
        total: How many there should be.
        written: How many were written now.
        unchanged: How many were there already as they should be.
        missing: Why a page could not be written, by student.
        interrupted: Whether somebody stopped it.
        packed: The file with all pages in the form in which the learning platform takes them, if the work came from one.
        unpacked: How many pages are not in it, because their work came in another way.
    """

    folder: Path
    total: int
    written: int = 0
    unchanged: int = 0
    missing: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False
    packed: Path | None = None
    unpacked: int = 0

    @property
    def exit_code(self) -> int:
        """What the command exits with."""
        return 130 if self.interrupted else int(bool(self.missing))

    def closing(self) -> list[str]:
        """What happened, in sentences for a terminal."""
        lines = [f"No page for {printable(f'{who}: {why}')}" for who, why in sorted(self.missing.items())[:_MAX_NAMED]]
        lines += [f"and no page for {len(self.missing) - _MAX_NAMED} more"] if len(self.missing) > _MAX_NAMED else []
        done = f"{self.written + self.unchanged} of {self.total} pages"
        if self.interrupted:
            return [*lines, f"Stopped: {done} are written. Run the same command for the rest."]
        kept = f", of which {self.unchanged} had not changed" if self.unchanged else ""
        lines.append(f"Feedback is in {self.folder}: {done}{kept}.")
        if self.packed:
            left = (
                f" {self.unpacked} pages are not in it, because their work did not come from there."
                if self.unpacked
                else ""
            )
            lines.append(f"To return it through the platform, upload {self.packed}.{left}")
        return lines


class GetGradesSoFar(NbGraderPreprocessor):  # type: ignore[misc]
    """Replaces nbgrader's `GetGrades`: reads all marks of a notebook at once, and which answers nobody has read yet."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Put the marks of one notebook beside it."""
        asked = resources["nbgrader"]
        with Gradebook(asked["db_url"]) as book:
            resources["autograder"] = read_marks(book, asked["assignment"], asked["student"])[asked["student"]]
        return nb, resources


class FeedbackExporter(Exporter):
    """What nbgrader's `generate_feedback` makes its pages with."""

    output_mimetype = "text/html"

    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any = None, **kw: Any
    ) -> tuple[str, Any]:
        """The page of one notebook whose marks were read."""
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        converter: Any = self.parent
        course = Course(Path(converter.coursedir.root))
        return pages.page(
            nb, resources["autograder"], read_chapter(course, resources["nbgrader"]["assignment"])
        ), resources


def read_marks(book: Gradebook, chapter: str, student: str | None = None) -> dict[str, Marks]:
    """The marks of a chapter's notebooks, by student.

    Args:
        book: The gradebook.
        chapter: The chapter's name.
        student: One student's id, or None for all.
    """
    who = (SubmittedNotebook.late_submission_penalty, Student.first_name, Student.last_name)
    rows = chapter_rows(book, chapter, *who, student=student)
    found = {row.id: Marks(float(row.late_submission_penalty or 0), student=called(row)) for row in rows}
    columns = (GradeCell.name, Grade.score, GradeCell.max_score, Grade.auto_score, Grade.manual_score)
    for name, cell, score, points, auto, manual in chapter_rows(book, chapter, *columns, student=student):
        found[name].cells[cell] = Mark(
            float(score), float(points), unread=auto is None and manual is None, by_hand=manual is not None
        )
    for name, cell, comment in chapter_rows(book, chapter, SolutionCell.name, Comment.comment, student=student):
        if comment:
            found[name].comments[cell] = comment
    return found


def read_chapter(course: Course, chapter: str) -> Chapter:
    """What the pages of a chapter's students share.

    Args:
        course: The course; what it does not have of the chapter is left out of the pages.
        chapter: The chapter's name.
    """
    title, section, sections, given = "", "", {}, {}
    for cell in _cells(course.released(chapter)):
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("solution"):
            given[mark.grade_id] = cell.source
            name = mark.grade_id.removesuffix("-answer")
            sections[name] = "" if name == NAME else section  # A student's own questions are about the whole chapter.
        elif cell.cell_type == "markdown" and not mark and "exercise-head" not in cell.metadata.get("tags", []):
            for level, words in _HEADING.findall(_FENCED.sub("", cell.source)):
                title, section = (title or words, "") if level == "#" else (title, words)
    rubric = "".join(
        rubric_of(split_written(cell.source)[1]) for cell in _cells(course.solved(chapter)) if is_written(cell)
    )
    return Chapter(chapter, title, sections, given, rubric, _address(course, chapter))


def _cells(path: Path) -> list[NotebookNode]:
    """The cells of one of the course's own notebooks, if it is there."""
    return list(read(path).cells) if path.is_file() else []


def _address(course: Course, chapter: str) -> str:
    """Where the chapter can be read, if the book's configuration has a public address."""
    path = course.root / "book" / "_config.yml"
    found = _PUBLIC.search(path.read_text(encoding="utf-8")) if path.is_file() else None
    public = course_and_branch(found[1]) if found else None
    return "https://github.com/{}/blob/{}/notebooks/{}/{}.ipynb".format(*public, chapter, chapter) if public else ""


def write_feedback(course: Course, chapter: str, *, workers: int, console: Console) -> Written:
    """Write the feedback pages of a chapter that are not there yet, or are no longer right.

    Args:
        course: The course.
        chapter: The chapter's name.
        workers: How many processes write at once.
        console: Where progress is shown.

    Raises:
        CourseError: Nothing has been graded, or the gradebook cannot be read.
    """
    patience = Patience(say=console.print)
    with open_books(course, patience) as book:
        marks = patience.run(lambda: read_marks(book, chapter))
    notebooks = graded_notebooks(course, chapter)
    if not marks and not notebooks:
        raise CourseError(f"nothing of {chapter} has been graded yet: run `autograder grade {chapter}` first")
    result = Written(course.root / "feedback", len(marks.keys() | notebooks.keys()))
    for student in marks.keys() - notebooks.keys():
        result.missing[student] = f"there is no graded notebook: run `autograder grade {chapter}`"
    for student in notebooks.keys() - marks.keys():
        result.missing[student] = f"the gradebook does not know this submission: run `autograder grade {chapter}`"
    shared = read_chapter(course, chapter)
    record = _Record(course.private / "pages" / f"{chapter}.json")
    todo = []
    for student in sorted(marks.keys() & notebooks.keys()):
        job = Job(notebooks[student], result.folder / student / chapter / f"{chapter}.html", marks[student], shared)
        try:
            _carry(job)
        except OSError as error:
            result.missing[student] = error.strerror or str(error)
            continue
        if record.holds(student, job):
            result.unchanged += 1
        else:
            todo.append((student, job))
    try:
        with progress(console if todo else Console(quiet=True)) as bar:
            task = bar.add_task(f"{chapter} feedback", total=len(todo))
            for student, digests, failure in _write_all(todo, workers):
                bar.advance(task)
                if failure:
                    result.missing[student] = failure
                else:
                    result.written += 1
                    record.pages[student] = digests
    except KeyboardInterrupt:
        result.interrupted = True
    finally:
        record.save()
    if not result.interrupted:
        _pack(course, chapter, result)
    return result


def _pack(course: Course, chapter: str, result: Written) -> None:
    """Put the pages into one file, as Canvas's “Upload Submissions” and Moodle's “Upload multiple feedback files in a zip” take them.

    Canvas looks in a file's name for its numbers of the student and of the file that the feedback is on, Moodle for the student's
    number and `assignsubmission_file` (`app/models/assignment.rb` of `instructure/canvas-lms`, `mod/assign/feedback/file/importziplib.php` of
    `moodle/moodle`): both are as the download had them.

    Raises:
        OSError: It cannot be written.
    """
    named: dict[str, dict[str, Path]] = {"canvas": {}, "moodle": {}}
    for student, taken in collected_before(course, chapter)[1].items():
        page = result.folder / student / chapter / f"{chapter}.html"
        platform, label = taken["platform"].lower(), taken["label"].split("/")
        before = next(filter(None, map(_BEFORE_NAME[platform].match, label)), None) if platform in named else None
        if before and page.is_file() and student not in result.missing:
            named[platform][f"{before[0]}_{chapter}-feedback.html"] = page
    for platform, files in named.items():
        if files:
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, page in sorted(files.items()):
                    archive.write(page, name)
            result.packed = result.folder / f"{chapter}-for-{platform}.zip"
            result.unpacked = result.written + result.unchanged - len(files)
            write_whole(result.packed, packed.getvalue())


def _carry(job: Job) -> None:
    """Put beside a page what nbgrader's exchange finds the student with: when they submitted, and the secret of that submission.

    Raises:
        OSError: It cannot be read or written.
    """
    for name in _OF_THE_EXCHANGE:
        source, to = job.notebook.with_name(name), job.page.with_name(name)
        if source.is_file() and not source.is_symlink():
            data = source.read_bytes()
            if not to.is_file() or to.read_bytes() != data:
                to.parent.mkdir(parents=True, exist_ok=True)
                write_whole(to, data)


def graded_notebooks(course: Course, chapter: str) -> dict[str, Path]:
    """The graded notebook of each student."""
    try:
        with os.scandir(course.root / "autograded") as entries:
            students = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return {}
    paths = {student: course.autograded(student, chapter) / f"{chapter}.ipynb" for student in students}
    return {student: path for student, path in paths.items() if path.is_file() and not path.is_symlink()}


class _Record:
    """What the pages that are there were made from; beside the course's results, and nothing is lost with it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.pages: dict[str, Any] = read_mapping(path) or {}

    def holds(self, student: str, job: Job) -> bool:
        """Whether a student's page is there and is what it would be if it were written now."""
        known = self.pages.get(student)
        try:
            return known is not None and known == [
                pages.source_digest(job, job.notebook.read_bytes()),
                pages.digest(job.page.read_bytes()),
            ]
        except OSError:
            return False

    def save(self) -> None:
        """Keep it for the next time."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            write_mapping(self._path, self.pages)
        except OSError:
            return  # The pages are there; they will be made once more.


def _write_all(jobs: list[tuple[str, Job]], workers: int) -> Iterator[tuple[str, list[str], str]]:
    """Write pages; yields each student with the digests of source and page, or why it could not be written."""
    if len(jobs) <= _FEW or workers == 1:
        for student, job in jobs:
            yield student, *pages.write_page(job)
        return
    waiting = dict(jobs)
    while waiting:
        for student, done in _in_pool(waiting, workers):
            yield student, *done
            del waiting[student]
        # A process was killed, most likely for its memory, over one of the first that are left: each gets a process of its own.
        for student in list(waiting)[: 2 * workers + 1]:
            found = list(_in_pool({student: waiting.pop(student)}, 1))
            yield student, *(found[0][1] if found else ([], "the process that made its page was killed"))


def _end_with_parent() -> None:
    """Have this process end with the one that started it, however that one ends."""

    def watch() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _in_pool(jobs: Mapping[str, Job], workers: int) -> Iterator[tuple[str, tuple[list[str], str]]]:
    """Write pages in processes of their own, until all are done or one of the processes is killed."""
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_end_with_parent)
    try:
        # A process keeps what is blocked when it starts: Ctrl-C reaches all, and this one alone answers it.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        students: dict[Future[tuple[list[str], str]], str] = {
            pool.submit(pages.write_page, job): s for s, job in jobs.items()
        }
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        for future in as_completed(list(students)):
            yield students.pop(future), future.result()
    except BrokenProcessPool:
        return
    except KeyboardInterrupt:
        pool.shutdown(cancel_futures=True)
        done = {future: s for future, s in students.items() if not future.cancelled() and future.exception() is None}
        yield from ((student, future.result()) for future, student in done.items())
        raise
    finally:
        pool.shutdown(cancel_futures=True)
