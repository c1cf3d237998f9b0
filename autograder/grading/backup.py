"""Backs up in one file what a class needs, and puts it back: configuration, secrets, gradebook, students' work, and the solutions.

The solutions are included so that a class can be moved into an empty folder; a clone has its own, perhaps of a later
version, and keeps them.

Every file goes back with the time of its last change, from which `autograder grade` tells that it has nothing to do.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import stat
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy.engine import make_url

from autograder.checkout import Course, CourseError, course_config, write_whole
from autograder.grading.gradebook import PATIENCE
from autograder.grading.sanitize import printable

_FOLDERS = (".autograder", "submitted", "autograded", "feedback")
_ASIDE = ".restore-"
_RELEASED = ("release", "notebooks")
"""Where the notebooks that the class was given lie, now and in older backups."""
_CONFIG = "nbgrader_config.py"
_GRADEBOOK = "gradebook.db"
_MADE_FROM = ("solutions", "book")
"""What a class is graded by and released from."""
_LIST = "backup.json"
_FORM = "backup of a course, 1"
_MAX_NAMED = 10
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Kept:
    """What went into a backup, or came out of it.

    Args:
        file: The backup.
        count: How many files it has.
        left_out: What could not be included, in sentences.
    """

    file: Path
    count: int
    left_out: list[str]

    def closing(self, verb: str) -> list[str]:
        """What the command says of it, in lines."""
        lines = self.left_out[:_MAX_NAMED]
        if len(self.left_out) > _MAX_NAMED:
            lines.append(f"… and {len(self.left_out) - _MAX_NAMED} more were left out")
        return [*lines, f"{self.count} files {verb} {self.file}"]


def back_up(course: Course, file: Path, *, force: bool) -> Kept:
    """Write all that a class needs into one file, whole or not at all.

    Args:
        course: The course.
        file: The file to write.
        force: Whether the file may be there already.

    Raises:
        CourseError: The file is there, or something cannot be read or written.
    """
    if file.exists() and not force:
        raise CourseError(f"{file} already exists: choose another file name, or overwrite it with --force")
    left_out: list[str] = []
    listed: list[dict[str, Any]] = []
    try:
        with _aside(file.parent, ".backup-") as aside:
            made = aside / "backup.zip"
            with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
                # First: a receipt of what is graded meanwhile then does not fit the gradebook, and it is graded again.
                book = _database(course)
                if book.is_file():
                    copy = aside / _GRADEBOOK
                    _copy_database(book, copy)
                    listed.append(_added(archive, copy, _GRADEBOOK, 0))
                for name in _files(course, left_out):
                    if (course.root / name).resolve() != file.resolve():
                        listed.append(_added(archive, course.root / name, name, len(listed)))
                tree = {"form": _FORM, "files": listed, "folders": _empty_folders(course)}
                archive.writestr(_LIST, json.dumps(tree))
            made.chmod(0o600)
            os.replace(made, file)
    except OSError as error:
        raise CourseError(f"{error.filename or file} cannot be backed up: {error.strerror or error}") from error
    return Kept(file, len(listed), left_out)


def restore(course: Course, file: Path, *, force: bool) -> Kept:
    """Put everything back that is in a backup. What is not in it stays as it is.

    Args:
        course: The course, which may be a new clone or an empty folder.
        file: The backup.
        force: Whether files that differ from those in the backup are replaced.

    Raises:
        CourseError: The backup is damaged, files would be replaced, or something cannot be written.
    """
    try:
        with zipfile.ZipFile(file) as archive, ExitStack() as stack:
            listed, folders = _listed(archive)
            listed = _wanted(course, listed, file)
            course.root.mkdir(parents=True, exist_ok=True)
            course.private.mkdir(exist_ok=True, mode=0o700)
            aside = stack.enter_context(_aside(course.private, _ASIDE))
            for number, entry in enumerate(listed):
                _take_out(archive, entry, aside / str(number))
            with _configured(course, listed, aside):
                changes = [
                    (aside / str(number), entry)
                    for number, entry in enumerate(listed)
                    if not _is_same(aside / str(number), _place(course, entry["path"]), entry["path"])
                ]
                _hold_replaceable(course, [entry["path"] for _, entry in changes], force)
            near: dict[Path, Path] = {}
            for taken, entry in changes:
                place = _place(course, entry["path"])
                if entry["path"] == _GRADEBOOK and place.exists():
                    _copy_database(taken, place)
                    continue
                # Each of these folders may be on a disk of its own; deeper, what is left by a kill would be taken for a student's.
                path = PurePosixPath(entry["path"])
                top = course.root / path.parts[0] if len(path.parts) > 1 else place.parent
                if top not in near:
                    top.mkdir(parents=True, exist_ok=True)
                    near[top] = stack.enter_context(_aside(top, _ASIDE))
                _put(taken, near[top] / "file", place, entry)
            for name in folders:
                if not (course.root / name).parent.is_symlink():
                    (course.root / name).mkdir(parents=True, exist_ok=True)
            for entry in listed:
                if entry["path"] != _GRADEBOOK:
                    os.utime(_place(course, entry["path"]), ns=(entry["changed"], entry["changed"]))
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError, ValueError, NotImplementedError) as error:
        if isinstance(error, CourseError):
            raise
        raise CourseError(f"{file} is not a backup of a course, or it is damaged") from error
    except OSError as error:
        raise CourseError(f"{error.filename or file} cannot be restored: {error.strerror or error}") from error
    return Kept(file, len(listed), [])


def _wanted(course: Course, listed: list[dict[str, Any]], file: Path) -> list[dict[str, Any]]:
    """What of a backup is put back: all of it, but for what a clone has of its own.

    Raises:
        CourseError: The folder is neither a course nor empty, or the backup is no whole course.
    """
    if not (course.root / _CONFIG).is_file():
        if course.root.is_dir() and set(course.root.iterdir()) - {file, course.private}:
            raise CourseError(f"{course.root} is neither a course nor empty: name a new folder with --course")
        if not any(entry["path"] == _CONFIG for entry in listed):
            raise CourseError(f"{file} was made by an older version and has no {_CONFIG}: restore it in a clone")
    is_clone = (course.root / "autograder").is_dir()
    return [entry for entry in listed if not (is_clone and PurePosixPath(entry["path"]).parts[0] in _MADE_FROM)]


@contextlib.contextmanager
def _configured(course: Course, listed: Sequence[dict[str, Any]], aside: Path) -> Iterator[None]:
    """With the backup's configuration where there is none, since it says where the gradebook is; gone again on an error."""
    place = course.root / _CONFIG
    if place.is_file():
        yield
        return
    number = next(number for number, entry in enumerate(listed) if entry["path"] == _CONFIG)
    write_whole(place, (aside / str(number)).read_bytes(), 0o644)
    try:
        yield
    except BaseException:
        place.unlink()
        raise


def _database(course: Course) -> Path:
    """The file of the gradebook.

    Raises:
        CourseError: It is none: it is on a server.
    """
    url = make_url(course.database(course_config(course.root)))
    if url.get_backend_name() != "sqlite" or not url.database:
        raise CourseError("the gradebook is not an SQLite file: back it up and restore it with its server's own tools")
    return course.root / url.database


def _copy_database(source: Path, to: Path) -> None:
    """Copy a gradebook as it is at one moment, also while it is being read or written.

    Raises:
        CourseError: One of the two is damaged, cannot be used, or stays locked.
    """
    until = time.monotonic() + PATIENCE

    def hold_free(status: int, *_: int) -> None:
        if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) and time.monotonic() > until:
            raise CourseError("the gradebook is locked by another process: close the program that is writing to it")

    try:
        with (
            contextlib.closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as old,
            contextlib.closing(sqlite3.connect(to)) as new,
        ):
            old.backup(new, progress=hold_free)
            (state,) = new.execute("pragma integrity_check").fetchone()
    except sqlite3.Error as error:
        raise CourseError(f"the gradebook {source} cannot be copied to {to}: {error}") from error
    if state != "ok":
        raise CourseError(f"the gradebook {source} is damaged: {state}")


def _files(course: Course, left_out: list[str]) -> Iterator[str]:
    """The regular files that are backed up, as paths in the course; what else lies there is told."""
    yield _CONFIG
    for folder in _FOLDERS:
        for parent, folders, names in os.walk(course.root / folder):
            if Path(parent) == course.root / folder:
                folders[:] = [one for one in folders if not one.startswith(_ASIDE)]
            folders.sort()
            for name in sorted([*names, *(one for one in folders if Path(parent, one).is_symlink())]):
                path = Path(parent, name)
                inside = path.relative_to(course.root).as_posix()
                if stat.S_ISREG(path.lstat().st_mode):
                    yield inside
                else:
                    left_out.append(f"{printable(inside)} is not a regular file and was left out")
    for path in (
        *sorted(course.solutions.rglob("*")),
        *(course.root / "book").glob("_config.yml"),
        *(course.root / "book").glob("*.bib"),
    ):
        if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
            yield path.relative_to(course.root).as_posix()
    # The notebooks that the class was given, against which a submission is read.
    for secret in sorted((course.private / "secrets").glob("*")):
        if course.released(secret.name).is_file():
            yield course.released(secret.name).relative_to(course.root).as_posix()


def _added(archive: zipfile.ZipFile, path: Path, name: str, number: int) -> dict[str, Any]:
    """Add a file to the archive; returns what is noted of it."""
    status = path.lstat()
    try:
        name.encode()
        entry = name
    except UnicodeEncodeError:  # A name of bytes that are no text.
        entry = f"unnamed/{number}"
    digest = hashlib.sha256()
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as source, archive.open(entry, "w", force_zip64=True) as to:
        while block := source.read(_CHUNK):
            digest.update(block)
            to.write(block)
    return {
        "path": name,
        "entry": entry,
        "sha256": digest.hexdigest(),
        "mode": stat.S_IMODE(status.st_mode),
        "changed": status.st_mtime_ns,
    }


def _empty_folders(course: Course) -> list[str]:
    """The folders of students who handed something in of which nothing was left there."""
    folders = sorted((course.root / "submitted").glob("*/*"))
    return [
        folder.relative_to(course.root).as_posix()
        for folder in folders
        if folder.is_dir() and not (folder.is_symlink() or folder.parent.is_symlink() or any(folder.iterdir()))
    ]


def _listed(archive: zipfile.ZipFile) -> tuple[list[dict[str, Any]], list[str]]:
    """The files and the empty folders that the backup says that it has, once all of it belongs into a course.

    Raises:
        ValueError: It does not.
    """
    tree = json.loads(archive.read(_LIST))
    if tree["form"] != _FORM:
        raise ValueError(tree["form"])
    for entry in tree["files"]:
        path = PurePosixPath(entry["path"])
        belongs = any(path.is_relative_to(folder) for folder in (*_FOLDERS, *_RELEASED, *_MADE_FROM))
        if path.is_absolute() or ".." in path.parts or not (belongs or entry["path"] in (_GRADEBOOK, _CONFIG)):
            raise ValueError(entry["path"])
    files: list[dict[str, Any]] = tree["files"]
    folders: list[str] = tree.get("folders", [])
    for name in folders:
        top, *inside = PurePosixPath(name).parts
        if top != "submitted" or len(inside) != 2 or ".." in inside:
            raise ValueError(name)
    return files, folders


def _take_out(archive: zipfile.ZipFile, entry: dict[str, Any], to: Path) -> None:
    """Take one file out of the archive.

    Raises:
        ValueError: It is not the one that was put in.
    """
    digest = hashlib.sha256()
    with archive.open(entry["entry"]) as source, to.open("wb") as file:
        while block := source.read(_CHUNK):
            digest.update(block)
            file.write(block)
    if digest.hexdigest() != entry["sha256"]:
        raise ValueError(entry["path"])


def _place(course: Course, name: str) -> Path:
    return _database(course) if name == _GRADEBOOK else course.root / name


def _is_same(taken: Path, place: Path, name: str) -> bool:
    if place.is_symlink() or not place.is_file():
        return False
    if name != _GRADEBOOK:
        return taken.stat().st_size == place.stat().st_size and taken.read_bytes() == place.read_bytes()
    try:
        # Two files with the same rows can differ in bytes.
        return _dump(taken) == _dump(place)
    except sqlite3.Error:
        return False


def _dump(database: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        return sorted(connection.iterdump())


def _hold_replaceable(course: Course, names: Sequence[str], force: bool) -> None:
    """Hold that nothing is replaced without `force`, and nothing is written through a link.

    Raises:
        CourseError: Something would be.
    """
    there = [name for name in names if os.path.lexists(_place(course, name))]
    if there and not force:
        more = f" and {len(there) - _MAX_NAMED} more" if len(there) > _MAX_NAMED else ""
        listed = ", ".join(map(printable, there[:_MAX_NAMED])) + more
        raise CourseError(
            f"nothing was restored, because the course has different versions of {listed}: overwrite them with --force"
        )
    for name in names:
        # The uppermost folder may be a link, to a larger disk: that one no student made.
        for parent in list((course.root / name).parents)[: len(PurePosixPath(name).parts) - 2]:
            if parent.is_symlink() or (parent.exists() and not parent.is_dir()):
                raise CourseError(f"nothing was restored, because {printable(str(parent))} is not a folder")


def _put(taken: Path, near: Path, place: Path, entry: dict[str, Any]) -> None:
    """Put a file into its place, by way of a file on the same disk."""
    place.parent.mkdir(parents=True, exist_ok=True)
    taken.chmod(entry["mode"] & 0o777)
    if place.is_dir() and not place.is_symlink():
        raise CourseError(f"{place} is a folder, but a file in the backup")
    shutil.move(taken, near)
    os.replace(near, place)


@contextlib.contextmanager
def _aside(folder: Path, prefix: str) -> Iterator[Path]:
    """A folder beside what is to be written, for as long as it is being written. What a process left that was killed goes too.

    A process holds a lock on its own, which the kernel releases when it ends.
    """
    for left in folder.glob(f"{prefix}*"):
        with contextlib.suppress(OSError), _locked(left):
            shutil.rmtree(left)
    with tempfile.TemporaryDirectory(dir=folder, prefix=prefix) as made, _locked(Path(made)):
        yield Path(made)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock on a folder.

    Raises:
        OSError: Another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
