"""Writes the files of a new exercise: a small one that works, from its solution to its place in the text, to be edited into the one wanted."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping
from pathlib import Path

from autograder.building.weave import bound_names
from autograder.checkout import Checkout, write_whole
from autograder.declare import find_exercise
from autograder.questions.why import FILE as WHYS

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,}|:{3,})")

_SOLUTION = '''\
"""Replace this line: what this module is about."""

from torch import Tensor


def NAME(values: Tensor) -> Tensor:
    """Double each number: y_ti = 2 x_ti.

    Args:
        values: The numbers, shape (B, T).

    Returns:
        Their doubles, shape (B, T).
    """
    # 1. Twice each number: (B, T).
    ### BEGIN SOLUTION
    return 2 * values
    ### END SOLUTION
'''
_CHECKS = '''\
"""The checks of `NAME`."""

from autograder.asking.draw import Draw
from autograder.asking.usage import Use, in_use
from autograder.declare import Exercise, check

EXERCISE = Exercise("NAME", "twice each number", minutes=10, difficulty=1)


@in_use()
def in_chapter(NAME, draw: Draw) -> Use:
    """A batch, then one long row."""
    return Use(NAME, (draw.normal(3, 21),), (draw.normal(1, 40),))


@check("each number is doubled", points=2, hint="What do you get when you add a number to itself?")
def batch(NAME, draw: Draw):
    """Sizes that are neither equal nor perfect squares."""
    return {"result": NAME(draw.normal(3, 5))}


@check(
    "a batch of one keeps its dimensions",
    points=1,
    hidden=True,
    needs=batch,
    hint="squeeze() removes every dimension of size one, even those that belong there.",
)
def alone(NAME, draw: Draw):
    """A batch of one."""
    return {"result": NAME(draw.normal(1, 5))}
'''
_MISTAKES = '''\
"""Mistakes in `NAME`, and right answers in other styles."""

import torch

from autograder.checks.CHAPTER.NAME import alone, batch
from autograder.judging.catalogue import mistake, right


@mistake(batch, "the numbers are squared, expected doubled")
def squared(values):
    return values**2


@mistake(alone, "a dimension of size one is removed that belongs to the result")
def squeezes_everything(values):
    return (2 * values).squeeze()


@right
def row_by_row(values):
    return torch.stack([2 * row for row in values])


@right
def a_sum(values):
    return values + values


right(lambda values: torch.mul(values, 2))
'''
_BY_HAND = '''

def NAME(draw: Draw) -> Given:
    """Two rows of whole numbers."""
    return Given({"values": draw.integers(-2, 3, 2, 2).float()})
'''
_WHY = """
[NAME]
ask = "Say here what to think about: why is the code as it is, and what would be lost if it were otherwise?"
rubric = [
  "The first thing that a full answer says, in a sentence.",
  "The second thing, which can be right without the first.",
  "The third thing, which few students think of.",
]
"""
_TEXT = """\
<!-- New exercise NAME: move it to where it belongs, and replace its words and its check by eye. -->

### A new exercise: twice each number

Say here what question the reader has, the idea in one sentence, and the formula with every shape:
$y_{ti} = 2 \\, x_{ti}$.

```{code-cell} ipython3
:tags: [exercise]

from solutions.CHAPTER import NAME
```

Check by eye: each number is doubled.

```{code-cell} ipython3
print(NAME(torch.tensor([[1.0, -2.0, 0.5]])))
```

<!-- End of the new exercise NAME. -->

"""


def write_exercise(checkout: Checkout, chapter: str, name: str) -> list[Path]:
    """Write the files of a new exercise, which passes the tests as it is, and enter it where the chapter lists its exercises.

    Args:
        checkout: The clone.
        chapter: The chapter's name.
        name: The exercise's name, a function's.

    Returns:
        The files that were written, new ones first. If one cannot be written, none is.

    Raises:
        ValueError: The name is not valid or is taken, or the folder is not a clone; the message says which.
    """
    new, changed = planned(checkout, chapter, name)
    before = {path: path.read_bytes() for path in changed}
    written: list[Path] = []
    try:
        for path, text in {**new, **changed}.items():
            write_whole(path, text.encode(), 0o644)
            written.append(path)
    except BaseException:
        for path in written:
            if path in before:
                write_whole(path, before[path], 0o644)
            else:
                path.unlink()
        raise
    return written


def planned(checkout: Checkout, chapter: str, name: str) -> tuple[dict[Path, str], dict[Path, str]]:
    """The texts of the new files and of those that change; nothing is written.

    Raises:
        ValueError: As for `write_exercise`.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise ValueError(
            f"{name!r} cannot be an exercise's name: use a Python name in lower case, such as cosine_scores"
        )
    known = find_exercise(name)
    if known:
        raise ValueError(f"there is already an exercise {name!r}, in {known.chapter}: names are unique in the book")
    solutions, checks, text = checkout.solutions / chapter, checkout.checks(chapter), checkout.text(chapter)
    package, order, by_hand = solutions / "__init__.py", checks / "__init__.py", checks / "by_hand.py"
    whys = checks / WHYS
    new = {
        solutions / f"{name}.py": _SOLUTION,
        checks / f"{name}.py": _CHECKS,
        checks / "mistakes" / f"{name}.py": _MISTAKES,
    }
    for path in (package, order, by_hand, whys, text, *(path.parent for path in new)):
        if not path.exists():
            raise ValueError(
                f"{checkout.root} is not a clone of the course: it has no {path.relative_to(checkout.root)}"
            )
    for path in (*new, solutions / name):
        if path.exists():
            raise ValueError(f"{path.relative_to(checkout.root)} already exists: choose another name for the exercise")
    texts = {path: path.read_text(encoding="utf-8") for path in (package, order, by_hand, whys, text)}
    if name in bound_names(texts[package]):
        raise ValueError(f"{package.relative_to(checkout.root)} already uses the name {name}: choose another one")
    names = {"CHAPTER": chapter, "NAME": name}
    changed = {
        package: _exported(texts[package], name),
        order: _last(texts[order], f'    "{name}",'),
        by_hand: texts[by_hand] + _filled(_BY_HAND, names),
        whys: texts[whys] + _filled(_WHY, names),
        text: _with_section(texts[text], _filled(_TEXT, names)),
    }
    return {path: _filled(template, names) for path, template in new.items()}, changed


def _filled(template: str, names: Mapping[str, str]) -> str:
    return re.sub(r"CHAPTER|NAME", lambda found: names[found[0]], template)


def _exported(source: str, name: str) -> str:
    """A package's text that imports a function from the module of its name, and lists it."""
    lines = source.split("\n")
    body = ast.parse(source).body
    (listed,) = (node for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
    names = [f'"{each}"' for each in sorted([*ast.literal_eval(listed.value), name])]
    line = f"__all__ = [{', '.join(names)}]"
    if listed.lineno != listed.end_lineno or len(line) > 120:
        line = "\n".join(["__all__ = [", *(f"    {each}," for each in names), "]"])
    lines[listed.lineno - 1 : listed.end_lineno] = [line]
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    after = [node.end_lineno or node.lineno for node in imports if (node.module or "") < name]
    lines.insert(max(after, default=imports[0].lineno - 1), f"from .{name} import {name}")
    return "\n".join(lines)


def _last(source: str, line: str) -> str:
    """The text of a module that ends in a list of exercises, with one more after the others."""
    lines = source.split("\n")
    last = ast.parse(source).body[-1]
    lines.insert((last.end_lineno or last.lineno) - 1, line)
    return "\n".join(lines)


def _with_section(text: str, section: str) -> str:
    """A chapter's text with a new section after that in which its last exercise is."""
    lines, fence = text.split("\n"), ""
    last = max(number for number, line in enumerate(lines) if line == ":tags: [exercise]")
    for place, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif mark:
            fence = mark[1]
        elif place > last and re.match(r"#{1,6} |\+\+\+", line):
            break
    else:
        place = len(lines)
    return "\n".join([*lines[:place], *section.split("\n")[:-1], *lines[place:]])
