"""Whether a chapter's grades are by the exercises and points that the course has today, or by those of an earlier configuration.

What a class is graded by can change: in the course's configuration, or in the checks themselves. What is released, and what the grades were
given by, is compared with what would hold today, and every command that reads grades says where they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nbgrader.api import SubmittedNotebook
from traitlets.config import Config

from autograder.building.notebook_files import promised, read
from autograder.building.release import other_exercises
from autograder.checkout import Course, CourseError, course_config, read_mapping, write_mapping
from autograder.declare import chapters
from autograder.grading.gradebook import Patience, Writer, chapter_rows, open_books
from autograder.grading.sanitize import printable
from autograder.settings import WRITTEN, settings, worths


def changes(course: Course, chapter: str, config: Config) -> dict[str, str]:
    """The exercises that are worth something else than before, by their names, with both in words.

    Args:
        course: The course.
        chapter: The chapter's name.
        config: The course's configuration.

    Raises:
        CourseError: The configuration says what cannot be.
    """
    today = _today(course, chapter, config)
    released = promised(read(course.released(chapter))) if course.released(chapter).is_file() else today
    found: dict[str, str] = {}
    for before in (released, _graded_by(course, chapter) or today):
        for name in {**before, **today}:
            was, now = before.get(name, "no points"), today.get(name, "is left out")
            if was != now:
                found[name] = f"{name} had {was} and {'has ' * (name in today)}{now} now"
    return found


def notice(course: Course, chapter: str, config: Config) -> str:
    """That grades are by a different configuration from today's, and what to do; empty if they are not.

    Args:
        course: The course.
        chapter: The chapter's name.
        config: The course's configuration.
    """
    found = changes(course, chapter, config)
    if not found:
        return ""
    if _graded_by(course, chapter) is None:
        return (
            f"{chapter} was released under a different configuration from today's: {'; '.join(found.values())}. "
            f"Release it again: `autograder release {chapter}`"
        )
    return (
        f"The grades of {chapter} were given under a different configuration from today's: "
        f"{'; '.join(found.values())}. `autograder regrade {chapter}` shows first whose grade would change, and by "
        "how much"
    )


def late_notice(course: Course, chapter: str, config: Config) -> str:
    """That penalties for late work are not those of today's due dates, extensions and points, and what to do; empty if they are.

    Args:
        course: The course.
        chapter: The chapter's name.
        config: The course's configuration.
    """
    with open_books(course, config=config) as book:
        today, _ = Writer(book, chapter, config, Patience()).rehearse(())
        stored = chapter_rows(book, chapter, SubmittedNotebook.late_submission_penalty)
        stale = sorted(name for name, penalty in stored if (penalty or 0.0) != today.get(name, (0.0, 0.0))[1])
    if not stale:
        return ""
    return (
        f"The late penalties of {', '.join(map(printable, stale))} in {chapter} are out of date, because a due date, an extension or points "
        f"have changed: run `autograder grade {chapter}`"
    )


def told_with(assignments: Iterable[str], course: Course) -> Iterator[str]:
    """What has to be known with grades of chapters: which exercises are extra credit, and which grades are by another configuration.

    Args:
        assignments: The assignments that there are grades of.
        course: The course.
    """
    config = course_config(course.root)
    for chapter in sorted(set(chapters()).intersection(assignments)):
        extra = sorted(settings(config, chapter).extra_credit)
        if late := late_notice(course, chapter, config):
            yield f"{late}."
        if told := notice(course, chapter, config):
            yield f"{told}."
        elif extra:
            which = f"{', '.join(extra)} {'is' if len(extra) == 1 else 'are'} extra credit"
            yield f"In {chapter}, {which}: the points count, and the maximum does not include them."


def hold_as_graded(course: Course, chapter: str, config: Config) -> None:
    """Make sure that the class is graded by what it has been graded by so far.

    Raises:
        CourseError: It is not; the message says what to do.
    """
    told = notice(course, chapter, config)
    if told:
        raise CourseError(f"{told}. To keep the points that the class was promised, set them with c.Exercises.points")


def hold_same_exercises(course: Course, chapter: str, config: Config) -> None:
    """Make sure that the class has the exercises that it had: nbgrader cannot keep the grades of others.

    Raises:
        CourseError: It has not.
    """
    if _today(course, chapter, config).keys() != promised(read(course.released(chapter))).keys():
        raise CourseError(other_exercises(chapter))


def remember(course: Course, chapter: str, config: Config, *, all_written: bool) -> None:
    """Record what the class is graded by.

    Args:
        course: The course.
        chapter: The chapter's name.
        config: The course's configuration.
        all_written: Whether every grade is by it now; otherwise it is recorded only where nothing is known yet.
    """
    before, today = _graded_by(course, chapter), _today(course, chapter, config)
    if before is None or (all_written and before != today):
        path = course.private / "graded-by" / f"{chapter}.json"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_mapping(path, today)


def _today(course: Course, chapter: str, config: Config) -> dict[str, str]:
    """What each exercise, and the written question, is worth by the course's configuration, in words."""
    chosen, made = settings(config, chapter), promised(read(course.solved(chapter)))
    written = {WRITTEN: made[WRITTEN]} if WRITTEN in made.keys() - chosen.leave_out else {}
    return {**worths(chosen.exercises()), **written}


def _graded_by(course: Course, chapter: str) -> dict[str, str] | None:
    """What the class was graded by when all its grades were last written; None where that is not known."""
    return read_mapping(course.private / "graded-by" / f"{chapter}.json")
