"""The command line, `autograder`: each command checks what it was given and calls the module that does the work."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from autograder.declare import chapter_named, chapters, load_checks, load_exercises

if TYPE_CHECKING:
    from autograder.checkout import Course

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
console = Console()
troubles = Console(stderr=True)

SandboxOption = Annotated[str, typer.Option(help="landlock, or none: run students' code without a box.")]
TimezoneOption = Annotated[str, typer.Option(help="Such as Europe/Paris; this machine's if it is left out.")]


def _full_name(chapter: str | None) -> str | None:
    """The name of the chapter that is meant, where one is."""
    if not chapter:
        return chapter
    with _plainly():
        return chapter_named(chapter)


def _begin_with(incomplete: str) -> list[str]:
    """The chapters that a shell may complete what was typed to."""
    return [chapter for chapter in chapters() if chapter.startswith(incomplete)]


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"autograder {version('rnns-to-bert')}")
        raise typer.Exit


_CHAPTER = "such as ch05_attention, or in short ch05"
ChapterArgument = Annotated[
    str, typer.Argument(help=f"The chapter, {_CHAPTER}.", callback=_full_name, autocompletion=_begin_with)
]
OneOrAll = Annotated[
    str | None,
    typer.Argument(help=f"One chapter, {_CHAPTER}; without, all.", callback=_full_name, autocompletion=_begin_with),
]
CourseOption = Annotated[
    Path, typer.Option(exists=True, file_okay=False, help="The course's folder: the one with nbgrader_config.py.")
]


@app.callback(
    epilog="A command exits with 0 when all is done, with 1 when something is missing or went wrong, which it names, with 2 when it was "
    "called in a way that it does not know, and with 130 after Ctrl-C."
)
def prepare(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Make, release and grade the course's chapters."""
    # nbgrader calls alembic by its name, also where this environment is not activated.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


@app.command("list")
def list_exercises(
    chapter: OneOrAll = None, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False
) -> None:
    """Every exercise with its chapter, points and checks, and which of them are hidden."""
    listed = [chapter] if chapter else chapters()
    found = [exercise for name in listed for exercise in load_checks(name)]
    if as_json:
        tree = [
            {
                "chapter": e.chapter,
                "exercise": e.exercise.name,
                "title": e.exercise.title,
                "points": e.points,
                "minutes": e.exercise.minutes,
                "difficulty": e.exercise.difficulty,
                "checks": [{"name": c.name, "points": c.points, "hidden": c.hidden} for c in e.checks],
            }
            for e in found
        ]
        typer.echo(json.dumps(tree, indent=2, ensure_ascii=False))
        return
    for name in listed:
        table = Table(Column("exercise", no_wrap=True), "points", "check", "hidden", title=name, title_justify="left")
        for e in (e for e in found if e.chapter == name):
            table.add_row(f"[bold]{e.exercise.name}[/bold]", f"[bold]{e.points}[/bold]", e.exercise.title, "")
            for check in e.checks:
                table.add_row("", str(check.points), check.name, "hidden" if check.hidden else "")
            table.add_section()
        console.print(table)


@app.command("make")
def make_notebooks(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    force: Annotated[bool, typer.Option(help="Execute again even where nothing has changed.")] = False,
) -> None:
    """Make the made files: recorded answers, solved and student notebooks."""
    from autograder.checkout import Checkout
    from autograder.weaving.make import chapter_names, make

    with _plainly():
        for name in chapter_names(chapter):
            make(Checkout(course.resolve()), name, console.print, force=force)


@app.command()
def sweeps(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    workers: Annotated[int, typer.Option(min=1, help="How many runs go on at once.")] = os.cpu_count() or 1,
) -> None:
    """Run what is missing of the chapters' long experiments, and store their tables."""
    from autograder.checkout import Checkout
    from autograder.weaving.sweeps import make_sweep

    place = Checkout(course.resolve())
    with _plainly():
        for path in place.sweeps(chapter or "*"):
            make_sweep(place, path, console.print, workers=workers)


@app.command()
def site(
    course: CourseOption = Path("."),
    out: Annotated[Path, typer.Option(help="Where to build.")] = Path("build/book"),
    solutions: Annotated[
        bool, typer.Option(help="Whether solutions can be unfolded, or are nowhere in the site.")
    ] = True,
) -> None:
    """Build the book's site from the stored notebooks."""
    from autograder.checkout import Checkout
    from autograder.weaving.site import build_site

    with _plainly():
        console.print(f"The site is {build_site(Checkout(course.resolve()), out.resolve(), solutions=solutions)}")


@app.command()
def pdf(
    course: CourseOption = Path("."),
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("build/book.pdf"),
    site: Annotated[Path, typer.Option(help="Where to build the site that is printed.")] = Path("build/book"),
) -> None:
    """Print the book, without its solutions."""
    from autograder.checkout import Checkout
    from autograder.weaving.paper import print_book
    from autograder.weaving.site import build_site

    with _plainly():
        pages = build_site(Checkout(course.resolve()), site.resolve(), solutions=True)
        console.print(f"The book is {print_book(pages, out.resolve())}")


@app.command()
def release(chapter: ChapterArgument, course: CourseOption = Path(".")) -> None:
    """Release a chapter to a class: into notebooks/, and into the gradebook."""
    from autograder.checkout import course_config
    from autograder.weaving.release import generate

    with _plainly():
        place = _course_with(course, chapter)
        if not place.solved(chapter).is_file():
            raise ValueError(f"there is no solved notebook {place.solved(chapter)} to release: run `autograder make`")
        generate(course_config(place.root), chapter)
        console.print(f"Released {place.released(chapter)}")


@app.command()
def handout(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    to: Annotated[Path, typer.Option(help="The folder to write the zip into.")] = Path("build/handouts"),
) -> None:
    """Make one zip for students: a chapter's notebook, and all that it needs to run and to be checked, without a solution."""
    from autograder.weaving.handout import make_handout

    with _plainly():
        console.print(f"Give your students {make_handout(_course_with(course, chapter), chapter, to)}", soft_wrap=True)


@app.command()
def collect(chapter: ChapterArgument, course: CourseOption = Path(".")) -> None:
    """Show who handed in what, and put aside what must not lie beside a notebook. Run it before the formgrader is opened."""
    from autograder.grading.collect import collect, strays

    with _plainly():
        place = _course_with(course, chapter)
        found = collect(place, chapter)
        table = Table(
            Column("student", no_wrap=True),
            "notebook",
            "files beside",
            Column("what was put right or put aside", ratio=1),
        )
        for one in found:
            notebook = "yes" if one.notebook.is_file() else "no notebook"
            table.add_row(escape(one.student), notebook, str(len(one.beside)), escape("\n".join(one.notes)))
        console.print(table)
        for stray in strays(place):
            console.print(escape(stray), highlight=False)
        console.print("1 student" if len(found) == 1 else f"{len(found)} students", f"handed {chapter} in.")


@app.command()
def grade(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    workers: Annotated[int, typer.Option(min=1, help="How many submissions run at once.")] = os.cpu_count() or 1,
    sandbox: SandboxOption = "landlock",
    scheduler: Annotated[str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show whose grade would change, and by how much; write no grade.")
    ] = False,
) -> None:
    """Grade every submission of a chapter in parallel, and write the gradebook.

    Press Ctrl-C once to stop after the submission that is being written, twice to stop now; the same command does the rest.

    It exits with 0 when every grade is in the gradebook and the grader itself never failed, with 1 when something is missing, which it
    names, and with 130 after Ctrl-C.
    """
    _hold_sandbox(sandbox)
    from autograder.grading.interrupt import Interrupt

    with _plainly(), Interrupt() as interrupt:
        # Listened to first: torch forgets an interrupt that comes while it is imported.
        from autograder.grading.run import grade_class

        graded = grade_class(
            _course_with(course, chapter),
            chapter,
            workers=workers,
            box=sandbox,
            scheduler=scheduler,
            console=console,
            interrupt=interrupt,
            dry_run=dry_run,
        )
        if graded.rows:
            console.print(graded.table(console.width))
            if not dry_run and not graded.stopped:
                _tell_report(_course_with(course, chapter), chapter, renew=any(row.is_new for row in graded.rows))
        for line in graded.closing():
            console.print(escape(line), style="bold red" if graded.exit_code else "", highlight=False, soft_wrap=True)
        raise typer.Exit(graded.exit_code)


def _tell_report(course: Course, chapter: str, *, renew: bool) -> None:
    """Say where the report is; whatever keeps it from being written, the grades are."""
    from autograder.checkout import CourseError
    from autograder.grading.class_page import write_report

    file = course.root / "reports" / f"{chapter}.html"
    try:
        if renew or not file.exists():
            file = write_report(course, chapter, console)
        console.print(f"All that went wrong, and for whom, is in the report: {file}", highlight=False, soft_wrap=True)
    except (CourseError, OSError) as error:
        console.print(escape(f"There is no report, because {error}"), highlight=False, soft_wrap=True)


@app.command("grade-one")
def grade_one(
    notebook: Annotated[Path, typer.Argument(help="The notebook to grade.")],
    chapter: Annotated[
        str, typer.Option(help="The chapter; without, it is told from the notebook.", callback=_full_name)
    ] = "",
    course: CourseOption = Path("."),
    sandbox: SandboxOption = "landlock",
    gradescope: Annotated[bool, typer.Option("--gradescope", help="Print what Gradescope reads.")] = False,
) -> None:
    """Grade one notebook by itself, and print its points as JSON. The gradebook is not needed and not changed.

    It exits with 0 when every check passed, with 1 when one did not, and with 2 when the notebook could not be graded.
    """
    _hold_sandbox(sandbox)
    with _plainly(2):
        from autograder.grading.single import chapter_of, grade_one

        name = chapter or chapter_of(notebook)
        graded = grade_one(_course_with(course, name), name, notebook, sandbox)
        typer.echo(json.dumps(graded.gradescope() if gradescope else graded.tree(), indent=2, ensure_ascii=False))
        raise typer.Exit(graded.exit_code)


@app.command()
def gradescope(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    to: Annotated[
        Path | None, typer.Option(help="The file to write; gradescope-CHAPTER.zip if it is left out.")
    ] = None,
    sandbox: SandboxOption = "landlock",
) -> None:
    """Write the archive with which Gradescope grades a chapter. It holds solutions and the secret: give it to nobody else."""
    _hold_sandbox(sandbox)
    with _plainly():
        from autograder.grading.gradescope import write_archive

        file = (to or Path(f"gradescope-{chapter}.zip")).resolve()
        console.print(f"The archive is {write_archive(_course_with(course, chapter), chapter, file, sandbox)}")


@app.command()
def feedback(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    workers: Annotated[int, typer.Option(min=1, help="How many pages are written at once.")] = os.cpu_count() or 1,
) -> None:
    """Write each student's feedback as a page; a page that is as it should be is left alone.

    It exits with 0 when every page is there, with 1 when one could not be written, which it names, and with 130 after Ctrl-C.
    """
    with _plainly():
        from autograder.grading.feedback import write_feedback

        written = write_feedback(_course_with(course, chapter), chapter, workers=workers, console=console)
        for line in written.closing():
            console.print(escape(line), highlight=False, soft_wrap=True)
        raise typer.Exit(written.exit_code)


@app.command()
def report(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    to: Annotated[
        Path | None, typer.Option(help="The folder to write into; reports in the course if it is left out.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Give students numbers in the place of their names.")
    ] = False,
) -> None:
    """Write a report on the class: points, checks, what went wrong and for whom, and answers that are unusually alike.

    It writes CHAPTER.html, a page that needs nothing else, and CHAPTER.csv, with a column for each check.
    """
    with _plainly():
        from autograder.grading.class_page import write_report

        file = write_report(_course_with(course, chapter), chapter, console, folder=to, anonymous=anonymous)
        console.print(f"The report is {file}, and its table {file.stem}.csv beside it", soft_wrap=True)


@app.command()
def export(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    to: Annotated[
        Path | None, typer.Option(help="The file to write; grades.csv, or for a platform grades-canvas.csv.")
    ] = None,
    form: Annotated[str, typer.Option("--format", help="csv, canvas, moodle or blackboard.")] = "csv",
) -> None:
    """Write the grades as CSV, for a table or for a learning platform; a grade that is not there is left empty."""
    from autograder.checkout import Course
    from autograder.grading.export import FORMATS, read_lines, write_grades

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r}: it is {', '.join(FORMATS)}", param_hint="--format")
    with _plainly():
        place = _course_with(course, chapter) if chapter else Course(course.resolve())
        file = (to or Path("grades.csv" if form == "csv" else f"grades-{form}.csv")).resolve()
        notes = write_grades(read_lines(place, chapter), form, file)
        console.print(f"Grades are in {file}")
        for note in notes:
            console.print(note, highlight=False, soft_wrap=True)


@app.command()
def roster(
    file: Annotated[Path, typer.Argument(help="A CSV file, such as a learning platform exports.")],
    course: CourseOption = Path("."),
) -> None:
    """Enter the students of a CSV file into the gradebook; nobody is deleted. Where a row is wrong, nothing is changed."""
    with _plainly():
        from autograder.grading.roster import enter_roster

        _say(enter_roster(_course(course), file).closing())


@app.command()
def due(
    chapter: ChapterArgument,
    when: Annotated[
        str, typer.Argument(help="A date and a time, such as '2026-12-01 18:00', or none; without, what is set.")
    ] = "",
    timezone: TimezoneOption = "",
    course: CourseOption = Path("."),
) -> None:
    """Say when a chapter is due, or show when it is, and who has an extension."""
    with _plainly():
        from autograder.grading.deadlines import deadlines, moment, set_due, zone_named

        place, zone = _course_with(course, chapter), zone_named(timezone)
        if when:
            found = set_due(place, chapter, None if when == "none" else moment(when, zone))
        else:
            found = deadlines(place, chapter)
        _say(found.closing(chapter, zone, changed=bool(when)))


@app.command()
def extend(
    chapter: ChapterArgument,
    student: Annotated[str, typer.Argument(help="The student's id.")],
    until: Annotated[
        str, typer.Argument(help="How much longer: days, such as 3, a span, such as 36h, or a date; 0 takes it away.")
    ],
    timezone: TimezoneOption = "",
    course: CourseOption = Path("."),
) -> None:
    """Give one student longer for a chapter, in place of an earlier extension."""
    with _plainly():
        from autograder.grading.deadlines import extend, zone_named

        zone = zone_named(timezone)
        _say(extend(_course_with(course, chapter), chapter, student, until, zone).closing(chapter, zone, changed=True))


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, such as backup.zip.")],
    course: CourseOption = Path("."),
    results: Annotated[
        bool, typer.Option("--results", help="With stored results, which only save time when a check changes.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
) -> None:
    """Write secrets, gradebook, submissions, graded notebooks and feedback into one file. Keep it as safe as they are."""
    with _plainly():
        from autograder.grading.backup import back_up

        _say(back_up(_course(course), file.resolve(), results=results, force=force).closing("are in"))


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `autograder backup` wrote.")],
    course: CourseOption = Path("."),
    force: Annotated[bool, typer.Option("--force", help="Replace what differs from the backup.")] = False,
) -> None:
    """Put everything back that is in a backup; what is not in it stays. Without --force, nothing is replaced."""
    with _plainly():
        from autograder.grading.backup import restore

        _say(restore(_course(course), file.resolve(), force=force).closing("were restored from"))


def _hold_sandbox(kind: str) -> None:
    if kind not in ("landlock", "none"):
        raise typer.BadParameter(f"{kind!r}: it is landlock or none", param_hint="--sandbox")


@app.command()
def progress(
    folder: Annotated[
        Path,
        typer.Argument(exists=True, file_okay=False, help="Where the notebooks are: a clone, or a folder of chapters."),
    ] = Path("."),
) -> None:
    """Show what your last checks earned, chapter by chapter, and what is next, as `progress()` does in a notebook."""
    from autograder.standing import as_text, kept_beside

    typer.echo(as_text(kept_beside(folder.resolve())))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _course(root: Path) -> Course:
    """The course in a folder, once it is sure that there is one."""
    from autograder.checkout import Course, course_config

    course_config(root.resolve())
    return Course(root.resolve())


def _course_with(root: Path, chapter: str) -> Course:
    """The course in a folder, once it is sure that there is one and that there is such a chapter."""
    place = _course(root)
    load_exercises(chapter)
    return place


class _plainly:
    """Shows an error that names what was wrong, and no traceback; whatever else is raised goes on.

    Args:
        code: What the command then exits with.
    """

    def __init__(self, code: int = 1) -> None:
        self._code = code

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyboardInterrupt):
            console.print("Stopped.")
            raise typer.Exit(130) from error
        if error is None or isinstance(error, typer.Exit):
            return
        from autograder.grading.sandbox import SandboxError
        from autograder.weaving.release import ReleaseError

        missing = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)
        if isinstance(error, missing) and error.filename is not None:
            error = ValueError(f"{error.filename}: {error.strerror}")
        if isinstance(error, (ValueError, SandboxError, ReleaseError)):
            troubles.print(f"[bold red]error:[/bold red] {escape(str(error))}", highlight=False, soft_wrap=True)
            raise typer.Exit(self._code) from error
