"""The report on a class as one page that needs nothing else, and as a table for other programs.

The page has no script and loads nothing; it is readable in light and dark, on a phone and on paper.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from math import ceil
from pathlib import Path
from statistics import mean, median
from typing import TypeVar

from rich.console import Console

from autograder.checkout import Course, write_whole
from autograder.declare import ExerciseChecks, added
from autograder.grading import page_layout
from autograder.grading.class_record import ClassRecord, Item, Misconception, pseudonyms, read_class
from autograder.grading.export import Standing
from autograder.grading.gradebook import called, full_name
from autograder.grading.report_parts import STYLE, Name, natural_key, share_bar, told_number, told_students, wide_table
from autograder.grading.sanitize import printable
from autograder.grading.similarity import Pair
from autograder.notebook.report import marked_up

_BINS = 20
_MOST_CAUSES = 60
_MOST_GROUPS = 20
_MOST_PAIRS = 10
_MOST_SHOWN = 3
_MOST_SAID = 3
_MOST_USE = 5
_MOST_FIRST = 3
_FEW = 30
"""With fewer students than this, the page says that discrimination depends on chance."""
_LOW = 0.1
"""Below this discrimination a check is marked: students who pass it did hardly better elsewhere."""
_MOST_DISCLOSED = 500
_WRITES, _EXPLAINS = 0.8, 0.5
"""Who earns at least the first share of the points from checks, and less than the second one of a viva, is named."""
_EXCERPT, _MAX_LINE = 40, 300
"""The most lines of code that are shown of an answer, and the most characters of each."""
Said = TypeVar("Said")


def page(record: ClassRecord, name: Name) -> str:
    """The report as a page.

    Args:
        record: What the class did.
        name: What a student is called in it.
    """
    body = [
        _head(record),
        *_first(record),
        *_distribution(record),
        *_exercises(record),
        *_causes(record, name),
        *_attention(record, name),
    ]
    body += [
        *_alike(record, name),
        *_disclosed(record, name),
        *_viva(record, name),
        *_use(record, name),
        *_checks(record),
    ]
    title = f"{record.chapter}: report on the class"
    return page_layout.page(title, "\n".join(["<main>", f"<h1>{escape(title)}</h1>", *body, "</main>"]), STYLE)


def _head(record: ClassRecord) -> str:
    totals = [record.points(student) for student in record.work]
    tiles = [
        (len(record.work), "graded"),
        (f"{told_number(median(totals))} of {told_number(record.worth)}", "median of the points from checks"),
        (len(record.standing(Standing.MISSING)), "missing"),
        (sum(line.is_late for line in record.lines), "late"),
        (len(record.standing(Standing.UNREADABLE)), "without a readable notebook"),
        (len(record.standing(Standing.WAITING)), "with a written answer to grade"),
    ]
    items = "".join(f"<li><strong>{value}</strong>{words}</li>" for value, words in tiles)
    outdated = f"<p class='note'>{marked_up(record.outdated)}.</p>" if record.outdated else ""
    return f"<ul class='tiles'>{items}</ul>{outdated}"


def _first(record: ClassRecord) -> Iterator[str]:
    """The exercises that cost the class the most points, each with its most frequent cause."""
    required = [found for found in record.exercises if not found.extra_credit and record.share(found) < 1]
    worst = sorted(required, key=lambda found: (record.share(found) - 1) * found.points)[:_MOST_FIRST]
    if not worst:
        return
    yield "<h2>Where the class lost the most points</h2>"
    causes = record.misconceptions()
    rows = []
    for found in worst:
        name = found.exercise.name
        wrote = [student for student, work in record.work.items() if work.attempted(name)]
        full = sum(record.work[student].result.earned(name) >= found.points for student in wrote)
        told = f"{len(wrote)} of {told_students(len(record.work))} attempted it, and {full} of them earned all points."
        cause = next((one for one in causes if one.exercise == name), None)
        if cause and len(cause.students) > 1:
            told += f" Most frequent cause ({told_students(len(cause.students))}): {_parts(cause.message)[0]}."
        elif cause:
            told += " No two of the others had the same cause."
        share = f"{record.share(found):.0%} of {told_number(found.points)} points"
        rows.append(f"<li><strong>{escape(name)}</strong>: the class earned {share}. {told}</li>")
    yield f"<ol class='first'>{''.join(rows)}</ol>"


def _distribution(record: ClassRecord) -> Iterator[str]:
    totals = [record.points(student) for student in record.work]
    most = max(1, ceil(max(record.worth, *totals)))  # Extra credit goes beyond the maximum.
    size = max(1, -(-(most + 1) // _BINS))
    bins = [0] * (most // size + 1)
    for total in totals:
        bins[int(total) // size] += 1
    width, height, left, top = 480, 160, 46, 26
    step = (width - left - 14) / len(bins)
    grid = _round_steps(max(bins))
    highest = grid[-1]
    lines, bars = [], []
    for count in grid:
        y = top + height - height * count / highest
        lines.append(
            f"<line class='grid' x1='{left}' y1='{y:.1f}' x2='{width - 14}' y2='{y:.1f}'/>"
            f"<text x='{left - 6}' y='{y + 4:.1f}' text-anchor='end'>{count}</text>"
        )
    for place, count in enumerate(bins):
        tall = height * count / highest
        first, last = place * size, min(place * size + size - 1, most)
        reach = f"{first}" if first == last else f"{first} to {last}"
        bars.append(
            f"<rect x='{left + place * step + 1:.1f}' y='{top + height - tall:.1f}' width='{step - 2:.1f}' height='{tall:.1f}'>"
            f"<title>{reach} points: {told_students(count)}</title></rect>"
        )
    # A bar of the points 60 to 64 begins where 60 is written.
    labels = "".join(
        f"<text x='{left + mark / size * step:.1f}' y='{top + height + 18}' text-anchor='middle'>{mark}</text>"
        for mark in _round_steps(most)
        if mark <= most
    )
    middle, told = left + (median(totals) + 0.5) / size * step, told_number(median(totals))
    half = (
        f"<line class='middle' x1='{middle:.1f}' y1='{top - 4}' x2='{middle:.1f}' y2='{top + height}'/>"
        f"<text class='middle-label' x='{middle - 6:.1f}' y='{top - 8}' text-anchor='{'end' if middle > width / 2 else 'start'}'>median {told}</text>"
    )
    yield "<h2>Points</h2>"
    yield from _median_scores(record, told)
    yield (
        f"<svg viewBox='0 0 {width} {height + 70}' width='600' role='img' "
        f"aria-label='Histogram of the points from checks; the median is {told} of {told_number(record.worth)}'>"
        f"{''.join(lines)}{''.join(bars)}{half}{labels}<line x1='{left}' y1='{top + height}' x2='{width - 14}' y2='{top + height}'/>"
        f"<text x='{left + (width - left) / 2:.0f}' y='{top + height + 40}' text-anchor='middle'>points from checks, {size} to a bar</text>"
        f"<text x='14' y='{top + height / 2:.0f}' text-anchor='middle' transform='rotate(-90 14 {top + height / 2:.0f})'>students</text></svg>"
    )


def _median_scores(record: ClassRecord, half: str) -> Iterator[str]:
    """What the points on this page are, and the median of the scores that count."""
    extra = ", with extra credit on top" * any(found.extra_credit for found in record.exercises)
    full = sum(map(record.earned_all, record.work))
    yield (
        f"<p>All points on this page are those from the checks, <strong>before late penalties</strong>, and without written answers and points given by hand. "
        f"The median is {half} of {told_number(record.worth)} points{extra}, and {told_students(full)} lost none.</p>"
    )
    scores = record.scores()
    if scores:
        yield (
            f"<p>{len(scores)} of {told_students(len(record.lines))} {'has' if len(scores) == 1 else 'have'} a final score so far, "
            f"with everything counted and <strong>after late penalties</strong>. The median of these scores is {told_number(median(scores))} of {told_number(record.lines[0].worth)}.</p>"
        )


def _round_steps(most: int) -> list[int]:
    """Round numbers from 0, of which the last is the first that is not below the most; about five of them."""
    size = next(
        size
        for power in range(len(str(most)) + 1)
        for size in (10**power, 2 * 10**power, 5 * 10**power)
        if size * 5 >= most
    )
    return [*range(0, most + size, size)] if most % size else [*range(0, most + 1, size)]


_SHARES = (("full", "all points"), ("part", "some points"), ("none", "no points"), ("blank", "not attempted"))


def _extra(found: ExerciseChecks) -> str:
    return " <span class='aside'>(extra credit)</span>" * found.extra_credit


def _exercises(record: ClassRecord) -> Iterator[str]:
    yield "<h2>Exercises</h2>"
    key = "".join(f"<li><i class='{kind}'></i>{words}</li>" for kind, words in _SHARES)
    yield f"<ul class='key' aria-hidden='true'>{key}</ul>"
    rows = []
    for found in record.exercises:
        count = dict.fromkeys((kind for kind, _ in _SHARES), 0)
        for work in record.work.values():
            earned = work.result.earned(found.exercise.name)
            kind = (
                "blank"
                if not work.attempted(found.exercise.name)
                else "full"
                if earned >= found.points
                else "part"
                if earned
                else "none"
            )
            count[kind] += 1
        bars = "".join(f"<i class='{kind}' style='flex:{number}'></i>" for kind, number in count.items() if number)
        said = ", ".join(f"{count[kind]} {words}" for kind, words in _SHARES if count[kind])
        rows.append(
            f"<li><span><strong>{escape(found.exercise.name)}</strong>{_extra(found)}</span><span>{record.share(found):.0%} of {told_number(found.points)} points</span>"
            f"<div><div class='parts' aria-hidden='true'>{bars}</div><span class='aside'>{said}</span></div></li>"
        )
    yield f"<ul class='exercises'>{''.join(rows)}</ul>"


def _checks(record: ClassRecord) -> Iterator[str]:
    yield "<h2>Every check</h2>"
    few = f" With fewer than {_FEW} students, as here, chance plays a large part in it." * (len(record.work) < _FEW)
    yield (
        "<p>For an exercise, the share of its points that the class earned; for a check, how many of the students "
        "who attempted the exercise passed it. Hidden checks run only during grading; all others are visible in the "
        "notebook.</p><p><em>Discrimination</em> is the correlation of passing a check with the points from all "
        f"other checks. Near 1, strong students pass the check and weak students fail it. Values below {_LOW:g} are "
        "marked: strong students fail such a check about as often as weak ones, so check whether the task is clear. "
        f"A dash means that everyone passed it, or nobody.{few}</p>"
    )
    rows = []
    items = record.items()
    for found in record.exercises:
        name = found.exercise.name
        own = [item for item in items if item.exercise == name]
        wrote, share = max(item.attempted for item in own), record.share(found)
        attempted = f"<span class='aside'>({wrote} of {len(record.work)} attempted it)</span>"
        rows.append(
            f"<tr class='exercise'><td>{escape(name)}{_extra(found)} {attempted}</td><td class='number'>{found.points}</td>"
            f"<td>{share_bar(share)} {share:.0%} of the points</td><td></td></tr>"
        )
        rows += map(_check, own)
    head = "<tr><th>check</th><th class='number'>points</th><th>passed</th><th class='number'>discrimination</th></tr>"
    yield wide_table("Checks", head, rows)


def _check(item: Item) -> str:
    share = item.passed / item.attempted if item.attempted else 0.0
    passed = f"{share:.0%} <span class='aside'>({item.passed} of {item.attempted})</span>" if item.attempted else "–"
    shown = "–" if item.discrimination is None else f"{round(item.discrimination, 2) + 0.0:.2f}"
    low = " low" if item.discrimination is not None and item.discrimination < _LOW else ""
    hidden = " <span class='aside'>(hidden)</span>" if item.hidden else ""
    return (
        f"<tr><td>{escape(item.check)}{hidden}</td><td class='number'>{added([item.points])}</td>"
        f"<td>{share_bar(share)} {passed}</td><td class='number{low}'>{shown}</td></tr>"
    )


def _causes(record: ClassRecord, name: Name) -> Iterator[str]:
    found = record.misconceptions()
    yield "<h2>What went wrong</h2>"
    yield (
        "<p>Each cause that the checks identified, with the students whose feedback names it, the most frequent first. Numbers in a message are those of the "
        "first student. Each student is counted once per cause, and a check that only builds on a missed one is left out.</p>"
    )
    if not found:
        yield "<p>Nothing: every attempted exercise passed its checks.</p>"
    shared = sum(len(one.students) > 1 for one in found)
    for place, one in enumerate(found[:_MOST_CAUSES]):
        if place == shared > 0:
            yield "<h3>Causes of a single student each</h3>"
        yield _cause(record, one, name)
    if len(found) > _MOST_CAUSES:
        rest = found[_MOST_CAUSES:]
        most = len(rest[0].students)
        yield f"<p class='aside'>{len(rest)} more causes, each with at most {told_students(most)}, are in the feedback.</p>"


def _cause(record: ClassRecord, one: Misconception, name: Name) -> str:
    code = _own(record, one.exercise, one.example) if one.example else ""
    message, advice = _parts(one.message)
    told = f"<p class='aside'>{advice}</p>" * bool(advice)
    told += "".join(
        f"<p class='aside'>They were also told: {'. '.join(filter(None, _parts(each)))}</p>" for each in one.also
    )
    return (
        f"<details><summary><strong>{told_students(len(one.students))}</strong> · {escape(one.exercise)}: {message}</summary>"
        f"<p class='aside'>Failed check: {escape(one.check)}</p>{told}<p>{_names(one.students, name)}</p>{code}</details>"
    )


def _parts(message: str) -> tuple[str, str]:
    """What went wrong, which is the first line of a message, and the advice after it, for the page."""
    cause, _, advice = message.partition("\n")
    return marked_up(cause.rstrip(".")), marked_up(advice)


def _own(record: ClassRecord, exercise: str, source: str) -> str:
    """What a student wrote of an answer, as code for the page: a line with … stands for what was given, and for what is too long."""
    given = {line.rstrip() for line in record.stubs.get(exercise, "").splitlines()} - {""}
    lines: list[str] = []
    for line in source.strip("\n").splitlines():
        own = "…" if line.rstrip() in given else line.rstrip()
        after = lines[-1] if lines else ""
        if not (after == "…" and own in ("…", "")):
            lines.append(own)
    if lines[-1:] == ["…"]:
        lines.pop()
    shown = [line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]} …" for line in lines[:_EXCERPT]]
    return f"<pre>{escape(chr(10).join([*shown, *(['…'] if len(lines) > _EXCERPT else [])]))}</pre>"


def _names(students: Iterable[str], name: Name) -> str:
    return escape(", ".join(sorted(map(name, students), key=natural_key)))


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
    limited = record.limited()
    reached = {student: work.reached for student, work in record.work.items() if work.reached}
    nothing = [student for student, work in record.work.items() if not work.answers]
    low = [student for student in record.work if student not in nothing and 2 * record.points(student) < record.worth]
    lists = [
        ("Nothing handed in", record.standing(Standing.MISSING)),
        ("Handed in, but not graded since", [*record.standing(Standing.NOT_GRADED), *record.ungraded]),
        ("Handed in, but without a notebook that can be read", record.standing(Standing.UNREADABLE)),
        ("Not on the roster, so without a grade", list(record.strangers)),
        ("Handed in late", late),
        ("With a written answer to grade", record.standing(Standing.WAITING)),
        ("No exercise was attempted", nothing),
        ("Less than half of the points from checks", low),
    ]
    yield "<h2>Who needs attention</h2>"
    for words, students in lists:
        if students:
            called = dict.fromkeys(students)
            yield f"<details><summary>{words}: {told_students(len(called))}</summary><p>{_names(called, name)}</p></details>"
    if failed:
        yield f"<details><summary>A cell of the notebook failed: {told_students(len(failed))}</summary><ul>"
        yield from (f"<li>{escape(name(student))}: {_briefly(said)}</li>" for student, said in _by_name(failed, name))
        yield "</ul></details>"
    if repaired:
        yield f"<details><summary>Repaired or unreadable in the notebook: {told_students(len(repaired))}</summary><ul>"
        yield from (f"<li>{escape(name(student))}: {_briefly(said)}</li>" for student, said in _by_name(repaired, name))
        yield "</ul></details>"
    if limited:
        yield f"<details><summary>Ran into a limit of time or memory: {told_students(len(limited))}</summary><ul>"
        yield from (f"<li>{escape(name(student))}: {_briefly(at)}</li>" for student, at in _by_name(limited, name))
        yield "</ul></details>"
    if reached:
        yield (
            f"<details><summary>Code that refers to things that no exercise needs: {told_students(len(reached))}</summary>"
            "<p class='aside'>There is often a harmless reason, such as a file that a student opened out of curiosity. Code runs in a sandbox, "
            "where there is nothing to find. Read the notebook before you ask.</p><ul>"
        )
        yield from (
            f"<li>{escape(name(student))}: {escape(', '.join(words))}</li>"
            for student, words in _by_name(reached, name)
        )
        yield "</ul></details>"
    if not (failed or repaired or limited or reached or any(students for _, students in lists)):
        yield "<p>Nobody.</p>"


def _by_name(said: Mapping[str, Said], name: Name) -> list[tuple[str, Said]]:
    """What is said of students, in the order of what they are called."""
    return sorted(said.items(), key=lambda item: natural_key(name(item[0])))


def _use(record: ClassRecord, name: Name) -> Iterator[str]:
    seconds = {student: work.result.seconds for student, work in record.work.items()}
    memory = {student: work.result.memory for student, work in record.work.items() if work.result.memory is not None}
    may, most = record.limits.memory_bytes, record.limits.total_seconds
    yield "<h2>Time and memory</h2>"
    words = f"Half of the submissions computed for {median(seconds.values()):.1f} s or less"
    if memory:
        words += f"; half took {_megabytes(median(memory.values()))} of memory or less, beyond what Python and torch take for everyone"
    yield f"<p>{words}. The limits are {most:g} s and {_megabytes(may)}. These took the most:</p>"
    slowest = sorted(seconds, key=lambda student: -seconds[student])[:_MOST_USE]
    largest = [student for student in sorted(memory, key=lambda student: -memory[student]) if memory[student]][
        :_MOST_USE
    ]
    rows = [
        f"<tr><td>{escape(name(student))}</td><td class='number'>{seconds[student]:.1f} s</td><td>{share_bar(seconds[student] / most)}</td>"
        f"<td class='number'>{_megabytes(memory[student]) if student in memory else '–'}</td><td>{share_bar(memory.get(student, 0) / may)}</td></tr>"
        for student in dict.fromkeys([*slowest, *largest])
    ]
    head = "<tr><th>student</th><th class='number'>time</th><th>of the limit</th><th class='number'>memory</th><th>of the limit</th></tr>"
    yield wide_table("Time and memory", head, rows)
    if len(memory) < len(seconds):
        yield f"<p class='aside'>The memory of {told_students(len(seconds) - len(memory))} was not measured.</p>"


def _megabytes(size: float) -> str:
    return f"{max(1, math.ceil(size / (1 << 20))):,} MB"


def _alike(record: ClassRecord, name: Name) -> Iterator[str]:
    groups = record.groups()
    yield "<h2>Answers that are unusually alike</h2>"
    yield (
        "<p>Students are listed together if each shares with another of them a lot of code that hardly anyone else in the class wrote, or handed in the very same file. The names of variables, "
        "comments, layout, and the order of statements do not matter, and the given code and all solutions of the course do not count. Students who worked together or read the same "
        "source look like this too: it is a reason to look, not proof.</p>"
    )
    if not groups:
        yield "<p>None.</p>"
    for group in groups[:_MOST_GROUPS]:
        who = _together([f"<strong>{escape(name(student))}</strong>" for student in group.students])
        said = [
            f"<li>{_together([escape(name(student)) for student in students])}: the very same file</li>"
            for students in group.equal
        ]
        said += [
            f"<li>{_together([escape(name(student)) for student in pair.students])}: {_said_of(record, pair)}</li>"
            for pair in group.pairs[:_MOST_PAIRS]
        ]
        if len(group.pairs) > _MOST_PAIRS:
            said.append(f"<li>{len(group.pairs) - _MOST_PAIRS} more pairs of them share less.</li>")
        number = "" if len(group.students) == 2 else f" ({len(group.students)} students)"
        codes = "".join(_side_by_side(record, pair, name) for pair in group.pairs[:1])
        why = "the very same file" if group.equal else _said_of(record, group.pairs[0])
        if len(said) == 1:
            yield f"<details><summary>{who}: {why}</summary>{codes}</details>"
        else:
            yield f"<details><summary>{who}{number}</summary><ul>{''.join(said)}</ul>{codes}</details>"
    if len(groups) > _MOST_GROUPS:
        yield f"<p class='aside'>{len(groups) - _MOST_GROUPS} more groups share less.</p>"


def _disclosed(record: ClassRecord, name: Name) -> Iterator[str]:
    """What students said about assistants, where they were asked."""
    asked = {student: work.disclosed for student, work in record.work.items() if work.disclosed is not None}
    if not asked:
        return
    said = {student: text for student, text in asked.items() if text}
    yield "<h2>What students say about assistants</h2>"
    yield f"<p>{len(said)} of {told_students(len(asked))} filled in the cell that asks which assistants they used. It is what they say, and nothing checks it.</p>"
    if said:
        rows = "".join(
            f"<li><strong>{escape(name(student))}</strong>: {escape(_in_one_line(text))}</li>"
            for student, text in _by_name(said, name)
        )
        yield f"<details><summary>What they say</summary><ul>{rows}</ul></details>"
    silent = [student for student in asked if student not in said]
    if silent:
        yield f"<details><summary>Left empty: {told_students(len(silent))}</summary><p>{_names(silent, name)}</p></details>"


def _viva(record: ClassRecord, name: Name) -> Iterator[str]:
    """What students could write against what they could explain, where there was a viva."""
    explained = record.explained()
    if not explained:
        return
    written = {student: record.points(student) / (record.worth or 1) for student in explained}
    gap = [student for student in explained if written[student] >= _WRITES and explained[student] < _EXPLAINS]
    yield "<h2>Points against the viva</h2>"
    yield (
        f"<p>{told_students(len(explained))} answered questions about their own code. On average they earned {mean(written.values()):.0%} of the points from checks and "
        f"{mean(explained.values()):.0%} of those of the viva.</p>"
    )
    if gap:
        yield (
            f"<details><summary>At least {_WRITES:.0%} of the points from checks, and less than {_EXPLAINS:.0%} of the viva: {told_students(len(gap))}</summary>"
            "<p class='aside'>Nerves, language and a bad day look like this too: it is a reason to talk, not proof.</p><ul>"
        )
        yield from (
            f"<li>{escape(name(student))}: {share:.0%} of the points, {explained[student]:.0%} of the viva</li>"
            for student, share in _by_name({student: written[student] for student in gap}, name)
        )
        yield "</ul></details>"
    else:
        yield f"<p>Nobody has at least {_WRITES:.0%} of the points from checks and less than {_EXPLAINS:.0%} of the viva.</p>"
    rows = [
        f"<tr><td>{escape(exercise)}</td><td class='number'>{number}</td><td>{share_bar(wrote)} {wrote:.0%}</td><td>{share_bar(said)} {said:.0%}</td></tr>"
        for exercise, number, wrote, said in record.written_and_explained()
    ]
    yield "<p>Each exercise that was asked about, for the students who were asked; first what they write better than they explain.</p>"
    head = "<tr><th>exercise</th><th class='number'>questions</th><th>points from checks</th><th>points of the viva</th></tr>"
    yield wide_table("Points against the viva", head, rows)


def _in_one_line(text: str) -> str:
    return printable(" ".join(text.split())[:_MOST_DISCLOSED])


def _together(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _said_of(record: ClassRecord, pair: Pair) -> str:
    """What two students share, in words."""
    one, other = pair.students
    both = sum(exercise in record.work[other].answers for exercise in record.work[one].answers)
    said = (
        [f"{len(pair.same)} of {both} answers are the same apart from names, comments and layout"] if pair.same else []
    )
    said += [f"{pair.share:.0%} of the rare code in one's answers is also in the other's"] if pair.share else []
    exercises = escape(", ".join(pair.same or pair.exercises))
    return f"{', and '.join(said)} ({exercises})"


def _side_by_side(record: ClassRecord, pair: Pair, name: Name) -> str:
    return "".join(
        f"<p class='aside'>{escape(exercise)}</p><div class='pair'>"
        + "".join(
            f"<div><strong>{escape(name(student))}</strong>{_own(record, exercise, record.work[student].answers[exercise])}</div>"
            for student in pair.students
        )
        + "</div>"
        for exercise in (pair.same or pair.exercises)[:_MOST_SHOWN]
    )


def table(record: ClassRecord, name: Name, *, anonymous: bool) -> str:
    """A row for each student: the status, the points from the checks, and each check with its points; empty where the exercise was not written.

    Args:
        record: What the class did.
        name: What a student is called in a report that names nobody.
        anonymous: Whether to name nobody.
    """
    checks: Sequence[tuple[str, int, str]] = [
        (found.exercise.name, place, f"{found.exercise.name}: {check.name}")
        for found in record.exercises
        for place, check in enumerate(found.checks)
    ]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    who = ["student"] if anonymous else ["student", "name"]
    columns = ["status", "points_from_checks", "seconds", "memory_mb"]
    writer.writerow([*who, *columns, *(title for *_, title in checks)])
    # Students have numbers in an order of their own, which tells nothing of their ids.
    for line in (
        sorted(record.lines, key=lambda line: natural_key(name(line.student.id))) if anonymous else record.lines
    ):
        work = record.work.get(line.student.id)
        row = [name(line.student.id)] if anonymous else [line.student.id, full_name(line.student)]
        row.append(line.standing.value)
        if work:
            row += [str(record.points(line.student.id)), f"{work.result.seconds:.2f}"]
            row.append("" if work.result.memory is None else f"{work.result.memory / (1 << 20):.1f}")
            for exercise, place, _ in checks:
                outcome = work.result.outcomes[exercise][place]
                row.append("" if outcome.status == "not attempted" else str(added([outcome.earned])))
        writer.writerow(row)
    return text.getvalue()


def write_report(
    course: Course, chapter: str, console: Console, *, folder: Path | None = None, anonymous: bool = False
) -> Path:
    """Write the page, and the table beside it.

    Args:
        course: The course, in which the chapter has been graded.
        chapter: The chapter's name.
        console: Where progress is shown.
        folder: Where to write; `reports` in the course if it is left out.
        anonymous: Whether students have numbers instead of their names.

    Returns:
        The page.

    Raises:
        CourseError: The chapter has not been graded.
        OSError: It cannot be written.
    """
    record = read_class(course, chapter, console)
    names = {student: student for student in (*record.work, *record.ungraded, *record.strangers)} | {
        line.student.id: called(line.student) for line in record.lines
    }
    if anonymous:
        names = pseudonyms(names, course.secret(chapter))
        record = record.without_names(names)
    folder = (folder or course.root / "reports").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{chapter}{'-anonymous' * anonymous}.html"
    made = table(record, names.__getitem__, anonymous=anonymous)
    for path, text in ((file, page(record, names.__getitem__)), (file.with_suffix(".csv"), made)):
        write_whole(path, text.encode(errors="replace"))
    return file
