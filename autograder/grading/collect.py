"""Looks at what a class handed in before anything else does, and sets aside the files that must not stay there.

nbgrader copies anything that is next to a notebook, also through a link, and its formgrader shows it in the
instructor's browser and loads the configuration of any folder that it is asked for. So only notebooks and harmless
regular files stay below `submitted/`. The rest is renamed into `.autograder/quarantine/CHAPTER/STUDENT/`, without
folders and under names that nothing loads.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import stat
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count, islice
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from autograder.checkout import Course, CourseError, read_mapping

MAX_FILES = 100
MAX_BYTES = 20 << 20
OURS = frozenset({"timestamp.txt", "submission_secret.txt", "feedback"})
"""What the course keeps next to a notebook; in small letters. Nothing of that name is taken from a student."""
_MAX_FOLDERS = 100
_MAX_DEPTH = 8
_MAX_NAME = 100
_MAX_ENDING = 10
_MAX_NAMED = 10
_MAX_LISTED = 2_000
_MAX_TIMESTAMP = 200
_NBGRADERS_DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{6})? UTC", re.ASCII)

_HARMLESS = frozenset({".ipynb", ".txt", ".md", ".csv", ".tsv", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"})
_LEFT_BY_SYSTEMS = frozenset({".ds_store", "thumbs.db", "desktop.ini"})
# Nothing of these is a student's, wherever it came from: it lies in `submitted/` itself, under the name of an ordinary file.
_ORDINARY = re.compile(
    r".+\.(?:7z|bak|cfg|csv|db|docx|gz|html?|ini|ipynb|jpg|json|log|md|ods|odt|pdf|png|py|rar|sh|tar|tgz|toml|tsv|txt|xlsx?|xz|ya?ml|zip)",
    re.IGNORECASE,
)
_CONFIGURATION = re.compile(
    r"(?:nbgrader|jupyter|ipython)\w*\.(?:py|json)|(?:site|user)customize\.py|conftest\.py|.*\.pth", re.IGNORECASE
)
# pytest runs the examples in such a file.
_DOCTEST = re.compile(r"test.*\.txt")
_INSTRUCTORS = frozenset({".git", ".ipynb_checkpoints"})

_CELLS = re.compile(r'"(?:cells|worksheets)"\s*:\s*\[')
_PLAIN = re.compile(r"\w(?:[\w.-]*\w)?", re.ASCII)
_UNSAFE = frozenset("\"'<>&\\`#?%/")
_FORMULA = frozenset("=+-@")
_UNSAFE_FIRST = frozenset(".-+=@ ")
_ESCAPES = re.compile(r"(?:~[0-9A-F]{2})+")
_SHORTENED = re.compile(r"~x[0-9a-f]{16}")
_LATE = "marked late in Canvas, but not counted as late here: the chapter has no due date"
_COUNTED = "marked late in Canvas, which does not say how late: counted as one minute late"
_ASIDE = re.compile(r"(?P<label>.+)\.aside-(?P<reason>\w+)")
_REASONS = {
    "link": "symbolic links are not followed",
    "special": "only regular files are kept",
    "hardlink": "it is a hard link to a file elsewhere",
    "type": "only notebooks, text, tables, pictures, and PDF files are allowed next to a notebook",
    "limit": f"at most {MAX_FILES} files of {MAX_BYTES >> 20} MB in all, in {_MAX_FOLDERS} folders, are allowed next to a notebook",
    "folder": "there should be a folder here",
    "date": "it contains no readable date",
    "again": "the chapter was handed in again",
}


@dataclass(frozen=True)
class Submission:
    """What one student handed in of a chapter.

    Args:
        student: The id in the gradebook, safe in pages, addresses and file names.
        folder: The folder `submitted/STUDENT/CHAPTER`.
        notebook: The file to grade; there may be none.
        beside: The regular files in the folder that may be copied.
        timestamp: When it was handed in, in UTC without a time zone, if `timestamp.txt` says so.
        notes: What was put aside, renamed or could not be read, in sentences that are safe to show.
    """

    student: str
    folder: Path
    notebook: Path
    beside: tuple[Path, ...]
    timestamp: datetime | None
    notes: tuple[str, ...]


def collect(course: Course, chapter: str) -> list[Submission]:
    """Look at what was handed in for a chapter, and set aside anything that must not stay below `submitted/`.

    Args:
        course: The course.
        chapter: The chapter's name.

    Returns:
        A submission for each student who handed the chapter in, by their ids.

    Raises:
        CourseError: Nothing was handed in, or a configuration file in `submitted/` itself cannot be put aside.
    """
    submitted = course.root / "submitted"
    names = sorted(os.listdir(submitted)) if submitted.is_dir() else []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # What dateutil thinks of a time zone.
        troubles: dict[str, list[str]] = {}
        for name in names:
            for student, trouble in _settle(course, chapter, name).items():
                troubles.setdefault(student, []).extend(trouble)
        before = collected_before(course, chapter)[1]
        found = [
            _student(course, chapter, student, trouble, before.get(student, {}))
            for student, trouble in sorted(troubles.items())
        ]
    submissions = [submission for submission in found if submission]
    if not submissions:
        raise CourseError(f"nothing was handed in: expected {submitted}/STUDENT/{chapter}/{chapter}.ipynb")
    return submissions


def strays(course: Course) -> list[str]:
    """The files that are or were in `submitted/` itself and belong to no student, in sentences that are safe to show."""
    submitted = course.root / "submitted"
    names = sorted(entry.name for entry in os.scandir(submitted) if entry.is_file(follow_symlinks=False))
    left = [shown(name) for name in names if not name.startswith(".")]
    notes = [f"{_listed(left)} in submitted/ {'belongs' if len(left) == 1 else 'belong'} to no student"] if left else []
    return notes + Quarantine(course, "submitted", "").notes()


def collected_before(course: Course, chapter: str) -> tuple[Path, dict[str, Any]]:
    """The file that records what was taken out of a learning platform's downloads, and its content.

    Args:
        course: The course.
        chapter: The chapter's name.

    Returns:
        The file, and by the students' ids the `platform`; the `label` of the notebook in the download and its `version`; the hashes
        of the `files` by their names; whether it is marked `late`; the time that is therefore `counted`, or nothing; and `notes`
        on what was opened or not taken.
    """
    path = course.private / "downloads" / f"{chapter}.json"
    return path, read_mapping(path) or {}


def file_hash(path: Path) -> str:
    """What tells a file's content from any other's."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_notebook(course: Course, student: str, chapter: str) -> bool:
    """Whether the file that would be graded is a notebook, or a part of one; nothing is tidied.

    Args:
        course: The course.
        student: The student's id.
        chapter: The chapter's name.
    """
    home = course.root / "submitted" / student
    kept = (
        os.path.relpath(Path(top, name), home / chapter) for top, _, names in os.walk(home / chapter) for name in names
    )
    name = _notebook(kept, chapter)
    path = home / chapter / name if name else home / f"{chapter}.ipynb"
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return False
        data = path.read_bytes()
        return bool(_CELLS.search(data.decode(json.detect_encoding(data), errors="replace")))
    except OSError:
        return False


def is_harmless(name: str) -> bool:
    """Whether a file of this name may stay next to a notebook."""
    return os.path.splitext(name)[1].lower() in _HARMLESS and not _DOCTEST.fullmatch(name.lower())


def before_autograding(*, assignment: str, student: str, notebooks: Sequence[str]) -> None:
    """Put aside what must not stay beside notebooks that nbgrader's own loop is about to copy.

    It is nbgrader's `c.Autograde.pre_convert_hook`.

    Args:
        assignment: The chapter's name; may be a pattern, as nbgrader gives it.
        student: The student's id; may be a pattern.
        notebooks: The student's notebooks, all in one folder.

    Raises:
        SystemExit: Something could not be put aside. nbgrader swallows every `Exception` of a hook and would copy it.
    """
    folder = Path(notebooks[0]).parent
    name, chapter = folder.parent.name, folder.name
    quarantine = Quarantine(Course(Path.cwd()), chapter, name)
    try:
        if as_id(name) != name or folder.parent.is_symlink() or folder.is_symlink():
            raise SystemExit(f"{shown(name)} cannot be graded like this: run `autograder collect {chapter}` first")
        _dated(folder, _tidy(folder, chapter, quarantine), quarantine)
    except OSError as error:
        raise SystemExit(f"the folder of {name} could not be read: {error.strerror}") from error
    if quarantine.failures:
        raise SystemExit(f"{name}: {'; '.join(quarantine.failures)}")


def as_id(name: str) -> str:
    """A student's id from the name of a folder: the same if it is safe in pages, addresses, file names and tables.

    What is unsafe is written as `~` and the two hexadecimal digits of each of its bytes (`%` would be decoded in formgrader's
    addresses). Two unsafe names never give the same id; one that is already such an id stays as it is.
    """
    return _shortened(_encoded(name), _MAX_NAME)


def shown(label: str) -> str:
    """A file's path as it may be shown: without anything that a page or a terminal would treat as more than text."""
    return "/".join(_shortened(_encoded(part, first=False), _MAX_NAME) for part in label.split("/"))


def as_given(student: str) -> str:
    """A student's login as it was entered, from the id that `as_id` made of it; the id where a table would take it for more than text."""
    original = _decoded(student)
    is_text = original.isprintable() and original[:1] not in _FORMULA
    return original if is_text and as_id(original) == student else student


def named_within(name: str) -> str:
    """A file's name that is safe and not too long, with the ending that it had."""
    stem, ending = os.path.splitext(name)
    ending = ending if len(ending) <= _MAX_ENDING else ""
    return _shortened(_encoded(stem if ending else name), _MAX_NAME) + _encoded(ending, first=False)


def _encoded(name: str, *, first: bool = True) -> str:
    if _PLAIN.fullmatch(name):
        return name
    normal = unicodedata.is_normalized("NFC", name)
    unsafe = {at for at, letter in enumerate(name) if not (normal or letter.isascii()) or not _is_safe(letter)}
    unsafe |= {0} if first and name[:1] in _UNSAFE_FIRST else set()
    unsafe |= {len(name) - 1} if name.endswith(" ") else set()
    if unsafe:
        unsafe |= {match.start() for match in _ESCAPES.finditer(name)}
        for at, letter in enumerate(name):
            if at - 1 in unsafe and unicodedata.combining(letter):
                unsafe.add(at)
    pieces = (_escaped(letter) if at in unsafe else letter for at, letter in enumerate(name))
    return "".join(pieces)


def _is_safe(letter: str) -> bool:
    return letter == " " or (letter not in _UNSAFE and unicodedata.category(letter)[0] not in "CZ")


def _escaped(letter: str) -> str:
    return "".join(f"~{byte:02X}" for byte in os.fsencode(letter))


def _decoded(name: str) -> str:
    return _ESCAPES.sub(lambda match: os.fsdecode(bytes.fromhex(match[0].replace("~", ""))), name)


def _shortened(name: str, limit: int) -> str:
    """The name in at most so many bytes, with a digest of all of it in place of its end."""
    data = os.fsencode(name)
    if len(data) <= limit:
        return name
    return data[: limit - 18].decode("utf-8", errors="ignore") + "~x" + hashlib.sha256(data).hexdigest()[:16]


def _listed(names: Sequence[str]) -> str:
    named = list(names[:_MAX_NAMED])
    if len(names) > len(named):
        named.append(f"{len(names) - len(named)} more")
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"


class Quarantine:
    """Where the files of one student and chapter are set aside; every run reports again what is there."""

    def __init__(self, course: Course, chapter: str, student: str, room: str = "quarantine") -> None:
        self._root = course.root
        self._place = f".autograder/{room}/{as_id(chapter)}/{as_id(student)}".rstrip("/")
        self._numbers: Counter[str] = Counter()
        self.failures: list[str] = []

    @property
    def _folder(self) -> Path:
        return self._root / self._place

    def take(self, path: Path, label: str, reason: str) -> None:
        """Put a thing aside, a folder with all that is in it. What cannot be moved is told in `failures`.

        Args:
            path: Where it is.
            label: What it is called in notes.
            reason: One of `_REASONS`.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if stat.S_ISDIR(path.lstat().st_mode):
                for inner, name in _emptied(path, label):
                    _move(inner, self._free(name, reason))
            _move(path, self._free(label, reason))
        except OSError as error:
            self.failures.append(f"{shown(label)} could not be moved ({error.strerror}): remove it yourself")

    def notes(self) -> list[str]:
        """What lies in quarantine, and why, a sentence for each reason."""
        try:
            with os.scandir(f"{self._root}/{self._place}") as entries:
                names = sorted(entry.name for entry in islice(entries, _MAX_LISTED))
        except OSError:
            return []
        by_reason: dict[str, list[str]] = {}
        for match in filter(None, map(_ASIDE.fullmatch, names)):
            by_reason.setdefault(match["reason"], []).append(shown(_decoded(match["label"])))
        return [
            f"{_listed(labels)} {'was' if len(labels) == 1 else 'were'} moved to {self._place}: {_REASONS[reason]}"
            for reason, labels in sorted(by_reason.items())
            if reason in _REASONS
        ]

    def _free(self, label: str, reason: str) -> Path:
        name = _shortened(_encoded(label, first=False), 200)
        for number in count(self._numbers[name] + 1):
            numbered = name if number == 1 else f"{name} ({number})"
            target = self._folder / f"{numbered}.aside-{reason}"
            if not os.path.lexists(target):
                self._numbers[name] = number
                return target
        raise AssertionError


def _emptied(folder: Path, label: str) -> Iterator[tuple[Path, str]]:
    """All files in a folder, however deep, each to be moved before the next is asked for; in the end the folder is empty.

    Folders are moved up beside it first, so that no path ever gets long.
    """
    free = (folder.parent / f".aside-{number}" for number in count())
    waiting = [(folder, label)]
    while waiting:
        inner, name = waiting.pop()
        inner.chmod(0o700)
        with os.scandir(inner) as entries:
            found = list(entries)
        for entry in found:
            path, longer = Path(entry.path), f"{name if len(name) < 60 else name[:60] + '/…'}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                path.chmod(0o700)
                target = next(path for path in free if not os.path.lexists(path))
                waiting.append((path.rename(target), longer))
            else:
                yield path, longer
        if inner != folder:
            inner.rmdir()


def _move(path: Path, target: Path) -> None:
    """Rename a file or an empty folder, or make it anew where `submitted` is another file system; nothing is followed."""
    try:
        path.rename(target)
        return
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        target.mkdir()
        path.rmdir()
        return
    if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
        shutil.copyfile(path, target, follow_symlinks=False)
    else:
        target.touch()
    path.unlink()


def _settle(course: Course, chapter: str, name: str) -> dict[str, list[str]]:
    """See to it that what lies in `submitted/` under this name is a folder with a safe name.

    Returns:
        The student's id, if it is a student's, and what could not be done.

    Raises:
        CourseError: A configuration file cannot be put aside.
    """
    path, student = course.root / "submitted" / name, as_id(name)
    mode = path.lstat().st_mode
    if stat.S_ISDIR(mode):
        if not name.startswith(".") or os.path.lexists(path / chapter):
            return {student: _rename(course, path, student)}
        own = name in _INSTRUCTORS
    elif stat.S_ISREG(mode):
        own = not _CONFIGURATION.fullmatch(name)
        if own and not name.startswith(".") and not _ORDINARY.fullmatch(name):
            return {student: _replace(course, chapter, student, path)}
    else:
        return {student: _replace(course, chapter, student, path)}
    if not own:
        quarantine = Quarantine(course, "submitted", "")
        quarantine.take(path, name, "type")
        if quarantine.failures:
            raise CourseError(f"in {path.parent}, {quarantine.failures[0]}")
    return {}


def _rename(course: Course, path: Path, student: str) -> list[str]:
    """Give a student's folder the name of their id; what was handed in before under it is put aside. Returns what failed."""
    target = path.with_name(student)
    if path == target:
        return []
    failures: list[str] = []
    try:
        target.mkdir(exist_ok=True)
        for entry in os.listdir(path):
            if os.path.lexists(target / entry):
                quarantine = Quarantine(course, entry, student)
                quarantine.take(target / entry, f"submitted/{student}/{entry}", "again")
                failures += quarantine.failures
            (path / entry).rename(target / entry)
        path.rmdir()
    except OSError as error:
        failures.append(f"the folder {shown(path.name)} could not be renamed to {student}: {error.strerror}")
    return failures


def _replace(course: Course, chapter: str, student: str, path: Path) -> list[str]:
    """Put an empty folder of the chapter in place of what is no folder. Returns what failed."""
    quarantine = Quarantine(course, chapter, student)
    quarantine.take(path, str(path.relative_to(course.root)), "link" if path.is_symlink() else "folder")
    if not quarantine.failures:
        (course.root / "submitted" / student / chapter).mkdir(parents=True, exist_ok=True)
    return quarantine.failures


def _student(
    course: Course, chapter: str, student: str, troubles: list[str], before: Mapping[str, Any]
) -> Submission | None:
    """Tidy all that a student handed in, and find what of it is the chapter's."""
    home = course.root / "submitted" / student
    folder = home / chapter
    quarantine = Quarantine(course, chapter, student)
    notes = list(troubles)
    kept: dict[str, int] = {}
    misplaced = timestamp = None
    if not home.is_symlink():
        try:
            misplaced = _tidy_home(course, home, chapter, quarantine)
            if folder.is_dir() and not folder.is_symlink():
                kept = _tidy(folder, chapter, quarantine)
                timestamp = _dated(folder, kept, quarantine)
        except OSError as error:
            notes.append(f"the submission cannot be read: {error.strerror}")
    if not (notes or misplaced or os.path.lexists(folder)):
        return None
    name = _notebook(kept, chapter)
    notes += [*_why(student), *_naming(name, kept, chapter)]
    notebook = folder / name if name else misplaced or folder / f"{chapter}.ipynb"
    if home.is_symlink() or folder.is_symlink():
        notebook = Path(os.devnull)  # The link could not be put aside, and is not followed.
    if not name and misplaced:
        notes.append(f"the notebook was in submitted/{student} instead of submitted/{student}/{chapter}")
    if name and before and file_hash(notebook) in before["files"].values():
        notes += before["notes"]
        if before["late"] and timestamp is None:
            notes.insert(0, _LATE)
        elif before["late"] and str(timestamp) == before["counted"].removesuffix(" UTC"):
            notes.insert(0, _COUNTED)
    return Submission(
        student=student,
        folder=folder,
        notebook=notebook,
        beside=tuple(
            folder / label for label in kept if not _is_notebook(label) and ".ipynb_checkpoints/" not in label
        ),
        timestamp=timestamp,
        notes=(*notes, *quarantine.notes(), *quarantine.failures),
    )


def _why(student: str) -> list[str]:
    """Why a student's folder was renamed, if it was."""
    notes = []
    if _SHORTENED.fullmatch(student[-18:]):
        notes.append("the folder's name was too long and was shortened")
    original = _decoded(student)
    if original != student and as_id(original) == student:
        notes.append(
            "the folder's name was not safe on a page or in an address: ~ and two digits replace each unsafe character"
        )
    return notes


def _tidy_home(course: Course, home: Path, chapter: str, quarantine: Quarantine) -> Path | None:
    """Put aside what must not stay in a student's folder, but for the chapter's own; returns a notebook of it in the wrong place.

    Raises:
        OSError: The folder cannot be read.
    """
    misplaced = None
    for number, entry in enumerate(_entries(str(home))):
        path, status = Path(entry.path), entry.stat(follow_symlinks=False)
        label = f"submitted/{home.name}/{entry.name}"
        if stat.S_ISDIR(status.st_mode):
            if entry.name != chapter and number < _MAX_FOLDERS:
                with contextlib.suppress(OSError):
                    _tidy(path, entry.name, Quarantine(course, entry.name, home.name))
            elif entry.name != chapter:
                quarantine.take(path, label, "limit")
        elif entry.name == chapter:
            quarantine.failures += _replace(course, chapter, home.name, path)
        elif reason := _why_not(status, entry.name):
            quarantine.take(path, label, reason)
        elif entry.name.lower() == f"{chapter}.ipynb".lower():
            misplaced = path
    return misplaced


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; its owner may look into it whatever its mode says."""
    with contextlib.suppress(PermissionError), os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)
    os.chmod(folder, 0o700)
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _why_not(status: os.stat_result, name: str) -> str | None:
    """Why a thing that is no folder may not stay, one of `_REASONS`; None if it may."""
    if stat.S_ISLNK(status.st_mode):
        return "link"
    if not stat.S_ISREG(status.st_mode):
        return "special"
    small = name.lower()
    # A notebook is read and never copied, and a backup or a tool that saves room may have linked it.
    if status.st_nlink > 1 and not small.endswith(".ipynb"):
        return "hardlink"
    return None if is_harmless(name) or small in _LEFT_BY_SYSTEMS else "type"


def _tidy(folder: Path, chapter: str, quarantine: Quarantine) -> dict[str, int]:
    """Put aside what must not stay in a student's folder of a chapter.

    Returns:
        What stays: its path in the folder, and its size.

    Raises:
        OSError: A folder cannot be read.
    """
    kept: dict[str, int] = {}
    waiting = [("", 0)]
    seen = 0
    while waiting:
        inner, depth = waiting.pop()
        for entry in _entries(f"{folder}/{inner}"):
            label = f"{inner}{entry.name}"
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(status.st_mode):
                seen += 1
                if depth < _MAX_DEPTH and seen <= _MAX_FOLDERS:
                    waiting.append((f"{label}/", depth + 1))
                else:
                    quarantine.take(Path(entry.path), label, "limit")
            elif reason := _why_not(status, entry.name):
                quarantine.take(Path(entry.path), label, reason)
            else:
                if not status.st_mode & stat.S_IRUSR:
                    with contextlib.suppress(OSError):
                        os.chmod(entry.path, 0o600)
                kept[label] = status.st_size
    first = (_notebook(kept, chapter), "timestamp.txt")
    beside = [label for label in sorted(kept) if label not in first]
    for label in _beyond(beside, kept):
        del kept[label]
        quarantine.take(folder / label, label, "limit")
    return dict(sorted(kept.items()))


def _dated(folder: Path, kept: dict[str, int], quarantine: Quarantine) -> datetime | None:
    """The date in a folder's `timestamp.txt`; a file that holds none, at which nbgrader would stop, is put aside."""
    if "timestamp.txt" not in kept:
        return None
    found = _timestamp(folder / "timestamp.txt")
    if found is None:
        del kept["timestamp.txt"]
        quarantine.take(folder / "timestamp.txt", "timestamp.txt", "date")
    return found


def _beyond(labels: Iterable[str], sizes: dict[str, int]) -> list[str]:
    """The files that are too many, or too large together with those before them."""
    beyond, number, total = [], 0, 0
    for label in labels:
        if number == MAX_FILES or total + sizes[label] > MAX_BYTES:
            beyond.append(label)
        else:
            number, total = number + 1, total + sizes[label]
    return beyond


def _is_notebook(label: str) -> bool:
    return label.lower().endswith(".ipynb")


def _candidates(kept: Iterable[str]) -> list[str]:
    """The notebooks that a student wrote, and no copies that a program left in hidden files."""
    return [
        label
        for label in kept
        if _is_notebook(label) and not any(part.startswith((".", "__MACOSX")) for part in label.split("/"))
    ]


def _notebook(kept: Iterable[str], chapter: str) -> str | None:
    """The notebook to grade: of the chapter's name, or else the last one, preferably not in a folder and named like the chapter."""
    found = _candidates(kept)
    if f"{chapter}.ipynb" in found:
        return f"{chapter}.ipynb"
    return max(found, key=lambda label: ("/" not in label, chapter.lower() in label.lower(), label), default=None)


def _naming(name: str | None, kept: Iterable[str], chapter: str) -> list[str]:
    if name in (None, f"{chapter}.ipynb"):
        return []
    number = len(_candidates(kept))
    others = f"; there are {number}, and none is named {chapter}.ipynb" if number > 1 else ""
    return [f"the notebook was named {shown(name)}{others}"]


def _timestamp(path: Path) -> datetime | None:
    """The date in a file, as nbgrader reads it."""
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_TIMESTAMP + 1).decode().strip()
        if len(text) > _MAX_TIMESTAMP or not re.search(r"\d{4}", text):
            return None
        found: datetime = datetime.fromisoformat(text[:-4]) if _NBGRADERS_DATE.fullmatch(text) else parse_utc(text)
    except Exception:  # noqa: BLE001 - dateutil raises many kinds
        return None
    return found if 1970 <= found.year < 2200 else None
