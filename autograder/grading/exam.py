"""A written exam on what the chapters teach, which needs no submissions: questions about listed mistakes, and open ones about the reason behind an exercise."""

from __future__ import annotations

import inspect
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.checkout import write_whole
from autograder.declare import load_exercises
from autograder.grading.viva_pages import Sheet, examiners_page, students_page
from autograder.grading.viva_questions import Item
from autograder.judging.reference import load_reference
from autograder.questions.given import inputs_of
from autograder.questions.making import Question, about_mistakes
from autograder.questions.recorded import read_recorded
from autograder.questions.why import read_whys

_VERSIONS = "ABCDEFGH"
TITLE = "Written exam"


class ExamError(ValueError):
    """There is no such exam."""


@dataclass(frozen=True)
class Asked:
    """What an exam asks.

    Args:
        chapters: What it is about.
        closed: How many questions give four answers to choose from.
        open_: How many ask for a reason.
        versions: How many orders of the same questions there are.
        seed: Whatever draws the questions: the same seed gives the same exam.
        leave_out: The exercises that it asks nothing about.
    """

    chapters: Sequence[str]
    closed: int
    open_: int
    versions: int
    seed: str
    leave_out: Collection[str] = ()


def write_exam(folder: Path, solutions: Path, asked: Asked) -> list[Path]:
    """Write an exam's page for students, and the one with the answers.

    Args:
        folder: Where to.
        solutions: The folder with the chapters' solutions, whose docstrings say what an exercise is.
        asked: What it asks.

    Returns:
        The two pages: each holds all versions, on paper of their own.

    Raises:
        ExamError: The chapters have not so many questions, or there are too many versions.
    """
    if not 1 <= asked.versions <= len(_VERSIONS):
        raise ExamError(f"an exam has 1 to {len(_VERSIONS)} versions, not {asked.versions}")
    chance = random.Random(f"exam/{asked.seed}/{' '.join(sorted(asked.chapters))}")
    closed, opened = _drawn(_closed(asked, chance), chance), _drawn(_open(asked), chance)
    for kind, there, wanted in (
        ("questions with four answers", closed, asked.closed),
        ("open questions", opened, asked.open_),
    ):
        if wanted > len(there):
            raise ExamError(f"these chapters have {len(there)} {kind}, and {wanted} were asked for")
    meant = {name: text for chapter in asked.chapters for name, text in _told(solutions, chapter).items()}
    sheets = [
        _version(letter, closed[: asked.closed], opened[: asked.open_], meant, chance)
        for letter in _VERSIONS[: asked.versions]
    ]
    named = [replace(sheet, called=f"{sheet.called} · Name: {'_' * 30}") for sheet in sheets]
    pages = {"students": students_page(TITLE, named), "examiner": examiners_page(TITLE, sheets)}
    folder.mkdir(parents=True, exist_ok=True)
    for kind, page in pages.items():
        write_whole(folder / f"{kind}.html", page.encode())
    return [folder / f"{kind}.html" for kind in pages]


def _told(solutions: Path, chapter: str) -> dict[str, str]:
    """What each exercise of a chapter is, in the first line of its docstring."""
    module = load_reference(solutions, chapter)
    names = [exercise.name for exercise in load_exercises(chapter)]
    return {name: (inspect.getdoc(getattr(module, name)) or "").partition("\n")[0] for name in names}


def _closed(asked: Asked, chance: random.Random) -> list[list[Item]]:
    """For each exercise, the questions which of four mistakes made a result."""
    found = []
    for chapter in asked.chapters:
        for name, recorded in read_recorded(chapter).items():
            inputs = inputs_of(chapter, name)
            if inputs is not None and name not in asked.leave_out:
                found.append([Item(name, about_mistakes(name, inputs, one, chance)) for one in recorded])
    return found


def _open(asked: Asked) -> list[list[Item]]:
    """For each exercise, its open question."""
    whys = [(name, why) for chapter in asked.chapters for name, why in read_whys(chapter).items()]
    return [[Item(name, why=why)] for name, why in whys if name not in asked.leave_out]


def _drawn(by_exercise: Sequence[list[Item]], chance: random.Random) -> list[Item]:
    """All questions, in the order in which an exam takes them: one about each exercise before a second about any."""
    left = [chance.sample(items, len(items)) for items in chance.sample(by_exercise, len(by_exercise))]
    return [items[turn] for turn in range(max(map(len, left), default=0)) for items in left if turn < len(items)]


def _version(
    letter: str, closed: Sequence[Item], opened: Sequence[Item], meant: Mapping[str, str], chance: random.Random
) -> Sheet:
    """The same questions and options as in the other versions, in an order of its own; open questions come last."""
    items = [replace(item, question=_reordered(item.question, chance)) for item in chance.sample(closed, len(closed))]
    items += chance.sample(opened, len(opened))
    notes = [f"`{name}`: {meant[name]}" for name in dict.fromkeys(item.exercise for item in items)]
    return Sheet(letter, f"Version {letter}", items, notes)


def _reordered(question: Question | None, chance: random.Random) -> Question:
    assert question is not None
    options = tuple(chance.sample(question.options, len(question.options)))
    return replace(question, options=options, right=options.index(question.options[question.right]))
