"""The report on all chapters as one page that needs nothing else, and as a table for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from statistics import median

from rich.console import Console

from autograder.building.weave import written_id
from autograder.checkout import Course, write_whole
from autograder.grading import page_layout
from autograder.grading.class_record import pseudonyms
from autograder.grading.course_record import HALF, CourseRecord, Learnt, read_course, short
from autograder.grading.export import Standing
from autograder.grading.gradebook import called, full_name
from autograder.grading.report_parts import STYLE, Name, natural_key, share_bar, told_number, told_students, wide_table
from autograder.notebook.report import marked_up
from autograder.settings import WRITTEN

_MOST_UNLEARNT = 10
_UNLEARNT = 0.75
"""The share of its points below which an exercise is among those that the class has not learnt."""
_STYLE = """
.wide[aria-label='Every student'] { max-height: 85vh; overflow: auto } [aria-label='Every student'] th { position: sticky; top: 0; background: var(--page); z-index: 1 }
[aria-label='Every student'] th:first-child, [aria-label='Every student'] td:first-child { position: sticky; left: 0; background: var(--page) } [aria-label='Every student'] th:first-child { z-index: 2 }
body { max-width: 72rem } a { color: var(--word) } [aria-label='Every student'] :is(th, td) { padding: .2rem .35rem }
td.reasons { white-space: normal; min-width: 14rem }
@media (max-width: 40rem) { [aria-label='Every student'] td:first-child { min-width: 6rem } }
@media print { .wide[aria-label='Every student'] { max-height: none } }
"""


def page(record: CourseRecord, name: Name, link: Callable[[str], str]) -> str:
    """The report as a page.

    Args:
        record: What the class did.
        name: What a student is called in it.
        link: The address of the report on a chapter, or nothing.
    """
    body = [
        *_head(record),
        *_behind(record, name),
        *_unlearnt(record),
        *_chapters(record, link),
        *_students(record, name),
        *_exercises(record),
    ]
    title = "Report on the course"
    return page_layout.page(title, "\n".join(["<main>", f"<h1>{title}</h1>", *body, "</main>"]), STYLE + _STYLE)


def _head(record: CourseRecord) -> Iterator[str]:
    averages = [average for student in record.students if (average := record.average(student)) is not None]
    tiles = [
        (len(record.students), "students"),
        (f"{len(record.counted)} of {len(record.lines)}", "chapters count so far"),
        (f"{median(averages):.0%}" if averages else "–", "median of the averages"),
        (len(record.behind()), "fall behind"),
    ]
    yield f"<ul class='tiles'>{''.join(f'<li><strong>{value}</strong>{words}</li>' for value, words in tiles)}</ul>"
    yield (
        "<p>A chapter counts when something of it has been graded and its due date, if it has one, is over. Scores are shares of a chapter's points, with written answers and points given by hand, "
        "after late penalties. What is missing counts as 0, unless the student has an extension.</p>"
    )
    yield from (f"<p class='note'>{marked_up(told)}.</p>" for told in record.outdated)


def _behind(record: CourseRecord, name: Name) -> Iterator[str]:
    yield "<h2>Who falls behind</h2>"
    found = record.behind()
    yield (
        f"<p>Students who have less than half of the points in both of the two latest chapters that count, or in both at least 25 percentage points less than their average before. "
        f"{'Nobody does.' if not found else 'Those with the least come first.'}</p>"
    )
    rows = [
        f"<tr><td>{escape(name(student))}</td><td class='number'>{_percent(record.average(student))}</td>"
        f"<td class='reasons'>{escape('; '.join(reasons))}</td></tr>"
        for student, reasons in found.items()
    ]
    if rows:
        yield wide_table(
            "Who falls behind", "<tr><th>student</th><th class='number'>average</th><th>why</th></tr>", rows
        )


def _unlearnt(record: CourseRecord) -> Iterator[str]:
    yield "<h2>Exercises that stay unlearnt</h2>"
    worst = sorted((one for one in record.learnt() if one.share < _UNLEARNT), key=lambda one: one.share)
    if not worst:
        yield f"<p>None: the class earned at least {_UNLEARNT:.0%} of the points of every exercise.</p>"
        return
    rows = "".join(
        f"<li><strong>{_called(one)}</strong> in {one.chapter}: {_told(one)}</li>" for one in worst[:_MOST_UNLEARNT]
    )
    more = f" The {_MOST_UNLEARNT} lowest of {len(worst)} are listed." if len(worst) > _MOST_UNLEARNT else ""
    yield f"<p>Of their points, those who handed in earned less than {_UNLEARNT:.0%}.{more}</p><ol class='first'>{rows}</ol>"


def _called(one: Learnt) -> str:
    return "the written answer" if one.exercise == written_id(one.chapter) else escape(one.exercise)


def _told(one: Learnt) -> str:
    return (
        f"the class earned {one.share:.0%} of {told_number(one.points)} points; of {told_students(one.number)}, {one.full} earned all of them "
        f"and {one.weak} less than half."
    )


def _chapters(record: CourseRecord, link: Callable[[str], str]) -> Iterator[str]:
    yield "<h2>Chapters</h2>"
    rows = []
    for chapter in record.lines:
        middle = record.middle(chapter)
        due = min((line.due for line in record.lines[chapter].values() if line.due), default=None)
        median_told = "not graded yet" if middle is None else f"{share_bar(middle)} {middle:.0%}"
        address = link(chapter)
        shown = f"<a href='{escape(address)}'>{escape(chapter)}</a>" if address else escape(chapter)
        aside = "" if chapter in record.counted else " <span class='aside'>(does not count yet)</span>"
        weak = sum(
            (share := record.share(student, chapter)) is not None and share < HALF for student in record.lines[chapter]
        )
        rows.append(
            f"<tr><td>{shown}{aside}</td><td>{f'{due:%Y-%m-%d}' if due else '–'}</td>"
            f"<td class='number'>{record.handed_in(chapter)} of {len(record.lines[chapter])}</td>"
            f"<td class='number'>{record.count(chapter, Standing.LATE)}</td><td class='number'>{record.count(chapter, Standing.WAITING)}</td>"
            f"<td>{median_told}</td><td class='number'>{weak if chapter in record.counted else '–'}</td></tr>"
        )
    head = "<tr><th>chapter</th><th>due</th><th class='number'>handed in</th><th class='number'>late</th><th class='number'>unread</th><th>median</th><th class='number'>below half</th></tr>"
    yield wide_table("Chapters", head, rows)


def _students(record: CourseRecord, name: Name) -> Iterator[str]:
    yield "<h2>Every student</h2>"
    yield (
        "<p>– is nothing handed in; * is without the written answer, which nobody has read yet; ? is handed in and not graded. "
        "Less than half of the points is marked.</p>"
    )
    heads = "".join(
        f"<th class='number'><abbr title='{escape(chapter)}'>{short(chapter)}</abbr></th>" for chapter in record.lines
    )
    rows = [
        f"<tr><td>{escape(name(student))}</td><td class='number'>{_percent(record.average(student))}</td>"
        f"{''.join(_cell(record, student, chapter) for chapter in record.lines)}</tr>"
        for student in sorted(record.students, key=lambda student: natural_key(name(student)))
    ]
    yield wide_table("Every student", f"<tr><th>student</th><th class='number'>average</th>{heads}</tr>", rows)


def _cell(record: CourseRecord, student: str, chapter: str) -> str:
    line = record.lines[chapter].get(student)
    share = record.share(student, chapter)
    if line is None or line.standing is Standing.MISSING:
        counts = share is not None and chapter in record.counted
        return f"<td class='number{' low' * counts}'>–</td>"
    if share is None:
        return "<td class='number'>?</td>"
    low = " low" * (share < HALF and chapter in record.counted)
    return f"<td class='number{low}'>{share:.0%}{'*' * (line.standing is Standing.WAITING)}</td>"


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}"


def _exercises(record: CourseRecord) -> Iterator[str]:
    yield "<h2>Every exercise</h2>"
    yield "<p>The share of its points that those who handed in earned, how many of them earned all, and how many less than half. Extra credit is left out.</p>"
    rows, before = [], ""
    for one in record.learnt():
        if one.chapter != before:
            rows.append(f"<tr class='exercise'><td>{escape(one.chapter)}</td><td></td><td></td><td></td><td></td></tr>")
            before = one.chapter
        exercise = WRITTEN if one.exercise == written_id(one.chapter) else one.exercise
        rows.append(
            f"<tr><td>{escape(exercise)}</td><td class='number'>{told_number(one.points)}</td><td>{share_bar(one.share)} {one.share:.0%}</td>"
            f"<td class='number'>{one.full} of {one.number}</td><td class='number'>{one.weak}</td></tr>"
        )
    head = "<tr><th>exercise</th><th class='number'>points</th><th>earned</th><th class='number'>all points</th><th class='number'>below half</th></tr>"
    yield wide_table("Every exercise", head, rows)


def table(record: CourseRecord, name: Name, *, anonymous: bool) -> str:
    """A row for each student: the average and the share of each chapter's points, in per cent; empty where there is none.

    Args:
        record: What the class did.
        name: What a student is called in a report that names nobody.
        anonymous: Whether to name nobody.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = {line.student.id: full_name(line.student) for lines in record.lines.values() for line in lines.values()}
    writer.writerow([*(["student"] if anonymous else ["student", "name"]), "average", *record.lines])
    for student in (
        sorted(record.students, key=lambda student: natural_key(name(student))) if anonymous else record.students
    ):
        shares = [record.average(student), *(record.share(student, chapter) for chapter in record.lines)]
        who = [name(student)] if anonymous else [student, names[student]]
        writer.writerow([*who, *("" if share is None else f"{100 * share:.1f}" for share in shares)])
    return text.getvalue()


def write_course_report(
    course: Course, console: Console, *, folder: Path | None = None, anonymous: bool = False
) -> Path:
    """Write the page, and the table beside it.

    Args:
        course: The course, in which something has been graded.
        console: Where it is said what is out of date.
        folder: Where to write; `reports` in the course if it is left out.
        anonymous: Whether students have numbers instead of their names.

    Returns:
        The page.

    Raises:
        CourseError: Nothing has been graded.
        OSError: It cannot be written.
    """
    record = read_course(course)
    names = {student: called(line.student) for lines in record.lines.values() for student, line in lines.items()}
    for told in record.outdated:
        console.print(f"{told}.", markup=False, highlight=False, soft_wrap=True)
    if anonymous:
        names = pseudonyms(names, course.secret("course"))
        record = replace(record, outdated=())  # It names who handed in late.
    folder = (folder or course.root / "reports").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ending = "-anonymous" * anonymous

    def link(chapter: str) -> str:
        return f"{chapter}{ending}.html" if (folder / f"{chapter}{ending}.html").is_file() else ""

    file = folder / f"course{ending}.html"
    for path, text in (
        (file, page(record, names.__getitem__, link)),
        (file.with_suffix(".csv"), table(record, names.__getitem__, anonymous=anonymous)),
    ):
        write_whole(path, text.encode(errors="replace"))
    return file
