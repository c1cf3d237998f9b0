"""A viva on what a class handed in: five questions for each student about their own code, and the answers for the examiner.

The submissions run on the workers of this machine. What was made of one is kept, so that an interrupted class is gone on with, and a class in
which nothing changed takes seconds.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console

from autograder.bar import progress
from autograder.checkout import Course, CourseError, course_config, write_whole
from autograder.grading import engine, sandbox
from autograder.grading.class_record import Hiding, pseudonyms
from autograder.grading.collect import Submission, collect, file_hash
from autograder.grading.feedback import read_chapter
from autograder.grading.gradebook import Patience, called, open_books
from autograder.grading.grader import Grader, grader
from autograder.grading.repair import read_submission
from autograder.grading.report_parts import natural_key
from autograder.grading.sandbox import SandboxError
from autograder.grading.similarity import alike, joined
from autograder.grading.viva_pages import Sheet, examiners_page, students_page
from autograder.grading.viva_points import write_form
from autograder.grading.viva_questions import Askable, Item, Paper, Rehearsals, read_paper, sheets
from autograder.questions.traced import NAME


@dataclass
class Viva:
    """What came of making the sheets.

    Args:
        folder: Where they are.
        students: Whose sheets were written.
        failed: Whose sheet could not be made, and why.
        form: The table to enter points in.
        pages: What is to be printed: of a whole class, a page with all sheets and one with all answers.
    """

    folder: Path
    students: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    form: Path | None = None
    pages: Sequence[Path] = ()

    @property
    def exit_code(self) -> int:
        """0 if every sheet is there."""
        return int(bool(self.failed))

    def closing(self) -> Iterator[str]:
        """What is said at the end."""
        yield from (f"{student}: no sheet, because {reason}." for student, reason in sorted(self.failed.items()))
        number = "1 sheet is" if len(self.students) == 1 else f"{len(self.students)} sheets are"
        yield f"{number} in {self.folder}: for the students in the folder students, and with the answers in the folder examiner."
        if self.pages[:1] == [self.folder / "students.html"]:
            yield "All of them are in students.html and examiner.html, to print at once."
        if self.form:
            yield f"Enter points in {self.form}."


def make_viva(
    course: Course,
    chapter: str,
    *,
    workers: int,
    box: str,
    console: Console,
    only: Sequence[str] = (),
    students: Sequence[str] = (),
    anonymous: bool = False,
) -> Viva:
    """Write the sheets.

    Args:
        course: The course, in which the chapter has been released.
        chapter: The chapter's name.
        workers: How many submissions run at once.
        box: `landlock`, or `none` for no sandbox.
        console: Where progress is shown.
        only: The exercises to ask about; all that the class writes if it is empty.
        students: Whose sheets to write; everybody's if it is empty.
        anonymous: Whether students have numbers instead of their names.

    Raises:
        CourseError: Nothing was handed in, the chapter has not been released, or there is no such exercise or student.
        SandboxError: The sandbox is not available here.
    """
    if box != "none":
        sandbox.hold_available()
    if not course.released(chapter).is_file():
        raise CourseError(f"{chapter} has not been released: run `autograder release {chapter}`")
    config = course_config(course.root)
    found = grader(course, chapter, config, box)
    names = [one.exercise.name for one in found.exercises if one.exercise.name != NAME]
    _hold_known("exercise", only, names)
    chosen = [name for name in names if name in only] or names
    submissions = {one.student: one for one in collect(course, chapter)}
    _hold_known("submission of", students, list(submissions))
    papers = {student: _read(one, found, names) for student, one in submissions.items()}
    groups = _groups(course, found, submissions, papers)
    wanted = [group for group in groups if not students or set(group) & set(students)]
    askable, failed = _rehearsed(Rehearsals(course, found, chosen), wanted, papers, workers, console)
    secret = course.secret(chapter)
    asked: dict[str, list[Item]] = {}
    for group in wanted:
        whole = [student for student in group if student in askable]
        if whole:
            asked |= sheets(chapter, whole, askable, papers, chosen, secret)
    names_of, hide = _names(course, list(submissions), secret, anonymous=anonymous)
    together = {student: [other for other in group if other != student] for group in wanted for student in group}
    made = [
        _sheet(student, asked[student], askable[student], together[student], names_of, hide)
        for student in sorted(asked, key=lambda student: natural_key(names_of[student]))
        if not students or student in students
    ]
    folder = course.root / "viva" / f"{chapter}{'-anonymous' * anonymous}"
    title = read_chapter(course, chapter).title
    pages = _write(folder, title, made, names_of if anonymous else {}, whole=not students)
    form = None if anonymous else write_form(course, chapter, folder, made)
    return Viva(
        folder,
        [sheet.student for sheet in made],
        {s: why for s, why in failed.items() if not students or s in students},
        form,
        pages,
    )


def _hold_known(kind: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Hold that what was named exists.

    Raises:
        CourseError: It does not.
    """
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
            asked = f": did you mean {' or '.join(near)}?" if near else ""
            raise CourseError(f"there is no {kind} {name}{asked}")


def _read(one: Submission, found: Grader, names: Iterable[str]) -> Paper:
    return read_paper(read_submission(one.notebook, found.released).notebook, found.released, names)


def _groups(
    course: Course, found: Grader, submissions: Mapping[str, Submission], papers: Mapping[str, Paper]
) -> list[list[str]]:
    """The students, those together whose answers are alike, as in the report."""
    given = [cell.source for cell in found.released.cells if cell.cell_type == "code"]
    given += [path.read_text(encoding="utf-8") for path in sorted(course.solutions.glob("*/*.py"))]
    pairs = alike({student: paper.cells for student, paper in papers.items()}, given)
    by_file: dict[str, list[str]] = defaultdict(list)
    for student, one in submissions.items():
        if papers[student].cells and one.notebook.is_file():
            by_file[file_hash(one.notebook)].append(student)
    return [sorted(group) for group in joined(papers, [*by_file.values(), *(pair.students for pair in pairs)])]


def _rehearsed(
    rehearsals: Rehearsals, groups: Sequence[Sequence[str]], papers: Mapping[str, Paper], workers: int, console: Console
) -> tuple[dict[str, Askable], dict[str, str]]:
    """What can be asked about each student's code, and for whom that could not be found out, with the reason."""
    askable: dict[str, Askable] = {}
    failed: dict[str, str] = {}
    with progress(console) as bar, ThreadPoolExecutor(workers, thread_name_prefix="viva") as pool:
        task = bar.add_task(f"{rehearsals.chapter} viva", total=sum(map(len, groups)))
        try:
            futures = {
                pool.submit(rehearsals.of, papers[student], group[0], engine.run_job): student
                for group in groups
                for student in group
            }
            for future in as_completed(futures):
                student = futures[future]
                try:
                    askable[student] = future.result()
                except SandboxError as error:
                    failed[student] = str(error)
                except Exception as error:  # noqa: BLE001 - one submission never stops a class
                    failed[student] = f"{type(error).__name__}: {error}"
                bar.advance(task)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            engine.close()
            raise
    return askable, failed


def _names(
    course: Course, submitted: Sequence[str], secret: str, *, anonymous: bool
) -> tuple[dict[str, str], Hiding | None]:
    """What each student is called, and what hides who they are."""
    with open_books(course) as book:
        everyone = Patience().run(lambda: list(book.students))
        names = {student: student for student in submitted} | {one.id: called(one) for one in everyone}
        if not anonymous:
            return names, None
        names = pseudonyms(names, secret)
        return names, Hiding(everyone, names)


def _sheet(
    student: str,
    items: Sequence[Item],
    askable: Askable,
    together: Sequence[str],
    names: Mapping[str, str],
    hide: Hiding | None,
) -> Sheet:
    notes = list(askable.reasons.values())
    if not askable.questions:
        notes.append("There is no code of yours to ask about, so the questions are about mistakes that others make.")
    if hide is not None:
        notes = list(map(hide.in_text, notes))
        items = [_hidden(item, hide) for item in items]
    return Sheet(student, names[student], tuple(items), tuple(notes), tuple(names[other] for other in together))


def _hidden(item: Item, hide: Hiding) -> Item:
    """A question without anybody's id or name in it."""
    if item.question is None:
        return item
    options = tuple(replace(o, text=hide.in_code(o.text), note=hide.in_code(o.note)) for o in item.question.options)
    ask, code = hide.in_code(item.question.ask), hide.in_code(item.question.code)
    why = tuple(map(hide.in_code, item.question.why))
    return replace(item, question=replace(item.question, ask=ask, code=code, options=options, why=why))


def _write(folder: Path, title: str, made: Sequence[Sheet], numbers: Mapping[str, str], *, whole: bool) -> list[Path]:
    """Write a page for each student and for their examiner, and of a whole class one of each for all; returns what is to be printed.

    Raises:
        OSError: They cannot be written.
    """
    together, single = [], []
    for kind, page in (("students", students_page), ("examiner", examiners_page)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for sheet in made:
            name = numbers.get(sheet.student, sheet.student).replace(" ", "-")
            single.append(folder / kind / f"{name}.html")
            write_whole(single[-1], page(title, [sheet]).encode(errors="replace"))
        if whole:
            together.append(folder / f"{kind}.html")
            write_whole(together[-1], page(title, made).encode(errors="replace"))
    return together or single


def print_sheets(pages: Iterable[Path]) -> list[Path]:
    """Print pages to PDF, each beside itself.

    Args:
        pages: The pages.

    Raises:
        PaperError: There is no Chromium, or it wrote no file.
    """
    from autograder.building.pdf import print_page

    return [print_page(page, page.with_suffix(".pdf")) for page in pages]
