"""Reads from the name of a file in a learning platform's download who handed it in.

Where the forms are from:

- Canvas: `lib/content_zipper.rb` of `instructure/canvas-lms`. A file is named after the student's sortable name, in small
  letters and without anything but letters, digits and `_`; then `LATE`, Canvas's number of the student and of the file, and
  the file's own name. There are no folders.
- Moodle: `mod/assign/classes/downloader.php` of `moodle/moodle`. A folder, or the beginning of a file's name, is made of the full
  name without `_`, the number of the participant in this assignment, and the plugin that took the file.
- Blackboard: its source is not public. Several published programs that sort its downloads, such as `BBGradebookOrganiser`,
  agree on the course and the assignment, the user's name, `_attempt_`, the time of the attempt, and the file's own name.

The part that a student chooses comes last, but it may look like the rest. So a name can have several readings: the first is
what the platform wrote, and whoever decides by it also looks at the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_CANVAS = re.compile(r"(?P<who>\w+?)(?P<late>_LATE)?")
_NUMBERS = re.compile(r"(?=_(?P<number>\d{1,18})_(?P<file>\d{1,18})_(?P<name>.+))", re.DOTALL)
_MOODLE = re.compile(r"(?P<who>[^_]+)_(?P<number>\d{1,18})_assignsubmission_file(?:_(?P<name>.*))?", re.DOTALL)
_ATTEMPT = re.compile(r"_attempt_(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<name>.+)|\.txt)?$", re.DOTALL)
_ANONYMOUS = "anon"


class Platform(StrEnum):
    """A learning platform whose downloads are known."""

    BLACKBOARD = "Blackboard"
    MOODLE = "Moodle"
    CANVAS = "Canvas"


@dataclass(frozen=True)
class Reading:
    """What a file's name says.

    Args:
        platform: Whose form it has.
        who: The student's name as the platform writes it; for Blackboard all that comes before, with the user's name at its end.
        number: The platform's number of the student, where it has one that is the same for every assignment.
        name: The file's own name; empty for a text that the platform itself wrote.
        version: A number that is greater for what was handed in later, or 0.
        late: Whether the platform marks it as late.
    """

    platform: Platform
    who: str
    number: str
    name: str
    version: int = 0
    late: bool = False


def readings(label: str, platform: Platform) -> list[Reading]:
    """The ways to read a path in a download of one platform, the one that the platform means first.

    Args:
        label: The path, without a folder around the whole download.
        platform: The platform.
    """
    outer, *inner = label.split("/")
    if platform is Platform.MOODLE:
        return list(_in_moodle(outer, inner))
    if inner:
        return []
    return list(_in_canvas(outer) if platform is Platform.CANVAS else _in_blackboard(outer))


def unwrapped(labels: Sequence[str]) -> dict[str, str]:
    """The paths by what they are without the folders around all of them, which a browser or a person made."""
    depth, parts = 0, [label.split("/") for label in labels]
    while all(len(path) > depth + 1 and path[depth] == parts[0][depth] for path in parts) and parts:
        if "assignsubmission" in parts[0][depth]:
            break
        depth += 1
    return {label: "/".join(path[depth:]) for label, path in zip(labels, parts, strict=True)}


def _in_canvas(outer: str) -> Iterator[Reading]:
    for found in _NUMBERS.finditer(outer):
        before = _CANVAS.fullmatch(outer[: found.start()])
        if before and before["who"] != _ANONYMOUS:
            yield Reading(
                Platform.CANVAS,
                before["who"],
                found["number"],
                found["name"],
                int(found["file"]),
                bool(before["late"]),
            )


def _in_moodle(outer: str, inner: Sequence[str]) -> Iterator[Reading]:
    found = _MOODLE.fullmatch(outer)
    if found and bool(inner) != bool(found["name"]):
        yield Reading(Platform.MOODLE, found["who"], found["number"], inner[-1] if inner else found["name"])


def _in_blackboard(outer: str) -> Iterator[Reading]:
    for start in (found.start() for found in re.finditer("_attempt_", outer)):
        found = _ATTEMPT.match(outer, start)
        if found:
            version = int(found["date"].replace("-", ""))
            yield Reading(Platform.BLACKBOARD, outer[:start], "", found["name"] or "", version)
