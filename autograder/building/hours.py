"""How long a chapter takes, the ways through the book, and schedules for classes.

A chapter says in its **Time:** line how long it takes to read it, to do its exercises and to answer its written question. That line is
the one place for it: what the front page and the schedules say of several chapters is the sum of their lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from num2words import num2words

from autograder.building.numbers import reference
from autograder.checkout import Checkout
from autograder.declare import Exercise, chapters
from autograder.outline import exercise_names, outline

ALL = "all"
"""In a way: every chapter of the book."""
_LINE = re.compile(r"^\*\*Time:\*\*\s+about\s+(?P<time>[^:.,;]+)", re.MULTILINE)
_TIME = re.compile(
    r"(?P<number>[\w-]+)(?P<half> and a half)? (?P<unit>minute|hour)s?(?P<later_half> and a half)?|(?P<one_half>half an hour)"
)
_NUMBERS = {"a": 1, "an": 1} | {word: n for n in range(1, 100) for word in (str(n), num2words(n))}


@dataclass(frozen=True)
class Way:
    """A way through the book.

    Args:
        name: What it is called.
        chapters: The names of its chapters, in the order of the book.
    """

    name: str
    chapters: tuple[str, ...]


@dataclass(frozen=True)
class Week:
    """A week of a class.

    Args:
        chapters: The names of the chapters that it reads, in the order of the book.
        without: The names of their exercises that it does not do.
    """

    chapters: tuple[str, ...]
    without: tuple[str, ...]

    def exercise_minutes(self) -> int:
        """How many minutes the exercises take that it does."""
        return sum(one.minutes for one in self._exercises() if one.name not in self.without)

    def reading_minutes(self, checkout: Checkout) -> int:
        """How many minutes everything else takes: reading, running the cells, and the written answers."""
        return total_minutes(checkout, self.chapters) - sum(one.minutes for one in self._exercises())

    def _exercises(self) -> list[Exercise]:
        return [found.exercise for chapter in self.chapters for found in outline(chapter)]


def minutes_of(checkout: Checkout, chapter: str) -> int:
    """How many minutes the chapter's **Time:** line says that it takes.

    Raises:
        ValueError: It has no such line, or one that cannot be read.
    """
    line = _LINE.search(checkout.text(chapter).read_text(encoding="utf-8"))
    time = " ".join(line["time"].split()) if line else ""
    match = _TIME.fullmatch(time)
    if match and match["one_half"]:
        return 30
    if not match or match["number"] not in _NUMBERS:
        raise ValueError(
            f"{chapter} does not say how long it takes: expected a line such as `**Time:** about two and a half hours: …`, found {time!r}"
        )
    number = _NUMBERS[match["number"]] + 0.5 * bool(match["half"] or match["later_half"])
    return round(number * (60 if match["unit"] == "hour" else 1))


def total_minutes(checkout: Checkout, names: tuple[str, ...]) -> int:
    """How many minutes these chapters take together."""
    return sum(minutes_of(checkout, name) for name in names)


def hours(minutes: int) -> str:
    """Minutes as hours, to the nearest half: 1, 3½."""
    halves = max(1, round(minutes / 30))
    return f"{halves // 2 or ''}{'½' * (halves % 2)}"


def read_ways(text: str) -> list[Way]:
    """The ways that lines such as `Attention: start, seq2seq, attention` name by the chapters' slugs, or `Everything: all`.

    Raises:
        ValueError: A line has another form, there is no such chapter, or the chapters are not in the order of the book.
    """
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, colon, listed = line.partition(":")
        if not colon:
            raise ValueError(f"a way is `Name: chapter, chapter`, or `Name: {ALL}`; this one is {line!r}")
        slugs = [slug.strip() for slug in listed.split(",")]
        names = chapters() if slugs == [ALL] else [reference("chapter", slug).chapter for slug in slugs]
        if names != sorted(set(names)):
            raise ValueError(f"the chapters of the way {name!r} are not in the order of the book")
        found.append(Way(name.strip(), tuple(names)))
    return found


def read_weeks(text: str) -> list[Week]:
    """The weeks that lines such as `seq2seq; without ResidualStack, greedy_decode` name by the chapters' slugs.

    Raises:
        ValueError: There is no such chapter, or no such exercise in it, or the chapters are not in the order of the book.
    """
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        listed, _, left_out = line.partition("; without ")
        names = tuple(reference("chapter", slug.strip()).chapter for slug in listed.split(","))
        without = tuple(filter(None, (name.strip() for name in left_out.split(","))))
        unknown = set(without).difference(*map(exercise_names, names))
        if unknown:
            raise ValueError(
                f"the week {line!r} leaves out {', '.join(sorted(unknown))}, which its chapters do not have"
            )
        found.append(Week(names, without))
    in_order = [name for week in found for name in week.chapters]
    if in_order != sorted(set(in_order)):
        raise ValueError("the chapters of a schedule are not in the order of the book")
    return found


def weeks_table(checkout: Checkout, weeks: list[Week], titles: Mapping[str, str]) -> str:
    """A schedule as a MyST table: what a class reads each week, what it leaves out, and the hours that a student needs.

    Args:
        checkout: The clone.
        weeks: The weeks.
        titles: What each chapter is called, by its name.
    """
    rows = [["Week", "Read", "Leave out", "Reading", "Exercises", "Hours"], ["--:", "---", "---", "--:", "--:", "--:"]]
    reading, doing = [week.reading_minutes(checkout) for week in weeks], [week.exercise_minutes() for week in weeks]
    for number, (week, read, done) in enumerate(zip(weeks, reading, doing, strict=True), start=1):
        names = "<br>".join(f"[{titles.get(name, name)}]({name}.ipynb)" for name in week.chapters)
        without = ", ".join(f"`{name}`" for name in week.without)
        rows.append([str(number), names, without, hours(read), hours(done), hours(read + done)])
    sums = (f"**{hours(minutes)}**" for minutes in (sum(reading), sum(doing), sum(reading) + sum(doing)))
    rows.append(["", "**All weeks**", "", *sums])
    return "\n".join([":::{table}", ":class: weeks", "", *(f"| {' | '.join(row)} |" for row in rows), ":::"])


def ways_table(checkout: Checkout, ways: list[Way], titles: Mapping[str, str]) -> str:
    """The ways as a MyST table: the hours of each chapter are in the columns of the ways that it belongs to, with their sums below.

    Args:
        checkout: The clone.
        ways: The ways, a column each.
        titles: What each chapter is called, by its name.
    """
    rows = [["Chapter", *(way.name for way in ways)], ["---", *(":-:" for _ in ways)]]
    for chapter in chapters():
        told = hours(minutes_of(checkout, chapter))
        name = f"[{titles.get(chapter, chapter)}]({chapter}.ipynb)"
        rows.append([name, *(told if chapter in way.chapters else "" for way in ways)])
    rows.append(["**Hours**", *(f"**{hours(total_minutes(checkout, way.chapters))}**" for way in ways)])
    return "\n".join([":::{table}", ":class: ways", "", *(f"| {' | '.join(row)} |" for row in rows), ":::"])
