"""How long a chapter takes, and the ways through the book.

A chapter says in its **Time:** line how long it takes to read it, to do its exercises and to answer its written question. That line is
the one place for it: what the front page says of several chapters is the sum of their lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from num2words import num2words

from autograder.building.numbers import reference
from autograder.checkout import Checkout
from autograder.declare import chapters

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
