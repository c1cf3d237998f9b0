"""The questions of a notebook: which one was asked last, how it is shown, and what is said of an answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.declare import ExerciseChecks, find_exercise
from autograder.notebook.progress import answered_beside
from autograder.questions.code import Code, UnaskableError, read_code
from autograder.questions.given import inputs_of
from autograder.questions.making import Question, questions
from autograder.questions.recorded import read_recorded
from autograder.questions.trace import given_to, normal, read_numbers
from autograder.questions.values import text_of
from autograder.questions.why import read_whys

__all__ = ["Judged", "UnaskableError", "answer", "ask", "ask_own", "ask_why"]

_LETTERS = "abcd"
_WIDE = 90


@dataclass
class _Deck:
    """The questions about one version of a reader's code.

    Args:
        code: The code.
        coming: The questions that were not asked yet.
        asked: The one that waits for an answer; None where none does.
        number: How many were asked.
        right: How many were answered right.
    """

    code: Code
    coming: Iterator[Question]
    asked: Question | None = None
    number: int = 0
    right: int = 0


@dataclass(frozen=True)
class Judged:
    """What is said of an answer.

    Args:
        told: The text.
        counts: Whether it was an answer to a question.
        is_right: Whether it was right.
    """

    told: str
    counts: bool = False
    is_right: bool = False


_decks: dict[str, _Deck] = {}
"""By exercise."""


def ask(exercise: ExerciseChecks, subject: Any) -> str:
    """A question about a reader's code; as long as it is not answered and the code stays as it is, the same one.

    Args:
        exercise: The exercise.
        subject: The reader's function or class.

    Raises:
        UnaskableError: There is nothing to ask.
    """
    deck = _deck(exercise, subject)
    if deck.asked is None:
        deck.asked = next(deck.coming, None)
        deck.number += 1
    if deck.asked is None:
        del _decks[exercise.exercise.name]
        if deck.number == 1:
            raise UnaskableError(f"No question was found about `{exercise.exercise.name}` as it is now written.")
        return ask(exercise, subject)
    return _shown(exercise.exercise.name, deck.asked)


def ask_why(exercise: ExerciseChecks, given: str) -> str:
    """The open question of an exercise; once it is answered, what an answer should say.

    Args:
        exercise: The exercise.
        given: The reader's answer, in words; empty to be asked.

    Raises:
        UnaskableError: The exercise has none.
    """
    name = exercise.exercise.name
    why = read_whys(exercise.chapter).get(name)
    if why is None:
        raise UnaskableError(f"There is no open question about `{name}`.")
    if not given.strip():
        how = f'Answer in two or three sentences: `question({name}, "Because …", kind="why")`. Then you see what to compare them with.'
        return f"{why.ask}\n\n{how}"
    if not why.rubric:
        return "There is nothing here to compare your answer with. Discuss it with your instructor, or with somebody who did the exercise too."
    points = [_kept(f"{number}.  {text}", 4) for number, text in enumerate(map(_folded, why.rubric), start=1)]
    return "\n\n".join([why.ask, "A full answer says three things. Which of them does yours say?", *points])


def answer(exercise: ExerciseChecks, subject: Any, given: Any) -> Judged:
    """What is said of an answer to the question that was asked last.

    Args:
        exercise: The exercise.
        subject: The reader's function or class.
        given: The letter of an option.

    Raises:
        UnaskableError: There is nothing to ask.
    """
    name, deck = exercise.exercise.name, _decks.get(exercise.exercise.name)
    if deck is None or deck.asked is None:
        return Judged(f"No question waits for an answer. Run `question({name})` first: it asks one.")
    letter = str(given).strip().strip("()").lower()
    asked = deck.asked
    if letter not in list(_LETTERS[: len(asked.options)]):
        return Judged(
            f'Answer with one of the letters {", ".join(_LETTERS[: len(asked.options)])}, such as `question({name}, "b")`.'
        )
    is_right = letter == _LETTERS[asked.right]
    deck.asked, deck.right = None, deck.right + is_right
    return Judged(_judged(name, asked, is_right, f"{deck.right} of {deck.number}"), counts=True, is_right=is_right)


def ask_own(answers: Any, names: Sequence[str]) -> str:
    """The questions whose inputs are drawn from a student's id, and how each answer is read.

    Args:
        answers: The student's id and the answers, by the names that the notebook gives them.
        names: The exercises that the questions are about.
    """
    if not isinstance(answers, dict) or not all(isinstance(text, str) for text in answers.values()):
        return "Write each answer as a text, between quotation marks."
    student = normal(answers.get("student", ""))
    if not student:
        return 'Write your id in this course after `"student":` in the cell above, and run both cells again.'
    blocks = [f"These are the questions of `{student}`: answers to them count only for the student with this id."]
    for number, name in enumerate(names, start=1):
        found = find_exercise(name)
        inputs = inputs_of(found.chapter, name) if found else None
        assert inputs is not None, f"{name} has no inputs"
        read = ", ".join(map(text_of, read_numbers(answers.get(f"question {number}", ""))))
        told = f"Your answer is read as {read}." if read else "There are no numbers in your answer yet."
        shown = _kept(given_to(student, inputs, number).shown(name))
        blocks += [f"Question {number}. What does a right `{name}` return for these inputs?", shown, told]
    return "\n\n".join([*blocks, "Grading will tell whether the answers are right."])


def _deck(exercise: ExerciseChecks, subject: Any) -> _Deck:
    """The questions about the code as it is now."""
    name, code = exercise.exercise.name, read_code(subject)
    if name not in _decks or _decks[name].code != code:
        make = inputs_of(exercise.chapter, name)
        if make is None:
            raise UnaskableError(f"There are no questions about `{name}`.")
        _, given = answered_beside(Path.cwd()).get(name, (0, 0))
        _decks[name] = _Deck(code, questions(code, make, str(given), read_recorded(exercise.chapter).get(name, ())))
    return _decks[name]


def _shown(name: str, asked: Question) -> str:
    code, given = [_kept(asked.code)] * bool(asked.code), ["With", _kept(asked.given)] * bool(asked.given)
    options = [_kept(f"{letter})  {option.text}", 4) for letter, option in zip(_LETTERS, asked.options, strict=True)]
    closing = f'Answer with `question({name}, "a")`, `"b"`, `"c"` or `"d"`.'
    return "\n\n".join([*code, *given, asked.ask, *options, closing])


def _judged(name: str, asked: Question, is_right: bool, count: str) -> str:
    letter = _LETTERS[asked.right]
    notes = [f"{letter})  {option.note}" for letter, option in zip(_LETTERS, asked.options, strict=True) if option.note]
    blocks = [
        f"Right: {letter}." if is_right else f"No: {letter} is right.",
        *asked.why,
        *([_kept("\n".join(notes))] if notes else []),
        f"{count} answered right so far. `question({name})` asks the next one.",
    ]
    return "\n\n".join(blocks)


def _folded(text: str) -> str:
    """A sentence in lines that are not too long."""
    return textwrap.fill(text, _WIDE)


def _kept(text: str, further: int = 0) -> str:
    """The text as a block that keeps its lines, of which those after the first begin further to the right."""
    return "    " + text.replace("\n", "\n" + " " * (4 + further))
