"""Writes the archive with which Gradescope grades a chapter: the course cut down to it, and the two scripts that Gradescope runs.

Gradescope builds a container from the archive once, in `/autograder/source`, where it runs `setup.sh`. For each submission it then
runs `/autograder/run_autograder`, which reads `/autograder/submission` and writes `/autograder/results/results.json`.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.checkout import Course, CourseError, write_whole

# The scripts find their places from their own, so that they can be tried in any folder that is laid out like the container.
_SETUP = """\
#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
enough='import sys; sys.exit(not (3, 11, 2) <= sys.version_info[:3] < (3, 12))'
python=""
for name in python3.11 python3 python; do
  if command -v "$name" >/dev/null && "$name" -c "$enough"; then python=$name; break; fi
done
if [ -z "$python" ]; then
  python3 -m pip install --quiet uv
  python3 -m uv venv --quiet --seed --python 3.11 ../venv
else
  "$python" -m venv ../venv
fi
../venv/bin/python -m pip install --quiet --disable-pip-version-check -r course/requirements.txt
../venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e course
"""
_RUN = """\
#!/usr/bin/env bash
cd "$(dirname "${{BASH_SOURCE[0]}}")"
mkdir -p results
# `find` follows no link, which a student may have handed in.
notebooks() {{ find submission -type f -name "$1" -print0 | sort -z; }}
mapfile -d '' -t notebooks < <(notebooks {chapter}.ipynb; notebooks '*.ipynb')
PATH="$PWD/venv/bin:$PATH" venv/bin/autograder grade-one "${{notebooks[0]:-submission/{chapter}.ipynb}}" \\
  --chapter {chapter} --course source/course --sandbox {box} --gradescope >results/part.json 2>results/errors.txt
if [ $? -eq 2 ] && [ ! -s results/part.json ]; then
  venv/bin/python - >results/part.json <<'END'
import json
print(json.dumps({{"score": 0, "visibility": "visible", "output": "This could not be graded. "
    "Hand in one notebook, {chapter}.ipynb; if you did, tell your instructor."}}))
END
fi
cat results/errors.txt >&2
mv results/part.json results/results.json
"""


def write_archive(course: Course, chapter: str, to: Path, box: str) -> Path:
    """Write the archive.

    Args:
        course: The course, a clone of the repository in which the chapter has been released.
        chapter: The chapter's name.
        to: The file.
        box: `landlock`, or `none` for no sandbox.

    Returns:
        The file.

    Raises:
        CourseError: The chapter has not been released, or the file cannot be written.
    """
    if not course.released(chapter).is_file():
        raise CourseError(f"{chapter} has not been released: run `autograder release {chapter}`")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, script in (("setup.sh", _SETUP), ("run_autograder", _RUN.format(chapter=chapter, box=box))):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, script)
        for path in sorted(set(_files(course, chapter))):
            archive.write(path, Path("course") / path.relative_to(course.root))
        secret = Path("course") / course.private.relative_to(course.root) / "secrets" / chapter
        archive.writestr(str(secret), f"{_secret_of_its_own(course.secret(chapter))}\n")
    try:
        write_whole(to, data.getvalue())
    except OSError as error:
        raise CourseError(f"{to} cannot be written: {error.strerror or error}") from error
    return to


def _files(course: Course, chapter: str) -> Iterator[Path]:
    """What grading the chapter needs: the packages with what is stored, its solutions, and its notebook as released."""
    root = course.root
    for name in ("nbgrader_config.py", "pyproject.toml", "README.md", "requirements.txt"):
        yield root / name
    yield from (path for path in (root / "autograder").rglob("*") if _is_kept(path))
    yield from (path for path in course.library.rglob("*") if _is_kept(path))
    yield from (path for path in course.solutions.rglob("*.py") if _is_kept(path))
    yield from (course.solved(chapter), course.released(chapter))


def _secret_of_its_own(secret: str) -> str:
    """A secret for the container, where students' code runs as the same user: the class's own cannot be worked out from it."""
    return hashlib.sha256(f"gradescope {secret}".encode()).hexdigest()


def _is_kept(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts
