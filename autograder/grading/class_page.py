"""The report on a class as one page that needs nothing else, and as a table for other programs.

The page has no script and loads nothing; it is readable in light and dark, on a phone and on paper.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from math import ceil
from statistics import mean, median

from autograder.declare import added
from autograder.grading import frame
from autograder.grading.class_record import ClassRecord, Item, Misconception
from autograder.grading.export import Standing

_BINS = 20
_MOST_CAUSES = 30
_MOST_PAIRS = 20
_MOST_NAMES = 40
_MOST_SAID = 3
_SLOWEST = 5
_LOW = 0.1
"""Below this discrimination a check is marked: who passes it did hardly better elsewhere."""
_EXCERPT = 40
"""The most lines of code that are shown of an answer."""
_STYLE = """
body { max-width: 64rem }
h1 { font-size: 1.6rem; margin: .5rem 0 } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem }
.tiles { max-width: none; display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none }
.tiles li { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .9rem }
.tiles strong { display: block; font-size: 1.4rem; line-height: 1.2 }
.wide { overflow-x: auto } table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line); overflow-wrap: break-word; white-space: nowrap }
th:first-child, td:first-child { white-space: normal; min-width: 9rem }
th { font-weight: 600 } td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
tr.exercise td { font-weight: 600; background: var(--soft) }
.bar { display: inline-block; width: 7rem; height: .7rem; background: var(--soft); border: 1px solid var(--line); vertical-align: middle }
.bar i { display: block; height: 100%; background: var(--bar) }
.low { color: var(--bad); font-weight: 600 }
details { margin: .3rem 0 } summary { cursor: pointer }
pre { background: var(--soft); padding: .6rem .8rem; border-radius: .3rem; margin: .4rem 0; font: .85rem/1.45 ui-monospace, monospace; white-space: pre-wrap }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: .8rem }
svg { max-width: 100%; height: auto } svg text { fill: var(--ink); font: 13px system-ui, sans-serif } svg rect { fill: var(--bar) } svg line { stroke: var(--aside) }
@media (max-width: 40rem) { .bar { width: 3rem } }
@media print { ::details-content { content-visibility: visible; block-size: auto } tr, .pair { break-inside: avoid } }
"""

Name = Callable[[str], str]


def page(record: ClassRecord, name: Name) -> str:
    """The report as a page.

    Args:
        record: What the class did.
        name: What a student is called in it.
    """
    body = [_head(record), *_distribution(record), *_checks(record), *_causes(record, name)]
    body += [*_attention(record, name), *_times(record, name), *_pairs(record, name)]
    title = f"{record.chapter}: report on the class"
    return frame.page(title, "\n".join(["<main>", f"<h1>{escape(title)}</h1>", *body, "</main>"]), _STYLE)


def _head(record: ClassRecord) -> str:
    totals = [record.points(student) for student in record.work]
    tiles = [
        (len(record.work), "graded"),
        (f"{median(totals):g} of {record.worth}", "median of the checks' points"),
        (len(record.standing(Standing.MISSING)), "missing"),
        (sum(line.is_late for line in record.lines), "late"),
        (len(record.standing(Standing.WAITING)), "waiting to be read"),
    ]
    items = "".join(f"<li><strong>{value}</strong>{words}</li>" for value, words in tiles)
    return f"<ul class='tiles'>{items}</ul>"


def _distribution(record: ClassRecord) -> Iterator[str]:
    totals = [record.points(student) for student in record.work]
    most = max(1, ceil(max(record.worth, *totals)))  # Extra credit goes beyond the maximum.
    size = max(1, -(-(most + 1) // _BINS))
    bins = [0] * (most // size + 1)
    for total in totals:
        bins[int(total) // size] += 1
    highest, width, height = max(bins), 640, 180
    step = (width - 40) / len(bins)
    bars = []
    for place, count in enumerate(bins):
        tall = height * count / highest
        left = 36 + place * step
        first, last = place * size, min(place * size + size - 1, most)
        reach = f"{first}" if first == last else f"{first} to {last}"
        bars.append(
            f"<rect x='{left + 1:.1f}' y='{10 + height - tall:.1f}' width='{step - 2:.1f}' height='{tall:.1f}'>"
            f"<title>{reach} points: {_students(count)}</title></rect>"
        )
    marks = sorted({0, most // 2, most})
    labels = "".join(
        f"<text x='{36 + (mark // size + 0.5) * step:.1f}' y='{height + 28}' text-anchor='middle'>{mark}</text>"
        for mark in marks
    )
    yield "<h2>Points</h2>"
    yield (
        f"<p>{_students(len(totals))}: half of them have at least {median(totals):g} of the {record.worth} points that the checks give, "
        f"and {_students(sum(total >= record.worth for total in totals))} got full marks.</p>"
    )
    yield (
        f"<svg viewBox='0 0 {width} {height + 50}' width='{width}' role='img' aria-label='Histogram of the points'>"
        f"<line x1='36' y1='{10 + height}' x2='{width - 4}' y2='{10 + height}'/>"
        f"<text x='30' y='20' text-anchor='end'>{highest}</text><text x='40' y='{height // 2}' text-anchor='middle' transform='rotate(-90 14 {height // 2}) translate(-26 0)'>students</text><text x='30' y='{10 + height}' text-anchor='end'>0</text>"
        f"{''.join(bars)}{labels}<text x='{36 + (width - 40) / 2:.0f}' y='{height + 46}' text-anchor='middle'>points from checks</text></svg>"
    )


def _students(number: int) -> str:
    return "1 student" if number == 1 else f"{number} students"


def _checks(record: ClassRecord) -> Iterator[str]:
    yield "<h2>Exercises and checks</h2>"
    yield (
        "<p>For an exercise, the share of its points that the class earned; for a check, the share of those who attempted the exercise that passed it. <em>Discrimination</em> is the correlation of passing a check with the points of "
        f"all other checks: near 1, the students who pass it are the ones who do well elsewhere. Values below {_LOW:g} are marked: such a check is passed or missed by "
        "nearly everybody, or tests something different from the rest.</p>"
    )
    rows = []
    items = record.items()
    for found in record.exercises:
        name = found.exercise.name
        own = [item for item in items if item.exercise == name]
        wrote = max(item.attempted for item in own)
        share = mean(record.work[student].result.earned(name) for student in record.work) / (found.points or 1)
        extra = " <span class='aside'>(extra credit)</span>" * found.extra_credit
        rows.append(
            f"<tr class='exercise'><td>{escape(name)}{extra}</td><td class='number'>{found.points}</td><td>{_bar(share)} {share:.0%}</td>"
            f"<td class='number'>{wrote} of {len(record.work)} attempted it</td></tr>"
        )
        rows += map(_check, own)
    head = "<tr><th>check</th><th class='number'>points</th><th>passed</th><th class='number'>discrimination</th></tr>"
    yield f"<div class='wide'><table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table></div>"


def _check(item: Item) -> str:
    share = item.passed / item.attempted if item.attempted else 0.0
    shown = "–" if item.discrimination is None else f"{round(item.discrimination, 2) + 0.0:.2f}"
    low = " low" if item.discrimination is not None and item.discrimination < _LOW else ""
    hidden = " <span class='aside'>(hidden)</span>" if item.hidden else ""
    return (
        f"<tr><td>{escape(item.check)}{hidden}</td><td class='number'>{added([item.points])}</td>"
        f"<td>{_bar(share)} {share:.0%}</td><td class='number{low}'>{shown}</td></tr>"
    )


def _bar(share: float) -> str:
    return f"<span class='bar' aria-hidden='true'><i style='width:{100 * share:.0f}%'></i></span>"


def _causes(record: ClassRecord, name: Name) -> Iterator[str]:
    found = record.misconceptions()
    yield "<h2>What went wrong</h2>"
    yield (
        "<p>Each cause that the checks identified, with the students whose feedback names it. Numbers in a message are those of the first student. "
        "Each student is counted once per cause, and a check that only builds on a missed one is left out.</p>"
    )
    if not found:
        yield "<p>Nothing: every attempted exercise passed its checks.</p>"
    for one in found[:_MOST_CAUSES]:
        yield _cause(one, name)
    if len(found) > _MOST_CAUSES:
        rest = found[_MOST_CAUSES:]
        most = len(rest[0].students)
        yield f"<p class='aside'>{len(rest)} more causes, each with at most {_students(most)}, are in the feedback.</p>"


def _cause(one: Misconception, name: Name) -> str:
    code = f"<pre>{escape(_short(one.example))}</pre>" if one.example else ""
    return (
        f"<details><summary><strong>{_students(len(one.students))}</strong> · {escape(one.exercise)}: {escape(one.message)}</summary>"
        f"<p class='aside'>Missed: {escape(one.check)}</p><p>{_names(one.students, name)}</p>{code}</details>"
    )


def _short(source: str) -> str:
    lines = source.strip("\n").splitlines()
    return "\n".join([*lines[:_EXCERPT], *(["…"] if len(lines) > _EXCERPT else [])])


def _names(students: Iterable[str], name: Name) -> str:
    called = sorted(map(name, students), key=_natural)
    more = f" and {len(called) - _MOST_NAMES} more" if len(called) > _MOST_NAMES else ""
    return escape(", ".join(called[:_MOST_NAMES])) + more


def _natural(text: str) -> list[tuple[int, str]]:
    """A key that sorts numbers in names by their value."""
    return [(int(part) if part.isdecimal() else 0, part) for part in re.split(r"(\d+)", text)]


def _briefly(said: Sequence[str]) -> str:
    more = [f"and {len(said) - _MOST_SAID} more"] if len(said) > _MOST_SAID else []
    return escape("; ".join([*said[:_MOST_SAID], *more]))


def _attention(record: ClassRecord, name: Name) -> Iterator[str]:
    late = [line.student.id for line in record.lines if line.is_late]
    repaired = {student: work.problems for student, work in record.work.items() if work.problems}
    failed = {
        student: [f"cell {index + 1}: {error}" for index, error in work.result.errors.items()]
        for student, work in record.work.items()
        if work.result.errors
    }
    reached = {student: work.reached for student, work in record.work.items() if work.reached}
    nothing = [student for student, work in record.work.items() if not work.answers]
    lists = [
        ("Nothing handed in", record.standing(Standing.MISSING)),
        ("Handed in, but not graded since", [*record.standing(Standing.NOT_GRADED), *record.ungraded]),
        ("Handed in late", late),
        ("A written answer is waiting to be graded", record.standing(Standing.WAITING)),
        ("No exercise was attempted", nothing),
    ]
    yield "<h2>Who needs attention</h2>"
    for words, students in lists:
        if students:
            called = dict.fromkeys(students)
            yield f"<details><summary>{words}: {_students(len(called))}</summary><p>{_names(called, name)}</p></details>"
    if failed:
        yield f"<details><summary>A cell of the notebook failed: {_students(len(failed))}</summary><ul>"
        yield from (f"<li>{escape(name(student))}: {_briefly(said)}</li>" for student, said in sorted(failed.items()))
        yield "</ul></details>"
    if repaired:
        yield f"<details><summary>Repaired or unreadable in the notebook: {_students(len(repaired))}</summary><ul>"
        yield from (f"<li>{escape(name(student))}: {_briefly(said)}</li>" for student, said in sorted(repaired.items()))
        yield "</ul></details>"
    if reached:
        yield (
            f"<details><summary>Code that refers to things that no exercise needs: {_students(len(reached))}</summary>"
            "<p class='aside'>There is often a harmless reason, such as a file that a student opened out of curiosity. Code runs in a sandbox, "
            "where there is nothing to find. Read the notebook before you ask.</p><ul>"
        )
        yield from (
            f"<li>{escape(name(student))}: {escape(', '.join(words))}</li>"
            for student, words in sorted(reached.items())
        )
        yield "</ul></details>"
    if not (failed or repaired or reached or any(students for _, students in lists)):
        yield "<p>Nobody.</p>"


def _times(record: ClassRecord, name: Name) -> Iterator[str]:
    seconds = {student: work.result.seconds for student, work in record.work.items()}
    slowest = sorted(seconds, key=lambda student: -seconds[student])[:_SLOWEST]
    yield "<h2>Time</h2>"
    yield (
        f"<p>Running a submission took {median(seconds.values()):.1f} s (median). The slowest: "
        + "; ".join(f"{escape(name(student))}, {seconds[student]:.1f} s" for student in slowest)
        + ".</p>"
    )


def _pairs(record: ClassRecord, name: Name) -> Iterator[str]:
    pairs = record.alike()
    yield "<h2>Answers that are unusually alike</h2>"
    yield (
        "<p>Two students are listed if their answers share a lot of code that hardly anyone else in the class wrote. The given code and the reference solution do not count, and the "
        "names of variables do not matter. Students who worked together or read the same source look like this too: it is a reason to look, not proof.</p>"
    )
    if not pairs:
        yield "<p>None.</p>"
    for pair in pairs[:_MOST_PAIRS]:
        one, other = pair.students
        exercise = pair.exercises[0]
        codes = "".join(
            f"<div><strong>{escape(name(student))}</strong><pre>{escape(_short(record.work[student].answers[exercise]))}</pre></div>"
            for student in pair.students
        )
        yield (
            f"<details><summary>{escape(name(one))} and {escape(name(other))}: {pair.share:.0%} of the rare code in one's answers is also in the other's "
            f"({escape(', '.join(pair.exercises))})</summary><p class='aside'>{escape(exercise)}:</p><div class='pair'>{codes}</div></details>"
        )
    if len(pairs) > _MOST_PAIRS:
        yield f"<p class='aside'>{len(pairs) - _MOST_PAIRS} more pairs share less.</p>"


def table(record: ClassRecord, name: Name) -> str:
    """A row for each student: the status, the points, and each check with its points; empty where the exercise was not written.

    Args:
        record: What the class did.
        name: What a student is called in it.
    """
    checks: Sequence[tuple[str, int, str]] = [
        (found.exercise.name, place, f"{found.exercise.name}: {check.name}")
        for found in record.exercises
        for place, check in enumerate(found.checks)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["student", "status", "points", "seconds", *(title for *_, title in checks)])
    for line in record.lines:
        work = record.work.get(line.student.id)
        row = [name(line.student.id), line.standing.value]
        if work:
            row += [str(record.points(line.student.id)), f"{work.result.seconds:.2f}"]
            for exercise, place, _ in checks:
                outcome = work.result.outcomes[exercise][place]
                row.append("" if outcome.status == "not attempted" else str(added([outcome.earned])))
        writer.writerow(row)
    return text.getvalue()
