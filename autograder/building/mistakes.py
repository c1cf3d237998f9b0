"""Records what comes of the listed mistakes, and shows it: `autograder mistakes`.

For `check`, the fingerprints of what they give, and the small examples on which they fail; for `question`, what some of them give for small inputs;
for the tests, what each of them is told in a notebook.
What it shows is what a student would see: the points that are left, the check, and what it says.
"""

import io
import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Column, Table

from autograder.asking.draw import PUBLIC_SEED
from autograder.asking.probing import answers, probes_of
from autograder.bar import progress
from autograder.building.recorded import recorded_bytes, recorded_of
from autograder.building.shrinking import examples_of
from autograder.checkout import write_whole
from autograder.declare import ExerciseChecks, chapters, find_exercise, key, load_checks
from autograder.judging.catalogue import CausesUnder, fingerprints_of, load_catalogue
from autograder.judging.examples import Example, examples_path, read_examples
from autograder.judging.expected_answers import read_answers
from autograder.judging.known_mistakes import fingerprints_path, known_causes, read_fingerprints
from autograder.judging.outcomes import judge_exercise
from autograder.judging.reference import load_reference, reference_answers
from autograder.judging.verdict import Outcome
from autograder.questions.recorded import Recorded, read_recorded, recorded_path

ROOT = Path(__file__).parents[2]
TOLD = ROOT / "tests" / "told.json"
_SECRET = "any other"
"""Under which all checks run, to see what is left."""
Row = tuple[str, str, float, str]
"""A mistake's name, its sentence, the points that are left, and what is said of it."""


def read_told() -> dict[str, dict[str, str]]:
    """By exercise and mistake, what it is told in a notebook; none of what hidden checks say."""
    found: dict[str, dict[str, str]] = json.loads(TOLD.read_text(encoding="utf-8"))
    return found


def numberless(message: str) -> str:
    """A message with # for each number, which rounding makes another on every processor."""
    return re.sub(r"(?<!\w)-?\d[\d.e+-]*", "#", " ".join(message.split()))


def outcomes_of(exercise: ExerciseChecks, subject: Any, secret: str = PUBLIC_SEED) -> list[Outcome]:
    """How the checks end in a notebook, with causes; or under a secret seed, all of them."""
    with redirect_stdout(io.StringIO()):
        asked = exercise.visible if secret == PUBLIC_SEED else exercise
        got = {key(probe): answers(probe, subject, secret) for probe in probes_of(asked.checks)}
        if secret == PUBLIC_SEED:
            return judge_exercise(asked, got, read_answers(exercise.chapter), causes=known_causes(exercise.chapter))
        want = _wanted(exercise.exercise.name, secret)
        return judge_exercise(asked, got, want, causes=_causes(exercise.exercise.name, secret))


@cache
def _causes(name: str, secret: str) -> CausesUnder:
    return CausesUnder([_exercise(name)], secret)


@cache
def _wanted(name: str, secret: str) -> dict[str, list[Any]]:
    exercise = _exercise(name)
    return dict(reference_answers(load_reference(ROOT / "solutions", exercise.chapter), [exercise], secret))


def told_to(exercise: ExerciseChecks) -> tuple[dict[str, str], list[Row]]:
    """What each listed mistake that a visible check names is told in a notebook; and what a student sees of each."""
    words: dict[str, str] = {}
    rows: list[Row] = []
    for one in load_catalogue(exercise).mistakes:
        in_notebook, graded = (
            {o.name: o for o in outcomes_of(exercise, one.subject, s)} for s in (PUBLIC_SEED, _SECRET)
        )
        if one.check in in_notebook:
            words[one.subject.__name__] = numberless(in_notebook[one.check].message)
            shown = in_notebook[one.check].message
        else:
            shown = f"(hidden) {graded[one.check].hint}"
        kept = sum(outcome.earned for outcome in graded.values())
        rows.append((one.subject.__name__, one.sentence, kept, f"{one.check}: {shown}"))
    return words, rows


def _start() -> None:
    torch.set_num_threads(1)


def record_mistakes(only: Sequence[str], console: Console) -> None:
    """Write the chapters' files and the words, of all exercises or of some, and print a table for each.

    Args:
        only: Names of exercises; all of them if empty.
        console: Where the tables are printed.

    Raises:
        ValueError: There is no exercise of such a name.
    """
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), initializer=_start) as pool, progress(console) as bar:
        exercises = [_exercise(name) for name in only] or [e for chapter in chapters() for e in load_checks(chapter)]
        names = [exercise.exercise.name for exercise in exercises]  # Judges cannot be sent to another process.
        task = bar.add_task("fingerprints and examples, questions, words", total=3 * len(exercises))
        # Not by way of their caches, which the processes that begin here would inherit: they read what is written below.
        prints, examples = read_fingerprints.__wrapped__, read_examples.__wrapped__
        found: dict[str, dict[str, Any]] = {}
        shown: dict[str, dict[str, list[Example]]] = {}
        for chapter, kept in _others(names).items():
            found[chapter] = {name: rest for name, rest in prints(chapter).items() if name.split(".")[0] in kept}
            shown[chapter] = {name: rest for name, rest in examples(chapter).items() if name in kept}
        for exercise, (of_exercise, small) in zip(exercises, pool.map(_prints_and_examples_of, names), strict=True):
            found[exercise.chapter] |= of_exercise
            shown[exercise.chapter] |= {exercise.exercise.name: small} if small else {}
            bar.advance(task)
        asked = {
            chapter: {name: rest for name, rest in read_recorded(chapter).items() if name in kept}
            for chapter, kept in _others(names).items()
        }
        for exercise, of_questions in zip(exercises, pool.map(_questions_of, names), strict=True):
            asked[exercise.chapter][exercise.exercise.name] = of_questions
            bar.advance(task)
        for chapter, of_chapter_asked in asked.items():
            write_whole(recorded_path(chapter), recorded_bytes(of_chapter_asked), 0o644)
        for chapter, of_chapter in found.items():
            lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(rest)}" for name, rest in sorted(of_chapter.items()))
            write_whole(fingerprints_path(chapter), f"{{\n{lines}\n}}\n".encode(), 0o644)
            in_order = {name: [asdict(one) for one in small] for name, small in sorted(shown[chapter].items())}
            write_whole(examples_path(chapter), f"{json.dumps(in_order, indent=1)}\n".encode(), 0o644)
        told = {name: words for name, words in read_told().items() if only and name not in only}
        for exercise, (words, rows) in zip(exercises, pool.map(_told_to, names), strict=True):
            told[exercise.exercise.name] = words
            bar.advance(task)
            console.print(table_of(exercise, rows))
    write_whole(TOLD, (json.dumps(told, indent=1, ensure_ascii=False, sort_keys=True) + "\n").encode(), 0o644)


def _others(names: Sequence[str]) -> dict[str, set[str]]:
    """By chapter of the exercises, its other exercises, of which what is recorded stays."""
    of_chapter = {chapter: {e.exercise.name for e in load_checks(chapter)} for chapter in chapters()}
    return {chapter: found - set(names) for chapter, found in of_chapter.items() if found & set(names)}


def _prints_and_examples_of(name: str) -> tuple[dict[str, Any], list[Example]]:
    exercise = _exercise(name)
    with redirect_stdout(io.StringIO()):
        return dict(fingerprints_of(exercise)), examples_of(exercise, ROOT / "solutions")


def _questions_of(name: str) -> list[Recorded]:
    return recorded_of(_exercise(name))


def _told_to(name: str) -> tuple[dict[str, str], list[Row]]:
    return told_to(_exercise(name))


def _exercise(name: str) -> ExerciseChecks:
    exercise = find_exercise(name)
    if exercise is None:
        raise ValueError(f"there is no exercise {name!r}")
    return exercise


def table_of(exercise: ExerciseChecks, rows: Sequence[Row]) -> Table:
    """What is left to each mistake, and what is said of it; the dearest last."""
    columns = Column("mistake", ratio=2), Column(f"of {exercise.points}", justify="right"), Column("told", ratio=3)
    table = Table(*columns, title=exercise.exercise.name, expand=True)
    for name, sentence, kept, told in sorted(rows, key=lambda row: -row[2]):
        table.add_row(f"{name}: {sentence}", str(kept), told)
    return table
