"""Writes the files of a new exercise: a small one that works, from its solution to its place in the text, to be edited into the one wanted."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping
from pathlib import Path

from autograder.checkout import Checkout, write_whole
from autograder.declare import find_exercise
from autograder.weaving.weave import bound_names

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
_PROBES = '''\
"""What is asked of `NAME`."""

from autograder.declare import probe
from autograder.draw import Draw


@probe("NAME")
def batch(NAME, draw: Draw):
    """Sizes that are neither equal nor perfect squares."""
    values = draw.normal(3, 5)
    return {"result": NAME(values), "values": values}


@probe("NAME")
def alone(NAME, draw: Draw):
    """A batch of one."""
    return {"result": NAME(draw.normal(1, 5))}
'''
_JUDGES = '''\
"""What is right about `NAME`, and what is said when it is not."""

from typing import Any

from autograder.checks.CHAPTER.probes import NAME as probes
from autograder.compare import close, explained
from autograder.declare import judge
from autograder.verdict import Verdict

_DOUBLED = "each number is doubled"


@judge(_DOUBLED, probe=probes.batch, points=2, hint="What do you get when you add a number to itself?")
def doubled(got: Any, want: Any) -> Verdict:
    """Twice each number."""
    mistakes = {"the numbers are squared, expected doubled": want["values"] ** 2}
    return explained(got["result"], want["result"], mistakes, "result")


alone = judge(
    "a batch of one keeps its dimensions",
    probe=probes.alone,
    points=1,
    hidden=True,
    needs=(_DOUBLED,),
    hint="squeeze() removes every dimension of size one, even those that belong there.",
)(close("result"))
'''
_STUDENTS = '''\
"""What students hand in for `NAME`: each mistake alone, and right answers of many styles.

`WRONG` maps each mistake to the name of the check that must name it; `RIGHT` keep all their points.
"""

import torch

EXERCISE = "NAME"


def squared(values):
    """The numbers are squared."""
    return values**2


def squeezes_everything(values):
    """Dimensions of size one are lost."""
    return (2 * values).squeeze()


WRONG = {
    squared: "each number is doubled",
    squeezes_everything: "a batch of one keeps its dimensions",
}


def row_by_row(values):
    """A loop over the batch."""
    return torch.stack([2 * row for row in values])


RIGHT = {
    "row by row": row_by_row,
    "a sum": lambda values: values + values,
    "torch's own": lambda values: torch.mul(values, 2),
}
'''
_IN_USE = '''

@in_use("NAME")
def NAME(NAME, draw: Draw) -> Use:
    """A batch, then one long row."""
    return Use(NAME, (draw.normal(3, 21),), (draw.normal(1, 40),))
'''
_DECLARED = '    Exercise("NAME", "twice each number", minutes=10, difficulty=1),'
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
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name.startswith("sweep"):
        raise ValueError(
            f"{name!r} cannot be an exercise's name: use a Python name in lower case, such as cosine_scores, that does not begin with sweep"
        )
    known = find_exercise(name)
    if known:
        raise ValueError(f"there is already an exercise {name!r}, in {known.chapter}: names are unique in the book")
    solutions, checks = checkout.solutions / chapter, checkout.checks(chapter)
    students = checkout.root / "tests" / "students" / chapter
    package, declared = solutions / "__init__.py", checks / "exercises.py"
    in_use, text = checks / "probes" / "in_use.py", checkout.text(chapter)
    new = {
        solutions / f"{name}.py": _SOLUTION,
        checks / "probes" / f"{name}.py": _PROBES,
        checks / "judges" / f"{name}.py": _JUDGES,
        students / f"{name}.py": _STUDENTS,
    }
    for path in (package, declared, in_use, text, *(path.parent for path in new)):
        if not path.exists():
            raise ValueError(
                f"{checkout.root} is not a clone of the course: it has no {path.relative_to(checkout.root)}"
            )
    for path in new:
        if path.exists():
            raise ValueError(f"{path.relative_to(checkout.root)} already exists: choose another name for the exercise")
    texts = {path: path.read_text(encoding="utf-8") for path in (package, declared, in_use, text)}
    for path in (package, in_use):
        if name in bound_names(texts[path]):
            raise ValueError(f"{path.relative_to(checkout.root)} already uses the name {name}: choose another one")
    names = {"CHAPTER": chapter, "NAME": name}
    changed = {
        package: _exported(texts[package], name),
        declared: _declared(texts[declared], _filled(_DECLARED, names)),
        in_use: texts[in_use].rstrip("\n") + "\n" + _filled(_IN_USE, names),
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


def _declared(source: str, line: str) -> str:
    """The text of `exercises.py` with one more exercise, after the others."""
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
