"""Questions that a page asks, where no kernel runs: which listed mistake gave this result?

In a notebook, `question` asks about the reader's own code. A page has none, so it takes the questions that are recorded with the chapter's checks.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from itertools import zip_longest

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.declare import load_exercises
from autograder.questions.given import inputs_of
from autograder.questions.recorded import Recorded, input_of, read_recorded

TITLE = "## Which mistake was it?"
_BEFORE = "## Read on"
"""The heading that they stand before."""
_ASKED = 3
_LETTERS = "abcd"
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>$|#])")


def with_mistakes(cells: Sequence[NotebookNode], chapter: str) -> list[NotebookNode]:
    """The cells of a chapter's page, with the questions before what there is to read on.

    Args:
        cells: The cells.
        chapter: The chapter's name.
    """
    asked = _section(chapter)
    return insert_before(_BEFORE, new_markdown_cell(asked, id=f"{chapter}-mistakes"), cells) if asked else list(cells)


def insert_before(heading: str, new: NotebookNode, cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """The cells with a new one before a heading, at which a cell of text is split; without that heading they stay as they are.

    Args:
        heading: The line, such as "## Read on".
        new: The cell to insert.
        cells: The cells.
    """
    line = re.compile(f"^(?={re.escape(heading)}$)", re.MULTILINE)
    found: list[NotebookNode] = []
    for cell in cells:
        before, *after = line.split(cell.source, maxsplit=1) if cell.cell_type == "markdown" else [cell.source]
        if after:
            found += [new_markdown_cell(before, id=cell.id)] * bool(before.strip())
            found += [new, new_markdown_cell(*after, id=f"{cell.id}-after")]
        else:
            found.append(cell)
    return found


def _section(chapter: str) -> str:
    """The questions with a heading; empty where nothing is recorded."""
    recorded = read_recorded(chapter)
    names = [e.name for e in load_exercises(chapter) if recorded.get(e.name)]
    if not names:
        return ""
    chosen = random.Random(chapter).sample(names, min(_ASKED, len(names)))
    asked = [
        (name, one)
        for turn in zip_longest(*(recorded[name] for name in chosen))
        for name, one in zip(chosen, turn, strict=True)
        if one
    ]
    asked = sorted(asked[:_ASKED], key=lambda one: names.index(one[0]))
    opening = (
        f"{TITLE}\n\nHere are results of wrong answers to exercises of this chapter, for inputs small enough to do by hand. "
        "In the notebook, `question(…)` asks about your own code."
    )
    return "\n\n".join([opening, *(_asked(chapter, name, one) for name, one in asked)])


def _asked(chapter: str, name: str, one: Recorded) -> str:
    inputs = inputs_of(chapter, name)
    assert inputs is not None, f"{name} has recorded questions and no inputs"
    (right, told), *_ = one.mistakes
    options = list(one.mistakes)
    random.Random(f"{name}/{one.draw}").shuffle(options)
    letters = dict(zip(_LETTERS, options, strict=False))
    listed = "\\\n".join(f"{letter}) {_plain(sentence)}" for letter, (sentence, _) in letters.items())
    answer = next(letter for letter, (sentence, _) in letters.items() if sentence == right)
    others = "\n\n".join(
        f"Option {letter} would have given\n\n{_block(shown)}"
        for letter, (sentence, shown) in letters.items()
        if sentence != right
    )
    return (
        f"**`{name}`.** For\n\n{_block(input_of(inputs, one.draw).shown(name))}\n\nsomebody's answer gives\n\n{_block(told)}\n\n{listed}\n\n"
        f"::::{{dropdown}} Show the answer\nOption {answer}.\n\n{others}\n::::"
    )


def _block(text: str) -> str:
    return f"```text\n{text}\n```"


def _plain(text: str) -> str:
    """A sentence whose characters mean nothing in Markdown."""
    return _SPECIAL.sub(r"\\\1", text)
