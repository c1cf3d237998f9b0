"""Takes a class's work out of a learning platform's download: Canvas's "Download Submissions", Moodle's "Download all submissions".

Both are one zip file, or the folder that a browser unpacked it to. Canvas names every file after its student, in one
folder; Moodle has a folder for each student. The roster says whose file it is: by Canvas's number of the student, or
else by the name.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import unicodedata
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from autograder.checkout import Course, CourseError, write_whole
from autograder.grading.collect import MAX_BYTES, MAX_FILES, Quarantine, is_harmless, late_marks, shown
from autograder.grading.roster import Member

_CANVAS = re.compile(r"(?P<who>\w+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<file>\d+)_(?P<name>.+)", re.IGNORECASE)
_MOODLE = re.compile(r"(?P<who>.+)_\d+_assignsubmission_file_?(?P<name>.*)")
_TEST_STUDENT = "studenttest"
_COPY = re.compile(r"(?:-\d+| \(\d+\))+$")
"""What Canvas and browsers append to the name of a file that is there already."""
_EARLIER = "earlier"
_NEAR = 0.6
_FORMS = (
    "millerjane_12345_67890_ch05_attention.ipynb, as in Canvas's “Download Submissions”, or "
    "Jane Miller_12345_assignsubmission_file/ch05_attention.ipynb, as in Moodle's “Download all submissions”"
)


@dataclass(frozen=True)
class _File:
    """A file of a download.

    Args:
        label: Its path in the download.
        who: The student's name, as the platform writes it.
        number: Canvas's number of the student, or empty.
        name: The file's own name.
        age: Canvas's number of the file: a file that was handed in later has a greater one.
        late: Whether Canvas marks it as late.
        read: Gives its bytes, or None if they are more than `MAX_BYTES`.
    """

    label: str
    who: str
    number: str
    name: str
    age: int
    late: bool
    read: Callable[[], bytes | None]


@dataclass
class Taken:
    """What came out of a download.

    Args:
        source: The download.
        chapter: The chapter's name.
        new: The students whose work is there for the first time.
        again: The students whose work replaces an earlier version.
        same: How many students' work was there already.
        unknown: The files that match nobody on the roster, in sentences.
        large: The files that are too large.
    """

    source: Path
    chapter: str
    new: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)
    same: int = 0
    unknown: list[str] = field(default_factory=list)
    large: list[str] = field(default_factory=list)

    def closing(self) -> list[str]:
        """What the command says, in lines."""
        lines = [
            f"From {self.source.name}: {len(self.new)} new, {len(self.again)} handed in again, {self.same} unchanged."
        ]
        if self.again:
            place = f".autograder/{_EARLIER}/{self.chapter}"
            lines.append(f"Handed in again: {', '.join(self.again)}. The earlier files are in {place}.")
        lines += [f"{shown(label)} is larger than {MAX_BYTES >> 20} MB and was left out." for label in self.large]
        if self.unknown:
            if len(self.unknown) == 1:
                lines.append("This file matches nobody on the roster, and was left where it is:")
            else:
                lines.append("These files match nobody on the roster, and were left where they are:")
            lines += [f"  {one}" for one in self.unknown]
            lines.append(
                "Add the student with `autograder roster` and collect again, or save the file yourself as "
                f"submitted/ID/{self.chapter}/{self.chapter}.ipynb."
            )
        return lines


def take(course: Course, chapter: str, source: Path, roster: Mapping[str, Member]) -> Taken:
    """Put the files of a download into `submitted/`. Earlier work of the same student is kept aside.

    Args:
        course: The course.
        chapter: The chapter's name.
        source: The zip file, or the folder with what was in it.
        roster: The students of the class by their ids.

    Raises:
        CourseError: The download cannot be read, none of its files has the name of a submission, or there is no roster.
    """
    if not roster:
        raise CourseError("the gradebook has no students: enter them first with `autograder roster FILE.csv`")
    taken = Taken(source, chapter)
    try:
        if source.is_dir():
            _sort(course, chapter, list(_parsed(_in_folder(source))), roster, taken)
        else:
            with zipfile.ZipFile(source) as archive:
                _sort(course, chapter, list(_parsed(_in_archive(archive))), roster, taken)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise CourseError(f"{source} is not a zip file that can be read: download it again ({error})") from error
    return taken


def _in_archive(archive: zipfile.ZipFile) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    """The files in a zip file, by their paths in it."""

    def reader(info: zipfile.ZipInfo) -> Callable[[], bytes | None]:
        def read() -> bytes | None:
            with archive.open(info) as file:
                return _bounded(file.read(MAX_BYTES + 1))

        return read

    yield from ((info.filename, reader(info)) for info in archive.infolist() if not info.is_dir())


def _in_folder(folder: Path) -> Iterator[tuple[str, Callable[[], bytes | None]]]:
    """The regular files in a folder, by their paths in it."""

    def reader(path: Path) -> Callable[[], bytes | None]:
        def read() -> bytes | None:
            with path.open("rb") as file:
                return _bounded(file.read(MAX_BYTES + 1))

        return read

    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    yield from ((str(path.relative_to(folder)), reader(path)) for path in paths)


def _bounded(data: bytes) -> bytes | None:
    return data if len(data) <= MAX_BYTES else None


def _parsed(files: Iterator[tuple[str, Callable[[], bytes | None]]]) -> Iterator[_File]:
    """The files whose names are those of submissions."""
    for label, read in files:
        *folders, name = PurePosixPath(label.replace("\\", "/")).parts or ("",)
        if "__MACOSX" in folders:
            continue
        moodle = next(filter(None, map(_MOODLE.fullmatch, (*folders, name))), None)
        canvas = _CANVAS.fullmatch(name)
        if moodle:
            yield _File(label, moodle["who"], "", moodle["name"] or name, 0, False, read)
        elif canvas:
            late = bool(canvas["late"])
            yield _File(label, canvas["who"], canvas["number"], canvas["name"], int(canvas["file"]), late, read)


def _sort(course: Course, chapter: str, files: Sequence[_File], roster: Mapping[str, Member], taken: Taken) -> None:
    """Give each student's files to the student."""
    if not files:
        raise CourseError(
            f"{taken.source} has no file whose name says whose submission it is: expected, for example, {_FORMS}. "
            "Anonymous grading hides the names: switch it off for the download"
        )
    owners = _Owners(roster)
    by_student: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        owner = owners.of(file)
        if owner:
            by_student[owner].append(file)
        elif _plain(file.who) != _TEST_STUDENT:
            taken.unknown.append(shown(file.label) + owners.near(file))
    for student, own in sorted(by_student.items()):
        _put(course, chapter, student, own, taken)


class _Owners:
    """Finds out whose a file is."""

    def __init__(self, roster: Mapping[str, Member]) -> None:
        self._roster = roster
        self._by_number = {member.lms_user_id: name for name, member in roster.items() if member.lms_user_id}
        self._by_name: dict[str, set[str]] = defaultdict(set)
        for name, member in roster.items():
            for spelled in (member.last_name + member.first_name, member.first_name + member.last_name):
                self._by_name[_plain(spelled)].add(name)

    def of(self, file: _File) -> str | None:
        """The student's id. A name counts only if one student has it, and no other number."""
        if file.number in self._by_number:
            return self._by_number[file.number]
        named = self._by_name.get(_plain(file.who), set())
        fits = [name for name in named if not (file.number and self._roster[name].lms_user_id)]
        return fits[0] if len(fits) == 1 else None

    def near(self, file: _File) -> str:
        """Who may be meant, after a semicolon; empty if nobody is near."""
        names = difflib.get_close_matches(_plain(file.who), filter(None, self._by_name), 1, _NEAR)
        if not names:
            return ""
        told = (f"{name} ({self._roster[name].full_name})" for name in sorted(self._by_name[names[0]]))
        return f"; nearest on the roster: {', '.join(told)}"


def _plain(name: str) -> str:
    """A name without what platforms leave out of it: case, spaces and punctuation."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFC", name).casefold())


def _put(course: Course, chapter: str, student: str, files: Sequence[_File], taken: Taken) -> None:
    """Put a student's files into place, unless they are there."""
    named = _named(chapter, files)
    contents: dict[str, bytes] = {}
    for name, file in list(named.items())[:MAX_FILES]:
        data = file.read()
        if data is None:
            taken.large.append(file.label)
        else:
            contents[name] = data
    folder = course.root / "submitted" / student / chapter
    harmless = {name: data for name, data in contents.items() if is_harmless(name)}
    is_there = not folder.parent.is_symlink() and folder.is_dir() and not folder.is_symlink()
    if is_there and harmless and all(_holds(folder / name, data) for name, data in harmless.items()):
        taken.same += 1
        return
    (taken.again if _set_aside(course, chapter, student) else taken.new).append(student)
    folder.mkdir(parents=True)
    for name, data in contents.items():
        write_whole(folder / name, data)
    _mark(course, chapter, student, contents, late=any(file.late for file in files))


def _named(chapter: str, files: Sequence[_File]) -> dict[str, _File]:
    """The files by the names that they get: the newest notebook of the chapter has the chapter's."""
    found: dict[str, _File] = {}
    for file in sorted(files, key=lambda file: -file.age):
        path = PurePosixPath(PurePosixPath(file.name).name)
        if path.suffix.lower() == ".ipynb" and _COPY.sub("", path.stem).lower() == chapter.lower():
            path = PurePosixPath(f"{chapter}.ipynb")
        name, number = path.name, 2
        while name in found:
            name, number = f"{path.stem}-earlier{number}{path.suffix}", number + 1
        found[name] = file
    return found


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size == len(data) and path.read_bytes() == data


def _set_aside(course: Course, chapter: str, student: str) -> bool:
    """Put aside what the student handed in before; returns whether there was anything.

    Raises:
        CourseError: It cannot be moved.
    """
    home = course.root / "submitted" / student
    before = home if home.is_symlink() else home / chapter
    if not before.is_symlink() and not before.exists():
        return False
    aside = Quarantine(course, chapter, student, _EARLIER)
    aside.take(before, chapter, "again")
    if aside.failures:
        raise CourseError(f"submitted/{student}: {aside.failures[0]}")
    return True


def _mark(course: Course, chapter: str, student: str, contents: Mapping[str, bytes], *, late: bool) -> None:
    """Remember whether the student's work is marked as late: Canvas says that it is, and not how late."""
    path, marks = late_marks(course, chapter)
    own = [hashlib.sha256(data).hexdigest() for name, data in contents.items() if name.endswith(".ipynb")]
    new = {**marks, student: own} if late else {name: of for name, of in marks.items() if name != student}
    if new != marks:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, json.dumps(new).encode())
