"""Takes a class's work out of a learning platform's download: of Canvas, Moodle or Blackboard, as one zip file or as a folder.

Whose a file is says the platform: its number of the student, or the user's name, which the roster has too. Where it gives only a
person's name, as Moodle does, nothing is written before somebody has agreed. First everything is read and a table made, within
bounds; then each student's files are put into place, all or none. What goes wrong with one file or one student is named, and the
others are taken.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import io
import lzma
import os
import re
import shutil
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from pathlib import Path, PurePosixPath

from autograder.checkout import Course, CourseError, write_mapping, write_whole
from autograder.grading.collect import (
    MAX_BYTES,
    MAX_FILES,
    OURS,
    Quarantine,
    as_given,
    collected_before,
    is_harmless,
    named_within,
    shown,
)
from autograder.grading.download_names import Platform, Reading, readings, unwrapped
from autograder.grading.roster import Member

_MAX_ENTRIES = 50_000
_MAX_INSIDE = 2_000
_TEST_STUDENT = "studenttest"
_COPY = r"(?:-\d+| \(\d+\))+$"
"""What Canvas and browsers append to the name of a file that is there already."""
_EARLIER = "earlier"
_NEAR = 0.6
MANY = 40
"""Of a larger class, tables list only the students whom somebody should look at."""
_MAX_NAMED = 10
_LATE_BY = timedelta(minutes=1)
_TOO_LARGE = f"more than {MAX_BYTES >> 20} MB, or with others more than {MAX_FILES} files or {MAX_BYTES >> 20} MB"
_FORMS = (
    "millerjane_12345_67890_ch05_attention.ipynb, as in Canvas's “Download Submissions”, "
    "Jane Miller_12345_assignsubmission_file/ch05_attention.ipynb, as in Moodle's “Download all submissions”, or "
    "gradebook_COURSE_ASSIGNMENT_jmiller_attempt_2026-12-01-18-30-00_ch05_attention.ipynb, as in Blackboard's “Assignment File Download”"
)
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, NotImplementedError, RuntimeError, ValueError, OSError),
)
"""What reading from a damaged, encrypted or otherwise strange zip file raises."""


class What(StrEnum):
    """What becomes of a student's files."""

    NEW = "new"
    AGAIN = "handed in again"
    SAME = "unchanged"
    OLDER = "older than what was collected before"


@dataclass(frozen=True)
class _File:
    """A file of a download.

    Args:
        label: Its path in the download.
        size: Its size, as the download says.
        reading: What its name says.
        read: Gives at most so many of its bytes.
        also: Other ways to read its name.
    """

    label: str
    size: int
    reading: Reading
    read: Callable[[int], bytes]
    also: tuple[Reading, ...] = ()


@dataclass
class Delivery:
    """What a download has of one student.

    Args:
        student: The student's id.
        files: The files.
        doubt: Why somebody should look before they are given to the student, in words; empty if the platform is clear.
        what: What becomes of them.
        digests: The hashes of what is taken, by the names that it gets.
        notes: What was opened or not taken, in sentences.
    """

    student: str
    files: Sequence[_File]
    doubt: str
    what: What = What.NEW
    digests: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def is_late(self) -> bool:
        """Whether the platform marks the work as late."""
        return any(file.reading.late for file in self.files)

    @property
    def version(self) -> int:
        """A number that is greater for a later delivery of the same platform."""
        return max(file.reading.version for file in self.files)

    @property
    def is_written(self) -> bool:
        """Whether it changes what was handed in."""
        return self.what in (What.NEW, What.AGAIN)


@dataclass
class Taken:
    """What comes out of a download.

    Args:
        source: The download.
        chapter: The chapter's name.
        deliveries: What it has of each student, by their ids.
        left_out: The files that were left out by their paths, and why, in words.
        is_written: Whether it was put into place.
    """

    source: Path
    chapter: str
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    is_written: bool = False

    def doubtful(self) -> list[Delivery]:
        """What somebody should look at before it is written."""
        return [one for one in self.deliveries.values() if one.doubt and one.is_written]

    def rows(self) -> list[tuple[str, str, str]]:
        """Each student with their files and what becomes of them; of a large class, those that somebody should look at."""
        listed = list(self.deliveries.values())
        if len(listed) > MANY:
            listed = [
                one for one in listed if one.notes or one.what in (What.AGAIN, What.OLDER) or one in self.doubtful()
            ]
        return [
            (
                one.student,
                "\n".join(shown(file.label) for file in one.files[:_MAX_NAMED]),
                "; ".join([*_became(one), *one.notes]),
            )
            for one in listed
        ]

    def closing(self) -> list[str]:
        """What the command says, in lines."""
        count = Counter(one.what for one in self.deliveries.values())
        numbers = ", ".join(f"{count[what]} {what}" for what in What if what is not What.OLDER or count[what])
        lines = [f"{'From' if self.is_written else 'In'} {self.source.name}: {numbers}."]
        again = [one.student for one in self.deliveries.values() if one.what is What.AGAIN]
        if again and self.is_written:
            place = f".autograder/{_EARLIER}/{self.chapter}"
            lines.append(f"Handed in again: {', '.join(again)}. The earlier files are in {place}.")
        older = [one.student for one in self.deliveries.values() if one.what is What.OLDER]
        lines += [f"Left as it was, because the download has older work: {', '.join(older)}."] if older else []
        if self.left_out:
            number = len(self.left_out)
            lines.append("1 file was left out:" if number == 1 else f"{number} files were left out:")
            lines += [f"  {shown(label)}: {why}" for label, why in list(self.left_out.items())[: 2 * _MAX_NAMED]]
            lines += [f"  and {number - 2 * _MAX_NAMED} more"] if number > 2 * _MAX_NAMED else []
            lines.append(
                "Add a missing student with `autograder roster` and collect again, or save a file yourself as "
                f"submitted/ID/{self.chapter}/{self.chapter}.ipynb."
            )
        return lines


def _became(one: Delivery) -> list[str]:
    told = [one.what.value, *(["marked late"] if one.is_late else [])]
    return [*told, *([one.doubt] if one.doubt and one.is_written else [])]


def take(
    course: Course,
    chapter: str,
    source: Path,
    roster: Mapping[str, Member],
    *,
    due: datetime | None,
    agree: Callable[[Taken], bool],
) -> Taken:
    """Put the files of a download into `submitted/`. Earlier work of the same student is kept aside.

    Args:
        course: The course.
        chapter: The chapter's name.
        source: The zip file, or the folder with what was in it.
        roster: The students of the class by their ids.
        due: When the chapter is due, in UTC.
        agree: Asked with all that would be done, before anything is; nothing is written if it says no.

    Raises:
        CourseError: The download cannot be read, none of its files has the name of a submission, or there is no roster.
    """
    if not roster:
        raise CourseError("the gradebook has no students: enter them first with `autograder roster FILE.csv`")
    taken = Taken(source, chapter)
    with _opened(source) as entries:
        sorting = _Sorting(course, chapter, roster, taken)
        sorting.sort(entries)
        if agree(taken):
            sorting.put(due)
            taken.is_written = True
    return taken


@dataclass(frozen=True)
class _Entry:
    """A file before its name is read: its path, its size, when it was changed as a number, and its bytes."""

    label: str
    size: int
    changed: int
    read: Callable[[int], bytes]


@contextlib.contextmanager
def _opened(source: Path) -> Iterator[list[_Entry]]:
    """The files of a download, without what systems add to it.

    Raises:
        CourseError: It cannot be read, or it has too many files.
    """
    with contextlib.ExitStack() as stack:
        if source.is_dir():
            found = list(_in_folder(source))
        else:
            try:
                archive = stack.enter_context(zipfile.ZipFile(source))
                found = [_in_archive(archive, info) for info in archive.infolist() if not info.is_dir()]
            except FileNotFoundError:
                raise
            except _DAMAGED as error:
                raise CourseError(
                    f"{source} is not a zip file that can be read: download it again ({error})"
                ) from error
        if len(found) > _MAX_ENTRIES:
            raise CourseError(f"{source} has {len(found)} files, which is more than a class hands in")
        yield [entry for entry in found if not _is_of_systems(entry.label)]


def _in_archive(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> _Entry:
    def read(most: int) -> bytes:
        with archive.open(info) as file:
            return file.read(most)

    return _Entry(info.filename, info.file_size, int("".join(f"{part:02}" for part in info.date_time)), read)


def _in_folder(folder: Path) -> Iterator[_Entry]:
    def reader(path: Path) -> Callable[[int], bytes]:
        def read(most: int) -> bytes:
            with path.open("rb") as file:
                return file.read(most)

        return read

    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            changed = int(datetime.fromtimestamp(status.st_mtime).strftime("%Y%m%d%H%M%S"))
            yield _Entry(path.relative_to(folder).as_posix(), status.st_size, changed, reader(path))


def _is_of_systems(label: str) -> bool:
    parts = label.split("/")
    return "__MACOSX" in parts[:-1] or parts[-1].lower() in (".ds_store", "thumbs.db", "desktop.ini")


class _Sorting:
    """Gives each student's files to the student."""

    def __init__(self, course: Course, chapter: str, roster: Mapping[str, Member], taken: Taken) -> None:
        self._course, self._chapter, self._taken = course, chapter, taken
        self._roster, self._owners = roster, _Owners(roster)
        self._path, self._before = collected_before(course, chapter)

    def sort(self, entries: Sequence[_Entry]) -> None:
        """Make the table: whose the files are, and what becomes of them.

        Raises:
            CourseError: No file has the name of a submission.
        """
        by_student: dict[str, list[_File]] = defaultdict(list)
        doubts: dict[str, str] = {}
        for file in self._read_names(entries):
            found = self._owners.of(file)
            if isinstance(found, str):
                if _plain(file.reading.who) != _TEST_STUDENT:
                    self._taken.left_out[file.label] = found
            elif file.reading.name:  # Without one, it is a text of the platform's own.
                by_student[found.student].append(file)
                doubts[found.student] = doubts.get(found.student) or found.doubt
        for student, files in sorted(by_student.items()):
            people = {(file.reading.platform, file.reading.number) for file in files}
            if len(people) > 1:
                self._leave(files, f"{student} may be meant, but the download has two of this name")
                continue
            newest = max(file.reading.version for file in files)
            if files[0].reading.platform is Platform.BLACKBOARD:
                files = [file for file in files if file.reading.version == newest]
            delivery = Delivery(student, files, doubts[student])
            try:
                contents = self._contents(delivery)
            except _DAMAGED as error:
                self._leave(files, f"{student}'s files were left as they are, because one is damaged ({error})")
                continue
            if contents:
                delivery.digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
                delivery.what = self._compare(delivery, contents)
                self._taken.deliveries[student] = delivery
            else:
                self._leave(
                    [file for file in files if file.label not in self._taken.left_out], "; ".join(delivery.notes)
                )

    def put(self, due: datetime | None) -> None:
        """Put everything into place; what fails for one student is named and leaves that student's folder as it was.

        Args:
            due: When the chapter is due, in UTC.
        """
        for student, delivery in list(self._taken.deliveries.items()):
            try:
                if delivery.is_written:
                    self._put(delivery)
                if delivery.what is not What.OLDER:
                    self._remember(delivery, due)
            except _DAMAGED as error:
                del self._taken.deliveries[student]
                why = error.strerror if isinstance(error, OSError) and error.strerror else error
                self._leave(delivery.files, f"{student}'s files could not be written ({why})")

    def _leave(self, files: Sequence[_File], why: str) -> None:
        self._taken.left_out |= {file.label: why for file in files}

    def _read_names(self, entries: Sequence[_Entry]) -> Iterator[_File]:
        """The files whose names have the form of the platform that the download is from; others are left out."""
        labels = unwrapped([entry.label for entry in entries])
        found = {platform: {path: readings(path, platform) for path in labels.values()} for platform in Platform}
        fits = {platform: sum(map(bool, by_path.values())) for platform, by_path in found.items()}
        most = max(fits.values())
        if not most:
            raise CourseError(
                f"{self._taken.source} has no file whose name says whose submission it is: expected, for example, {_FORMS}. "
                "Anonymous grading hides the names: switch it off for the download"
            )
        platforms = [platform for platform in Platform if fits[platform] == most]
        for entry in entries:
            ways = [one for platform in platforms for one in found[platform][labels[entry.label]]]
            if not ways:
                self._taken.left_out[entry.label] = f"its name is not one that {' or '.join(platforms)} gives to a file"
                continue
            first = ways[0]
            if first.platform is Platform.MOODLE:
                first = replace(first, version=entry.changed)
            yield _File(entry.label, entry.size, first, entry.read, tuple(ways[1:]))

    def _contents(self, delivery: Delivery) -> dict[str, bytes]:
        """A student's files by the names that they get, as far as they are taken. Nothing is left of a notebook too large.

        Raises:
            Exception: One of `_DAMAGED`.
        """
        delivery.notes = []
        contents: dict[str, bytes] = {}
        left = MAX_BYTES
        for name, file in self._named(delivery).items():
            data = file.read(left + 1) if file.size <= left and len(contents) < MAX_FILES else None
            if data is None or len(data) > left:
                self._taken.left_out[file.label] = _TOO_LARGE
                if name.endswith(".ipynb"):
                    return {}
                continue
            contents[name] = data
            left -= len(data)
        return contents

    def _named(self, delivery: Delivery) -> dict[str, _File]:
        """The files by the names that they get: the newest notebook of the chapter has the chapter's."""
        found: dict[str, _File] = {}
        for file in self._unpacked(delivery):
            given = PurePosixPath(file.reading.name).name
            if given.lower() in OURS or given.startswith(".") or not given:
                delivery.notes.append(f"{shown(given)} was not taken: the course or a program keeps its own there")
                continue
            path = PurePosixPath(named_within(given))
            if path.suffix.lower() == ".ipynb" and re.sub(_COPY, "", path.stem).lower() == self._chapter.lower():
                path = PurePosixPath(f"{self._chapter}.ipynb")
            name, number = path.name, 2
            while name in found:
                name, number = f"{path.stem}-earlier{number}{path.suffix}", number + 1
            found[name] = file
        return found

    def _unpacked(self, delivery: Delivery) -> list[_File]:
        """The files, notebooks and the newest first; in place of a zip file, where there is no notebook, the one that is in it."""
        files = sorted(delivery.files, key=lambda file: (not _is_notebook(file.reading.name), -file.reading.version))
        if any(_is_notebook(file.reading.name) for file in files):
            return files
        return [
            self._unzipped(file, delivery) if file.reading.name.lower().endswith(".zip") else file for file in files
        ]

    def _unzipped(self, file: _File, delivery: Delivery) -> _File:
        if file.size > MAX_BYTES:
            return file
        data = file.read(MAX_BYTES)
        if data.count(b"PK\x01\x02") > _MAX_INSIDE:
            delivery.notes.append(f"{shown(file.reading.name)} was not opened: it has too many files")
            return file
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
            inside = [
                info for info in archive.infolist() if _is_notebook(info.filename) and not _is_hidden(info.filename)
            ]
        except _DAMAGED as error:
            delivery.notes.append(f"{shown(file.reading.name)} cannot be opened ({error})")
            return file
        if len(inside) != 1:
            number = "no notebook" if not inside else f"{len(inside)} notebooks"
            delivery.notes.append(f"{shown(file.reading.name)} was not opened: it has {number}")
            return file
        delivery.notes.append(f"the notebook was taken out of {shown(file.reading.name)}")
        entry, reading = _in_archive(archive, inside[0]), replace(file.reading, name=f"{self._chapter}.ipynb")
        return replace(file, size=entry.size, reading=reading, read=entry.read)

    def _compare(self, delivery: Delivery, contents: Mapping[str, bytes]) -> What:
        """What becomes of a student's files, next to what is there."""
        home = self._course.root / "submitted" / delivery.student
        folder = home / self._chapter
        before = self._before.get(delivery.student, {})
        there = not home.is_symlink() and folder.is_dir() and not folder.is_symlink()
        harmless = {name: data for name, data in contents.items() if is_harmless(name)}
        known = before.get("files") == delivery.digests
        if there and (known or harmless) and all(_holds(folder / name, data) for name, data in harmless.items()):
            return What.SAME
        if not (home.is_symlink() or os.path.lexists(folder)):
            return What.NEW
        same_platform = before.get("platform") == delivery.files[0].reading.platform
        if there and same_platform and delivery.version < before.get("version", 0):
            return What.OLDER
        return What.AGAIN

    def _put(self, delivery: Delivery) -> None:
        """Write a student's files beside the place, and only then set aside what was there.

        Raises:
            Exception: One of `_DAMAGED`.
        """
        home = self._course.root / "submitted" / delivery.student
        if home.is_symlink():
            self._set_aside(delivery.student, home)
        folder, part = home / self._chapter, home / f".{self._chapter}.part"
        home.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        try:
            for name, data in self._contents(delivery).items():
                write_whole(part / name, data)
            if os.path.lexists(folder):
                self._set_aside(delivery.student, folder)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _set_aside(self, student: str, before: Path) -> None:
        aside = Quarantine(self._course, self._chapter, student, _EARLIER)
        aside.take(before, self._chapter, "again")
        if aside.failures:
            raise OSError(aside.failures[0])

    def _remember(self, delivery: Delivery, due: datetime | None) -> None:
        """Keep what was collected, and give late work a time: Canvas says that it is late, and not how late.

        Raises:
            OSError: It cannot be kept.
        """
        before = self._before.get(delivery.student, {})
        stamp = self._course.root / "submitted" / delivery.student / self._chapter / "timestamp.txt"
        if before.get("counted") and stamp.is_file() and stamp.read_text(errors="replace") == before["counted"]:
            stamp.unlink()  # The due date or the mark may be another now.
        counted = f"{due + _LATE_BY:%Y-%m-%d %H:%M:%S} UTC" if due and delivery.is_late and not stamp.exists() else ""
        if counted:
            write_whole(stamp, counted.encode())
        first = delivery.files[0]
        entry = {
            "platform": first.reading.platform,
            "label": next((file.label for file in delivery.files if _is_notebook(file.reading.name)), first.label),
            "version": delivery.version,
            "files": delivery.digests,
            "late": delivery.is_late,
            "counted": counted,
            "notes": delivery.notes,
        }
        if entry != before:
            self._before = {**self._before, delivery.student: entry}
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_mapping(self._path, self._before)


@dataclass(frozen=True)
class _Owner:
    """Whose a file is, and why somebody should look before it is believed; empty if the platform is clear."""

    student: str
    doubt: str


class _Owners:
    """Finds out whose a file is."""

    def __init__(self, roster: Mapping[str, Member]) -> None:
        self._roster = roster
        self._by_number: dict[str, set[str]] = defaultdict(set)
        self._by_name: dict[str, set[str]] = defaultdict(set)
        for student, member in roster.items():
            self._by_number[member.lms_user_id].add(student)
            for spelled in (member.last_name + member.first_name, member.first_name + member.last_name):
                self._by_name[_plain(spelled)].add(student)

    @cached_property
    def _by_login(self) -> dict[str, str]:
        return {as_given(student).lower(): student for student in self._roster}

    def of(self, file: _File) -> _Owner | str:
        """Whose it is, or why that cannot be said."""
        first = file.reading
        sure, also = self._sure(first), {student for one in file.also for student in self._sure(one)}
        if len(sure) > 1:
            return f"the roster gives its number, {first.number}, to {' and '.join(sorted(sure))}"
        if len(sure | also) > 1:
            return f"it may be of {' or '.join(sorted(sure | also))}, because its name can be read in two ways"
        if sure:
            unknown = next((one for one in file.also if not self._sure(one)), None)
            return _Owner(min(sure), f"its name can be read in another way, as of {_told(unknown)}" if unknown else "")
        named = self._by_name.get(_plain(first.who), set()) if first.platform is not Platform.BLACKBOARD else set()
        is_canvas = first.platform is Platform.CANVAS
        fits = [student for student in named if not (is_canvas and self._roster[student].lms_user_id)]
        if len(fits) == 1 and not also:
            return _Owner(fits[0], "by name alone")
        return f"nobody on the roster{self._near(first)}"

    def _sure(self, reading: Reading) -> set[str]:
        """Who is meant by the platform's number, or by the name of the user."""
        if reading.platform is Platform.CANVAS:
            return self._by_number.get(reading.number, set())
        if reading.platform is Platform.MOODLE:
            return set()
        before = reading.who.lower()
        pieces = (before[at + 1 :] for at, letter in enumerate(before) if letter == "_")
        return {self._by_login[piece] for piece in pieces if piece in self._by_login}

    def _near(self, reading: Reading) -> str:
        """Who may be meant, after a semicolon; empty if nobody is near."""
        if reading.platform is Platform.BLACKBOARD:
            return ""
        names = difflib.get_close_matches(_plain(reading.who), filter(None, self._by_name), 1, _NEAR)
        if not names:
            return ""
        told = (f"{name} ({self._roster[name].full_name})" for name in sorted(self._by_name[names[0]]))
        return f"; nearest on the roster: {', '.join(told)}"


def _told(reading: Reading) -> str:
    return f"{shown(reading.who)}{f', number {reading.number}' if reading.number else ''}"


def _plain(name: str) -> str:
    """A name without what platforms leave out of it: case, spaces and punctuation. Marks, such as vowel signs, belong to it."""
    normal = unicodedata.normalize("NFC", name.lower())
    return "".join(letter for letter in normal if unicodedata.category(letter)[0] in "LMN")


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb")


def _is_hidden(path: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in path.split("/"))


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data
