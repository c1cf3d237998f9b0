"""What a class did in a chapter, as the report tells it: read from what was handed in, from stored results and from the gradebook.

Nothing is run: a submission whose result is not stored counts as not graded.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import StatisticsError, correlation, mean

from nbgrader.api import Student
from rich.console import Console

from autograder.bar import progress
from autograder.building.assistants import disclosed
from autograder.checkout import Course, CourseError, course_config
from autograder.declare import ExerciseChecks, added, is_use
from autograder.grading.collect import Submission, collect, file_hash
from autograder.grading.config_drift import hold_as_graded, late_notice
from autograder.grading.export import Line, Standing, read_lines
from autograder.grading.gradebook import full_name
from autograder.grading.grader import Grader, grader
from autograder.grading.plan import MAX_CELL
from autograder.grading.repair import read_submission
from autograder.grading.result import Result
from autograder.grading.roster import ids_of, is_complete
from autograder.grading.sandbox import Limits
from autograder.grading.similarity import Pair, alike, joined
from autograder.grading.viva_points import read_marks
from autograder.judging.verdict import BUILDS_ON, Outcome, Status

_NO_CAUSE = re.compile(
    r"off by \S+|values differ|values are NaN|came back .+, expected|is a list of \d+, expected a list"
    r"|has shape \([^)]*\), expected \([^)]*\)$|words, expected \d|of \d+ words the first \d+ are right"
)
"""What a message says that knows no cause."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_SHORT = 3
"""An id of so few letters may be a word of code: it is hidden only where a person speaks."""
_SPOKEN = re.compile(r"#.*|(\"{3}|'{3})[\s\S]*?\1|\"[^\"\n]*\"|'[^'\n]*'")
# What a solution of an exercise has no reason to name, and code that looks for answers does.
_UNEXPECTED = {
    "autograder": "the autograder",
    "solutions": "the folder of solutions",
    "subprocess": "other programs",
    "socket": "the network",
    "ctypes": "memory",
    "inspect": "other code",
    "gc": "all objects",
    "sys": "the interpreter",
    "os": "the system",
    "open": "files",
    "eval": "eval",
    "exec": "exec",
    "__import__": "imports by name",
    "__subclasses__": "all classes",
    "_getframe": "the callers",
}


@dataclass(frozen=True)
class Work:
    """What one student handed in.

    Args:
        result: What it earned by exercise and check.
        answers: The code of the answers that are not as they were given, by exercise.
        problems: What was repaired or could not be read, in sentences.
        reached: What the code names that a solution has no reason to name, in words.
        file: The hash of the file.
        disclosed: What they said about assistants; empty where nothing was written, None where nothing was asked.
    """

    result: Result
    answers: Mapping[str, str]
    problems: tuple[str, ...]
    reached: tuple[str, ...]
    file: str
    disclosed: str | None = None

    def attempted(self, exercise: str) -> bool:
        """Whether an exercise was written."""
        return any(outcome.status is not Status.NOT_ATTEMPTED for outcome in self.result.outcomes[exercise])


@dataclass(frozen=True)
class Item:
    """How a check did in the class.

    Args:
        exercise: The exercise.
        check: The check's name.
        points: What it is worth.
        hidden: Whether it runs only when graded.
        passed: How many passed it.
        attempted: How many wrote the exercise.
        discrimination: The correlation of passing it with the points of all other checks; None where it cannot be computed.
    """

    exercise: str
    check: str
    points: float
    hidden: bool
    passed: int
    attempted: int
    discrimination: float | None


@dataclass(frozen=True)
class Misconception:
    """A cause of wrong answers.

    Args:
        exercise: The exercise.
        check: The first check that it missed.
        message: What the first student was told.
        also: What the same students were told by other checks of the exercise.
        students: Who was told this.
        example: The code of one of them.
    """

    exercise: str
    check: str
    message: str
    also: tuple[str, ...]
    students: tuple[str, ...]
    example: str


@dataclass(frozen=True)
class Group:
    """Students whose work is alike, each to that of another of them.

    Args:
        students: Their ids.
        pairs: Which two of them share what is rare in the class, the most telling first.
        equal: Those who handed in the very same file, for each such file.
    """

    students: tuple[str, ...]
    pairs: tuple[Pair, ...]
    equal: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ClassRecord:
    """What a class did in a chapter.

    Args:
        chapter: The chapter.
        exercises: Its exercises.
        lines: What the gradebook has of each student.
        work: What was handed in and graded, by the students' ids.
        ungraded: The students whose submission has no stored result.
        strangers: The folders with a submission of nobody on the roster, which count for nothing here.
        limits: What a submission may use.
        stubs: The cells of the answers as they were given, by exercise.
        given: The code that everyone was given, and the solutions of all chapters.
        outdated: That late penalties are not those of today, and what to do; empty if they are.
        viva: What each student earned at each question of a viva, from 0 to 1, with the exercise that it was about.
    """

    chapter: str
    exercises: tuple[ExerciseChecks, ...]
    lines: Sequence[Line]
    work: Mapping[str, Work]
    ungraded: tuple[str, ...]
    strangers: tuple[str, ...]
    limits: Limits
    stubs: Mapping[str, str]
    given: tuple[str, ...]
    outdated: str = ""
    viva: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)

    @property
    def worth(self) -> float:
        """The points of all checks, without extra credit."""
        return added(found.required for found in self.exercises)

    def points(self, student: str) -> float:
        """What the checks gave one student."""
        return added(self.work[student].result.earned(found.exercise.name) for found in self.exercises)

    def earned_all(self, student: str) -> bool:
        """Whether a student lost no points in any exercise, extra credit apart."""
        earned = self.work[student].result.earned
        return all(earned(found.exercise.name) >= found.required for found in self.exercises)

    def share(self, found: ExerciseChecks) -> float:
        """The share of an exercise's points that the class earned."""
        earned = [work.result.earned(found.exercise.name) for work in self.work.values()]
        return sum(earned) / len(earned) / (found.points or 1)

    def scores(self) -> list[float]:
        """The scores that are final: with the written answer and points given by hand, less late penalties."""
        final = (Standing.GRADED, Standing.LATE)
        return [line.score for line in self.lines if line.standing in final and line.score is not None]

    def items(self) -> list[Item]:
        """Each check with how it did."""
        totals = {student: self.points(student) for student in self.work}
        return [self._item(found, place, totals) for found in self.exercises for place in range(len(found.checks))]

    def _item(self, found: ExerciseChecks, place: int, totals: Mapping[str, float]) -> Item:
        check, name = found.checks[place], found.exercise.name
        outcomes = {
            student: work.result.outcomes[name][place]
            for student, work in self.work.items()
            if work.result.outcomes[name][place].status is not Status.NOT_ATTEMPTED
        }
        marks = [outcome.earned for outcome in outcomes.values()]
        rest = [totals[student] - mark for student, mark in zip(outcomes, marks, strict=True)]
        passed = sum(outcome.status is Status.PASSED for outcome in outcomes.values())
        return Item(name, check.name, check.points, check.hidden, passed, len(outcomes), _correlation(marks, rest))

    def misconceptions(self) -> list[Misconception]:
        """The causes, the most frequent first; a student counts once for each.

        What the same students of an exercise were told is one cause: the first that a check of one question named.
        """
        in_use = {
            found.exercise.name: {check.name for check in found.checks if is_use(check)} for found in self.exercises
        }
        told: dict[tuple[str, str], dict[str, Outcome]] = defaultdict(dict)
        for student, work in self.work.items():
            for name, outcomes in work.result.outcomes.items():
                for outcome in filter(_is_told, sorted(outcomes, key=lambda outcome: outcome.name in in_use[name])):
                    told[name, _cause(outcome)].setdefault(student, outcome)
        together: dict[tuple[str, tuple[str, ...]], list[Outcome]] = defaultdict(list)
        for (name, _), by_student in told.items():
            together[name, tuple(by_student)].append(next(iter(by_student.values())))
        listed = []
        for (name, students), outcomes in together.items():
            ordered = sorted(outcomes, key=lambda outcome: (outcome.name in in_use[name], _knows_no_cause(outcome)))
            others = (outcome for outcome in ordered[1:] if _first_line(outcome) != _first_line(ordered[0]))
            also = tuple(dict.fromkeys(outcome.message for outcome in others))
            example = self.work[students[0]].answers.get(name, "")
            listed.append(Misconception(name, ordered[0].name, ordered[0].message, also, students, example))
        return sorted(listed, key=lambda one: -len(one.students))

    def limited(self) -> dict[str, tuple[str, ...]]:
        """The students whose code ran into a limit of time or memory, with the exercises or cells where it did."""
        found = {}
        for student, work in self.work.items():
            at = [
                name
                for name, outcomes in work.result.outcomes.items()
                if any(outcome.status in (Status.TIMEOUT, Status.OUT_OF_MEMORY) for outcome in outcomes)
            ]
            said = (Status.TIMEOUT.value, Status.OUT_OF_MEMORY.value, "MemoryError")
            at += [f"cell {index + 1}" for index, error in work.result.errors.items() if error in said]
            if at:
                found[student] = tuple(at)
        return found

    def alike(self) -> list[Pair]:
        """The pairs of students whose answers share what is rare in the class."""
        return alike({student: work.answers for student, work in self.work.items()}, self.given)

    def groups(self) -> list[Group]:
        """The students whose work is alike, those with equal files first; of a ring of copiers, there is one group."""
        by_file: dict[str, list[str]] = defaultdict(list)
        for student, work in self.work.items():
            if work.answers:  # A notebook as it was given is equal, and copied from nobody.
                by_file[work.file].append(student)
        equal = [tuple(students) for file, students in by_file.items() if file and len(students) > 1]
        pairs = self.alike()
        found = [
            Group(
                tuple(sorted(members)),
                tuple(pair for pair in pairs if pair.students[0] in members),
                tuple(students for students in equal if students[0] in members),
            )
            for members in joined(self.work, [*equal, *(pair.students for pair in pairs)])
            if len(members) > 1
        ]
        return sorted(found, key=lambda one: (not one.equal, pairs.index(one.pairs[0]) if one.pairs else -1))

    def without_names(self, called: Mapping[str, str]) -> ClassRecord:
        """The same, with nobody's id, name or address in what students wrote and were told.

        Args:
            called: What each student is called instead.
        """
        hide = Hiding([line.student for line in self.lines], called)
        work = {
            student: replace(
                done,
                result=replace(
                    done.result,
                    outcomes={
                        name: [replace(outcome, message=hide.in_text(outcome.message)) for outcome in outcomes]
                        for name, outcomes in done.result.outcomes.items()
                    },
                    errors={index: hide.in_text(error) for index, error in done.result.errors.items()},
                ),
                answers={name: hide.in_code(source) for name, source in done.answers.items()},
                problems=tuple(map(hide.in_text, done.problems)),
                disclosed=None if done.disclosed is None else hide.in_text(done.disclosed),
            )
            for student, done in self.work.items()
        }
        return replace(self, work=work, outdated=hide.in_text(self.outdated))

    def explained(self) -> dict[str, float]:
        """The share of a viva's points that each student earned, of those who handed in work."""
        return {
            student: sum(mark for _, mark in marks) / len(marks)
            for student, marks in self.viva.items()
            if student in self.work and marks
        }

    def written_and_explained(self) -> list[tuple[str, int, float, float]]:
        """Each exercise that was asked about: in how many questions, which share of its points those students earned who were asked, and of the questions'.

        First come those that the class can write better than explain.
        """
        asked: dict[str, list[tuple[str, float]]] = defaultdict(list)
        for student, marks in self.viva.items():
            for name, mark in marks if student in self.work else ():
                asked[name].append((student, mark))
        rows = []
        for found in self.exercises:
            marks = asked.get(found.exercise.name, [])
            if marks and found.points:
                earned = [self.work[student].result.earned(found.exercise.name) / found.points for student, _ in marks]
                rows.append((found.exercise.name, len(marks), mean(earned), mean(mark for _, mark in marks)))
        return sorted(rows, key=lambda row: row[3] - row[2])

    def standing(self, *which: Standing) -> list[str]:
        """The students whose assignment has this standing."""
        return [line.student.id for line in self.lines if line.standing in which]


class Hiding:
    """Replaces who students are: ids and addresses anywhere, their names in sentences, and in comments and texts of code.

    A name that stands in code for something else, such as `max`, stays.
    """

    def __init__(self, students: Sequence[Student], called: Mapping[str, str]) -> None:
        self._called = {student.lower(): words for student, words in called.items()}
        names = list(map(full_name, students))
        names += [name for student in students for name in (student.first_name, student.last_name)]
        emails = [student.email for student in students]
        self._certain = _known([*emails, *(student for student in called if len(student) > _SHORT)])
        self._anything = _known([*emails, *names, *called])

    def in_text(self, text: str) -> str:
        """A sentence without them."""
        return self._without(self._anything, text)

    def in_code(self, source: str) -> str:
        """Code without them."""
        return self._without(self._certain, _SPOKEN.sub(lambda found: self.in_text(found.group()), source))

    def _without(self, known: Sequence[str], text: str) -> str:
        there = text.lower()
        for word in known:
            if word in there:
                whole = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.IGNORECASE)
                text = whole.sub(self._called.get(word, "…"), text)
        return text


def _known(words: Iterable[str | None]) -> list[str]:
    """The words that there are, in small letters, the longest first."""
    return sorted({word.lower() for word in words if word and word.strip()}, key=lambda word: -len(word))


def _correlation(marks: Sequence[float], rest: Sequence[float]) -> float | None:
    try:
        return correlation(marks, rest)
    except StatisticsError:  # Fewer than two students, or all alike.
        return None


def _is_told(outcome: Outcome) -> bool:
    missed = outcome.status in (Status.FAILED, Status.ERROR, Status.TIMEOUT, Status.OUT_OF_MEMORY)
    return missed and not outcome.message.startswith(BUILDS_ON)


def _cause(outcome: Outcome) -> str:
    """What tells a cause from others: how the message begins, without its numbers, which are each student's own.

    Where it only says how far an answer is from the right one, its numbers are all there is: the same draws were put to everyone, so
    that the same mistake gives the same.
    """
    return outcome.message if _knows_no_cause(outcome) else _NUMBER.sub("…", _first_line(outcome))


def _knows_no_cause(outcome: Outcome) -> bool:
    """Whether what is said first is how far an answer is from the right one, and not why."""
    return bool(_NO_CAUSE.search(_first_line(outcome)))


def _first_line(outcome: Outcome) -> str:
    """What is said first, which is the cause where it is known."""
    return outcome.message.partition("\n")[0]


def read_class(course: Course, chapter: str, console: Console) -> ClassRecord:
    """Read what a class did.

    Args:
        course: The course, in which the chapter has been graded.
        chapter: The chapter's name.
        console: Where progress is shown.

    Raises:
        CourseError: The chapter has not been graded.
    """
    config = course_config(course.root)
    hold_as_graded(course, chapter, config)
    submissions = collect(course, chapter)
    lines = read_lines(course, chapter)
    boxes = [grader(course, chapter, config, box) for box in ("landlock", "none")]
    stubs = {cell.source for cell in boxes[0].released.cells}
    named = {name for source in stubs for name in _names(source)}
    members = {line.student.id: line.student for line in lines}
    roster = members.keys() if is_complete(config) else None
    work, ungraded, strangers = {}, [], []
    with progress(console) as bar:
        for submission in bar.track(submissions, description=f"report on {chapter}"):
            if roster is not None and submission.student not in roster:
                strangers.append(submission.student)
                continue
            ids = ids_of(submission.student, members.get(submission.student))
            done = _read(submission, ids, boxes, stubs, named)
            if done is None:
                ungraded.append(submission.student)
            else:
                work[submission.student] = done
    if not work:
        raise CourseError(
            f"no grades of {chapter} under the current checks are stored: run `autograder grade {chapter}` first"
        )
    marked = {
        str(cell.metadata.get("nbgrader", {}).get("grade_id", "")): cell.source for cell in boxes[0].released.cells
    }
    answers = {name.removesuffix("-answer"): source for name, source in marked.items() if name.endswith("-answer")}
    given = [cell.source for cell in boxes[0].released.cells if cell.cell_type == "code"]
    # What a later chapter shows may be read by everyone, too.
    given += [path.read_text(encoding="utf-8") for path in sorted(course.solutions.glob("*/*.py"))]
    return ClassRecord(
        chapter,
        boxes[0].exercises,
        lines,
        work,
        tuple(ungraded),
        tuple(strangers),
        boxes[0].planner.limits,
        answers,
        tuple(given),
        late_notice(course, chapter, config),
        read_marks(course, chapter),
    )


def _read(
    submission: Submission, ids: Sequence[str], boxes: Sequence[Grader], stubs: set[str], given: set[str]
) -> Work | None:
    """What one student handed in, or None where no result of it is stored.

    Args:
        submission: The submission.
        ids: What the student may be called.
        boxes: The chapter's grader with each kind of sandbox.
        stubs: The sources of the cells as they were released.
        given: The names in them.
    """
    repaired = read_submission(submission.notebook, boxes[0].released)
    result = next(filter(None, (box.stored(repaired.notebook, ids) for box in boxes)), None)
    if result is None:
        return None
    answers = {}
    for cell in repaired.notebook.cells:
        name = str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
        if name.endswith("-answer") and cell.source not in stubs:
            answers[name.removesuffix("-answer")] = cell.source
    code = [cell.source for cell in repaired.notebook.cells if cell.cell_type == "code" and cell.source not in stubs]
    named = {name for source in code if len(source) <= MAX_CELL for name in _names(source)} - given
    reached = tuple(words for name, words in _UNEXPECTED.items() if name in named)
    file = file_hash(submission.notebook) if submission.notebook.is_file() else ""
    said = disclosed(cell.source for cell in repaired.notebook.cells if cell.cell_type == "markdown")
    return Work(result, answers, (*submission.notes, *repaired.problems), reached, file, said)


def _names(source: str) -> Iterator[str]:
    """The names, attributes and modules in a piece of code, as far as it can be read."""
    try:
        tree = ast.parse("\n".join(line for line in source.splitlines() if not line.lstrip().startswith(("%", "!"))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def pseudonyms(students: Iterable[str], secret: str) -> dict[str, str]:
    """A name for each student that tells nothing and is the same every time.

    Args:
        students: The students' ids.
        secret: The chapter's secret.
    """
    order = sorted(students, key=lambda student: hashlib.sha256(f"{secret} {student}".encode()).digest())
    return {student: f"student {number}" for number, student in enumerate(order, start=1)}
