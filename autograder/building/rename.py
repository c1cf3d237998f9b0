"""Gives chapters other names, and so other numbers: `make rename NAMES="chNN_attention=chMM_attention"`.

A chapter's name is the name of its folders and files, and appears in imports and paths; its number appears nowhere
else. So to insert a chapter, you give new names to those after it, all at once, and `make notebooks`.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from autograder.building.numbers import NAME, number_of

_ASIDE = "-to-be-"
"""Stands in a name between the two steps, so that a chapter may get the name that another one gives up."""


def rename(root: Path, names: Mapping[str, str]) -> int:
    """Rename chapters in every tracked file of a clone, its path and its text.

    Args:
        root: The clone.
        names: The new name of each chapter by its old one.

    Returns:
        How many files hold another text, or lie elsewhere.

    Raises:
        ValueError: A name is no chapter's, or two chapters would have one name.
    """
    files = tracked(root)
    known = {part for file in files for part in Path(file).parts if NAME.fullmatch(part)}
    for old, new in names.items():
        number_of(new)
        if old not in known:
            raise ValueError(f"there is no chapter {old!r}; the chapters are {', '.join(sorted(known))}")
    left = known - names.keys()
    taken = sorted({new for new in names.values() if new in left or list(names.values()).count(new) > 1})
    if taken:
        raise ValueError(f"two chapters would be called {taken[0]}")
    return len({*_texts(root, files, names), *_paths(root, files, names)})


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text, or a path, under the new names."""
    pattern = rf"(?<![^\W_])(?:{'|'.join(map(re.escape, names))})(?!\w)"
    return re.sub(pattern, lambda match: names[match[0]], text)


def _texts(root: Path, files: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """The files whose text became another."""
    changed = []
    for file in files:
        try:
            text = (root / file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        other = _renamed(text, names)
        if other != text:
            (root / file).write_text(other, encoding="utf-8")
            changed.append(file)
    return changed


def _paths(root: Path, files: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """The files that lie elsewhere now."""
    moved = [file for file in files if _renamed(file, names) != file]
    aside = [_renamed(file, {old: _ASIDE + new for old, new in names.items()}) for file in moved]
    behind = [_renamed(file, names) for file in moved]
    for old, new in [*zip(moved, aside, strict=True), *zip(aside, behind, strict=True)]:
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / new)
        _clear(root, (root / old).parent)
    return moved


def _clear(root: Path, folder: Path) -> None:
    """Remove a folder that holds nothing any more, and those around it."""
    while folder != root and {path.name for path in folder.iterdir()} <= {"__pycache__"}:
        shutil.rmtree(folder)
        folder = folder.parent


def tracked(root: Path) -> list[str]:
    """The files of a clone that git tracks, and that are there."""
    done = subprocess.run(["git", "ls-files", "-z"], check=True, cwd=root, capture_output=True, text=True)
    return [file for file in done.stdout.split("\0") if file and (root / file).is_file()]


def main(given: Sequence[str]) -> None:
    """Rename what is asked for, and say what to do next."""
    names = dict(pair.split("=", 1) for pair in given if "=" in pair)
    if not names or len(names) != len(given):
        raise SystemExit(
            'name the chapters: make rename NAMES="chNN_attention=chMM_attention chNN_decoding=chMM_decoding"'
        )
    try:
        changed = rename(Path.cwd(), names)
    except ValueError as error:
        raise SystemExit(str(error)) from error
    print(f"{changed} files were renamed or changed. Look at `git status`, then run `make notebooks` and `make test`")


if __name__ == "__main__":
    main(sys.argv[1:])
