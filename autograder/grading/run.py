"""Grades a whole class: workers run and judge in parallel, one writer keeps nbgrader's books, one table tells what happened.

If it is ended early, what was written is complete, and the same command does the rest.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.utils import find_all_files
from rich.console import Console
from traitlets.config import Config

from autograder.bar import progress
from autograder.building.notebook_files import promised_points, read
from autograder.building.release import generate
from autograder.building.weave import is_written
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import added, told_points
from autograder.grading import engine, sandbox
from autograder.grading.cluster import Cluster, ClusterError
from autograder.grading.collect import Submission, collect, strays
from autograder.grading.config_drift import changes, hold_as_graded, hold_same_exercises, remember
from autograder.grading.deadlines import spelled
from autograder.grading.export import Line, lines_of
from autograder.grading.grade_cache import Receipts
from autograder.grading.gradebook import (
    BooksError,
    Entry,
    Patience,
    Score,
    Writer,
    entries,
    open_books,
    remarks,
    scores,
)
from autograder.grading.graded import WAITS, Change, Graded, Preview, Row, note_on
from autograder.grading.grader import Grader, grader
from autograder.grading.interrupt import Interrupt
from autograder.grading.manual_points import Mark, Marks
from autograder.grading.oddities import odd_uses
from autograder.grading.plan import Job
from autograder.grading.plugin import Composer
from autograder.grading.repair import read_submission
from autograder.grading.result import Result
from autograder.grading.roster import Member, ids_of, members_in, not_on_roster
from autograder.judging.verdict import Status
from autograder.questions.traced import NAME

if TYPE_CHECKING:
    from autograder.grading.worker import Run

_LOG = logging.getLogger(__name__)
_DOUBTFUL = "doubtful: {} took too long in one run, and not in another, alone, which counts; a limit of time is close"
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
_AHEAD = 2
"""How many submissions are read and judged while others run."""
_LOOK = 0.2
"""Seconds after which a signal is looked for, at the latest."""


def grade_class(
    course: Course,
    chapter: str,
    *,
    workers: int,
    box: str,
    scheduler: str | None,
    console: Console,
    interrupt: Interrupt | None = None,
    dry_run: bool = False,
    regrade: bool = False,
) -> Graded:
    """Grade every submission of a chapter and write the gradebook.

    Args:
        course: The course.
        chapter: The chapter's name.
        workers: How many run at once.
        box: `landlock`, or `none` for no sandbox.
        scheduler: Address of a Dask scheduler, or None for this machine.
        console: Where progress is shown.
        interrupt: What hears signals, where somebody listens already.
        dry_run: Whether only to tell which grades would change: then a `Preview` is returned, and no grade is written.
        regrade: Whether grades by a different configuration from today's may be replaced; the chapter is then released
            again.

    Raises:
        CourseError: Nothing was handed in, the chapter has not been released, the gradebook cannot be opened, or the grades that there
            are were given by another configuration.
        ClusterError: The scheduler does not answer, or has no worker that can grade.
        SandboxError: The sandbox is not available here.
    """
    if box != "none" and scheduler is None:
        sandbox.hold_available()
    submissions = collect(course, chapter)
    config = course_config(course.root)
    config.ExecuteInSandbox.sandbox = box
    with ExitStack() as stack:
        interrupt = interrupt or stack.enter_context(Interrupt())
        stack.enter_context(faults_kept(course))
        patience = Patience(console.print, lambda: interrupt.heard)
        book = stack.enter_context(open_books(course, patience, config))
        changed: dict[str, str] = {}
        if regrade and course.released(chapter).is_file():
            hold_same_exercises(course, chapter, config)
            changed = changes(course, chapter, config)
            if changed and not dry_run:
                generate(config, chapter)
        _ensure_released(course, book, chapter, config, patience, dry_run)
        if not regrade:
            hold_as_graded(course, chapter, config)
        if not dry_run:
            remember(course, chapter, config, all_written=False)
        found = grader(course, chapter, config, box)
        backend = stack.enter_context(Cluster(scheduler, box, console.print)) if scheduler else _Local(workers)
        desk = (_Rehearsal if dry_run else _Desk)(course, found, book, config, patience)
        rows, stopped = _grade(desk, submissions, backend, interrupt, console)
        if stopped and isinstance(backend, _Local):
            backend.stop()
        kept: dict[str, Entry] = {}
        lines: dict[str, Line] = {}
        roster: dict[str, Member] = {}
        try:
            if not stopped:
                desk.finish()
            kept = patience.run(lambda: entries(book, chapter))
            roster = patience.run(lambda: members_in(book))
            lines = patience.run(lambda: {line.student.id: line for line in lines_of(course, book, chapter)})
        except BooksError:
            if not stopped:
                raise
    worth = sum(int(cell.metadata.nbgrader.points) for cell in found.released.cells if is_written(cell))
    for row in rows:
        if row.student in kept:
            row.points, row.parts = kept[row.student].points, kept[row.student].auto
            row.by_hand = _by_hand(kept[row.student], worth) if worth else ""
        if row.student in lines and lines[row.student].is_late:
            row.notes.insert(0, _lateness(lines[row.student]))
            row.is_late, row.penalty = True, lines[row.student].penalty or 0
    handed_in = [submission.student for submission in submissions]
    strangers = sorted(
        f"{told_points(row.points)}: {not_on_roster(row.student, roster, handed_in)}"
        for row in rows
        if not row.is_known
    )
    graded = Graded(
        chapter,
        found.exercises,
        sorted((row for row in rows if row.is_known), key=lambda row: row.student),
        worth,
        len(submissions),
        stopped,
        (*strays(course), *desk.warnings()),
        tuple(strangers),
        interrupt.heard or 0,
    )
    if isinstance(desk, _Rehearsal):
        marked = {student: changed.keys() & set(entry.manual) for student, entry in sorted(kept.items())}
        other = {student: {mark.exercise for mark in marks} for student, marks in desk.marks.items()}
        return Preview(
            **vars(graded),
            changes=tuple(desk.changes(kept, lines)),
            changed=tuple(changed.values()),
            by_hand=tuple(student for student, names in marked.items() if names - other.get(student, set())),
            capped=tuple(
                f"{student}, {mark.exercise}: {mark.counts:g} of {told_points(mark.given)}"
                for student, marks in sorted(desk.marks.items())
                for mark in marks
                if mark.counts < mark.given
            ),
            was_worth=next((line.worth for line in lines.values()), 0),
        )
    if graded.is_whole:
        remember(course, chapter, config, all_written=True)
    return graded


def _lateness(line: Line) -> str:
    """How late something was handed in, and what that costs."""
    late = f"{spelled(line.late_by)} late"
    if not line.penalty:
        return f"{late}: no penalty"
    return f"{late}: 1 point taken off" if line.penalty == 1 else f"{late}: {line.penalty:g} points taken off"


def _by_hand(entry: Entry, worth: int) -> str:
    """What became of a written answer that is worth so many points."""
    if entry.waits:
        return WAITS
    return "no answer" if entry.by_hand is None else f"{entry.by_hand:g} of {worth}"


def _ensure_released(
    course: Course, book: Gradebook, chapter: str, config: Config, patience: Patience, dry_run: bool
) -> None:
    """See to it that the gradebook knows the chapter, and that its released notebook is there and the one it knows."""

    def names() -> set[str]:
        try:
            return {cell.name for notebook in book.find_assignment(chapter).notebooks for cell in notebook.grade_cells}
        except MissingEntry:
            return set()
        finally:
            book.db.rollback()

    known: set[str] = patience.run(names)
    if not known or not course.released(chapter).is_file():
        if dry_run:
            raise CourseError(f"{chapter} has not been released: run `autograder release {chapter}` first")
        generate(config, chapter)
        return
    different = known ^ promised_points(read(course.released(chapter))).keys()
    if different:
        raise CourseError(
            f"{course.released(chapter)} is not the notebook that was registered in the gradebook: they differ in "
            f"{', '.join(sorted(different))}. Release it again, or restore the one that the class received"
        )


class _Local:
    """Runs jobs on this machine's own workers."""

    def __init__(self, workers: int) -> None:
        self.room = workers + _AHEAD
        self._free = threading.Semaphore(workers)
        self._stopped = False

    def run(self, job: Job) -> Run:
        """Run one job as soon as a worker is free."""
        with self._free:
            if self._stopped:
                raise sandbox.SandboxError("grading was stopped")
            return engine.run_job(job)

    def stop(self) -> None:
        """End all workers at once, with what they are running."""
        self._stopped = True
        engine.close()


@dataclass(frozen=True)
class _Done:
    """A submission that was graded and is ready to be written."""

    submission: Submission
    key: str
    notes: list[str]
    result: Result
    earned: Mapping[str, Score]
    said: Mapping[str, str | None]
    text: str


class _Desk:
    """Where submissions become grades: what is shared by all of a class."""

    def __init__(self, course: Course, found: Grader, book: Gradebook, config: Config, patience: Patience) -> None:
        chapter = found.planner.chapter
        self._course, self._found, self.chapter = course, found, chapter
        marks = Marks(course, chapter, {one.exercise.name: one.points for one in found.exercises})
        self._writer: Writer = patience.run(lambda: Writer(book, chapter, config, patience, marks))
        self._entries: dict[str, Entry] = patience.run(lambda: entries(book, chapter))
        self._members: dict[str, Member] = patience.run(lambda: members_in(book))
        self._composer = Composer(found, self._writer.known, self._writer.kernelspec, config)
        self._files = _Files(course, chapter, config)
        basis = [found.planner.basis, str(self._writer.due)]
        for path in (course.released(chapter), course.root / "nbgrader_config.py"):
            basis.append(hashlib.sha256(path.read_bytes()).hexdigest())
        basis += [repr(self._members)] * any(one.exercise.name == NAME for one in found.exercises)
        self._receipts = Receipts(course, chapter, " ".join(basis))
        self._unkept = ""

    def key(self, submission: Submission) -> str:
        """The hash of all that the grade of a submission depends on, as it is now."""
        entry = self._entries.get(submission.student)
        return self._receipts.key(submission, entry.extension if entry else None)

    def unchanged(self, student: str, key: str) -> Row | None:
        """The row of a submission whose grade is written and still holds."""
        receipt = self._receipts.get(student, key, self._entries.get(student))
        return Row(student, _sum(receipt.auto), receipt.notes, is_new=False) if receipt else None

    def grade(self, submission: Submission, key: str, run: Callable[[Job], Run]) -> _Done:
        """Read, run and judge one submission. It may be called from several threads at once.

        Args:
            submission: The submission.
            key: Its key from before it is read: what changes meanwhile is graded the next time.
            run: Runs a job.
        """
        repaired = read_submission(submission.notebook, self._found.released)
        notes = [*submission.notes, *repaired.problems]
        notebook = self._composer.prepared(repaired)
        ids = ids_of(submission.student, self._members.get(submission.student))
        result = self._found.grade(notebook, run, ids)
        # The cells that failed are named as they stand in the student's notebook, before ours puts a note on top.
        notes += [f"cell {index + 1} of the notebook: {error}" for index, error in result.errors.items()]
        if result.doubtful:
            notes.append(_DOUBTFUL.format(", ".join(result.doubtful)))
        notes += filter(None, (note_on(name, outcomes) for name, outcomes in result.outcomes.items()))
        notes += odd_uses(notebook)
        text = self._composer.autograded(notebook, result) if result.judged else ""
        return _Done(submission, key, notes, result, scores(notebook, result), remarks(notebook), text)

    def knows(self, student: str) -> bool:
        """Whether a grade of this student may be written."""
        return self._writer.may_enter(student)

    def write(self, done: _Done) -> Row:
        """Write one grade: the autograded notebook and the gradebook's rows, all or nothing.

        Raises:
            BooksError: The gradebook cannot be written at all.
            OSError: The disk is full.
        """
        submission, student = done.submission, done.submission.student
        if not done.result.judged:
            return Row(student, notes=done.notes, written=False)
        try:
            with self._files.ready(submission, done.text) as place:
                same = self._same_answers(student, done.text)
                self._writer.write(student, submission.timestamp, done.earned, done.said, place, same)
        except BooksError:
            raise
        except (CourseError, OSError) as error:
            if isinstance(error, OSError) and error.errno in _DISK_FULL:
                raise
            cause = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return Row(
                student, notes=[*done.notes, f"graded, but the grade could not be saved: {cause}"], written=False
            )
        auto = {name: score.points for name, score in done.earned.items()}
        if not done.result.faulty:
            try:
                self._receipts.put(student, done.key, done.notes, auto)
            except OSError as error:
                self._unkept = error.strerror or str(error)
        return Row(student, _sum(auto), done.notes, written=not done.result.faulty, seconds=done.result.seconds)

    def _same_answers(self, student: str, text: str) -> set[str]:
        """Of the cells to which a person gave points, those whose answers are in the new notebook what they were when it was marked."""
        entry = self._entries.get(student)
        if not entry or not entry.manual:
            return set()
        try:
            old = _answers(
                self._course.autograded(student, self.chapter).joinpath(f"{self.chapter}.ipynb").read_text("utf-8")
            )
        except (OSError, ValueError):
            return set()
        new = _answers(text)
        return {name for name in entry.manual if name in new and old.get(name) == new[name]}

    def finish(self) -> None:
        """Bring the penalties for late work up to date with the points that a person gave since."""
        self._writer.penalise_again()

    def warnings(self) -> Iterator[str]:
        """What went wrong with no student in particular."""
        damaged = self._found.results.damaged
        if damaged:
            these = "1 stored result was" if len(damaged) == 1 else f"{len(damaged)} stored results were"
            yield f"{these} damaged and had to be computed again: {', '.join(sorted(damaged)[:3])} in .autograder/results."
        unkept = self._unkept or self._found.results.unkept
        if unkept:
            yield f"Some results could not be stored, so the next run will take longer ({unkept})."


def _answers(text: str) -> dict[str, str]:
    """The answers in an autograded notebook, by the names of the cells that have their points."""
    marks = ((cell, cell["metadata"].get("nbgrader", {})) for cell in json.loads(text)["cells"])
    return {
        mark["grade_id"].removesuffix("-answer"): "".join(cell["source"])
        for cell, mark in marks
        if mark.get("solution")
    }


class _Rehearsal(_Desk):
    """Keeps what was graded instead of writing it, and tells at the end what would be different."""

    def __init__(self, *place: Any) -> None:
        super().__init__(*place)
        self._done: list[_Done] = []
        self._would: dict[str, tuple[float, float]] = {}
        self.marks: dict[str, list[Mark]] = {}

    def write(self, done: _Done) -> Row:
        """Keep one grade."""
        if done.result.judged:
            self._done.append(done)
        return Row(done.submission.student, notes=done.notes, written=done.result.judged)

    def finish(self) -> None:
        """Find out what the gradebook would hold."""
        self._would, self.marks = self._writer.rehearse(
            (done.submission.student, done.submission.timestamp, done.earned, done.said) for done in self._done
        )

    def changes(self, kept: Mapping[str, Entry], lines: Mapping[str, Line]) -> Iterator[Change]:
        """The grades that would be other than they are, by student.

        Args:
            kept: What the gradebook has.
            lines: What the export says of it.
        """
        earned = {done.submission.student: done.earned for done in self._done}
        for student, (points, penalty) in sorted(self._would.items()):
            line = lines.get(student)
            before = line.score if line else None
            if before is None and student not in earned:
                continue
            old = kept[student].auto if student in kept else {}
            parts = [
                f"{name} {old[name] or 0:g} → {score.points or 0:g}"
                for name, score in earned.get(student, {}).items()
                if before is not None and (old.get(name) or 0) != (score.points or 0)
            ]
            parts += [mark.told() for mark in self.marks.get(student, ())]
            was = line.penalty or 0 if line else 0
            if before is not None and was != penalty:
                parts.append(f"penalty for late work {was:g} → {penalty:g}")
            after = max(0.0, points - penalty)
            if before != after or parts:
                yield Change(student, before, after, tuple(parts))


def _sum(auto: Mapping[str, float | None]) -> float:
    return sum(points or 0.0 for points in auto.values())


def _grade(
    desk: _Desk, submissions: Sequence[Submission], backend: _Local | Cluster, interrupt: Interrupt, console: Console
) -> tuple[list[Row], str]:
    """Grade what has changed. Returns the rows, and why it stopped before the end."""
    rows: list[Row] = []
    with progress(console) as bar, ExitStack() as stack:
        task = bar.add_task(desk.chapter, total=len(submissions))
        changed: list[tuple[Submission, str]] = []
        for submission in submissions:
            key = desk.key(submission)
            row = desk.unchanged(submission.student, key)
            if row is None:
                changed.append((submission, key))
            else:
                rows.append(row)
                bar.advance(task)
        # A thread waits for each submission that is being run; their number follows the room that there is.
        pool = ThreadPoolExecutor(len(changed) or 1, thread_name_prefix="grading")
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        running: dict[Future[_Done], Submission] = {}
        waiting = deque(changed)
        try:
            while not interrupt.heard:
                if not running and not waiting:
                    return rows, ""
                while waiting and len(running) < backend.room:
                    submission, key = waiting.popleft()
                    running[pool.submit(desk.grade, submission, key, backend.run)] = submission
                if not running:
                    time.sleep(_LOOK)
                    continue
                done, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
                for future in done:
                    if interrupt.heard:
                        break
                    rows.append(_written(desk, future, running.pop(future)))
                    bar.advance(task)
            console.print("Stopping …")
            return rows, "Stopped"
        except KeyboardInterrupt:
            return rows, "Stopped"
        except (BooksError, ClusterError) as error:
            return rows, f"Stopped, because {error}"
        except OSError as error:
            return rows, f"Stopped, because nothing more can be written ({error.strerror or error})"


def _written(desk: _Desk, future: Future[_Done], submission: Submission) -> Row:
    """Write what was graded; a submission at which the grader fails is named and costs itself alone."""
    try:
        done = future.result()
    except ClusterError:
        raise
    except Exception as error:  # noqa: BLE001 - one submission never stops a class
        _LOG.exception("the submission of %s could not be graded", submission.student)
        fault = f"{Status.GRADER_FAULT.value}: {type(error).__name__}: {error}"
        return Row(submission.student, notes=[*submission.notes, fault], written=False)
    if not desk.knows(submission.student):
        points = added(score.points or 0.0 for score in done.earned.values())
        return Row(submission.student, points, done.notes, written=False, is_known=False)
    return desk.write(done)


@contextmanager
def faults_kept(course: Course) -> Iterator[None]:
    """Keep the tracebacks of the grader's own faults in the course's log, which is made when there is one."""
    log = logging.getLogger("autograder")
    handler = logging.FileHandler(course.log, delay=True, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        handler.close()


class _Files:
    """Puts autograded notebooks, and the files beside them, where nbgrader looks for them."""

    def __init__(self, course: Course, chapter: str, config: Config) -> None:
        self._course, self._chapter = course, chapter
        source = course.solutions / chapter
        spared = {str(source / name) for name in config.Autograde.get("exclude_overwriting", {}).get(chapter, [])}
        ours = find_all_files(str(source), [*config.CourseDirectory.get("ignore", []), "*.ipynb"])
        self._ours = {Path(path).relative_to(source): Path(path) for path in ours if path not in spared}
        self._shared = bool(config.CourseDirectory.get("groupshared", False))
        self._mode = int(str(config.Autograde.get("permissions", 664 if self._shared else 444)), 8)

    @contextmanager
    def ready(self, submission: Submission, text: str) -> Iterator[Callable[[], None]]:
        """Write everything aside, and give what puts it into its place.

        Args:
            submission: The submission, whose files go along.
            text: The autograded notebook.

        Raises:
            OSError: It could not be written.
        """
        place = self._course.autograded(submission.student, self._chapter)
        beside = {path.relative_to(submission.folder): path for path in submission.beside} | self._ours
        place.parent.mkdir(parents=True, exist_ok=True)
        for left in place.parent.glob(f".{self._chapter}-*"):  # By a run that was killed.
            shutil.rmtree(left, ignore_errors=True)
        aside = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{self._chapter}-"))
        try:
            (aside / f"{self._chapter}.ipynb").write_text(text, encoding="utf-8")
            for name, path in beside.items():
                (aside / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, aside / name, follow_symlinks=False)
            for made in (aside, *aside.rglob("*")):
                made.chmod((0o2775 if self._shared else 0o755) if made.is_dir() else self._mode)
            yield lambda: _swap(aside, place)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _swap(new: Path, place: Path) -> None:
    """Put a folder into its place; what was there before is removed. Doing it again changes nothing."""
    if not new.exists():
        return
    if place.exists():
        old = Path(tempfile.mkdtemp(dir=place.parent, prefix=f".{place.name}-"))
        os.replace(place, old)
        os.replace(new, place)
        shutil.rmtree(old, ignore_errors=True)
    else:
        os.replace(new, place)
