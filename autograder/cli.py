"""The command line, `autograder`: each command checks what it was given and calls the module that does the work."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from typer.core import TyperGroup

from autograder.declare import added, chapter_named, chapters, told_points

if TYPE_CHECKING:
    from traitlets.config import Config

    from autograder.checkout import Course
    from autograder.grading.graded import Graded

PANELS = {
    "Class": (
        *("list", "roster", "release", "handout", "due", "extend", "collect", "grade", "regrade"),
        *("report", "mark", "viva", "exam", "feedback", "export"),
        *("backup", "restore", "grade-one", "gradescope"),
    ),
    "Authoring": ("new", "make", "mistakes", "sweeps", "site", "pdf"),
    "Students": ("lab", "progress"),
}
"""The commands by who needs them, in the order in which `--help` lists them."""


class _InPanels(TyperGroup):
    """The commands as `PANELS` groups and orders them."""

    def __init__(self, *, commands: dict[str, Any], **settings: Any) -> None:
        for panel, names in PANELS.items():
            for name in names:
                commands[name].rich_help_panel = panel
        order = [name for names in PANELS.values() for name in names]
        super().__init__(commands={name: commands[name] for name in [*order, *commands]}, **settings)


app = typer.Typer(cls=_InPanels, no_args_is_help=True, pretty_exceptions_enable=False)
new = typer.Typer(no_args_is_help=True)
app.add_typer(new, name="new", help="Create the files for a new exercise.")
console = Console()
troubles = Console(stderr=True)
_ENDING = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else (signal.SIGTERM,)

SandboxOption = Annotated[str, typer.Option(help="landlock, or none to run students' code without a sandbox.")]
_CORES = os.cpu_count() or 1
_QUIET = ("--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate")
"""JupyterLab offers no news, and asks no other machine for anything."""
WorkersOption = Annotated[int, typer.Option(min=1, help="How many submissions to run in parallel.")]
SchedulerOption = Annotated[str | None, typer.Option(help="The address of a Dask scheduler, such as tcp://host:8786.")]
TimezoneOption = Annotated[str, typer.Option(help="A time zone, such as Europe/Paris. Default: this machine's.")]


def _full_name(chapter: str | None) -> str | None:
    """The name of the chapter that is meant, where one is."""
    if not chapter:
        return chapter
    with _plainly():
        return chapter_named(chapter)


def _full_names(given: list[str]) -> list[str]:
    """The names of the chapters that are meant, each once."""
    with _plainly():
        return list(dict.fromkeys(map(chapter_named, given)))


def _begin_with(incomplete: str) -> list[str]:
    """The chapters that a shell may complete what was typed to."""
    return [chapter for chapter in chapters() if chapter.startswith(incomplete)]


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"autograder {version('rnns-to-bert')}")
        raise typer.Exit


_CHAPTER = "such as ch05_attention, or ch05 for short"
ChapterArgument = Annotated[
    str, typer.Argument(help=f"The chapter, {_CHAPTER}.", callback=_full_name, autocompletion=_begin_with)
]
OneOrAll = Annotated[
    str | None,
    typer.Argument(
        help=f"A chapter, {_CHAPTER}. Default: all chapters.", callback=_full_name, autocompletion=_begin_with
    ),
]
CourseOption = Annotated[
    Path, typer.Option(exists=True, file_okay=False, help="The course folder, which contains nbgrader_config.py.")
]


@app.callback(
    epilog="Exit codes: 0 if everything succeeded, 1 if something failed or is missing (the output says what), 2 if the command or an "
    "option was wrong, and 130 after Ctrl-C."
)
def prepare(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Release, collect, and grade the course's chapters, and build the book."""
    # nbgrader calls alembic by its name, also where this environment is not activated.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


@app.command("list")
def list_exercises(
    chapter: OneOrAll = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
    course: CourseOption = Path("."),
) -> None:
    """List the exercises with their points and checks.

    Hidden checks are marked. In a course's folder, the exercises and points are those of its configuration.
    """
    from autograder.outline import outline

    listed = [chapter] if chapter else chapters()
    found = [exercise for name in listed for exercise in outline(name)]
    config = None
    if (course / "nbgrader_config.py").is_file():
        from autograder.checkout import course_config
        from autograder.settings import settings

        with _plainly():
            config = course_config(course.resolve())
            found = [exercise for name in listed for exercise in settings(config, name).exercises()]
    if as_json:
        tree = [
            {
                "chapter": e.chapter,
                "exercise": e.exercise.name,
                "title": e.exercise.title,
                "points": e.points,
                "extra_credit": e.extra_credit,
                "minutes": e.exercise.minutes,
                "difficulty": e.exercise.difficulty,
                "checks": [{"name": c.name, "points": added([c.points]), "hidden": c.hidden} for c in e.checks],
            }
            for e in found
        ]
        typer.echo(json.dumps(tree, indent=2, ensure_ascii=False))
        return
    for name in listed:
        table = Table(Column("exercise", no_wrap=True), "points", "check", "hidden", title=name, title_justify="left")
        for e in (e for e in found if e.chapter == name):
            title = e.exercise.title + " (extra credit)" * e.extra_credit
            table.add_row(f"[bold]{e.exercise.name}[/bold]", f"[bold]{e.points}[/bold]", title, "")
            for check in e.checks:
                table.add_row("", str(added([check.points])), check.name, "hidden" if check.hidden else "")
            table.add_section()
        written = _written_points(course, name, config)
        if written:
            table.add_row("[bold]written[/bold]", f"[bold]{written}[/bold]", "answer marked by a person", "")
            table.add_section()
        extra = added(e.points for e in found if e.chapter == name and e.extra_credit)
        total = added([*(e.required for e in found if e.chapter == name), written])
        more = f"and {told_points(extra)} of extra credit" if extra else ""
        table.add_row("[bold]total[/bold]", f"[bold]{total}[/bold]", more, "")
        console.print(table)


def _written_points(folder: Path, chapter: str, config: Config | None) -> float:
    """What the written question of a chapter is worth to the class; 0 where there is none, or no solved notebook to tell."""
    from autograder.building.notebook_files import promised_points, read
    from autograder.building.weave import written_id
    from autograder.checkout import Checkout
    from autograder.settings import WRITTEN, settings

    solved = Checkout(folder).solved(chapter)
    if not solved.is_file() or (config is not None and WRITTEN in settings(config, chapter).leave_out):
        return 0
    return promised_points(read(solved)).get(written_id(chapter), 0)


@app.command("make")
def make_notebooks(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    force: Annotated[bool, typer.Option(help="Run the notebooks again even if nothing has changed.")] = False,
    answers_only: Annotated[
        bool,
        typer.Option(
            "--answers-only", help="Record the answers and leave the notebooks as they are, which takes seconds."
        ),
    ] = False,
) -> None:
    """Record a chapter's answers and build its two notebooks, the solved one and the student's.

    Anything that is up to date is left alone.
    """
    from autograder.building.corpora import store_corpora
    from autograder.building.make import chapter_names, make, record_answers
    from autograder.checkout import Checkout

    with _plainly():
        place = Checkout(course.resolve())
        if chapter is None:
            store_corpora(console.print)
        for name in chapter_names(chapter):
            if answers_only:
                record_answers(place, name, console.print)
            else:
                make(place, name, console.print, force=force)


@app.command()
def mistakes(
    exercises: Annotated[
        list[str] | None, typer.Argument(help="Names of exercises, such as masked_softmax. Default: all exercises.")
    ] = None,
) -> None:
    """Record what listed mistakes return, and show what a student who makes one is told."""
    with _plainly():
        from autograder.building.mistakes import record_mistakes

        record_mistakes(exercises or [], console)


@new.command("exercise")
def new_exercise(
    chapter: ChapterArgument,
    name: Annotated[str, typer.Argument(help="The name of the function to write, such as cosine_scores.")],
    course: CourseOption = Path("."),
) -> None:
    """Create a small working exercise for you to edit.

    The command never overwrites a file, and writes nothing if the chapter or the name is invalid.
    """
    with _plainly():
        from autograder.building.new_exercise import write_exercise

        place = _course(course)
        for path in write_exercise(place, chapter, name):
            console.print(str(path.relative_to(place.root)), highlight=False, soft_wrap=True)
        console.print(
            f"Next, edit these files. Then run `autograder make {chapter} --answers-only`, `autograder mistakes {name}`, "
            f"and `python -m pytest -k {name} tests/test_checks.py`. For details, see CONTRIBUTING.md.",
            highlight=False,
            soft_wrap=True,
        )


@app.command()
def sweeps(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    workers: Annotated[int, typer.Option(min=1, help="How many runs to do in parallel.")] = _CORES,
) -> None:
    """Run the missing parts of the chapters' long experiments."""
    from autograder.building.sweeps import make_sweep
    from autograder.checkout import Checkout

    place = Checkout(course.resolve())
    troubled = []
    with _plainly():
        for path in place.sweeps(chapter or "*"):
            try:
                make_sweep(place, path, console.print, workers=workers)
            except ValueError as error:  # What it needs may not be installed; the next one does not need it.
                troubled.append(str(error))
        if troubled:
            raise ValueError("\n".join(troubled))


@app.command()
def lab(course: CourseOption = Path(".")) -> None:
    """Open the student notebooks of a clone in JupyterLab."""
    from autograder.checkout import Checkout

    os.environ.setdefault("OMP_NUM_THREADS", "1")  # More threads wait for each other with models of this size.
    # Jupyter asks root to say so; in a container everyone is root.
    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    folder = Checkout(course.resolve()).library.parent
    command = [sys.executable, "-m", "jupyter", "lab", f"--ServerApp.root_dir={folder}", *as_root, *_QUIET]
    with tempfile.TemporaryDirectory() as settings:
        # nbgrader's panels are for those who make and hand in assignments.
        page = Path(settings, "labconfig", "page_config.json")
        page.parent.mkdir()
        page.write_text(json.dumps({"disabledExtensions": {"@jupyter/nbgrader": True}}), encoding="utf-8")
        paths = [settings, *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
        environment = {
            "PYTHONSTARTUP": str(Path(__file__).with_name("notebook") / "startup.py"),
            **os.environ,
            "JUPYTER_CONFIG_PATH": os.pathsep.join(paths),
        }
        code = subprocess.run(command, check=False, env=environment).returncode
    raise typer.Exit(code)


@app.command()
def site(
    course: CourseOption = Path("."),
    out: Annotated[Path, typer.Option(help="The folder to build in.")] = Path("build/book"),
    solutions: Annotated[
        bool, typer.Option(help="Include solutions that readers can unfold, or leave them out entirely.")
    ] = True,
) -> None:
    """Build the book as a website from the stored notebooks."""
    from autograder.building.site import build_site
    from autograder.checkout import Checkout

    with _plainly():
        pages = build_site(Checkout(course.resolve()), out.resolve(), solutions=solutions)
        _say([f"Open {(pages / 'index.html').as_uri()}"])


@app.command()
def pdf(
    course: CourseOption = Path("."),
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("build/paper/book.pdf"),
    site: Annotated[Path, typer.Option(help="The folder to build the pages in before printing.")] = Path(
        "build/paper/site"
    ),
) -> None:
    """Print the book to a PDF file, without solutions."""
    from autograder.building.pdf import print_book
    from autograder.building.site import build_site
    from autograder.checkout import Checkout

    with _plainly():
        pages = build_site(Checkout(course.resolve()), site.resolve(), solutions=True)
        _say([f"Open {print_book(pages, out.resolve()).as_uri()}"])


@app.command()
def release(chapter: ChapterArgument, course: CourseOption = Path(".")) -> None:
    """Create a chapter's student notebook, and register it.

    The notebook is written to release/, and the chapter is entered in the gradebook.
    """
    from autograder.building.release import generate
    from autograder.checkout import course_config
    from autograder.grading.config_drift import notice

    with _plainly():
        place = _course(course)
        if not place.solved(chapter).is_file():
            raise ValueError(
                f"there is no solved notebook {place.solved(chapter)} to release: run `autograder make {chapter}` first"
            )
        config = course_config(place.root)
        generate(config, chapter)
        console.print(f"Released {place.released(chapter)}")
        _say(filter(None, [notice(place, chapter, config)]))


@app.command()
def handout(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    to: Annotated[Path, typer.Option(help="The folder for the zip file.")] = Path("build/handouts"),
    timezone: TimezoneOption = "",
    assistants: Annotated[
        str,
        typer.Option(
            help="What to tell students and their coding agents about chatbots: closed, tutor, or open. Default: nothing."
        ),
    ] = "",
) -> None:
    """Pack a chapter's notebook and everything it needs for students.

    The zip file contains no solutions. If the chapter has a due date, its README and the notebook say so.
    """
    from autograder.building.assistants import STANCES
    from autograder.building.handout import make_handout
    from autograder.grading.deadlines import due_in_words, zone_named

    if assistants and assistants not in STANCES:
        raise typer.BadParameter(f"{assistants!r} is not one of {', '.join(STANCES)}", param_hint="--assistants")
    with _plainly():
        place = _course(course)
        due = due_in_words(place, chapter, zone_named(timezone))
        made = make_handout(place, chapter, to, due, assistants)
        console.print(f"Give your students {made}", soft_wrap=True)
        if due:
            _say([f"It says that {chapter} is due {due}."])


@app.command()
def collect(
    chapter: ChapterArgument,
    download: Annotated[
        Path | None,
        typer.Argument(
            help="The zip file of submissions from Canvas, Moodle or Blackboard, or the folder it was unpacked to."
        ),
    ] = None,
    course: CourseOption = Path("."),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show whose the files of a download are, without taking any.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Take files whose student is known by name alone without asking.")
    ] = False,
) -> None:
    """Show who has submitted, and set aside files that do not belong next to a notebook.

    Run it before you open the formgrader. If you name a download of submissions, its files are first put where they belong.

    Exit codes: 0 if every file belongs to somebody, 1 if one was left out or a folder is not on the roster.
    """
    from autograder.checkout import course_config
    from autograder.grading.collect import collect, strays
    from autograder.grading.deadlines import due_date
    from autograder.grading.downloads import MANY, Taken, take
    from autograder.grading.roster import attendance, is_complete, members

    def agree(taken: Taken) -> bool:
        doubtful = len(taken.doubtful())
        if (dry_run or (doubtful and not yes)) and taken.rows():
            table = Table(
                Column("student", no_wrap=True), Column("files", overflow="fold"), Column("what", overflow="fold")
            )
            for row in taken.rows():
                table.add_row(*map(escape, row))
            console.print(table)
        if dry_run or not doubtful or yes:
            return not dry_run
        _say(taken.closing())
        whose = "1 student" if doubtful == 1 else f"{doubtful} students"
        return typer.confirm(
            f"The files of {whose} are matched by name alone, or have a name of two readings (see the table). Take them?"
        )

    with _plainly():
        place = _course(course)
        config = course_config(place.root)
        complete = is_complete(config)
        roster = members(place, config) if download or complete else {}
        taken = None
        if download:
            taken = take(place, chapter, download, roster, due=due_date(place, chapter), agree=agree)
            _say(taken.closing())
            if not taken.is_written:
                raise typer.Exit(int(not dry_run or bool(taken.left_out)))
        found = collect(place, chapter)
        table = Table(
            Column("student", no_wrap=True),
            "notebook",
            "other files",
            Column("what was fixed or moved", ratio=1, overflow="fold"),
        )
        listed = found if len(found) <= MANY else [one for one in found if one.notes or not one.notebook.is_file()]
        for one in listed:
            notebook = "yes" if one.notebook.is_file() else "no notebook"
            table.add_row(escape(one.student), notebook, str(len(one.beside)), escape("\n".join(one.notes)))
        if listed:
            console.print(table)
        if len(listed) < len(found):
            _say(
                [
                    f"{sum(one.notebook.is_file() for one in found)} students have a notebook; {len(listed)} are listed above."
                ]
            )
        for stray in strays(place):
            console.print(escape(stray), highlight=False)
        students = {one.student for one in found}
        lost = bool(taken and taken.left_out)
        if complete:
            _say(attendance(roster, chapter, students))
            lost = lost or not students <= roster.keys()
        else:
            _say(
                [f"{'1 student has' if len(students) == 1 else f'{len(students)} students have'} submitted {chapter}."]
            )
        raise typer.Exit(int(lost))


@app.command()
def grade(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    workers: WorkersOption = _CORES,
    sandbox: SandboxOption = "landlock",
    scheduler: SchedulerOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show whose grades would change, and by how much, without changing any.")
    ] = False,
) -> None:
    """Grade all submissions of a chapter, and save the grades.

    Press Ctrl-C once to stop after the submission that is being saved, or twice to stop immediately.
    Run the command again to grade the rest.

    Exit codes: 0 if every grade is in the gradebook, 1 if one is missing or the grader failed, 130 after Ctrl-C.
    """
    _hold_sandbox(sandbox)
    with _plainly():
        place = _course(course)
        raise typer.Exit(_grade(place, chapter, workers, sandbox, scheduler, dry_run=dry_run).exit_code)


@app.command()
def regrade(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    workers: WorkersOption = _CORES,
    sandbox: SandboxOption = "landlock",
    scheduler: SchedulerOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write the grades without asking.")] = False,
) -> None:
    """Grade a class again with new points: show the changes, ask, and save them.

    If points have changed, the chapter is released again. Points and comments that a person gave are kept. After an
    interruption, run the same command again to do the rest.
    """
    _hold_sandbox(sandbox)
    with _plainly():
        place = _course(course)
        for dry_run in (True, False):
            graded = _grade(place, chapter, workers, sandbox, scheduler, dry_run=dry_run, regrade=True)
            if not graded.is_whole or not graded.would_write:
                break
            if dry_run and not yes and not typer.confirm("Write these grades?"):
                raise typer.Exit(1)
        raise typer.Exit(graded.exit_code)


def _grade(
    place: Course,
    chapter: str,
    workers: int,
    sandbox: str,
    scheduler: str | None,
    *,
    dry_run: bool,
    regrade: bool = False,
) -> Graded:
    """Grade a class, and show what came of it."""
    from autograder.grading.interrupt import Interrupt

    with Interrupt() as interrupt:
        from autograder.grading.graded import Preview
        from autograder.grading.run import grade_class

        graded = grade_class(
            place,
            chapter,
            workers=workers,
            box=sandbox,
            scheduler=scheduler,
            console=console,
            interrupt=interrupt,
            dry_run=dry_run,
            regrade=regrade,
        )
        if graded.rows and not (regrade and isinstance(graded, Preview) and not graded.changes):
            console.print(graded.table(console.width))
        if graded.rows and not (dry_run or graded.stopped):
            _tell_report(place, chapter, renew=regrade or any(row.is_new for row in graded.rows))
        for line in graded.closing():
            console.print(escape(line), style="bold red" if graded.exit_code else "", highlight=False, soft_wrap=True)
    return graded


def _tell_report(course: Course, chapter: str, *, renew: bool) -> None:
    """Say where the report is; whatever keeps it from being written, the grades are."""
    from autograder.checkout import CourseError
    from autograder.grading.class_page import write_report
    from autograder.grading.run import faults_kept

    file = course.root / "reports" / f"{chapter}.html"
    try:
        if renew or not file.exists():
            file = write_report(course, chapter, console)
        console.print(f"The report says what went wrong, and for whom: {file}", highlight=False, soft_wrap=True)
    except (CourseError, OSError) as error:
        console.print(escape(f"There is no report, because {error}"), highlight=False, soft_wrap=True)
    except Exception as error:
        with faults_kept(course):
            logging.getLogger("autograder").exception("the report on %s could not be written", chapter)
        console.print(f"There is no report, because of a fault in it ({type(error).__name__}); see {course.log}")


@app.command("grade-one")
def grade_one(
    notebook: Annotated[Path, typer.Argument(help="The notebook to grade.")],
    chapter: Annotated[
        str, typer.Option(help="The chapter. Default: the one that the notebook belongs to.", callback=_full_name)
    ] = "",
    course: CourseOption = Path("."),
    sandbox: SandboxOption = "landlock",
    gradescope: Annotated[bool, typer.Option("--gradescope", help="Print the results in Gradescope's format.")] = False,
) -> None:
    """Grade a single notebook without the gradebook.

    The command prints the points as JSON.

    Exit codes: 0 if all checks passed, 1 if at least one did not, 2 if the notebook could not be graded.
    """
    _hold_sandbox(sandbox)
    with _plainly(2):
        from autograder.grading.single import chapter_of, grade_one

        name = chapter or chapter_of(notebook)
        graded = grade_one(_course(course), name, notebook, sandbox)
        typer.echo(json.dumps(graded.gradescope() if gradescope else graded.tree(), indent=2, ensure_ascii=False))
        raise typer.Exit(graded.exit_code)


@app.command()
def gradescope(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    to: Annotated[Path | None, typer.Option(help="The file to write. Default: gradescope-CHAPTER.zip.")] = None,
    sandbox: SandboxOption = "landlock",
) -> None:
    """Build the archive that Gradescope needs to grade a chapter.

    The archive contains the solutions and the course's secret, so do not share it.
    """
    _hold_sandbox(sandbox)
    with _plainly():
        from autograder.grading.gradescope import write_archive

        file = (to or Path(f"gradescope-{chapter}.zip")).resolve()
        console.print(f"The archive is {write_archive(_course(course), chapter, file, sandbox)}")


@app.command()
def feedback(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    workers: Annotated[int, typer.Option(min=1, help="How many pages to write in parallel.")] = _CORES,
) -> None:
    """Write a feedback page for each student.

    Pages that are up to date are left alone.

    Exit codes: 0 if every page is there, 1 if one could not be written (the output says which), 130 after Ctrl-C.
    """
    with _plainly():
        from autograder.checkout import course_config
        from autograder.grading.config_drift import late_notice, notice
        from autograder.grading.feedback import write_feedback

        place = _course(course)
        config = course_config(place.root)
        written = write_feedback(place, chapter, workers=workers, console=console)
        notes = filter(None, [notice(place, chapter, config), late_notice(place, chapter, config)])
        for line in (*written.closing(), *notes):
            console.print(escape(line), highlight=False, soft_wrap=True)
        raise typer.Exit(written.exit_code)


@app.command()
def mark(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Give students numbers instead of names.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to serve on; 0 picks a free one.")] = 0,
    marks: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Enter what a CSV file has: the columns student, question, points, comment, request."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what the marks in the file would change, without entering any.")
    ] = False,
) -> None:
    """Mark answers by hand in a browser, one at a time, or enter marks from a file.

    The pages are served on this machine alone, until you press Ctrl-C. Anything that you save goes into the gradebook at once. If a row of
    the file is invalid, nothing is entered.
    """
    if dry_run and not marks:
        raise typer.BadParameter("it needs a file of marks: --from FILE.csv", param_hint="--dry-run")
    with _plainly():
        if marks:
            _enter_marks(_course(course), chapter, marks, anonymous=anonymous, dry_run=dry_run)
            return
        from autograder.grading.marking_server import serve

        serve(_course(course), chapter, anonymous=anonymous, port=port, say=lambda line: _say([line]))


def _enter_marks(place: Course, chapter: str, file: Path, *, anonymous: bool, dry_run: bool) -> None:
    """Enter the marks of a file, or show what they would change."""
    from autograder.checkout import course_config
    from autograder.grading.config_drift import late_notice
    from autograder.grading.mark_file import read_marks
    from autograder.grading.marking import Marking

    marking = Marking(place, chapter, anonymous=anonymous)
    found = read_marks(marking, file)
    if dry_run:
        said = (Column(title, overflow="fold") for title in ("comment", "request"))
        table = Table("student", "question", "points", *said)
        for row in found.rows(marking):
            table.add_row(*map(escape, row))
        if table.row_count:
            console.print(table)
    else:
        marking.save_all([one.given for one in found.entries])
    _say([*found.closing(), "Nothing was saved." if dry_run else marking.unread()])
    if not dry_run:
        _say(filter(None, [late_notice(place, chapter, course_config(place.root))]))


@app.command()
def viva(
    chapter: ChapterArgument,
    course: CourseOption = Path("."),
    only: Annotated[
        list[str] | None, typer.Option(metavar="EXERCISE", help="Ask about this exercise alone; may be repeated.")
    ] = None,
    student: Annotated[
        list[str] | None, typer.Option(help="Write the sheet of this student alone; may be repeated.")
    ] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Give students numbers instead of names.")] = False,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print the sheets to PDF too, with Chromium.")] = False,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Enter the points in this table, which the command wrote, instead of writing sheets."
        ),
    ] = None,
    workers: WorkersOption = _CORES,
    sandbox: SandboxOption = "landlock",
) -> None:
    """Ask each student five questions about the code that they handed in.

    The command writes a sheet for each student and one with the answers for the examiner. Students' code runs in the sandbox. Press Ctrl-C
    to stop, and run the command again for the rest.

    Exit codes: 0 if every sheet is there, 1 if one is not (the output says why), 130 after Ctrl-C.
    """
    _hold_sandbox(sandbox)
    with _plainly():
        place = _course(course)
        if points is not None:
            from autograder.grading.viva_points import enter_points

            _say(enter_points(place, chapter, points.resolve()).closing())
            return
        from autograder.grading.viva import make_viva, print_sheets

        made = make_viva(
            place,
            chapter,
            workers=workers,
            box=sandbox,
            console=console,
            only=only or (),
            students=student or (),
            anonymous=anonymous,
        )
        _say(made.closing())
        if pdf:
            _say(f"Printed {path}" for path in print_sheets(made.pages))
        raise typer.Exit(made.exit_code)


@app.command()
def exam(
    chapters_: Annotated[
        list[str],
        typer.Argument(
            metavar="CHAPTER...",
            help=f"The chapters to ask about, {_CHAPTER}.",
            callback=_full_names,
            autocompletion=_begin_with,
        ),
    ],
    course: CourseOption = Path("."),
    questions: Annotated[int, typer.Option(min=0, help="Questions with four answers to choose from.")] = 8,
    open_: Annotated[int, typer.Option("--open", min=0, help="Questions that ask for a reason.")] = 2,
    versions: Annotated[int, typer.Option(min=1, help="Versions with the same questions in another order.")] = 1,
    seed: Annotated[str, typer.Option(help="The same seed gives the same exam. Default: a new one.")] = "",
    to: Annotated[Path | None, typer.Option(help="The folder to write to. Default: exam in the course folder.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Print the pages to PDF too, with Chromium.")] = False,
) -> None:
    """Write an exam on paper about one or more chapters, and its answers.

    Most questions show what a wrong answer to an exercise returns, and ask which of four mistakes made it; the last ones ask for the reason
    behind an exercise. Nobody needs to have handed in anything.
    """
    with _plainly():
        from autograder.checkout import course_config
        from autograder.grading.exam import Asked, write_exam
        from autograder.grading.viva import print_sheets
        from autograder.settings import settings

        place = _course(course)
        config = course_config(place.root)
        left_out = {name for chapter in chapters_ for name in settings(config, chapter).leave_out}
        seed = seed or secrets.token_hex(4)
        pages = write_exam(
            to or place.root / "exam", place.solutions, Asked(chapters_, questions, open_, versions, seed, left_out)
        )
        _say(
            [
                f"The exam is {pages[0]}, and its answers are {pages[1].name} in the same folder.",
                f"To write the same exam again, add --seed {seed}.",
            ]
        )
        if pdf:
            _say(f"Printed {path}" for path in print_sheets(pages))


@app.command()
def report(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    to: Annotated[
        Path | None, typer.Option(help="The folder for the report. Default: reports in the course folder.")
    ] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Replace students' names with numbers.")] = False,
) -> None:
    """Write a report on the class: scores, mistakes, similar answers; without a chapter, a report on the course.

    For a chapter, the command writes CHAPTER.html, a self-contained page, and CHAPTER.csv, with one column for each check. With --anonymous, it writes
    CHAPTER-anonymous.html and CHAPTER-anonymous.csv. The report on the course, course.html and course.csv, says who falls behind and which exercises
    stay unlearnt, with a row for each student and a column for each chapter.
    """
    with _plainly():
        from autograder.checkout import course_config
        from autograder.grading.class_page import write_report
        from autograder.grading.config_drift import late_notice

        place = _course(course)
        if not chapter:
            from autograder.grading.course_page import write_course_report

            file = write_course_report(place, console, folder=to, anonymous=anonymous)
            console.print(f"The report is {file}, and its table is {file.stem}.csv in the same folder", soft_wrap=True)
            return
        file = write_report(place, chapter, console, folder=to, anonymous=anonymous)
        console.print(f"The report is {file}, and its table is {file.stem}.csv in the same folder", soft_wrap=True)
        _say(filter(None, [late_notice(place, chapter, course_config(place.root))]))


@app.command()
def export(
    chapter: OneOrAll = None,
    course: CourseOption = Path("."),
    to: Annotated[
        Path | None,
        typer.Option(help="The file to write. Default: grades.csv, or grades-FORMAT.csv for another format."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="csv, canvas, moodle, or blackboard.")] = "csv",
    provisional: Annotated[
        bool,
        typer.Option(
            "--provisional",
            help="Give a platform the points so far where a written answer is unread; the column says so.",
        ),
    ] = False,
) -> None:
    """Export the grades as CSV for a spreadsheet or learning platform.

    Missing grades are left empty.
    """
    from autograder.checkout import Course
    from autograder.grading.config_drift import told_with
    from autograder.grading.export import FORMATS, read_lines, write_grades

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    with _plainly():
        place = _course(course) if chapter else Course(course.resolve())
        file = (to or Path("grades.csv" if form == "csv" else f"grades-{form}.csv")).resolve()
        lines = read_lines(place, chapter)
        notes = [
            *write_grades(lines, form, file, provisional=provisional),
            *told_with({line.assignment for line in lines}, place),
        ]
        console.print(f"Grades are in {file}")
        for note in notes:
            console.print(note, highlight=False, soft_wrap=True)


@app.command()
def roster(
    file: Annotated[Path, typer.Argument(help="A CSV file, for example an export from your learning platform.")],
    course: CourseOption = Path("."),
) -> None:
    """Add or update students in the gradebook from a CSV file.

    Students are never deleted. If a row is invalid, nothing is changed.
    """
    with _plainly():
        from autograder.grading.roster import enter_roster

        _say(enter_roster(_course(course), file).closing())


@app.command()
def due(
    chapter: ChapterArgument,
    when: Annotated[
        str,
        typer.Argument(
            help="A date and time, such as '2026-12-01 18:00', or none for no due date. Default: show the due date."
        ),
    ] = "",
    timezone: TimezoneOption = "",
    course: CourseOption = Path("."),
) -> None:
    """Set a chapter's due date, or show it with its extensions."""
    with _plainly():
        from autograder.grading.deadlines import deadlines, moment, set_due, zone_named

        place, zone = _course(course), zone_named(timezone)
        if when:
            found = set_due(place, chapter, None if when == "none" else moment(when, zone))
        else:
            found = deadlines(place, chapter)
        _say(found.closing(chapter, zone, changed=bool(when)))


@app.command()
def extend(
    chapter: ChapterArgument,
    student: Annotated[str, typer.Argument(help="The student's ID.")],
    until: Annotated[
        str,
        typer.Argument(help="A number of days, such as 3, a span, such as 36h, or a date; 0 removes the extension."),
    ],
    timezone: TimezoneOption = "",
    course: CourseOption = Path("."),
) -> None:
    """Give one student an extension for a chapter.

    It replaces any earlier extension for the chapter.
    """
    with _plainly():
        from autograder.grading.deadlines import extend, zone_named

        zone = zone_named(timezone)
        _say(extend(_course(course), chapter, student, until, zone).closing(chapter, zone, changed=True))


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, such as backup.zip.")],
    course: CourseOption = Path("."),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Back up the whole class: configuration, gradebook, submissions, feedback, secrets, and solutions.

    The file is as confidential as its contents, so store it safely.
    """
    with _plainly():
        from autograder.grading.backup import back_up

        _say(back_up(_course(course), file.resolve(), force=force).closing("are in"))


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file written by `autograder backup`.")],
    course: Annotated[
        Path, typer.Option(file_okay=False, help="The course folder; a new or empty one becomes a course.")
    ] = Path("."),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that differ from the backup.")] = False,
) -> None:
    """Restore a course from a backup, in the same folder or in a new one, even on another machine.

    Files that are not in the backup stay. Without --force, no existing file is changed. Restore only your own backups:
    they contain nbgrader_config.py and the solutions, which every command runs.
    """
    with _plainly():
        from autograder.checkout import Course
        from autograder.grading.backup import restore

        _say(restore(Course(course.resolve()), file.resolve(), force=force).closing("were restored from"))


def _hold_sandbox(kind: str) -> None:
    if kind not in ("landlock", "none"):
        raise typer.BadParameter(f"{kind!r} is not one of landlock or none", param_hint="--sandbox")


@app.command()
def progress(
    folder: Annotated[
        Path,
        typer.Argument(
            exists=True,
            file_okay=False,
            help="The folder with the notebooks: a clone of the course, or a folder of chapters.",
        ),
    ] = Path("."),
) -> None:
    """Show how many points your checks earned, and what to do next.

    It shows the same as `progress()` in a notebook.
    """
    from autograder.notebook.progress import answered_beside, as_text, kept_beside

    with _plainly():
        here = folder.resolve()
        typer.echo(as_text(kept_beside(here), answered_beside(here)))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _course(root: Path) -> Course:
    """The course in a folder, once it is sure that there is one."""
    from autograder.checkout import Course, course_config

    course_config(root.resolve())
    return Course(root.resolve())


def _stop(number: int, _: object) -> None:
    """Stop as after Ctrl-C, so that what is half done is tidied up; what comes meanwhile changes nothing."""
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt(number)


class _plainly:
    """Shows an error that names what was wrong, and no traceback; whatever else is raised goes on.

    A closed terminal and `kill` are heard like Ctrl-C.

    Args:
        code: What the command then exits with.
    """

    def __init__(self, code: int = 1) -> None:
        self._code = code

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in _ENDING:
                if signal.getsignal(number) is signal.SIG_DFL:
                    signal.signal(number, _stop)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if threading.current_thread() is threading.main_thread():
            for each in _ENDING:
                if signal.getsignal(each) is _stop:
                    signal.signal(each, signal.SIG_DFL)
        if isinstance(error, KeyboardInterrupt):
            with contextlib.suppress(OSError):  # The terminal may be gone.
                console.print("Stopped.")
            number = error.args[0] if error.args else signal.SIGINT
            raise typer.Exit(128 + number) from error
        if error is None or isinstance(error, typer.Exit):
            return
        missing = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)
        if isinstance(error, missing) and error.filename is not None:
            error = ValueError(f"{error.filename}: {error.strerror}")
        if isinstance(error, ValueError) or _is_ours(error):
            troubles.print(f"[bold red]error:[/bold red] {escape(str(error))}", highlight=False, soft_wrap=True)
            raise typer.Exit(self._code) from error


def _is_ours(error: BaseException) -> bool:
    """Whether it is an error whose message says what to do. To find out imports nbgrader, for which most errors need not wait."""
    from autograder.building.release import ReleaseError
    from autograder.grading.sandbox import SandboxError

    return isinstance(error, (SandboxError, ReleaseError))
