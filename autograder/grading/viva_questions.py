"""What each student is asked in a viva: five questions about the code that they handed in, made in the sandbox under the class's secret.

The code runs as in grading. What a run of it gave is kept, so that an interrupted class is gone on with. Students whose answers are alike are
asked the same, so that what they say can be compared.
"""

from __future__ import annotations

import ast
import hashlib
import json
import keyword
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from autograder.asking.draw import derive_seed
from autograder.asking.probing import Failure
from autograder.building.weave import top_level_definitions
from autograder.checkout import Course, write_whole
from autograder.grading.plan import Job
from autograder.grading.plugin import Grader
from autograder.grading.worker import MAX_CELL, Asked, Run
from autograder.questions.code import UnaskableError
from autograder.questions.given import inputs_of
from autograder.questions.making import Option, Question, about_mistakes
from autograder.questions.recorded import read_recorded
from autograder.questions.rehearsal import key_of, perform
from autograder.questions.why import Why, read_whys

ASKED = 5
"""How many questions a student is asked; the last is an open one."""
_SECONDS = 20.0
"""For how long the questions about one exercise may compute: ten times what the slowest takes."""


@dataclass(frozen=True)
class Item:
    """A question on a sheet.

    Args:
        exercise: The exercise.
        question: A question to choose an answer to; None where it is an open one.
        why: The open question.
    """

    exercise: str
    question: Question | None = None
    why: Why | None = None


@dataclass(frozen=True)
class Askable:
    """What can be asked about one student's code.

    Args:
        questions: By exercise.
        reasons: Why there is no question, by exercise, in sentences; an exercise that was not written is in neither.
    """

    questions: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Paper:
    """What one student handed in.

    Args:
        notebook: The repaired notebook.
        cells: The code of the cell that defines each exercise, where it was written.
    """

    notebook: NotebookNode
    cells: Mapping[str, str]


def read_paper(notebook: NotebookNode, released: NotebookNode, exercises: Iterable[str]) -> Paper:
    """Find in a repaired notebook what each exercise is defined by when its check takes it.

    Args:
        notebook: The notebook.
        released: The notebook that the class was given.
        exercises: The names of the exercises.
    """
    wanted, given = set(exercises), {cell.source for cell in released.cells}
    defined: dict[str, str] = {}
    found: dict[str, str] = {}
    for cell in notebook.cells:
        if cell.cell_type != "code" or len(cell.source) > MAX_CELL:
            continue
        mark = cell.metadata.get("nbgrader", {})
        if mark.get("grade") and not mark.get("solution"):
            if mark["grade_id"] in defined:
                found[mark["grade_id"]] = defined[mark["grade_id"]]
        elif any(name in cell.source for name in wanted):
            defined |= dict.fromkeys(wanted & top_level_definitions(_as_python(cell.source)), cell.source)
    return Paper(notebook, {name: text for name, text in {**defined, **found}.items() if text not in given})


def _as_python(source: str) -> str:
    """A cell as a kernel reads it, without the magics of a notebook."""
    try:
        return str(TransformerManager().transform_cell(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return source


class Rehearsals:
    """Makes the questions about submissions, and keeps them."""

    def __init__(self, course: Course, found: Grader, only: Sequence[str]) -> None:
        """Prepare what all submissions share.

        Args:
            course: The course.
            found: The chapter's grader.
            only: The exercises to ask about.
        """
        self.chapter = found.planner.chapter
        self._found, self._only = found, tuple(only)
        self._folder = course.private / "viva" / self.chapter
        self._secret = course.secret(self.chapter)

    def of(self, paper: Paper, seed_of: str, run: Callable[[Job], Run]) -> Askable:
        """What can be asked about one submission.

        Args:
            paper: The submission.
            seed_of: Whose questions these are: for the same one and the same code they are the same.
            run: Runs a job.

        Raises:
            SandboxError: The worker or its box failed.
        """
        job = self._job(paper, seed_of)
        if not job.asked:
            return Askable()
        path = self._folder / f"{job.key}.json"
        kept = _read(path)
        if kept is None:
            kept = self._made(paper, job, run(job))
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(path, json.dumps(asdict(kept), ensure_ascii=False).encode(errors="replace"))
        return kept

    def _job(self, paper: Paper, seed_of: str) -> Job:
        """The submission's job with questions in the place of checks."""
        job = self._found.planner.job(paper.notebook)
        asked = tuple(
            Asked(key_of(name), name, derive_seed(self._secret, f"{key_of(name)}/{seed_of}", 0))
            for name in self._only
            if name in paper.cells
        )
        key = hashlib.sha256(json.dumps([job.key, [[ask.key, str(ask.seed)] for ask in asked]]).encode()).hexdigest()
        return replace(job, asked=asked, limits=replace(job.limits, probe_seconds=_SECONDS), key=key[:32])

    def _made(self, paper: Paper, job: Job, run: Run) -> Askable:
        """The questions that come of what the runs gave."""
        questions: dict[str, tuple[Question, ...]] = {}
        reasons: dict[str, str] = {}
        for ask in job.asked:
            (given,) = run.answers.get(ask.key) or [[]]
            try:
                if isinstance(given, Failure):
                    raise UnaskableError(f"{given.message.splitlines()[0]}.")
                text = _as_python(paper.cells[ask.exercise])
                made = tuple(perform(self.chapter, ask.exercise, text, str(ask.seed), given))
            except UnaskableError as error:
                reasons[ask.exercise] = str(error)
                continue
            if made:
                questions[ask.exercise] = made
            else:
                reasons[ask.exercise] = f"No question was found about `{ask.exercise}`."
        return Askable(questions, reasons)


def _read(path: Path) -> Askable | None:
    """What was kept; None where there is nothing, or it is damaged."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
        return Askable({name: tuple(map(_question, each)) for name, each in tree["questions"].items()}, tree["reasons"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _question(tree: Any) -> Question:
    options = tuple(Option(**option) for option in tree["options"])
    return Question(**{**tree, "options": options, "why": tuple(tree["why"])})


def sheets(
    chapter: str,
    group: Sequence[str],
    askable: Mapping[str, Askable],
    papers: Mapping[str, Paper],
    only: Sequence[str],
    secret: str,
) -> dict[str, list[Item]]:
    """The questions for students whose answers are alike, or for one student: the same for all of them as far as their code allows.

    Args:
        chapter: The chapter.
        group: Their ids.
        askable: What can be asked about the code of each.
        papers: What each handed in.
        only: The exercises to ask about.
        secret: The class's secret.
    """
    chance = random.Random(f"{secret}/{chapter}/viva/{min(group)}")
    order = chance.sample(only, len(only))
    common = [name for name in order if all(name in askable[student].questions for student in group)]
    whys = read_whys(chapter)
    written = [name for name in order if all(name in papers[student].cells for student in group)]
    asked_why = next((name for name in [*reversed(written), *reversed(order)] if name in whys), None)
    places = ASKED - (asked_why is not None)
    found: dict[str, list[Item]] = {student: [] for student in group}
    # The exercise of the open question comes last: a sheet is to look at as many exercises as it can.
    for name, picks in _picked(sorted(common, key=lambda name: name == asked_why), group, askable, papers, places):
        for student, question in picks.items():
            found[student].append(Item(name, question))
    for student in group:
        missing = places - len(found[student])
        found[student] += _on_mistakes(chapter, order, missing, chance) if missing else []
        if asked_why:
            found[student].append(Item(asked_why, why=whys[asked_why]))
        rest = [name for name in order if name in whys and name != asked_why]
        found[student] += [Item(name, why=whys[name]) for name in rest[: ASKED - len(found[student])]]
    return found


def _picked(
    names: Sequence[str],
    group: Sequence[str],
    askable: Mapping[str, Askable],
    papers: Mapping[str, Paper],
    places: int,
) -> list[tuple[str, dict[str, Question]]]:
    """Questions about the students' own code: one about each exercise before a second about any, of as many kinds as there are."""
    rows: list[tuple[str, dict[str, Question]]] = []
    left = {name: _shared(name, group, askable, papers) for name in names}
    kinds: set[str] = set()
    while len(rows) < places and any(left.values()):
        for name in names:
            if not left[name] or len(rows) == places:
                continue
            new = [row for row in left[name] if not {question.kind for question in row.values()} & kinds]
            row = (new or left[name])[0]
            left[name].remove(row)
            kinds |= {question.kind for question in row.values()}
            rows.append((name, row))
    return sorted(rows, key=lambda row: names.index(row[0]))


def _shared(
    name: str, group: Sequence[str], askable: Mapping[str, Askable], papers: Mapping[str, Paper]
) -> list[dict[str, Question]]:
    """The questions about an exercise, each for all students: first those that are the same apart from names, then others of the same kind."""
    by_form = {
        student: {
            _form(question, papers[student].cells[name]): question for question in askable[student].questions[name]
        }
        for student in group
    }
    first, *others = group
    rows = [
        {student: by_form[student][form] for student in group}
        for form in by_form[first]
        if all(form in by_form[other] for other in others)
    ]
    if rows:
        return rows
    kinds = [question.kind for question in askable[first].questions[name]]
    of_kind = [
        {student: next((q for q in askable[student].questions[name] if q.kind == kind), None) for student in group}
        for kind in dict.fromkeys(kinds)
    ]
    same = [{s: q for s, q in row.items() if q is not None} for row in of_kind]
    return [row for row in same if len(row) == len(group)]


def _form(question: Question, source: str) -> tuple[str, ...]:
    """A question without the names that the code chose."""
    try:
        tree = ast.parse(_as_python(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (question.ask,)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    chosen = [node.id for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset))]
    places = {name: f"name {place}" for place, name in enumerate(dict.fromkeys(chosen))}

    def nameless(text: str) -> str:
        return re.sub(
            r"[^\W\d]\w*",
            lambda word: places.get(word[0], word[0]) if not keyword.iskeyword(word[0]) else word[0],
            text,
        )

    return (question.kind, question.given, nameless(question.ask), *sorted(nameless(o.text) for o in question.options))


def _on_mistakes(chapter: str, names: Sequence[str], number: int, chance: random.Random) -> list[Item]:
    """Questions about listed mistakes, for whom there is too little code to ask about."""
    recorded = read_recorded(chapter)
    found: list[Item] = []
    pool = {name: list(recorded.get(name, ())) for name in names}
    while len(found) < number and any(pool.values()):
        for name in names:
            inputs = inputs_of(chapter, name)
            if pool[name] and inputs is not None and len(found) < number:
                one = pool[name].pop(chance.randrange(len(pool[name])))
                found.append(Item(name, about_mistakes(name, inputs, one, chance)))
    return found
